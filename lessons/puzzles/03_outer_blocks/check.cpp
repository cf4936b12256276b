// Puzzle 3: z[i, j] = x[i] + y[j], in blocks.
#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::outer_blocks {
namespace {

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            bool on_gpu = false) {
  const Tensor x = puzzle_input("x", DType::float32, {m}, m, wide_number),
               y = puzzle_input("y", DType::float32, {n}, n + 50, wide_number);
  const std::int64_t down = problems::cdiv(m, bm), across = problems::cdiv(n, bn);
  return trial_of(
      kernel,
      {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
       .grid = {down, across},
       .inputs = {x, y},
       .output = puzzle_output("z", DType::float32, {m, n}),
       .value = [=](std::int64_t e) { return get(x, e / n) + get(y, e % n); },
       .allowed_loads = {{"x", across}, {"y", down}},
       .share = bm * bn,
       .slips = {{"y was not added: a row of z is x[i], over and over", "z[i, j] = x[i] + y[j]",
                  [=](std::int64_t e) { return get(x, e / n); }},
                 {"x was not added: every row of z is y", "z[i, j] = x[i] + y[j]",
                  [=](std::int64_t e) { return get(y, e % n); }},
                 {"z holds products, not sums", "z[i, j] = x[i] + y[j]",
                  [=](std::int64_t e) { return get(x, e / n) * get(y, e % n); }},
                 {"every block of z takes the first BM elements of x",
                  "z's rows begin at block program_id(0): so do the x that belong to them",
                  [=](std::int64_t e) { return get(x, e / n % bm) + get(y, e % n); }},
                 {"every block of z takes the first BN elements of y",
                  "z's columns begin at block program_id(1): so do the y that belong to them",
                  [=](std::int64_t e) { return get(x, e / n) + get(y, e % n % bn); }},
                 {"x goes along the columns and y along the rows: z[i, j] is x[j] + y[i]",
                  "`x(_, None)` (in Python `x[:, None]`) stands upright, a row for each x; `x(None, _)` (in Python "
                  "`x[None, :]`) lies flat",
                  [=](std::int64_t e) { return m == n ? get(x, e % n) + get(y, e / n) : NAN; }}},
       .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 7, 13, 4, 8),  trial(kernel, 8, 8, 4, 4), trial(kernel, 3, 20, 8, 4),
          trial(kernel, 20, 3, 4, 16), trial(kernel, 1, 1, 2, 2), trial(kernel, 45, 70, 16, 32, true),
          trial(kernel, 33, 31, 32, 8)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 40), c.size(1, 40), c.block(2, 16), c.block(2, 16));
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "puzzles/03_outer_blocks",
      .title = "All sums, in blocks",
      .kernel = "outer_blocks_kernel",
      .parameters = "tttiicc",
      .picture = {"", {}, "grid"},
      .timed = {"m=1000", "n=1000", "BM=32", "BN=64"},
      .trials = trials,
      .by_chance = by_chance,
      .takes_infinities = true,
      .is_elementwise = true,
      .diagnose = diagnose_puzzle,
      .note_when_passed = "A block of z needs BM + BN elements for BM BN sums; the larger the block, the fewer loads."};
}

}  // namespace tl::lessons::outer_blocks
