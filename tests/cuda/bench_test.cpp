#include "interp/cuda/host/bench.h"

#include <doctest/doctest.h>

#include "interp/cuda/host/cublas_peer.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

Launch doubling(std::int64_t n) {
  Launch launch;
  launch.kernel = "double_kernel", launch.source = "kernels/good.h", launch.grid = {(n + 127) / 128};
  const auto x = make_tensor("x", DType::float32, {n});
  for (std::int64_t i = 0; i < n; ++i) x.as<float>()[i] = 1;
  launch.arguments = {TensorArgument{x}, IntArgument{n}, ConstantArgument{128}};
  return launch;
}

Tensor from_gpu(const cuda::Gpu& gpu, cuda::CUdeviceptr address, DType dtype, std::int64_t rows, std::int64_t cols) {
  Tensor t = make_tensor("t", dtype, {rows, cols});
  gpu.check(gpu.api.cuMemcpyDtoH(t.data(), address, static_cast<std::size_t>(t.storage_bytes())), "reading a tensor");
  return t;
}

// The largest difference of cuBLAS's C from a plain product of its A and B in double.
double gemm_error(const cuda::GemmPeer& s) {
  const auto& gpu = cuda::the_gpu();
  const cuda::CublasGemm gemm(gpu, s);
  gemm.start();
  gpu.wait("the product");
  const auto a = from_gpu(gpu, gemm.a(), s.in, s.m, s.k), b = from_gpu(gpu, gemm.b(), s.in, s.k, s.n),
             c = from_gpu(gpu, gemm.c(), s.out, s.m, s.n);
  double worst = 0;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < s.k; ++l) sum += get(a, i * s.k + l) * get(b, s.b_is_nk ? j * s.k + l : l * s.n + j);
      worst = std::max(worst, std::abs(sum - get(c, i * s.n + j)));
    }
  return worst;
}

}  // namespace

TEST_CASE_FIXTURE(test::Fixture, "bench: kernel and peer are timed as often as each other, on the GPU's own copies") {
  if (test::no_gpu()) return;
  const auto launch = doubling(1 << 24);
  const auto result = cuda::bench(std::span(&launch, 1), test::has_no_dots, cuda::CopyPeer{2.0 * (1 << 26)},
                                  {.warmup_ms = 1, .measure_ms = 5});
  CHECK(result.samples_ms.size() >= 10);
  CHECK(result.peer_samples_ms.size() == result.samples_ms.size());
  CHECK(result.peer == "device copy");
  CHECK(result.method == "L2 flushed before each repetition");
  CHECK(std::get<TensorArgument>(launch.arguments[0]).tensor.as<float>()[0] == 1);
}

TEST_CASE_FIXTURE(test::Fixture, "bench: a tiny kernel is replayed from a graph") {
  if (test::no_gpu()) return;
  const auto launch = doubling(1000);
  const auto result = cuda::bench(std::span(&launch, 1), test::has_no_dots, {},
                                  {.warmup_ms = 1, .measure_ms = 1, .graph_below_us = 1e6});
  CHECK(result.method == "a graph of 64 repetitions, L2 warm");
  CHECK(result.samples_ms.size() >= 10);
}

TEST_CASE_FIXTURE(test::Fixture, "bench: a kernel whose tensors are put back is timed repetition by repetition") {
  if (test::no_gpu()) return;
  const auto launch = doubling(1000);
  const auto x = std::get<TensorArgument>(launch.arguments[0]).tensor;
  const auto result = cuda::bench(std::span(&launch, 1), test::has_no_dots, {},
                                  {.warmup_ms = 1, .measure_ms = 1, .graph_below_us = 1e6, .restored = {x}});
  CHECK(result.method == "L2 flushed before each repetition");
}

TEST_CASE("cuBLAS multiplies our row-major matrices, B stored either way") {
  if (test::no_gpu()) return;
  for (const bool b_is_nk : {false, true}) {
    const cuda::GemmPeer shape{.m = 48, .n = 80, .k = 64, .b_is_nk = b_is_nk};
    auto with = [&](DType in, DType out, bool ieee = false) {
      auto s = shape;
      s.in = in;
      s.out = out;
      s.ieee = ieee;
      return gemm_error(s);
    };
    CHECK(with(DType::float16, DType::float32) < 1e-4);
    CHECK(with(DType::float16, DType::float16) < 16 * 0x1p-11);
    CHECK(with(DType::bfloat16, DType::bfloat16) < 16 * 0x1p-8);
    CHECK(with(DType::float32, DType::float32) < 64 * 0x1p-10);
    CHECK(with(DType::float32, DType::float32, true) < 1e-4);
  }
}

TEST_CASE("a product that cuBLAS lacks is refused with those it has") {
  if (test::no_gpu()) return;
  CHECK_THROWS_WITH_AS(
      cuda::CublasGemm(cuda::the_gpu(), {.m = 16, .n = 16, .k = 16, .in = DType::float8e4nv, .out = DType::float16}),
      "cuBLAS's gemm has no f8e4nv", Error);
}
