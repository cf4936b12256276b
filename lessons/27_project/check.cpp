// Lesson 27: a kernel of one's own, from a case to a measurement. It is judged by the record alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::project {
namespace {

struct Sizes {
  std::int64_t rows, cols, gap, block;
};

// Rows around a height of their own: 0, or far above and below it.
Trial trial(const Kernel& kernel, const Sizes& s, double height, DType dtype = DType::float32, bool on_gpu = false) {
  const std::int64_t stride = s.cols + s.gap;
  Tensor x = padded("x", dtype, s.rows, s.cols, stride);
  const Tensor target = puzzle_input("target", DType::int32, {s.rows}, 0, [](std::int64_t) { return 0.0; });
  fill_coded(x, 30000, [&](std::int64_t e) {
    return small_numbers(60)(scrambled(e + s.cols * 1000, 20)) / 8 + height * static_cast<double>(e / s.cols % 3 - 1);
  });
  for (std::int64_t i = 0; i < s.rows; ++i)
    set(target, i, static_cast<double>((scrambled(i + 77, 16) & 0x3fff) % s.cols));
  const auto at = [=](std::int64_t i, std::int64_t j) { return get(x, i * stride + j); };
  const auto chosen = [=](std::int64_t i) { return at(i, static_cast<std::int64_t>(get(target, i))); };
  const auto log_sum = [=](std::int64_t i, std::int64_t from) {
    double largest = -INFINITY, sum = 0;
    for (std::int64_t j = from; j < s.cols; ++j) largest = std::max(largest, at(i, j));
    for (std::int64_t j = from; j < s.cols; ++j) sum += std::exp(at(i, j) - largest);
    return std::log(sum) + largest;
  };
  const auto loss = [=](std::int64_t i) { return log_sum(i, 0) - chosen(i); };
  std::vector<Slip> slips{
      {"the chosen element is not taken away", "log of the sum, minus x[i, target[i]]",
       [=](std::int64_t i) { return log_sum(i, 0); }},
      {"the sign is turned", "log of the sum, minus x[i, target[i]]", [=](std::int64_t i) { return -loss(i); }},
      {"column 0 is taken away, whatever target says", "x[i, target[i]]",
       [=](std::int64_t i) { return log_sum(i, 0) - at(i, 0); }},
      {"what the largest element took away from the sum is not added again", "log(sum) + largest",
       [=](std::int64_t i) {
         double largest = -INFINITY;
         for (std::int64_t j = 0; j < s.cols; ++j) largest = std::max(largest, at(i, j));
         return loss(i) - largest;
       }},
      {"every loss is infinite: exp was taken of x as it is", "exp(x - largest), and the largest is added again",
       [](std::int64_t) { return INFINITY; }}};
  if (s.cols > s.block)
    slips.push_back({"only the last block of a row counts in the sum", "what was summed before is rescaled and kept",
                     [=](std::int64_t i) { return log_sum(i, (s.cols - 1) / s.block * s.block) - chosen(i); }});
  return trial_of(kernel, {.sizes = {{"row_stride", stride}, {"n_cols", s.cols}, {"BLOCK", s.block}},
                           .grid = {s.rows},
                           .inputs = {x, target},
                           .output = puzzle_output("loss", DType::float32, {s.rows}),
                           .value = loss,
                           .tolerance = {2e-5 + std::abs(height) * 0x1p-21, 4e-6},
                           .allowed_loads = {{"x", 2}},  // the chosen one may be loaded by itself
                           .share = 1,
                           .slips = std::move(slips),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {3, 4, 0, 4}, 0),
          trial(kernel, {4, 16, 3, 8}, 0),
          trial(kernel, {5, 13, 1, 4}, 0),
          trial(kernel, {6, 40, 0, 16}, 500),
          trial(kernel, {9, 300, 4, 64}, 20, DType::float32, true),
          trial(kernel, {4, 70, 2, 32}, 200, DType::float16),
          trial(kernel, {3, 1, 2, 16}, 7)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, {c.size(1, 9), c.size(1, 120), c.size(0, 5), c.block(4, 64)},
               static_cast<double>(c.between(0, 300)), c.one_of({DType::float32, DType::float16}));
}

// Two kernels that do the same: what each moves.
Answer predict() {
  std::string told;
  std::int64_t loads[2] = {0, 0};
  const char* kernels[] = {"softmax", "unfused_softmax"};
  for (int i = 0; i < 2; ++i) {
    const Demo demo(kernels[i], {"rows=4", "cols=64"});
    const auto c = demo.observed().count();
    loads[i] = c.loaded;
    told += fmt::format("tilescope run {} rows=4 cols=64: {} loads, {} stores\n", kernels[i], c.loaded, c.stored);
  }
  return {std::to_string(loads[0]), told};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "512") return "Twice? What was loaded stays in registers: a row fits.";
  if (guess == "768") return "So it would be with three passes; here a row fits into registers.";
  if (guess == "64") return "That is one row of four.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "27_project",
          .title = "Project: a kernel of your own",
          .kernel = "cross_entropy_kernel",
          .parameters = "tttiic",
          .picture = {"softmax", {"rows=8", "cols=64"}, "limits"},
          .timed = {"rows=4096", "cols=32000", "BLOCK=4096"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose_puzzle,
          .exponent_degree = 1,
          .most_work = 1.5,
          .runs_own_case = true,
          .note_when_passed =
              "Right on sizes and values that you did not choose, no faults, and as little moved as can be: what a "
              "reviewer would ask of it. Now measure: `tilescope bench` with your file."};
}

}  // namespace tl::lessons::project
