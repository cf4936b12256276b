// Puzzle 2: z[i, j] = x[i] + y[j], by one program.
#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::outer {
namespace {

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            bool on_gpu = false) {
  const Tensor x = puzzle_input("x", DType::float32, {m}, m, wide_number),
               y = puzzle_input("y", DType::float32, {n}, n + 50, wide_number);
  return trial_of(
      kernel,
      {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
       .grid = {1},
       .inputs = {x, y},
       .output = puzzle_output("z", DType::float32, {m, n}),
       .value = [=](std::int64_t e) { return get(x, e / n) + get(y, e % n); },
       .slips = {{"x was not added: every row of z is y", "z[i, j] = x[i] + y[j]",
                  [=](std::int64_t e) { return get(y, e % n); }},
                 {"y was not added: a row of z is x[i], over and over", "z[i, j] = x[i] + y[j]",
                  [=](std::int64_t e) { return get(x, e / n); }},
                 {"z holds products, not sums", "z[i, j] = x[i] + y[j]",
                  [=](std::int64_t e) { return get(x, e / n) * get(y, e % n); }},
                 {"x goes along the columns and y along the rows: z[i, j] is x[j] + y[i]",
                  "`x(_, None)` (in Python `x[:, None]`) stands upright, a row for each x; `x(None, _)` (in Python "
                  "`x[None, :]`) lies flat",
                  [=](std::int64_t e) { return m == n ? get(x, e % n) + get(y, e / n) : NAN; }}},
       .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 3, 5, 4, 8), trial(kernel, 4, 4, 4, 4), trial(kernel, 1, 7, 2, 8), trial(kernel, 9, 2, 16, 4),
          trial(kernel, 31, 45, 32, 64, true)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t m = c.size(1, 32), n = c.size(1, 32);
  return trial(kernel, m, n, problems::next_power_of_2(m) * c.block(1, 2),
               problems::next_power_of_2(n) * c.block(1, 2));
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/02_outer",
          .title = "All sums",
          .kernel = "outer_kernel",
          .parameters = "tttiicc",
          .picture = {"", {}, "block"},
          .timed = {"m=60", "n=120", "BM=64", "BN=128"},
          .trials = trials,
          .by_chance = by_chance,
          .takes_infinities = true,
          .is_elementwise = true,
          .diagnose = diagnose_puzzle,
          .note_when_passed = "m + n elements were loaded for m n sums: an x is loaded once and used n times."};
}

}  // namespace tl::lessons::outer
