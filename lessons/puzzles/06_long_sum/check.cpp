// Puzzle 6: sums of rows longer than a block, in f32.
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::long_sum {
namespace {

Trial trial(const Kernel& kernel, DType dtype, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            bool on_gpu = false) {
  const Tensor x = puzzle_input("x", dtype, {m, n}, m + n, dtype == DType::float32 ? wide_number : small_numbers(900));
  for (std::int64_t i = 1; i < m; i += 3)  // rows whose sums are more than f16 holds
    for (std::int64_t j = 0; j < n; ++j) set(x, i * n + j, std::abs(get(x, i * n + j)));
  const auto sum = [=](std::int64_t row, std::int64_t first, std::int64_t last) {
    double s = 0;
    for (std::int64_t j = first; j < std::min(last, n); ++j) s += get(x, row * n + j);
    return s;
  };
  const std::int64_t last_step = (n - 1) / bn * bn;
  std::vector<Slip> slips;
  if (n > bn)
    slips = {{"only the first block of each row is summed", "a row has cdiv(n, BN) blocks: a loop goes over them",
              [=](std::int64_t i) { return sum(i, 0, bn); }},
             {"only the last block of each row counts: every step overwrites what the ones before it made",
              "the sum goes on from step to step: +=", [=](std::int64_t i) { return sum(i, last_step, n); }}};
  if (last_step < n && last_step > 0 && n % bn != 0)
    slips.push_back({"the last block of each row, which is not whole, is left out",
                     "how many steps does the loop make? cdiv rounds up",
                     [=](std::int64_t i) { return sum(i, 0, last_step); }});
  if (dtype != DType::float32)
    slips.push_back({"each block's sum was rounded to the input's dtype before it was added up",
                     "cast x to tl.float32 before tl.sum: f16 holds 11 bits, bf16 8", [=](std::int64_t i) {
                       double all = 0;
                       for (std::int64_t j = 0; j < n; j += bn) all += rounded(dtype, sum(i, j, j + bn));
                       return all;
                     }});
  return trial_of(kernel, {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
                           .grid = {problems::cdiv(m, bm)},
                           .inputs = {x},
                           .output = puzzle_output("z", DType::float32, {m}),
                           .value = [=](std::int64_t i) { return sum(i, 0, n); },
                           .share = bm,
                           .slips = std::move(slips),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, DType::float32, 5, 29, 4, 8),    trial(kernel, DType::float32, 4, 32, 4, 16),
          trial(kernel, DType::float32, 3, 5, 4, 8),     trial(kernel, DType::float16, 9, 300, 8, 64, true),
          trial(kernel, DType::bfloat16, 7, 140, 2, 32), trial(kernel, DType::float32, 1, 1, 1, 4)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.one_of({DType::float32, DType::float16, DType::bfloat16}), c.size(1, 12), c.size(1, 150),
               c.block(2, 8), c.block(4, 32));
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/06_long_sum",
          .title = "Long sums",
          .kernel = "long_sum_kernel",
          .parameters = "ttiicc",
          .picture = {"", {}, "memory"},
          .timed = {"m=1000", "n=1000", "BM=8", "BN=256"},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "the sums of 2 x are twice those of x", .times = 2, .outputs = 2}},
          .diagnose = diagnose_puzzle,
          .note_when_passed = "m n elements loaded, m stored: what was summed so far never left the program."};
}

}  // namespace tl::lessons::long_sum
