// What the model says about a launch: who ran where and when, what each load found, what L2 and DRAM moved. Every
// figure here is the model's, never a measurement; whoever shows one says "model". simulate() computes it, and
// commands, window and exports read it.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

// Where the sectors (32 bytes) of some reads were found. requested = l1_hits + merged + near_hits + far_hits + misses.
struct Sectors {
  double requested = 0;  // asked for by the SMs' loads
  double l1_hits = 0;    // found in the SM's L1
  double merged = 0;     // joined a neighbour's request for the same line on its way to L2
  double near_hits = 0;  // found in the L2 partition next to the SM
  double far_hits = 0;   // found in the line's home, the other partition
  double misses = 0;     // read from DRAM
  double promoted = 0;   // looked up without a request, where a tensor map asks for 256 bytes at a miss; counted
                         // as reads that hit
  double tex() const { return near_hits + far_hits + misses + promoted; }         // what reaches L2
  double logical_hit_rate() const { return tex() > 0 ? 1 - misses / tex() : 0; }  // (H + Fh) / T
  Sectors& operator+=(const Sectors& o) {
    requested += o.requested;
    l1_hits += o.l1_hits;
    merged += o.merged;
    near_hits += o.near_hits;
    far_hits += o.far_hits;
    misses += o.misses;
    promoted += o.promoted;
    return *this;
  }
};

// One program on its SM.
struct ProgramRun {
  int sm = -1, slot = 0;  // slot: which of the SM's resident programs
  int wave = 0;           // how many programs ran in this slot before it
  double start_us = 0, end_us = 0;
  Sectors reads;
};

// One iteration of a program's loop: one batch of tile loads (and, at a program's end, its stores).
struct StepRun {
  std::uint32_t program = 0;    // linear id
  std::uint32_t iteration = 0;  // counts all the steps of the program
  float start_us = 0, end_us = 0;
  float dram_from_us = 0, data_us = 0;  // while DRAM sends what was missing; when the last of the data is there
  Sectors reads;
  double written_bytes = 0, dram_read_bytes = 0;
  double dram_write_bytes = 0;    // that left L2 for DRAM meanwhile, whoever had written them
  float work_us = 0, dot_us = 0;  // an iteration's work, as long as others share the SM; the dots' part
  std::uint32_t segment = 0;      // of the record
  std::int32_t ahead = 0;         // its loads leave when the work on the iteration so many before it begins
  // Where they are kept: its accesses, of Schedule::accesses.
  std::uint32_t first_access = 0, accesses = 0;
};

// The farthest place where a part of a tile was found.
enum class FoundAt : unsigned char { l1, merged, near, far, dram, written };

// One access of a step.
struct AccessRun {
  std::uint32_t access = 0;  // of the record's accesses
  std::uint32_t tile = 0;    // which of its tensor's different tiles, as Footprint::tile_numbers counts them
  float there_us = 0;        // when a load's data is there
  FoundAt found = FoundAt::l1;
};

// A unit of the footprint enters a partition of L2 or leaves it.
struct L2Change {
  float us = 0;
  std::uint32_t unit = 0;
  unsigned char side = 0;
  bool enters = true;
};

struct TensorTraffic {
  std::string name;
  std::int64_t block_loads = 0;           // tiles loaded, by all programs
  std::int64_t distinct_block_loads = 0;  // different tiles among them: what an infinite cache would fetch
  std::int64_t distinct_after_programs = 0;
  Sectors reads;
  double written_bytes = 0;  // asked for by the SMs' stores
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
};

// What L2 holds when the launch begins: nothing; lines that others wrote, so that theirs go to DRAM beside the launch's
// own traffic, as after a bench's flush; or what the same launch left, as between a graph's launches.
enum class L2Before : unsigned char { empty, dirty, warm };

// How the dots of a compiled kernel get their operands.
struct DotFeed {
  bool has_roles = false;    // some warps copy tiles ahead of those that multiply them
  bool by_mma_sync = false;  // each warp reads its own fragments from shared memory
  double shared_cycles = 0;  // of an SM's shared memory a flop: what mma.sync reads; all that multiply-adds wait for
  double turned_share = 0;   // of the operands' elements, those that are turned as they are copied, one by one

