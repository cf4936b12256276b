// A GPU as the model sees it: the limits of an SM, the caches, the memory, the clocks. Every number that is one chip's,
// or was fitted to one, stands in its file, devices/NAME.json; devices/fields.json has the unit, the range and, for
// what a file may leave out, the default of each. tests/machine/probes/README.md says which measurement gave which.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "interp/lang/tensor_cores.h"

namespace tl::machine {

enum class Policy { not_recently_used, lru };

struct Device {
  std::string name;   // h200, or the user's file
  std::string title;  // NVIDIA H200 SXM
  int cc_major = 0, cc_minor = 0;
  std::string source;   // where the numbers come from
  std::string figures;  // "measured", or "published, not measured"; a user's own file need not say

  // The SM. Bytes and counts as cudaGetDeviceProperties gives them.
  std::int64_t sms = 0;
  std::int64_t threads_per_sm = 0, ctas_per_sm = 0, threads_per_cta = 0;
  std::int64_t registers_per_sm = 0, registers_per_thread = 0, register_unit = 0;  // unit: registers, rounded up a warp
  std::int64_t sub_partitions = 0;  // parts of an SM, each with its share of the registers and of the warps
  std::int64_t shared_bytes_per_sm = 0, shared_bytes_per_cta = 0;  // per_cta: after opting in
  std::int64_t shared_reserved_bytes = 0, shared_unit_bytes = 0;   // reserved: the driver's, a CTA
  double shared_bytes_a_clock = 0;                                 // that an SM reads or stores
  std::int64_t barriers_per_sm = 0;        // named barriers (bar.sync); 0: no limit (before 9.0)
  std::int64_t l1_bytes = 0, l1_ways = 0;  // L1 and shared memory together
  double l1_share = 0;                     // of l1_bytes, what holds lines that were loaded
  double sm_clock_ghz = 0;
  double loaded_clock_ghz = 0;  // that its power leaves it while it computes: a T4's 70 W, an L4's 72 W

  // Arithmetic, dense, 1e12 a second; 0: the chip lacks it.
  double f32_tflops = 0, f64_tflops = 0, f16_tensor_tflops = 0, tf32_tensor_tflops = 0, fp8_tensor_tflops = 0,
         f64_tensor_tflops = 0;
  TensorCores tensor_cores;                 // how they add
  double alu_lanes = 0, special_lanes = 0;  // instructions of lanes that an SM's pipes take each clock: of integers,
                                            // comparisons and choices; of exp2, reciprocals and rounding
  double tensor_reachable = 0;              // the part of the tensor cores' peak that a large product reaches
  double tensor_reachable_staged = 0;       // the same where cp.async brings the tiles in
  // Where some warps copy by cp.async and others multiply: beside its dots at `roles_dot_share` of the peak's time a
  // turn waits so long, for the slot, the first products and the last.
  double roles_turn_ns = 0, roles_dot_share = 1;
  // What a turn takes of an SM besides: the issue of each of its warps, each request of a lane. A request of warps that
  // copy for others takes roles_request_ns of their time, of warps that copy for themselves request_wait_ns of a
  // warp's.
  double boxes_turn_ns = 0;  // roles_turn_ns where TMA copies, of turns that are no plain product
  double turn_warp_ns = 0, request_ns = 0, roles_request_ns = 0, request_wait_ns = 0;
  double roles_lane_ns = 0;   // the same of warps that copy for others lane by lane, through registers
  double fragment_waits = 1;  // how much longer a warp alone reads its fragments than shared memory serves them
  double dot_wait_ns = 0;     // a dot whose operands the same turn computes
  double enough_warps = 1;    // an SM: with fewer its pipes wait for the warps' own instructions
  double reduction_wait_ns = 0, quad_wait_ns = 0;  // from the lanes of a reduction to its value: of all warps; of four
                                                   // lanes

