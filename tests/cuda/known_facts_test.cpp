// How often facts are asked: once for what a launch is specialized on, and for each size where they are of one launch.
#include "interp/cuda/host/known_facts.h"

#include <doctest/doctest.h>

using namespace tl;

namespace {

struct Asked {
  bool of_one_launch = false;
  int times = 0;
  cuda::KnownFacts known = {};

  std::string key(const Launch& launch) {
    return known
        .of(launch,
            [&](const Launch&) {
              ++times;
              return rules::KernelFacts{.of_one_launch = of_one_launch};
            })
        .first;
  }
};

Launch launch_of(std::int64_t n, const Tensor& a, const Tensor& b) {
  Launch launch;
  launch.arguments = {TensorArgument{a}, TensorArgument{b}, IntArgument{n}};
  return launch;
}

const Tensor a = make_tensor("a", DType::float32, {64}), b = make_tensor("b", DType::float32, {64});

}  // namespace

TEST_CASE("known facts: launches that are compiled alike ask once") {
  Asked asked;
  CHECK(asked.key(launch_of(48, a, b)) == asked.key(launch_of(80, a, b)));
  CHECK(asked.times == 1);
  CHECK(asked.key(launch_of(48, a, b)) != asked.key(launch_of(50, a, b)));
  CHECK(asked.key(launch_of(48, a, b)) != asked.key(launch_of(1, a, b)));
  CHECK(asked.times == 3);
}

TEST_CASE("known facts: of one launch, they are asked for each size, and its kernel is no other size's") {
  Asked asked{.of_one_launch = true};
  CHECK(asked.key(launch_of(48, a, b)) == asked.key(launch_of(48, b, a)));  // other memory of the same sizes
  CHECK(asked.times == 1);
  CHECK(asked.key(launch_of(48, a, b)) != asked.key(launch_of(80, a, b)));
  CHECK(asked.times == 2);
}

TEST_CASE("known facts: tensors that share memory are a launch of another kind") {
  Asked asked;
  Tensor half = a;
  half.storage = std::shared_ptr<std::byte[]>(a.storage, a.storage.get() + 32 * sizeof(float));
  half.storage_elems = 32;
  const std::string apart = asked.key(launch_of(48, a, b));
  CHECK(asked.key(launch_of(48, a, a)) != apart);
  CHECK(asked.key(launch_of(48, a, half)) != apart);
}
