// Whole kernels against plain loops in double.
#include <cmath>

#include "kernels/add.h"
#include "kernels/copy.h"
#include "kernels/copy_wrong_offsets.h"
#include "kernels/matmul.h"
#include "kernels/softmax.h"
#include "kernels/swizzle.h"
#include "tests/cpu/run_kernel.h"

using namespace tl;
using namespace tl::testing;

TEST_CASE("copy: six elements in blocks of two") {
  const Tensor x = tensor_of("x", DType::float32, {6}, {1, 2, 3, 4, 5, 6}), z = empty("z", DType::float32, {6});
  const auto r = run_kernel<kernels::copy_kernel>({3}, arg(x), arg(z), arg(6), constant(2));
  CHECK(r.faults.empty());
  CHECK(r.programs == 3);
  CHECK(values_of(z) == values_of(x));
}

TEST_CASE("copy with wrong offsets: only the first block arrives") {
  const Tensor x = tensor_of("x", DType::float32, {6}, {1, 2, 3, 4, 5, 6}),
               z = tensor_of("z", DType::float32, {6}, {0, 0, 0, 0, 0, 0});
  run_kernel<kernels::copy_wrong_offsets_kernel>({3}, arg(x), arg(z), arg(6), constant(2));
  CHECK(values_of(z) == std::vector<double>{1, 2, 0, 0, 0, 0});
}

TEST_CASE("add: a tail that does not fill its block") {
  const Tensor x = random_tensor("x", DType::float32, {1000}, 1), y = random_tensor("y", DType::float32, {1000}, 2),
               z = empty("z", DType::float32, {1000});
  CHECK(run_kernel<kernels::add_kernel>({8}, arg(x), arg(y), arg(z), arg(1000), constant(128)).faults.empty());
  for (int i = 0; i < 1000; ++i) CHECK(get(z, i) == static_cast<float>(x.as<float>()[i] + y.as<float>()[i]));
}

TEST_CASE("softmax: rows sum to one and match exp in double") {
  const Tensor x = random_tensor("x", DType::float32, {13, 781}, 3), y = empty("y", DType::float32, {13, 781});
  CHECK(run_kernel<kernels::softmax_kernel>({4}, arg(y), arg(x), arg(781), arg(781), arg(13), arg(781), constant(1024),
                                            constant(2))
            .faults.empty());
  for (int i = 0; i < 13; ++i) {
    double sum = 0;
    for (int j = 0; j < 781; ++j) sum += std::exp(get(x, i * 781 + j));
    for (int j = 0; j < 781; ++j)
      CHECK(get(y, i * 781 + j) == doctest::Approx(std::exp(get(x, i * 781 + j)) / sum).epsilon(1e-5));
  }
}

TEST_CASE("matmul: odd sizes, every input dtype") {
  for (const DType t : {DType::float32, DType::float16, DType::bfloat16}) {
    const int m = 37, n = 29, k = 45;
    const Tensor a = random_tensor("a", t, {m, k}, 4), b = random_tensor("b", t, {k, n}, 5),
                 c = empty("c", DType::float32, {m, n});
    CHECK(run_kernel<kernels::matmul_kernel>({3 * 2}, arg(a), arg(b), arg(c), arg(m), arg(n), arg(k), arg(k), arg(1),
                                             arg(n), arg(1), arg(n), arg(1), constant(16), constant(16), constant(32))
              .faults.empty());
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += get(a, i * k + l) * get(b, l * n + j);
        CHECK(get(c, i * n + j) == doctest::Approx(sum).epsilon(1e-5));
      }
  }
}

TEST_CASE("swizzle: the lecture's table") {
  const Tensor x = make_tensor("x", DType::int32, {5, 4}), z = empty("z", DType::int32, {5, 4});
  for (int i = 0; i < 20; ++i) set(x, i, i);
  CHECK(run_kernel<kernels::swizzle_kernel>({5, 4}, arg(x), arg(z), constant(3)).faults.empty());
  CHECK(values_of(z) == std::vector<double>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 12, 14, 16, 18, 13, 15, 17, 19});
}
