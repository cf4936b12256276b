// What reductions and scans share: the axis, and the block as three.
#pragma once

#include "interp/cpu/state.h"

namespace tl::cpu {

// A negative axis counts from the end.
int checked_axis(const Where&, const Value&, long long axis);
// A result made of lanes of every thread needs all of them: a barrier.
inline void meet(const Where& w, const Value& d) {
  if (d.rank == 1 && d.count >= 32 * w.state.launch.launch.options.num_warps) ++w.state.barriers;
}

// The block as outer x axis x inner, row-major.
struct Parts {
  std::int64_t outer = 1, length, inner = 1, dims[max_rank];
  int rank = 0;  // of the result
};
Parts parts_of(const Value&, int axis);

// The lanes of a reduction's result that an undefined lane went into.
Ref undefined_along(State&, const Value& undefined, int axis, Location);

// The sums or products of the lanes up to each, in `t`.
Ref running(const Where&, const Value&, DType t, Op op, int axis, bool reverse);

// While one lives, ops are not reported.
struct Quiet {
  State& state;
  explicit Quiet(State& s) : state(s) { ++s.quiet; }
  ~Quiet() { --state.quiet; }
  Quiet(const Quiet&) = delete;
};

}  // namespace tl::cpu
