// Lesson 10: softmax of rows longer than a block; what was summed is rescaled when the maximum rises.
#include <fmt/format.h>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/softmax_rows.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::online {
namespace {

Trial trial(const Kernel& kernel, std::int64_t rows, std::int64_t cols, std::int64_t block, bool on_gpu = false,
            bool is_far = false, std::int64_t padding = 3) {
  const SoftmaxRows r{rows, cols, 1, block, padding, is_far};
  const Tensor x = r.input();
  return trial_of(kernel, {.sizes = {{"row_stride", cols + padding}, {"n_cols", cols}, {"BLOCK", block}},
                           .grid = {rows},
                           .inputs = {x},
                           .output = padded("y", DType::float32, rows, cols, cols + padding),
                           .value = r.value(x),
                           .tolerance = r.tolerance(),
                           .allowed_loads = {{"x", 2}},
                           .share = cols,
                           .slips = r.slips(x),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 3, 16, 8, false, true), trial(kernel, 6, 13, 4),         trial(kernel, 4, 5, 8),
          trial(kernel, 7, 64, 2, false, true), trial(kernel, 9, 300, 64, true), trial(kernel, 2, 1, 16)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 12), c.size(1, 100), c.block(2, 64), false, c.between(0, 1) == 1, c.size(1, 9));
}

std::optional<Finding> diagnose(const Failure& f) {
  if (!f.observed.has_op(trace::Op::store) && f.has_ended())
    return Finding{"the kernel stores nothing",
                   fmt::format("{} programs went over their rows once, and y is as it was", f.observed.programs()),
                   "a second loop over the row: load, exp(x - largest) / sum, store"};
  return diagnose_puzzle(f);
}

// The solution on one row; in each round exp is given old - new, a single number.
Answer predict() {
  const Tensor x = make_tensor("x", DType::float32, {1, 8}), y = make_tensor("y", DType::float32, {1, 8});
  constexpr double row[] = {3, 1, 7, 2, 5, 6, 9, 0};
  for (std::int64_t i = 0; i < 8; ++i) set(x, i, row[i]);
  problems::Instance instance;
  instance.launches = {launch_of_solution(
      "10_online", {1},
      {TensorArgument{x}, TensorArgument{y}, problems::integer(8), problems::integer(8), problems::constant(2)}, {})};
  std::vector<Fault> faults;
  const Observed o = observe(instance, faults);
  const trace::RecordedProgram& p = o.trace().programs.front();
  report::Table table{.header = {"round", "old - new", "factor"}};
  int rescaled = 0;
  for (const trace::Step& s : p.steps) {
    if (s.op != trace::Op::exp || p.values[static_cast<std::size_t>(p.results(s)[0])].shape.rank > 0) continue;
    const double given = trace::element_as_double(p.values[static_cast<std::size_t>(p.operands(s)[0])], 0),
                 factor = trace::element_as_double(p.values[static_cast<std::size_t>(p.results(s)[0])], 0);
    rescaled += factor != 1;
    table.rows.push_back(
        {std::to_string(table.rows.size() + 1), fmt::format("{:g}", given), fmt::format("{:.4g}", factor)});
  }
  return {std::to_string(rescaled), "exp(old - new), by which the sum is multiplied:\n" + table.text(0)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "2")
    return "Before the first block the largest is -inf: it rises there, too, by a factor of exp(-inf) = 0.";
  if (guess == "4") return "In the third round the largest stays 7: exp(0) = 1.";
  if (guess == "1") return "The largest is 3, 7, 7, 9 after the four blocks, and -inf before them.";
  if (guess == "8") return "That is once an element; the question is of blocks: a block has one maximum.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "10_online",
          .title = "Online softmax: a sum whose measure moves",
          .kernel = "online_softmax_kernel",
          .parameters = "ttiic",
          .picture = {"softmax", {"rows=1", "cols=8", "block=2"}, "softmax"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "softmax(x + c) = softmax(x)", .plus = 16}},
          .diagnose = diagnose,
          .exponent_degree = 1,
          .most_work = 4,
          .note_when_passed =
              "Two loads an element, however long the row: by maximum, sum and quotient in turn it would "
              "be three. Flash attention is this loop, with a second sum beside the first."};
}

}  // namespace tl::lessons::online
