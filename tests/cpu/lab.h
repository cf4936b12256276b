// One program, written in the test itself: blocks from lists, lanes back as doubles.
#pragma once

#include <functional>
#include <limits>

#include "interp/cpu/state.h"
#include "tests/cpu/run_kernel.h"

namespace tl::testing {

using Lanes = std::vector<double>;

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                        infinity = std::numeric_limits<double>::infinity();

inline cpu::RunResult program(std::function<void(cpu::Context&)> body, const cpu::RunOptions& options = {},
                              std::vector<Tensor> tensors = {}, Grid grid = {}) {
  Launch l{
      .kernel = "lab", .source = "a test", .grid = grid, .options = {}, .arguments = {}, .on_cpu = std::move(body)};
  for (const Tensor& t : tensors) l.arguments.push_back(TensorArgument{t});
  return cpu::run(l, options);
}

// The one program must end well.
inline void well(std::function<void(cpu::Context&)> body, std::vector<Tensor> tensors = {}) {
  const auto r = program(std::move(body), {}, std::move(tensors));
  for (const Fault& f : r.faults) FAIL(f.headline << " | " << f.detail);
}

// A dense block; its product of shape must be the number of values.
inline Block block(cpu::Context& tl, DType dtype, std::vector<std::int64_t> shape, const Lanes& values) {
  const Tensor t = tensor_of("list", dtype, shape, values);
  cpu::Ref r = cpu::make_dense(tl.state(), dtype, static_cast<int>(shape.size()), shape.data());
  std::memcpy(r->buffer->bytes(), t.data(), static_cast<std::size_t>(t.storage_bytes()));
  return Block(cpu::settle(std::move(r)).release());
}
inline Block block(cpu::Context& tl, DType dtype, const Lanes& values) {
  return block(tl, dtype, {static_cast<std::int64_t>(values.size())}, values);
}

inline Lanes lanes(const Block& b) {
  const cpu::Value& d = *b.data();
  Tensor t = make_tensor("lanes", d.dtype, {d.count});
  std::memcpy(t.data(), cpu::flat(d), static_cast<std::size_t>(t.storage_bytes()));
  return values_of(t);
}

inline DType dtype_of(const Block& b) { return b.dtype.value; }

}  // namespace tl::testing