  friend bool operator==(const DotFeed&, const DotFeed&) = default;
};

struct ScheduleOptions {
  std::int64_t ctas_per_sm = 0;      // resident programs an SM; at least 1
  std::int64_t first_programs = 0;   // how many programs `after_programs` counts; 0: all
  std::int64_t step_limit = 0;       // keep `steps` of at most so many; 0: none
  bool only_beginning = false;       // simulate only these: what is visible at once
  double enough_ms = INFINITY;       // simulate no further than to know that the launch takes longer
  bool with_accesses = false;        // of these steps keep each access, and what L2 holds when: for playing them
  std::int64_t threads_per_cta = 0;  // 0: unknown
  std::uint64_t seed = 1;   // of the hashes and the small differences in speed: the same seed, the same schedule
  std::int64_t stages = 3;  // of loops whose tiles are copied ahead
  L2Before l2_before = L2Before::empty;
  bool in_graph = false;             // one of many: graph_launch_ns instead of launch_ns
  std::optional<DotFeed> dots = {};  // of a compiled kernel; none: of a loop that others wrote, as the probes'
  double spilled_bytes = 0;          // that a program stores to and loads from memory for want of registers, a turn
  bool spills_fit = true;            // in what shared memory leaves of L1
  bool by_lines = false;             // follow each line instead of whole tiles, also where tiles do not overlap in part
};

struct Schedule {
  std::string gpu, kernel;
  std::int64_t grid[3] = {1, 1, 1};
  std::int64_t sms = 0, resident_programs_per_sm = 0;
  double waves = 0;                  // programs / (SMs x resident programs)
  bool by_lines = false;             // how L2 was followed
  std::vector<ProgramRun> programs;  // by linear id, axis 0 fastest
  std::vector<StepRun> steps;        // in the order of their start
  bool steps_cut = false;            // step_limit was reached
  bool is_beginning = false;  // only_beginning or enough_ms ended it: programs on SMs end then, later ones have no
                              // SM
  std::vector<AccessRun> accesses;   // of `steps`, where options.with_accesses
  std::vector<L2Change> l2_changes;  // in the order of time; of every l2_sampled-th unit
  std::uint32_t l2_sampled = 1;
  std::vector<TensorTraffic> tensors;  // as in the record
  Sectors reads;
  double fabric_sectors = 0;  // read through the fabric from the far partition: far_hits + misses whose home is far
  double raw_lookups = 0, raw_hits = 0;  // of both partitions, as the headline counter of ncu counts
  double raw_hit_rate() const { return raw_lookups > 0 ? raw_hits / raw_lookups : 0; }
  double dram_read_bytes = 0, dram_write_bytes = 0;
  double dram_read_low = 0, dram_read_high = 0;  // the interval that the model states for dram_read_bytes
  double wave_count_read_bytes = 0;              // what the closed-form wave count says instead: baselines.h
  double distinct_read_bytes = 0;                // what an infinite cache would read
  double others_written_bytes = 0;  // L2Before::dirty: of others, written back meanwhile; not in dram_write_bytes
  double dirty_bytes_left = 0;      // written lines still in L2 when the launch ends: they escape dram_write_bytes
  std::int64_t distinct_total = 0, distinct_after_programs = 0, block_loads = 0;
  std::int64_t first_programs = 0;  // that distinct_after_programs counts
  std::int64_t tile_accesses = 0, line_accesses = 0;
  double model_ms = 0;             // the launch's time as the model estimates it; is_beginning: until then
  double wall_ms = 0;              // how long this simulation took
  std::vector<std::string> notes;  // what a reader should know, one sentence each
};

// Throws Error: a record without programs, options.ctas_per_sm below 1.
Schedule simulate(const trace::AccessRecord& record, const Device& device, const ScheduleOptions& options);

}  // namespace tl::machine
