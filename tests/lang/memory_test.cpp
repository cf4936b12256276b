// Tensors beyond the machine's memory.
#include <doctest/doctest.h>

#include "interp/lang/error.h"
#include "interp/lang/free_memory.h"
#include "interp/lang/tensor.h"

TEST_CASE("tensor: one that the machine's free memory cannot hold is refused before it is touched") {
  const auto free = tl::free_memory();
  if (!free) return;
  CHECK(*free > 1e6);
  CHECK_THROWS_AS(tl::make_tensor("x", tl::DType::uint8, {static_cast<std::int64_t>(*free * 1.5)}), tl::Error);
}
