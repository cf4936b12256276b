// Configs by PyTorch's rules. Expected: what torch/_inductor/runtime/triton_heuristics.py of PyTorch 2.6 returns.
#include "kernels/problems/generators.h"

#include <doctest/doctest.h>

#include "interp/lang/error.h"

using namespace tl::problems;

namespace {

std::vector<std::string> texts(const std::vector<Config>& configs) {
  std::vector<std::string> all;
  for (const Config& c : configs) all.push_back(config_text(c));
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("pointwise: one axis has a large block and a small one with more warps") {
  CHECK(texts(pointwise({{"X", 2097152}})) == Texts{"X=1024 warps=4", "X=512 warps=8"});
  CHECK(texts(pointwise({{"X", 65536}})) == Texts{"X=512 warps=4", "X=256 warps=4"});
}

TEST_CASE("pointwise: where both blocks come to the same, one config is left") {
  CHECK(texts(pointwise({{"X", 128}})) == Texts{"X=128 warps=4"});
}

TEST_CASE("pointwise: sizes are rounded up to a power of two, as size hints are") {
  CHECK(texts(pointwise({{"X", 2000001}})) == texts(pointwise({{"X", 2097152}})));
}

TEST_CASE("pointwise: two axes have squares, flat and tall tiles, and rows and columns") {
  CHECK(texts(pointwise({{"X", 256}, {"Y", 256}})) == Texts{"X=32 Y=32 warps=4", "X=64 Y=64 warps=8",
                                                            "X=256 Y=16 warps=8", "X=16 Y=256 warps=8",
                                                            "X=256 Y=2 warps=4", "X=2 Y=256 warps=4"});
}

TEST_CASE("pointwise: a hint of square tiles leaves 32 x 32") {
  CHECK(texts(pointwise({{"X", 4096}, {"Y", 4096}}, {.square_tiles = true})) == Texts{"X=32 Y=32 warps=4"});
}

TEST_CASE("pointwise: three axes have a cube, slabs and lines") {
  CHECK(texts(pointwise({{"X", 64}, {"Y", 64}, {"Z", 64}})) ==
        Texts{"X=16 Y=16 Z=16 warps=8", "X=64 Y=8 Z=8 warps=8", "X=8 Y=64 Z=8 warps=8", "X=8 Y=8 Z=64 warps=8",
              "X=64 Y=16 Z=1 warps=4", "X=16 Y=64 Z=1 warps=4", "X=16 Y=1 Z=64 warps=4"});
}

TEST_CASE("pointwise: at least so many elements a thread make the first block longer") {
  CHECK(texts(pointwise({{"X", 2097152}}, {.min_elem_per_thread = 16})) == Texts{"X=2048 warps=4", "X=4096 warps=8"});
}

TEST_CASE("pointwise: the hint of one element a thread adds smaller blocks") {
  CHECK(texts(pointwise({{"X", 2097152}}, {.one_element_per_thread = true})) ==
        Texts{"X=1024 warps=4", "X=512 warps=8", "X=256 warps=8"});
}

TEST_CASE("pointwise: four axes are refused") {
  CHECK_THROWS_AS(pointwise({{"A", 2}, {"B", 2}, {"C", 2}, {"D", 2}}), tl::Error);
}

TEST_CASE("reduction: contiguous, outer and square blocks, the duplicate of the first left out") {
  CHECK(texts(reduction({"X", 32768}, {"R", 4096})) == Texts{"X=1 R=2048 warps=16", "X=64 R=8 warps=4",
                                                             "X=64 R=64 warps=16", "X=8 R=512 warps=16",
                                                             "X=64 R=4 warps=8"});
}

TEST_CASE("reduction: a hint leaves one config") {
  CHECK(texts(reduction({"X", 1024}, {"R", 512}, {.hint = ReductionHint::inner})) == Texts{"X=1 R=512 warps=4"});
  CHECK(texts(reduction({"X", 1024}, {"R", 512}, {.hint = ReductionHint::outer})) == Texts{"X=64 R=8 warps=4"});
  CHECK(texts(reduction({"X", 1024}, {"R", 16}, {.hint = ReductionHint::tiny_outer})) == Texts{"X=32 R=16 warps=4"});
}

TEST_CASE("reduction: of many loads a block is shorter and has fewer warps") {
  CHECK(texts(reduction({"X", 32768}, {"R", 4096}, {.hint = ReductionHint::inner, .many_values = true})) ==
        Texts{"X=1 R=1024 warps=8"});
}

TEST_CASE("persistent_reduction: a row or several at once, never more than 8 warps") {
  CHECK(texts(persistent_reduction({"X", 1}, 4096)) == Texts{"X=1 warps=8"});
  CHECK(texts(persistent_reduction({"X", 8192}, 512)) == Texts{"X=1 warps=4", "X=8 warps=8"});
  CHECK(texts(persistent_reduction({"X", 8192}, 512, {.hint = ReductionHint::inner})) == Texts{"X=1 warps=4"});
  CHECK(texts(persistent_reduction({"X", 8192}, 64, {.hint = ReductionHint::outer})) == Texts{"X=32 warps=8"});
}

TEST_CASE("template: one config, as it was written") {
  CHECK(texts(template_config(8, 3)) == Texts{"warps=8 stages=3"});
}
