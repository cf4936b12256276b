// Puzzle 11: products of matrices, pair after pair.
#include <algorithm>
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::batched_matmul {
namespace {

struct Sizes {
  std::int64_t batch, m, n, k, bm, bn, bk;
};

Trial trial(const Kernel& kernel, DType dtype, const Sizes& s, bool on_gpu = false) {
  // x has ten bits, which bf16 does not hold.
  const Tensor x = puzzle_input("x", dtype, {s.batch, s.m, s.k}, s.m,
                                small_numbers(dtype == DType::bfloat16 ? 60 : 1000)),
               y = puzzle_input("y", dtype, {s.batch, s.k, s.n}, s.n + 50, small_numbers(60));
  // Of matrix bx of x and by of y, over columns first .. last of x.
  const auto product = [=](std::int64_t bx, std::int64_t by, std::int64_t i, std::int64_t j, std::int64_t first,
                           std::int64_t last) {
    double all = 0;
    for (std::int64_t l = first; l < std::min(last, s.k); ++l)
      all += get(x, (bx * s.m + i) * s.k + l) * get(y, (by * s.k + l) * s.n + j);
    return all;
  };
  const auto of = [=](auto f) { return [=](std::int64_t e) { return f(e / (s.m * s.n), e / s.n % s.m, e % s.n); }; };
  using I = std::int64_t;
  const std::int64_t last_step = (s.k - 1) / s.bk * s.bk;
  std::vector<Slip> slips;
  const auto slip = [&](const char* headline, const char* fix, auto f) { slips.push_back({headline, fix, of(f)}); };
  if (s.batch > 1) {
    slip("every product takes the first matrix of x", "matrices of x lie m k elements apart",
         [=](I b, I i, I j) { return product(0, b, i, j, 0, s.k); });
    slip("every product takes the first matrix of y", "matrices of y lie k n elements apart",
         [=](I b, I i, I j) { return product(b, 0, i, j, 0, s.k); });
    slip("every product is of the first pair", "tl.program_id(2) says which pair: x, y and z all need it",
         [=](I, I i, I j) { return product(0, 0, i, j, 0, s.k); });
  }
  if (last_step > 0) {
    slip("only the first step along k counts", "k has cdiv(k, BK) steps: a loop",
         [=](I b, I i, I j) { return product(b, b, i, j, 0, s.bk); });
    slip("only the last step along k counts: every step overwrites what the ones before it made",
         "acc = tl.dot(x, y, acc)", [=](I b, I i, I j) { return product(b, b, i, j, last_step, s.k); });
    if (s.k % s.bk != 0)
      slip("the last step along k, which is not whole, is left out",
           "how many steps does the loop make? cdiv rounds up",
           [=](I b, I i, I j) { return product(b, b, i, j, 0, last_step); });
  }
  slip("the products of the elements are not summed up along k in f32: 16 bits do not hold these sums",
       "acc is f32, and z as well: no cast", [=](I b, I i, I j) {
         const Tensor one = make_tensor("one", dtype == DType::float32 ? DType::float16 : dtype, {1});
         set(one, 0, product(b, b, i, j, 0, s.k));
         return get(one, 0);
       });
  return trial_of(kernel, {.sizes = {{"m", s.m}, {"n", s.n}, {"k", s.k}, {"BM", s.bm}, {"BN", s.bn}, {"BK", s.bk}},
                           .grid = {problems::cdiv(s.m, s.bm), problems::cdiv(s.n, s.bn), s.batch},
                           .inputs = {x, y},
                           .output = puzzle_output("z", DType::float32, {s.batch, s.m, s.n}),
                           .value = of([=](I b, I i, I j) { return product(b, b, i, j, 0, s.k); }),
                           .allowed_loads = {{"x", problems::cdiv(s.n, s.bn)}, {"y", problems::cdiv(s.m, s.bm)}},
                           .share = s.bm * s.bn,
                           .slips = std::move(slips),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, DType::float32, {2, 5, 6, 10, 4, 4, 4}),
          trial(kernel, DType::float32, {1, 8, 8, 8, 4, 4, 4}),
          trial(kernel, DType::float16, {3, 20, 24, 40, 16, 16, 16}, true),
          trial(kernel, DType::bfloat16, {2, 33, 17, 70, 32, 16, 32}),
          trial(kernel, DType::float32, {2, 3, 20, 5, 4, 16, 8}),
          trial(kernel, DType::float16, {4, 1, 1, 1, 16, 16, 16})};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const Sizes s{c.size(1, 3),    c.size(1, 24),   c.size(1, 24),  c.size(1, 40),
                c.block(16, 32), c.block(16, 32), c.block(16, 32)};
  return trial(kernel, c.one_of({DType::float32, DType::float16, DType::bfloat16}), s);
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/11_batched_matmul",
          .title = "Products, pair after pair",
          .kernel = "batched_matmul_kernel",
          .parameters = "tttiiiccc",
          .picture = {"", {}, "grid"},
          .timed = {"batch=4", "m=500", "n=500", "k=500", "BM=64", "BN=64", "BK=32"},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "(2 x) y = 2 (x y)", .times = 2, .outputs = 2}},
          .diagnose = diagnose_puzzle,
          .note_when_passed = "Pairs share nothing: the third axis of the grid costs no more than its number."};
}

}  // namespace tl::lessons::batched_matmul
