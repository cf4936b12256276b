// A program's one fault, and the tensors that tests of faults are made with.
#pragma once

#include "tests/cpu/lab.h"

namespace tl::testing {

inline Fault fault_of(std::function<void(cpu::Context&)> body, std::vector<Tensor> tensors = {},
                      const cpu::RunOptions& options = {}, Grid grid = {}) {
  return only_fault(program(std::move(body), options, std::move(tensors), grid));
}
inline Tensor zeros(const char* name, DType t, std::vector<std::int64_t> shape) {
  const Tensor x = make_tensor(name, t, std::move(shape));
  for (std::int64_t i = 0; i < x.storage_elems; ++i) set(x, i, 0);
  return x;
}
inline Pointer pointer(cpu::Context& tl, int index, const Tensor& t) { return tl.bind(TensorArgument{t}, index); }

}  // namespace tl::testing
