// How a dot is computed: plain sums, or as the chip's unit that CUDA takes there.
#pragma once

#include "interp/cpu/loops.h"
#include "interp/cpu/state.h"
#include "interp/rules/dot.h"

namespace tl::cpu {

struct DotPlan {
  RoundLoop round = nullptr;  // of f32 inputs to tf32; null: they stay
  ChipDot chip = {};
};
DotPlan plan_dot(const State&, const rules::DotKind&, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace tl::cpu
