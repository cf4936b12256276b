// Loops of loads and dots, on each device there is: whichever way a device runs them, the sums are those of plain
// loops.
#include <vector>

#include "interp/cpu/launch.h"
#include "tests/ops/every_device.h"
#include "tests/ops/loop_kernels.h"

namespace tl::test::loop_test {
namespace {

// Small integers, so that every sum is exact.
int a_at(std::int64_t i) { return static_cast<int>(i * 7 % 5) - 2; }
int b_at(std::int64_t i) { return static_cast<int>(i * 11 % 7) - 3; }

// out[i, j] = sum over l of w(l) a[row(i), l] b[l, j], over lengths with and without a tail, none and one step long.
template <class K, class W, class Row>
void check_sums(std::vector<int> aux, W w, Row row, int warps = 4, std::vector<int> lengths = {0, 32, 40, 200}) {
  constexpr int m = 64, n = 64;
  for (const Device& device : devices())
    for (const int k : lengths)
      for (const int stages : {1, 3}) {
        if (device.compiles && (k != lengths.back() || stages == 1)) continue;
        CAPTURE(device.name);
        CAPTURE(k);
        CAPTURE(stages);
        const Tensor a = tensor_of("a", DType::float16, {m, k}, a_at), b = tensor_of("b", DType::float16, {k, n}, b_at),
                     out = poisoned("out", DType::float32, {m, n}),
                     extra = tensor_of("aux", DType::int32, {static_cast<std::int64_t>(aux.size())},
                                       [&](auto i) { return aux[static_cast<std::size_t>(i)]; });
        run(device, make_launch<K>("tests/ops/loop_kernels.h", {}, LaunchOptions{warps, stages}, TensorArgument{a},
                                   TensorArgument{b}, TensorArgument{out}, TensorArgument{extra}, IntArgument{k},
                                   ConstantArgument{m}, ConstantArgument{n}, ConstantArgument{32}));
        if (device.compiles) continue;
        for (int i = 0; i < m; i += 3)
          for (int j = 0; j < n; j += 5) {
            int sum = 0;
            for (int l = 0; l < k; ++l)
              sum += w(l) * a_at(std::int64_t{row(i)} * k + l) * b_at(std::int64_t{l} * n + j);
            CHECK(get(out, i * n + j) == sum);
          }
      }
}
int same_row(int i) { return i; }

}  // namespace

TEST_CASE("loops: a tile in two dots, a load between them, left by break") {
  check_sums<kernels::break_loop_kernel>({64}, [](int l) { return l < 64 ? 2 : 0; }, same_row);
}

TEST_CASE("loops: turns that end by continue after some of their loads") {
  check_sums<kernels::continue_loop_kernel>({64}, [](int l) { return l < 64 ? 0 : 1; }, same_row);
}

TEST_CASE("loops: products with names, read while the next one runs, copied, assigned to, issued under an if") {
  for (const int warps : {4, 8}) {
    check_sums<kernels::named_products_kernel>({0}, [](int) { return 2; }, same_row, warps);
    check_sums<kernels::reread_products_kernel>({64}, [](int l) { return l < 64 ? 4 : 3; }, same_row, warps);
  }
}

TEST_CASE("loops: in helpers, one after the other, of other tiles, without a turn") {
  check_sums<kernels::helper_loops_kernel>({32}, [](int l) { return l < 32 ? 1 : 2; }, same_row);
}

TEST_CASE("loops: within loops, with tiles of both") {
  check_sums<kernels::nested_loops_kernel>({0}, [](int) { return 3; }, same_row);
}

TEST_CASE("loops: a load under an if") {
  check_sums<kernels::load_under_if_kernel>({64}, [](int l) { return l < 64 ? 2 : 1; }, same_row);
}

TEST_CASE("loops: a tile that is also used lane by lane") {
  check_sums<kernels::elementwise_tile_kernel>({0}, [](int) { return 2; }, same_row);
}

TEST_CASE("loops: a mask that is no box, a fill that is not 0") {
  check_sums<kernels::odd_mask_kernel>({0}, [](int l) { return l % 2 == 0; }, same_row);
}

TEST_CASE("loops: tiles whose place is the sum of a block") {
  check_sums<kernels::computed_start_kernel>({32}, [](int l) { return l >= 32; }, same_row);
}

TEST_CASE("loops: rows that are loaded") {
  std::vector<int> reversed;
  for (int i = 0; i < 64; ++i) reversed.push_back(63 - i);
  check_sums<kernels::gathered_rows_kernel>(reversed, [](int) { return 1; }, [](int i) { return 63 - i; });
}

TEST_CASE("loops: rows of a table that each turn reads, under a mask with holes") {
  std::vector<int> reversed;
  for (int i = 0; i < 64; ++i) reversed.push_back(63 - i);
  check_sums<kernels::table_rows_kernel>(reversed, [](int l) { return l % 4 != 1; }, [](int i) { return 63 - i; });
}

TEST_CASE("loops: the next tile carried from turn to turn") {
  check_sums<kernels::carried_tile_kernel>({0}, [](int) { return 1; }, same_row);
}

TEST_CASE("loops: an accumulator that begins as a loaded tile") {
  check_sums<kernels::loaded_accumulator_kernel>({0}, [](int) { return 1; }, same_row);
}

}  // namespace tl::test::loop_test
