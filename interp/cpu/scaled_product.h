// tl.dot_scaled as tensor cores compute it that take the scales themselves (Blackwell's mxf8f6f4, mxf4, mxf4nvf4).
#pragma once

#include <optional>
#include <string_view>

#include "interp/cpu/state.h"
#include "interp/lang/tensor_cores.h"

namespace tl::cpu {

struct ScaledOperand {
  Block widened;            // (m, k) of a, (k, n) of b: its values without their scales, bf16 or fp16
  std::string_view format;  // e2m1, e4m3, e5m2, bf16, fp16
  const Block* scale;       // (m or n, k / 32) of u8, (m or n, k / 16) of f8e4nv; null: 1
};

struct ScaledStep {
  TensorCoreStep step;
  bool is_fp4 = false;  // both sides are e2m1
};

// None where the chip of this launch has no such instruction, or not for these operands: then their scales are
// multiplied in, and the products are those of the widened blocks.
std::optional<ScaledStep> scaled_step(const State&, const ScaledOperand& a, const ScaledOperand& b);
// acc + a b in f32. `like`: a product of the same shape, whose undefined lanes are this one's.
Block scaled_product(const Where&, const ScaledStep&, const ScaledOperand& a, const ScaledOperand& b, const Block& acc,
                     const Block& like);

}  // namespace tl::cpu
