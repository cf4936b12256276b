// The memory side of a launch without its data: which tiles each program loads and stores, in order, loops kept as
// loops. The machine model reads this and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interp/trace/recorded.h"

namespace tl::trace {

// How a tile travels on a GPU.
enum class Route : unsigned char {
  registers,   // ld.global, st.global: a warp's lanes, coalesced by the load-store unit
  staged,      // cp.async into shared memory; the recorder says registers, since the chip and the launch decide
  descriptor,  // TMA: a box, by lines
};

// An access without its place: its base is 0, and lane 0 of a list has offset 0. Programs and iterations that differ in
// place alone share one.
struct AccessPattern : Access {
  Route route = Route::registers;
  Site site;
  std::shared_ptr<const void> lists;  // what offsets and mask point into

  bool is_of(const Access&, Route, const Site&) const;
  friend bool operator==(const AccessPattern& a, const AccessPattern& b) { return a.is_of(b, b.route, b.site); }
};

// One access of a segment: in iteration i, lane (0, 0, ...) stands at element base + i * step.
struct PlacedAccess {
  std::uint32_t pattern = 0;
  std::int64_t base = 0, step = 0;
};

// Lanes of one op: what keeps an SM busy beside accesses. Of dots how many there are: their flops are the segment's.
struct LaneOps {
  Op op = Op::add;
  DType dtype = DType::float32;  // that it computes in; of a cast the one that is not f32
  double lanes = 0, times = 0;   // lanes: of a reduction or scan its operand's; times: how often the op stands there
  bool narrows = false;          // a cast of a float to an int

  friend bool operator==(const LaneOps&, const LaneOps&) = default;
};
using LaneWork = std::vector<LaneOps>;  // an entry an op and dtype
// The difference: `now` grew from `then`.
LaneWork since(const LaneWork& now, const LaneWork& then);

// A stretch of a program: `size` accesses in order, repeated `iterations` times.
struct Segment {
  std::uint32_t first = 0, size = 0;  // in AccessRecord::accesses
  std::int64_t iterations = 1;
  double dot_flops = 0;         // an iteration: 2 m n k of its dots
  std::uint32_t lane_work = 0;  // an iteration: index of AccessRecord::lane_works
};

struct ProgramAccesses {
  ProgramId id;
  std::uint32_t first = 0, size = 0;  // in AccessRecord::segments
};

// The text of the event of a dot that takes its f32 as tf32.
inline constexpr std::string_view text_of_tf32 = "tf32: both sides are rounded to 11 significant bits";
// A dot that multiplies its f32 in parts.
inline constexpr std::string_view text_of_tf32x3 = "tf32x3: each side in two parts of tf32, in three products";
inline constexpr std::string_view text_of_bf16x3 = "bf16x3: each side in two parts of bf16, in three products";
inline constexpr std::string_view text_of_bf16x6 = "bf16x6: each side in three parts of bf16, in six products";

struct AccessRecord {
  std::string kernel, source;
  std::int64_t grid[3] = {1, 1, 1};
  int num_warps = 4, num_stages = 3;    // as launched
  DType dot_dtype = DType::float32;     // of the first dot's left operand; float32 without a dot
  bool multiplies_tf32 = false;         // its f32 is rounded for the tensor cores, not tl.ieee
  bool uses_wgmma = false;              // whole warpgroups multiply; set by whoever knows the chip and the launch
  int least_divisor = 2;                // that an int argument is known to be a multiple of
  std::vector<RecordedTensor> tensors;  // without contents
  std::vector<AccessPattern> patterns;
  std::vector<PlacedAccess> accesses;
  std::vector<LaneWork> lane_works{{}};  // the first: nothing
  std::vector<Segment> segments;
  std::vector<ProgramAccesses> programs;  // by linear id, axis 0 fastest
  std::string needed_values;              // why the kernel had to compute its data ("" when it did not)

  double dot_flops(const ProgramAccesses&) const;
  double lane_ops(const Segment&) const;  // an iteration's
};

// Every access of a program in order, loops unrolled: visit(pattern, element of lane (0, 0, ...)).
template <class Visit>
void for_each_access(const AccessRecord& record, const ProgramAccesses& program, Visit visit) {
  for (std::uint32_t s = program.first; s < program.first + program.size; ++s) {
    const Segment& segment = record.segments[s];
    for (std::int64_t i = 0; i < segment.iterations; ++i)
      for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a)
        visit(record.patterns[record.accesses[a].pattern], record.accesses[a].base + i * record.accesses[a].step);
  }
}

std::int64_t access_count(const AccessRecord&, const ProgramAccesses&);  // loops unrolled
// Whether two programs, perhaps of two records of one launch, make the same accesses, however cut into segments.
bool same_accesses(const AccessRecord&, const ProgramAccesses&, const AccessRecord&, const ProgramAccesses&);

}  // namespace tl::trace
