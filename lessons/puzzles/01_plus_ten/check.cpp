// Puzzle 1: z[i] = x[i] + 10.
#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::plus_ten {
namespace {

Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t block, DType dtype = DType::float32,
            bool on_gpu = false) {
  const Tensor x = puzzle_input("x", dtype, {n}, n, dtype == DType::float32 ? wide_number : small_numbers(100));
  return trial_of(
      kernel,
      {.sizes = {{"n", n}, {"BLOCK", block}},
       .grid = {problems::cdiv(n, block)},
       .inputs = {x},
       .output = puzzle_output("z", dtype, {n}),
       .value = [x](std::int64_t i) { return get(x, i) + 10; },
       .share = block,
       .slips = {{"z is x, and nothing is added to it", "z[i] = x[i] + 10", [x](std::int64_t i) { return get(x, i); }},
                 {"every element of z is 10: x does not come into it", "z[i] = x[i] + 10",
                  [](std::int64_t) { return 10; }},
                 {"z is ten times x, not ten more", "z[i] = x[i] + 10", [x](std::int64_t i) { return get(x, i) * 10; }},
                 {"z is ten less than x, not ten more", "z[i] = x[i] + 10",
                  [x](std::int64_t i) { return get(x, i) - 10; }},
                 {"what is added to x[i] is i, its place", "tl.arange counts; 10 does not",
                  [x](std::int64_t i) { return get(x, i) + static_cast<double>(i); }}},
       .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 10, 4),
          trial(kernel, 8, 4),
          trial(kernel, 1, 16),
          trial(kernel, 97, 16, DType::float32, true),
          trial(kernel, 97, 32, DType::float16),
          trial(kernel, 65, 16, DType::int32),
          trial(kernel, 4999, 16)};  // more programs than a byte counts
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 200), c.block(4, 32), c.one_of({DType::float32, DType::float16, DType::int32}));
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/01_plus_ten",
          .title = "Ten more",
          .kernel = "plus_ten_kernel",
          .parameters = "ttic",
          .picture = {"", {}, "offsets"},
          .timed = {"n=2^20", "BLOCK=1024"},
          .trials = trials,
          .by_chance = by_chance,
          .is_elementwise = true,
          .diagnose = diagnose_puzzle,
          .note_when_passed = "Every element was loaded once and stored once, of f32, f16 and i32 alike."};
}

}  // namespace tl::lessons::plus_ten
