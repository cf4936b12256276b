// Shared by the tests of address runs: a launch of one body, and the record that must agree with an ordinary run's.
#pragma once

#include "interp/cpu/addresses.h"
#include "interp/trace/access_builder.h"
#include "tests/cpu/lab.h"
#include "tests/same_accesses.h"

namespace tl::testing {

constexpr Constant c(long long value) { return Constant(value); }

using Body = std::function<void(cpu::Context&, Pointer)>;

// A body over one f32 tensor "x" of ones.
inline Launch lab(const Body& body, Grid grid = {}, std::int64_t elems = 1 << 16) {
  const Tensor x = make_tensor("x", DType::float32, {elems});
  for (std::int64_t i = 0; i < elems; ++i) set(x, i, 1);
  const TensorArgument argument{x};
  return {.kernel = "lab",
          .source = "a test",
          .grid = grid,
          .options = {},
          .arguments = {argument},
          .on_cpu = [=](cpu::Context& tl) { body(tl, tl.bind(argument, 0)); }};
}

inline trace::AccessRecord observed(const Launch& launch) {
  trace::AccessObserver observer;
  cpu::RunOptions options;
  options.observer = &observer;
  for (const Fault& f : cpu::run(launch, options).faults) FAIL(f.headline);
  return observer.take();
}

// The record, which must make the accesses of an ordinary run.
inline trace::AccessRecord agrees(const Launch& launch) {
  trace::AccessRecord r = cpu::record_accesses(launch, {.confirms = false});
  CHECK(difference(r, observed(launch)) == "");
  CHECK(r.needed_values == "");
  return r;
}

inline std::size_t longest(const trace::AccessRecord& r) {
  std::int64_t most = 0;
  for (const auto& s : r.segments) most = std::max(most, s.iterations);
  return static_cast<std::size_t>(most);
}

}  // namespace tl::testing
