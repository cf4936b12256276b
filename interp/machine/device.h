// A GPU as the model sees it: the limits of an SM, the caches, the memory, the clocks. Everything that is one chip's
// number stands in its file, devices/NAME.json; nothing outside this description names a chip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tl::machine {

enum class Policy { not_recently_used, lru };

struct Device {
  std::string name;   // h200, or the user's file
  std::string title;  // NVIDIA H200 SXM
  int cc_major = 0, cc_minor = 0;

  // The SM. Bytes and counts as cudaGetDeviceProperties gives them.
  std::int64_t sms = 0;
  std::int64_t threads_per_sm = 0, ctas_per_sm = 0, threads_per_cta = 0;
  std::int64_t registers_per_sm = 0, registers_per_thread = 0, register_unit = 0;  // unit: registers, rounded up a warp
  std::int64_t shared_bytes_per_sm = 0, shared_bytes_per_cta = 0;                  // per_cta: after opting in
  std::int64_t shared_reserved_bytes = 0, shared_unit_bytes = 0;                   // reserved: the driver's, a CTA
  std::int64_t barriers_per_sm = 0;  // named barriers (bar.sync); 0: they limit nothing (before 9.0)
  std::int64_t l1_bytes = 0;         // L1 and shared memory together
  double sm_clock_ghz = 0;

  // Arithmetic, dense, 1e12 a second; 0: the chip lacks it.
  double f32_tflops = 0, f64_tflops = 0, f16_tensor_tflops = 0, tf32_tensor_tflops = 0, fp8_tensor_tflops = 0,
         f64_tensor_tflops = 0;

  // L2. A chip of two partitions keeps copies of lines whose home is the other one.
  std::int64_t l2_bytes = 0, l2_partitions = 1, l2_ways = 16, line_bytes = 128, sector_bytes = 32;
  double l2_usable = 1;  // the part of l2_bytes that a sweep finds
  Policy l2_policy = Policy::not_recently_used;
  double l2_gb_per_s = 0;
  double l2_latency_ns = 0, l2_remote_latency_ns = 0;  // of a hit: near partition, far partition

  // DRAM.
  std::int64_t dram_bytes = 0;
  double dram_gb_per_s = 0;   // published peak
  double dram_reachable = 1;  // the part of it that a copy reaches
  double dram_latency_ns = 0;
  double dram_half_spread = 0;  // how much longer than others SMs near the partition whose clocks are slower wait in
                                // its queue, relative, in loops by TMA

  // Dispatch and the requests' way to L2. An empty list means "unknown": the rule in dispatch.h stands for it.
  std::vector<std::int64_t> sm_order;  // SM ids in the order in which the first layer of CTAs is placed
  std::vector<std::int64_t> sm_group;  // SM id -> group whose requests meet before L2 (a GPC, or a part of one)
  std::int64_t gpc_parts =
      1;  // of a group, which DRAM serves in turn: a Hopper's CPCs, to which TPCs (pairs of SMs) go by turns
  std::vector<std::int64_t> sm_partition;  // SM id -> its near L2 partition

  // Merging of a group's reads before L2: a read joins one of the same line that is under way and not older than the
  // window.
  double merge_hit_ns = 0, merge_miss_ns = 0;  // windows for a line that L2 has, and for one that comes from DRAM
  std::int64_t merge_limit = 1;                // SMs that one request serves; 1: none are merged

  std::int64_t fetch_bytes = 64;  // what a miss of one sector brings from DRAM

  double tma_promoted =
      0;  // of the sectors that a tensor map's loads bring from DRAM, the part that a neighbour's miss fetched ahead

  // What a running CTA meets.
  double sm_gb_per_s = 0;                 // what one SM can take from L2
  double tensor_reachable = 1;            // the part of the tensor cores' peak that a large product reaches
  double tensor_reachable_staged = 0.35;  // the same where cp.async brings the tiles in
  double sm_speed_spread = 0;             // from the slowest to the fastest SM of a group, relative
  std::vector<std::int64_t>
      group_pace_ppm;  // of each sm_group: how much longer its clock makes a step under full load; empty: no longer
  // Loops by TMA and wgmma take all the power there is: clocks are below their ceiling, the lower the busier DRAM is,
  // and differ the more.
  double power_dram_share = 0;  // how much lower all clocks are where DRAM is busy all the time
  double tma_pace_share = 1,
         tma_busy_pace_share = 1;  // of group_pace_ppm: what shows where DRAM is at rest, and where it is busy
  double tma_busy_from = 0,
         tma_busy_full = 1;    // the part of what DRAM can give from which on the share rises, and where it has risen
  double tma_sm_gb_per_s = 0;  // what one SM can take at these clocks while DRAM is at rest; 0: sm_gb_per_s
  double tma_late_ns = 0,
         tma_full_late_ns = 0;  // how much later tiles are there at one SM than at another that asked at the same time,
                                // at most; of loops that ask for all that an SM can take
  // Loops by cp.async and mma.sync: clocks stay at their common ceiling, and GPCs keep step, until a loop takes so much
  // power that slow ones fall behind it. What it takes follows its load: what L2 delivers, as a part of l2_gb_per_s,
  // and pace_load_dram times what DRAM does, as a part of what it can.
  double staged_pace_share = 1,
         busy_pace_share = 1;  // of group_pace_ppm: what shows at the ceiling, and where all GPCs fall behind it
  double pace_load_from = 0, pace_load_full = 1;  // the load from which on the share rises, and where it has risen
  double pace_load_dram = 0;                      // how much DRAM's part counts beside L2's
  double pace_load_slower = 0;  // how much longer a step takes, on all GPCs, for a load of 1 more than pace_load_from
  double pace_settle_ns = 0;    // when a launch begins all fall behind; until the chip's voltage follows
  double staged_step_ns = 0;    // what an iteration costs beside its dots, where cp.async brings the tiles in
  double cta_age_step =
      0;  // between the speeds of the oldest and the youngest CTA that compete for an SM's tensor cores, relative
  double cta_jitter = 0;       // and how much their steps vary, from the shortest to the longest, relative
  double register_jitter = 0;  // the same of loops to registers, which nothing keeps at the tensor cores
  double cta_launch_ns = 0;    // from the end of a CTA to the start of the next in its place
  double cta_issue_ns = 0;     // from the start of a CTA to the start of the next one, anywhere on the chip
  double launch_ns = 0;        // of a launch that does nothing
  double atomic_ns = 0,
         atomic_line_ns = 0;  // of adding to a sector: between those that all of L2 does, and between those to one line
  std::int64_t l2_dirty_bytes = 0;  // written lines that L2 keeps before it writes the oldest back; 0: as many as fit

  std::string source;  // where the numbers come from
  std::vector<std::pair<std::string, double>>
      assumed;  // fields that a user's file leaves out, and what they are taken for
  std::vector<std::pair<std::string, std::string>> assumed_rules;  // the same of fields that are no number, in words
};

// The devices that the program knows, in the order in which they are listed.
std::vector<std::string> device_names();
std::string device_list();  // the same, for a sentence
// A name of the list (any case, "RTX 4090" as rtx4090), or the path of a JSON file (it ends in .json or names an
// existing file). Throws Error: a name that is none (the nearest named); a field that is missing, unknown or absurd,
// with value, range and an example.
Device find_device(const std::string& name_or_file);
// The same from text; `where` is what errors call it.
Device parse_device(const std::string& json, const std::string& where);

}  // namespace tl::machine
