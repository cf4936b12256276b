// Lesson 26: a kernel's backward pass, and a test that catches what is wrong with it.
#include <fmt/format.h>

#include <cmath>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::autograd {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double silu(double x) { return x * sigmoid(x); }
double slope(double x) { return sigmoid(x) * (1 + x * (1 - sigmoid(x))); }

std::vector<Slip> slips_of(const Tensor& x, const Tensor& dy) {
  std::vector<Slip> slips;
  const auto slip = [&](const char* headline, const char* fix, auto value) {
    slips.push_back({headline, fix, [=](std::int64_t i) { return value(get(x, i), get(dy, i)); }});
  };
  slip("dx is dy times s, as if s did not depend on x", "(x s)' = s + x s', and s' = s (1 - s)",
       [](double v, double d) { return d * sigmoid(v); });
  slip("dx is dy times the slope of s alone, not that of x s", "(x s)' = s + x s'",
       [](double v, double d) { return d * sigmoid(v) * (1 - sigmoid(v)); });
  slip("x s' is taken away, and should be added", "(x s)' = s + x s', and s' = s (1 - s)",
       [](double v, double d) { return d * sigmoid(v) * (1 - v * (1 - sigmoid(v))); });
  slip("s is missing in one of the two terms: s' is s (1 - s)", "(x s)' = s + x s (1 - s)",
       [](double v, double d) { return d * (sigmoid(v) + v * (1 - sigmoid(v))); });
  slip("dx is the slope itself: dy does not come into it", "the chain rule: dy times the slope",
       [](double v, double) { return slope(v); });
  slip("dx is dy times y, the forward pass", "dy times the slope of y", [](double v, double d) { return d * silu(v); });
  slip("the slope is taken at dy, and multiplied by x", "dy times the slope at x",
       [](double v, double d) { return v * slope(d); });
  return slips;
}

// Values by `value`, of 13 significant bits.
template <class Value>
Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t block, DType dtype, Value value, bool on_gpu = false) {
  const Tensor x = puzzle_input("x", dtype, {n}, n, value),
               dy = puzzle_input("dy", dtype, {n}, n + 9, [](std::int64_t i) { return wide_number(i) / 64; });
  return trial_of(kernel, {.sizes = {{"n", n}, {"BLOCK", block}},
                           .grid = {problems::cdiv(n, block)},
                           .inputs = {x, dy},
                           .output = puzzle_output("dx", dtype, {n}),
                           .value = [=](std::int64_t i) { return rounded(x.dtype, get(dy, i) * slope(get(x, i))); },
                           .tolerance = dtype == DType::float32 ? problems::Tolerance{2e-6, 2e-6}
                                                                : problems::Tolerance{1e-4, 0x1p-10},
                           .share = block,
                           .slips = slips_of(x, dy),
                           .on_gpu = on_gpu});
}

// The first three are what a careless test takes: zeros, large numbers, small ones.
std::vector<Trial> trials(const Kernel& kernel) {
  constexpr DType f32 = DType::float32;
  const auto ordinary = [](std::int64_t i) { return wide_number(i) / 64; };
  return {trial(kernel, 8, 8, f32, [](std::int64_t) { return 0.0; }),
          trial(kernel, 16, 8, f32, [](std::int64_t i) { return 20 + std::abs(wide_number(i)) / 64; }),
          trial(kernel, 24, 8, f32, ordinary),
          trial(kernel, 97, 16, f32, ordinary, true),
          trial(kernel, 97, 32, DType::float16, ordinary),
          trial(kernel, 65, 64, f32, [](std::int64_t i) { return wide_number(i); })};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 200), c.block(4, 64), c.one_of({DType::float32, DType::float16}),
               [](std::int64_t i) { return wide_number(i) / 32; });
}

// (f(x + h) - f(x - h)) / 2h in f32, at 1: for which h is it nearest to the slope?
Answer predict() {
  const auto f = [](float x) { return x / (1 + std::exp(-x)); };
  report::Table table{.header = {"h", "slope by differences", "error"}};
  std::string best;
  double least = INFINITY;
  for (const char* text : {"1", "0.01", "0.0001", "0.000001"}) {
    const float h = std::stof(text), up = 1 + h, down = 1 - h;
    const double by_differences = (f(up) - f(down)) / (static_cast<double>(up) - down),
                 error = std::abs(by_differences - slope(1));
    if (error < least) {
      least = error;
      best = text;
    }
    table.rows.push_back({text, fmt::format("{:.6f}", by_differences), fmt::format("{:.1e}", error)});
  }
  return {best, fmt::format("the slope at 1 is {:.6f}\n{}", slope(1), table.text(0))};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "0.000001" || guess == "0.0001")
    return "f32 has seven digits. Of f(1 + h) and f(1 - h) the first ones are equal and cancel: the smaller h, the "
           "fewer are left.";
  if (guess == "1") return "So far away the curve is no straight line.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "26_autograd",
          .title = "Autograd: the way back, and a test that catches",
          .kernel = "silu_backward_kernel",
          .parameters = "tttic",
          .picture = {"attention_backward", {"heads=1", "seq=128", "head_dim=16", "bm=32", "bn=32"}, "attention"},
          .changes_starter = "a slope that is wrong gives way to the right one",
          .prediction = {{"1", "0.01", "0.0001", "0.000001"}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .is_elementwise = true,
          .diagnose = diagnose_puzzle,
          .note_when_passed =
              "s was computed again, not stored: two loads and a store an element. With autograd.py it is a part of "
              "torch, and torch.autograd.gradcheck knows it."};
}

}  // namespace tl::lessons::autograd
