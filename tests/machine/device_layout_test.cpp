// The rules of layouts against CUDA's manuals, and the device's types, instantiated here, against the rules.
#include "tests/machine/device_on_host.h"
// The words that it defines come first.
#include "interp/cuda/device/memory/memory.h"

#undef volatile
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

using namespace tl;

namespace {

template <int Warps, int Vector>
struct OnWgmma : cuda::Config<Warps, 3, Vector, true> {
  static constexpr cuda::Matrix matrix = cuda::Matrix::wgmma;
};

template <class S, int Warps>
void check_shape() {
  using Dots = cuda::Config<Warps, 3, 4, true>;
  using Exact = cuda::Config<Warps, 3, 4, true, true>;
  CHECK(cuda::default_layout<Exact, S>::value == rules::default_layout(cuda::config_of<Exact>, S::sizes));
  CHECK(Blocked<S, S::rank - 1, 8, Warps>::value == rules::row_major(S::sizes, 8, Warps));
  CHECK(Blocked<S, 0, 4, Warps>::value == rules::blocked(S::sizes, 0, 4, Warps));
  CHECK(cuda::default_layout<Dots, S>::value == rules::default_layout(cuda::config_of<Dots>, S::sizes));
  if constexpr (Warps % 4 == 0)
    CHECK(cuda::default_layout<OnWgmma<Warps, 8>, S>::value ==
          rules::default_layout(cuda::config_of<OnWgmma<Warps, 8>>, S::sizes));
}
template <class S>
void check_warps() {
  check_shape<S, 1>();
  check_shape<S, 4>();
  check_shape<S, 8>();
}

template <class Cfg, class T, class S, int D, int... C>
int elements_of() {
  using P = PtrBlock<Cfg, T, int, S, Coefficients<C...>, D>;
  using A = detail::Access<P>;
  const rules::Access how =
      rules::access_of(cuda::config_of<Cfg>, rules::Index{S::sizes, {C...}, D}, static_cast<int>(sizeof(T)));
  CHECK(A::layout::value == how.layout);
  CHECK(A::elements == how.elements);
  return A::elements;
}

}  // namespace

TEST_CASE("layouts: the device's types hold what the rules say") {
  check_warps<Shape<32>>();
  check_warps<Shape<1024>>();
  check_warps<Shape<8>>();
  check_warps<Shape<64, 64>>();
  check_warps<Shape<16, 256>>();
  check_warps<Shape<128, 256>>();
}

TEST_CASE("layouts: multiply-adds hold each element once, and a thread's rows are about as many as its columns") {
  for (const auto& [m, n, warps] : {std::array{64, 64, 4}, {128, 128, 8}, {128, 128, 4}, {128, 64, 4}, {64, 128, 1}}) {
    const rules::Layout l = rules::multiply_add(m, n, warps);
    std::vector<int> holders(static_cast<std::size_t>(m * n));
    std::set<int> rows, columns;  // of thread 0
    for (int thread = 0; thread < 32 * warps; ++thread)
      for (int r = 0; r < l.register_count(); ++r) {
        const int flat = l.of_thread(thread) + l.of_register(r);
        ++holders[static_cast<std::size_t>(flat)];
        if (thread == 0) {
          rows.insert(flat / n);
          columns.insert(flat % n);
        }
      }
    CHECK(std::ranges::count(holders, 1) == m * n);
    CHECK(std::max(rows.size(), columns.size()) <= 4 * std::min(rows.size(), columns.size()));
  }
}

// PTX ISA, matrix fragments for mma.m16n8k16: row = lane / 4 (+ 8 for c2, c3), column = lane % 4 * 2 + (i & 1).
TEST_CASE("layouts: one warp's accumulator of mma.sync is the manual's") {
  const rules::Layout l = rules::mma_sync(16, 8, 1);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      CHECK(l.of_thread(lane) + l.of_register(i) == (lane / 4 + (i > 1 ? 8 : 0)) * 8 + lane % 4 * 2 + (i & 1));
}

// PTX ISA, register fragments of wgmma.m64nN: row = 16 (warp % 4) + lane / 4 + 8 (i / 2 % 2), column = 8 (i / 4) +
// lane % 4 * 2 + i % 2.
TEST_CASE("layouts: a warpgroup's accumulator of wgmma holds each element where the manual has it") {
  const rules::Layout l = rules::wgmma(64, 32, 4);
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < 16; ++i) {
      const int row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (i / 2 % 2),
                col = 8 * (i / 4) + thread % 4 * 2 + i % 2;
      CHECK(l.of_thread(thread) + l.of_register(l.register_of(row * 32 + col)) == row * 32 + col);
    }
}

TEST_CASE("accesses: 16 bytes where stride 1 and divisibility allow it, else as much as is known to be aligned") {
  using F32 = cuda::Config<4, 3, 4>;
  using F16 = cuda::Config<8, 3, 8>;
  CHECK(elements_of<F32, float, Shape<1024>, 16, 1>() == 4);
  CHECK(elements_of<F32, float, Shape<1024>, 4, 1>() == 1);
  CHECK(elements_of<F32, float, Shape<256>, 16, 2>() == 1);  // no neighbours
  CHECK(elements_of<F32, float, Shape<256>, 16, 1>() == 2);  // more threads than groups of four
  CHECK(elements_of<F16, Float16, Shape<64, 64>, 16, run_time + 16, 1>() == 8);
  CHECK(elements_of<F16, Float16, Shape<64, 64>, 16, run_time + 1, 1>() == 1);
  CHECK(elements_of<F16, Float16, Shape<64, 64>, 16, 1, run_time + 16>() == 8);  // columns of a transposed tile
}
