#include "interp/machine/dot_rate.h"

namespace tl::machine {

DotRate dot_rate(const trace::AccessRecord& record, const Device& d) {
  const DType t = record.dot_dtype;
  const auto cores = [](double tflops, const char* inputs) {
    return DotRate{tflops * 1e12, std::string("tensor cores, ") + inputs, true};
  };
  if (is_fp8(t) && d.fp8_tensor_tflops > 0) return cores(d.fp8_tensor_tflops, "fp8");
  if ((is_fp8(t) || t == DType::float16) && d.f16_tensor_tflops > 0) return cores(d.f16_tensor_tflops, "f16");
  if (t == DType::bfloat16 && d.f16_tensor_tflops > 0 && d.cc_major >= 8) return cores(d.f16_tensor_tflops, "bf16");
  if (t == DType::float64 && d.f64_tensor_tflops > 0) return cores(d.f64_tensor_tflops, "f64");
  if (t == DType::float64) return {d.f64_tflops * 1e12, "FP64 units"};
  if (t == DType::float32 && record.multiplies_tf32 && d.tf32_tensor_tflops > 0)
    return cores(d.tf32_tensor_tflops, "tf32");
  return {d.f32_tflops * 1e12, "FP32 units"};
}

}  // namespace tl::machine