  // L2. A chip of two partitions keeps copies of lines whose home is the other one.
  std::int64_t l2_bytes = 0, l2_partitions = 0, l2_ways = 0, line_bytes = 0, sector_bytes = 0;
  double l2_usable = 0;  // the part of l2_bytes that a sweep finds
  // How many times as long L2 is at work for a row that begins within a sector, copied by cp.async or in a box by TMA.
  double unaligned_copy = 1, unaligned_box = 1;
  Policy l2_policy = Policy::not_recently_used;
  double l2_gb_per_s = 0;
  double l2_latency_ns = 0, l2_remote_latency_ns = 0;  // of a hit: near partition, far partition
  std::int64_t flushed_dirty_bytes = 0;  // that a bench's flush leaves L2 to write while the next launch runs
  std::int64_t l2_dirty_bytes = 0;  // written lines that L2 keeps before it writes the oldest back; 0: as many as fit

  // DRAM.
  std::int64_t dram_bytes = 0;
  double dram_gb_per_s = 0;   // published peak
  double dram_reachable = 0;  // the part of it that a copy reaches
  double dram_latency_ns = 0;
  double dram_half_spread = 0;  // loops by TMA: how much longer than the mean SMs near the partition with the slower
                                // clocks wait in DRAM's queue, and how much shorter the others, relative
  double dram_load_window_ns = 0, dram_load_weight = 0;  // DRAM's load is a running mean over windows of this length;
                                                         // weight: of the latest one
  std::int64_t fetch_bytes = 0;                          // what a miss of one sector brings

  // Sectors that two requests share.
  double tma_promoted = 0;  // of the sectors that a tensor map's loads bring from DRAM, those that the miss of a
                            // neighbour had brought before
  // A request is narrower than fetch_bytes: of the sectors of a pair whose other half an earlier request asked for, the
  // part that is there by then. at_edge: the two requests meet between sectors; within_sector: in one that both ask
  // for; within_narrow: the latter where a request is no wider than a sector.
  double pair_at_edge = 0, pair_within_sector = 0, pair_within_narrow = 0;
  double first_read_least = 0;     // of a tile's sectors, the part that misses at its first read, at least
  double shared_pairs_from = 0;    // bytes fetched if neighbours share nothing, over bytes fetched if they share all:
                                   // from here on it matters whether neighbours come at the same time
  double far_programs_per_sm = 0;  // programs apart, an SM, from which on they do not

  // What DRAM reads may be. rereads_from: DRAM bytes over distinct bytes from which on L2 does not keep what is read
  // again; the half width of the stated interval below and above it, relative.
  double rereads_from = 0, interval_kept = 0, interval_reread = 0;

  // Dispatch, and the way of requests to L2. An empty list is unknown: dispatch.h says what stands for it.
  std::vector<std::int64_t> sm_order;      // SM ids in the order in which the first layer of CTAs is placed
  std::vector<std::int64_t> sm_group;      // SM id -> group whose requests meet before L2: a GPC, or a part of one
  std::vector<std::int64_t> sm_partition;  // SM id -> its near L2 partition
  std::int64_t gpc_parts = 0;              // parts of a GPC that DRAM serves in turn: a Hopper's CPCs
  std::int64_t sms_per_gpc = 0;            // where sm_group is unknown
  std::int64_t sms_per_tpc = 0;            // SMs with neighbouring ids that lie together
  double sm_gb_per_s = 0;                  // what one SM can take from L2

  // Request coalescing before L2 (LRC): a read joins one of the same line that another SM of its group made, while that
  // is under way and not older than the window.
  double merge_hit_ns = 0, merge_miss_ns = 0;  // windows for a line that L2 holds, and for one that comes from DRAM
  double merge_spread = 0;                     // a window ends after 1 - u / merge_spread of it, u drawn from [0, 1)
  std::int64_t merge_limit = 0;                // SMs that one request serves; 1: none are merged

