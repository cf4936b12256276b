// Puzzle 5: the derivative of z[i, j] = max(x[i, j] y[j], 0) by x.
#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::multiply_backward {
namespace {

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            bool on_gpu = false) {
  // Some products are too small for f16, and count as the others do.
  const auto of_all_sizes = [](std::int64_t number) { return wide_number(number) * (number % 5 == 0 ? 0x1p-40 : 1); };
  const Tensor x = puzzle_input("x", DType::float32, {m, n}, m, of_all_sizes),
               y = puzzle_input("y", DType::float32, {n}, n + 50, small_numbers(200)),
               dz = puzzle_input("dz", DType::float32, {m, n}, n + 70, wide_number);
  const auto where = [=](auto is_so) {
    return [=](std::int64_t e) { return is_so(get(x, e), get(y, e % n)) ? get(dz, e) * get(y, e % n) : 0.0; };
  };
  return trial_of(
      kernel,
      {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
       .grid = {problems::cdiv(m, bm), problems::cdiv(n, bn)},
       .inputs = {x, y, dz},
       .output = puzzle_output("dx", DType::float32, {m, n}),
       .value = where([](double a, double b) { return a * b > 0; }),
       .allowed_loads = {{"y", problems::cdiv(m, bm)}},
       .share = bm * bn,
       .slips = {{"dx is dz y everywhere: where the product was cut at 0, z does not move with x",
                  "dx is 0 where x[i, j] y[j] is not positive", where([](double, double) { return true; })},
                 {"dx is 0 where x is not positive; what counts is the product",
                  "x and y may both be negative: then z is positive", where([](double a, double) { return a > 0; })},
                 {"dx is 0 where y is not positive; what counts is the product",
                  "x and y may both be negative: then z is positive", where([](double, double b) { return b > 0; })},
                 {"dx is 0 where the product is positive, and dz y elsewhere", "which side of tl.where is which?",
                  where([](double a, double b) { return a * b <= 0; })},
                 {"where the product is 0, dx is not: max(p, 0) is cut there", "is the comparison > or >=?",
                  where([](double a, double b) { return a * b >= 0; })},
                 {"this is the derivative by y: dz x", "of x y, by x, what remains?",
                  [=](std::int64_t e) { return get(x, e) * get(y, e % n) > 0 ? get(dz, e) * get(x, e) : 0.0; }},
                 {"dx is dz where it should be dz y", "of x y, by x, what remains?",
                  [=](std::int64_t e) { return get(x, e) * get(y, e % n) > 0 ? get(dz, e) : 0.0; }},
                 {"this is z once more, not its derivative", "dz comes into it",
                  [=](std::int64_t e) { return std::max(get(x, e) * get(y, e % n), 0.0); }}},
       .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 7, 13, 4, 8),  trial(kernel, 8, 8, 4, 4), trial(kernel, 3, 20, 8, 4),
          trial(kernel, 20, 3, 4, 16), trial(kernel, 1, 5, 2, 2), trial(kernel, 45, 70, 16, 32, true)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 40), c.size(1, 40), c.block(2, 16), c.block(2, 16));
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "puzzles/05_multiply_backward",
      .title = "Products, backwards",
      .kernel = "multiply_backward_kernel",
      .parameters = "ttttiicc",
      .picture = {"", {}, "mask"},
      .timed = {"m=1000", "n=1000", "BM=32", "BN=64"},
      .trials = trials,
      .by_chance = by_chance,
      .is_elementwise = true,
      .diagnose = diagnose_puzzle,
      .note_when_passed = "x, y and dz were loaded once: which products were positive is computed again, not stored."};
}

}  // namespace tl::lessons::multiply_backward
