// Shared by the interpreter's tests: tensors from lists, and one-line launches.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "interp/cpu/launch.h"
#include "interp/cpu/run.h"
#include "interp/tl.h"

namespace tl::testing {

inline Tensor tensor_of(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
                        const std::vector<double>& values) {
  Tensor t = make_tensor(name, dtype, std::move(shape));
  REQUIRE(t.elems() == static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) set(t, static_cast<std::int64_t>(i), values[i]);
  return t;
}

inline Tensor empty(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  Tensor t = make_tensor(name, dtype, std::move(shape));
  poison(t);
  return t;
}

inline std::vector<double> values_of(const Tensor& t) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < t.storage_elems; ++i) v.push_back(get(t, i));
  return v;
}

// Reproducible values in [-1, 1).
inline Tensor random_tensor(const std::string& name, DType dtype, std::vector<std::int64_t> shape, unsigned seed) {
  Tensor t = make_tensor(name, dtype, std::move(shape));
  for (std::int64_t i = 0; i < t.storage_elems; ++i) {
    seed = seed * 1664525u + 1013904223u;
    set(t, i, static_cast<double>(seed >> 8) / 8388608.0 - 1.0);
  }
  return t;
}

inline TensorArgument arg(const Tensor& t) { return {t}; }
inline IntArgument arg(int v) { return {v}; }
inline IntArgument arg(std::int64_t v) { return {v, DType::int64}; }
inline FloatArgument arg(float v) { return {v}; }
inline ConstantArgument constant(std::int64_t v) { return {v}; }

template <class K, class... A>
cpu::RunResult run_kernel(Grid grid, A... arguments) {
  return cpu::run(make_launch<K>("a test", grid, {}, arguments...));
}
template <class K, class... A>
cpu::RunResult run_with(const cpu::RunOptions& options, Grid grid, A... arguments) {
  return cpu::run(make_launch<K>("a test", grid, {}, arguments...), options);
}

// The only fault of a run that must have one.
inline Fault only_fault(const cpu::RunResult& r) {
  REQUIRE(r.faults.size() == 1);
  return r.faults[0];
}

}  // namespace tl::testing
