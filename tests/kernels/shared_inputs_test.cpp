// A sweep makes its inputs once.
#include "kernels/problems/shared_inputs.h"

#include <doctest/doctest.h>

#include "kernels/problems/problem.h"

using namespace tl::problems;

namespace {

Instance add_of(const std::vector<std::string>& settings, std::uint64_t seed = 0) {
  return find("add").make(parse(find("add"), settings), seed);
}

}  // namespace

TEST_CASE("problems that differ in a block alone share their inputs, and have outputs of their own") {
  const SharedInputs inputs;
  const Instance one = add_of({"n=1000", "block=64"}), other = add_of({"n=1000", "block=128"});
  CHECK(one.inputs[0].data() == other.inputs[0].data());
  CHECK(one.inputs[1].data() == other.inputs[1].data());
  CHECK(one.outputs[0].data() != other.outputs[0].data());
}

TEST_CASE("another size or another seed makes inputs anew") {
  const SharedInputs inputs;
  const Instance one = add_of({"n=1000"});
  CHECK(one.inputs[0].data() != add_of({"n=1001"}).inputs[0].data());
  CHECK(one.inputs[0].data() != add_of({"n=1000"}, 1).inputs[0].data());
}

TEST_CASE("tensors without data are not taken for those that hold it") {
  const SharedInputs inputs;
  {
    const tl::ShapesOnly no_data;
    add_of({"n=1000"});
  }
  CHECK(add_of({"n=1000"}).inputs[0].holds_data);
}

TEST_CASE("without a sweep nothing is shared") {
  CHECK(add_of({"n=1000"}).inputs[0].data() != add_of({"n=1000"}).inputs[0].data());
}
