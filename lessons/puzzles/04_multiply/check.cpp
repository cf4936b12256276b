// Puzzle 4: z[i, j] = max(x[i] y[j], 0), in one kernel.
#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::multiply {
namespace {

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            bool on_gpu = false) {
  const Tensor x = puzzle_input("x", DType::float32, {m}, m, wide_number),
               y = puzzle_input("y", DType::float32, {n}, n + 50, small_numbers(200));
  const std::int64_t down = problems::cdiv(m, bm), across = problems::cdiv(n, bn);
  const auto product = [=](std::int64_t e) { return get(x, e / n) * get(y, e % n); };
  return trial_of(
      kernel,
      {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
       .grid = {down, across},
       .inputs = {x, y},
       .output = puzzle_output("z", DType::float32, {m, n}),
       .value = [=](std::int64_t e) { return std::max(product(e), 0.0); },
       .allowed_loads = {{"x", across}, {"y", down}},
       .share = bm * bn,
       .slips = {{"negative products are stored as they are", "what is max(-3, 0)?", product},
                 {"z holds the sizes of the products: negative ones became positive", "what is max(-3, 0)?",
                  [=](std::int64_t e) { return std::abs(product(e)); }},
                 {"z holds the negative products, and 0 for the positive", "max(p, 0) is p where p > 0",
                  [=](std::int64_t e) { return std::min(product(e), 0.0); }},
                 {"x and y were cut at 0 before they were multiplied: of two negative ones the product is positive",
                  "z[i, j] = max(x[i] y[j], 0): first the product",
                  [=](std::int64_t e) { return std::max(get(x, e / n), 0.0) * std::max(get(y, e % n), 0.0); }},
                 {"x was cut at 0 before it was multiplied", "z[i, j] = max(x[i] y[j], 0): first the product",
                  [=](std::int64_t e) { return std::max(get(x, e / n), 0.0) * get(y, e % n); }},
                 {"these are sums, and z holds products", "z[i, j] = max(x[i] y[j], 0)",
                  [=](std::int64_t e) { return std::max(get(x, e / n) + get(y, e % n), 0.0); }}},
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
  return {.folder = "puzzles/04_multiply",
          .title = "Products, fused with what follows",
          .kernel = "multiply_kernel",
          .parameters = "tttiicc",
          .picture = {"", {}, "block"},
          .timed = {"m=1000", "n=1000", "BM=32", "BN=64"},
          .trials = trials,
          .by_chance = by_chance,
          .is_elementwise = true,
          .diagnose = diagnose_puzzle,
          .note_when_passed = "No product went to memory: two kernels would have stored and loaded m n of them."};
}

}  // namespace tl::lessons::multiply
