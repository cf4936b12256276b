// How a chip's tensor cores add: the numbers of a device's file. Free of std, so that NVRTC compiles it too.
#pragma once

#include "interp/lang/dtype.h"

namespace tl {

// One step adds `terms` products, which are exact, and the accumulator at once. All are aligned to the largest exponent
// (a product's is the sum of its factors', its significand is not normalized), cut off towards zero `aligned_bits`
// below it, and added exactly; of the sum's fraction `kept_bits` stay, cut off again unless the chip rounds to nearest.
// A dot is such steps in the order of k. MMA-Sim (arXiv 2511.10909); Khattak and Mikaitis (arXiv 2512.07004).
struct TensorCoreStep {
  int terms = 0, aligned_bits = 0, kept_bits = 0;  // terms 0: the chip has no such instruction
  bool rounds_to_nearest = false;                  // the sum, ties to even; else towards zero
};

// By the dtype of the inputs; float32 is tf32, and both fp8 are alike. fp4: of a chip that takes blocks of scaled
// numbers (tl.dot_scaled); both sides are e2m1. The products of 16 neighbours are added exactly and take their two
// scales; such sums are what is aligned, at the scales' exponents. With an fp8 side a step is one of fp8 whose
// products' exponents have the scales' in them.
struct TensorCoreSteps {
  TensorCoreStep f16, bf16, tf32, fp8;
  TensorCoreStep fp4 = {};
  constexpr const TensorCoreStep& of(DType d) const {
    return is_fp8(d) ? fp8 : d == DType::float16 ? f16 : d == DType::bfloat16 ? bf16 : tf32;
  }
};
struct TensorCores {
  TensorCoreSteps mma_sync, wgmma;
};

}  // namespace tl
