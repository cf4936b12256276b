// Ops outside a kernel: a program of no launch, whose blocks may have any shape, as an expression over whole tensors
// needs them.
#pragma once

#include <span>

#include "interp/cpu/state.h"

namespace tl::cpu {

class Workspace {
 public:
  Workspace() : shared_{launch_, options_, {}, {}, nullptr}, state_(shared_) {
    state_.begin_program({}, trace::Keep::nothing);
    state_.takes_any_shape = true;
  }
  Context& tl() { return state_.context; }

 private:
  Launch launch_;
  RunOptions options_;
  LaunchState shared_;
  State state_;
};

// Row-major lanes of `from`'s dtype, as a block of `dtype`; lanes marked in `undefined`, where it is no null, stand for
// values that nobody has written.
Block block_of(Context&, DType dtype, DType from, std::span<const std::int64_t> shape, const void* lanes,
               const unsigned char* undefined = nullptr);
// Row-major lanes as `to`; they live as long as the result.
Block lanes_as(const Block&, DType to);
// first, first + step, .. of an axis, a view; of a negative step `first` is the last.
struct AxisPart {
  std::int64_t first = 0, count = 0, step = 1;
};
Block part_of(const Block&, std::span<const AxisPart> axes);

}  // namespace tl::cpu
