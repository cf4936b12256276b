// Tensors beyond the machine's memory, or beyond their reader's patience.
#include <doctest/doctest.h>

#include "interp/lang/error.h"
#include "interp/lang/free_memory.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/tensor.h"

TEST_CASE("tensor: one that the machine's free memory cannot hold is refused before it is touched") {
  const auto free = tl::free_memory();
  if (!free) return;
  CHECK(*free > 1e6);
  CHECK_THROWS_AS(tl::make_tensor("x", tl::DType::uint8, {static_cast<std::int64_t>(*free * 1.5)}), tl::Error);
}

TEST_CASE("tensor: filling one ends where a stop is wanted, and in that scope alone") {
  const tl::Tensor x = tl::make_tensor("x", tl::DType::float32, {100});
  const std::atomic<bool> stop = true;
  {
    const tl::StopScope scope(&stop);
    CHECK_THROWS_AS(tl::poison(x), tl::Error);
    CHECK_THROWS_AS(tl::clone(x), tl::Error);
  }
  CHECK_NOTHROW(tl::poison(x));
}

TEST_CASE("a copy of a tensor has all of its memory, also what lies behind its shape") {
  tl::Tensor whole = tl::make_tensor("x", tl::DType::int32, {100000});
  for (int i = 0; i < 100000; ++i) whole.as<int>()[i] = i;
  whole.shape = {2};
  const tl::Tensor copy = tl::clone(whole);
  CHECK(copy.shape == std::vector<std::int64_t>{2});
  CHECK(copy.strides == std::vector<std::int64_t>{1});
  REQUIRE(copy.storage_elems == 100000);
  CHECK(copy.as<int>()[99999] == 99999);
}