  // Clocks. Each GPC has its own.
  std::vector<std::int64_t> group_pace_ppm;  // of each sm_group: how much longer its clock makes a step under full load
  double sm_speed_spread = 0;                // from the slowest to the fastest SM of a group, relative
  // Loops by TMA and wgmma are limited by power: clocks are below their ceiling, fall with DRAM's load, and then differ
  // more between GPCs.
  double power_dram_share = 0;                         // how much lower all clocks are at full DRAM load
  double tma_pace_share = 0, tma_busy_pace_share = 0;  // the part of group_pace_ppm that shows at low and at high load
  double tma_busy_from = 0, tma_busy_full = 0;         // DRAM's load between which the part rises
  double tma_sm_gb_per_s = 0;                          // what one SM can take at these clocks; 0: sm_gb_per_s
  double tma_late_ns = 0, tma_full_late_ns = 0;  // by how much tiles arrive later at one SM than at another, at most;
                                                 // full: of loops that ask for all that an SM can take
  // Loops by cp.async and mma.sync run at the clocks' common ceiling until their load is too high: L2's load, plus
  // pace_load_dram times DRAM's.
  double staged_pace_share = 0, busy_pace_share = 0;  // the part of group_pace_ppm that shows at low and at high load
  double pace_load_from = 0, pace_load_full = 0;      // the load between which the part rises
  double pace_load_dram = 0;
  double pace_load_slower = 0;     // how much longer a step takes for each 1 of load above pace_load_from
  double pace_load_uncertain = 0;  // so near pace_load_from it is chance whether the GPCs drift apart
  double pace_settle_ns = 0;       // how long after its start a launch shows all of busy_pace_share

  // Steps of a loop.
  double staged_step_ns = 0;             // what a step costs beside its dots where cp.async brings the tiles in
  std::int64_t staged_enough_warps = 0;  // an SM; with fewer warps a step costs staged_few_warps times as much
  double staged_few_warps = 0;
  double cta_age_step = 0;     // between the speeds of the oldest and the youngest CTA of an SM, relative
  double age_step_flops = 0;   // of a step, from which on all of cta_age_step shows
  double cta_jitter = 0;       // from the shortest to the longest step of CTAs that share an SM, relative
  double register_jitter = 0;  // the same of loops that load to registers
  double lane_jitter_from = 0, lane_jitter_slope = 0;  // by TMA: the time of other lanes over that of dots from which
                                                       // on steps vary, and what share of cta_jitter each 1 of it adds

  // Starts.
  double cta_begin_ns = 0;   // from the start of a launch's first CTAs to their first request: their code is far yet
  double cta_launch_ns = 0;  // from the end of a CTA to the first request of the next in its place,
  double cta_launch_thread_ns = 0;  // and what each of its threads adds
  double cta_issue_ns = 0;          // from the start of a CTA to the start of the next, anywhere on the chip
  double launch_ns = 0;             // of a launch that does nothing
  double graph_launch_ns = 0;       // of one in a graph of many, beside the start of its CTAs
  double events_ns = 0;             // what two events around a launch measure beside it
  double start_spread_ns = 0, start_spread_in_step = 0;  // starts vary by this; the part of it in loops that keep step

  // Atomic additions in L2.
  double atomic_ns = 0, atomic_line_ns = 0;               // a sector: of all of L2, and of one line
  double atomic_side_by_side = 0, atomic_line_power = 0;  // n lines are side_by_side n^power times as fast as one
  double atomic_float_longer = 0;  // how much longer a float waits for another one in its sector, relative
  double atomic_queue_ns = 0;      // of additions that a program leaves behind when it ends, at most

  std::vector<std::pair<std::string, double>> assumed;  // fields that a user's file leaves out, with their defaults
  std::vector<std::pair<std::string, std::string>> assumed_rules;  // the same of fields that are no number, in words
};

// The devices that the program knows, in the order in which they are listed.
std::vector<std::string> device_names();
std::string device_list();  // the same, for a sentence
// Its title, and where its figures are not measured ones, that: for the first line of what is said of it.
std::string described(const Device& device);
// At the clock that it keeps while it computes.
Device under_load(Device device);
// A name of the list (any case, "RTX 4090" as rtx4090), or the path of a JSON file (it ends in .json or names an
// existing file). Throws Error: an unknown name (the nearest is named); a field that is missing, unknown or out of its
// range, with value, range and an example.
Device find_device(const std::string& name_or_file);
// The same from text; `where` is what errors call it.
Device parse_device(const std::string& json, const std::string& where);

}  // namespace tl::machine
