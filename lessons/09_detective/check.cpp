// Lesson 9: three mistakes, each shown by a run, and found by the debugger.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/report/tensor_text.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::detective {
namespace {

struct Sizes {
  std::int64_t rows, cols, block, programs, padding;
};

// `above`: what rows lie above. Later rows are narrower: what was left of an earlier one shows.
Trial trial(const Kernel& kernel, const Sizes& s, double above, bool on_gpu = false) {
  const std::int64_t stride = s.cols + s.padding;
  const Tensor x = padded("x", DType::float32, s.rows, s.cols, stride);
  fill_coded(x, 1e6, [=](std::int64_t e) {
    const double range = static_cast<double>(64 >> std::min<std::int64_t>(e / s.cols, 5));
    return above + range * static_cast<double>((scrambled(e, 16) & 63) - 20) / 64;
  });
  return trial_of(kernel,
                  {.sizes = {{"row_stride", stride}, {"n_rows", s.rows}, {"n_cols", s.cols}, {"BLOCK", s.block}},
                   .grid = {s.programs},
                   .inputs = {x},
                   .output = padded("y", DType::float32, s.rows, s.cols, stride),
                   .value =
                       [=](std::int64_t e) {
                         double low = INFINITY, high = -INFINITY;
                         const std::int64_t row = e / s.cols * stride;
                         for (std::int64_t j = 0; j < s.cols; ++j) {
                           low = std::min(low, get(x, row + j));
                           high = std::max(high, get(x, row + j));
                         }
                         return (get(x, row + e % s.cols) - low) / (high - low);
                       },
                   .tolerance = {0, 1e-6},  // differences are exact; a quotient, or a reciprocal
                   .allowed_loads = {{"x", 2}},
                   .share = problems::cdiv(s.rows, s.programs) * s.cols,
                   .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {4, 8, 8, 4, 3}, 0),      // gaps between rows
          trial(kernel, {3, 6, 4, 3, 0}, 100),    // a tail
          trial(kernel, {4, 8, 4, 2, 0}, 100),    // fewer programs than rows
          trial(kernel, {9, 13, 4, 2, 3}, -100),  // and all of it
          trial(kernel, {31, 97, 32, 7, 5}, 0, true), trial(kernel, {5, 2, 16, 8, 1}, -7),
          trial(kernel, {5, 11, 4, 2, 2}, 100000),  // far from where a bound may begin
          trial(kernel, {5, 11, 4, 2, 2}, -100000)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const Sizes s{c.size(1, 12), c.size(4, 60), c.block(4, 32), c.size(1, 8), c.size(0, 5)};
  return trial(kernel, s, static_cast<double>(c.between(-1000, 1000)));
}

// Which of the first three runs it is, by what it has and the others have not.
int run_of(const Trial& t) {
  if (t.size("n_rows") == 4 && t.size("row_stride") > t.size("n_cols")) return 1;
  return t.size("n_rows") == 3 ? 2 : t.size("n_rows") == 4 ? 3 : 0;
}

// Whether the first wrong element is what the run's own mistake makes of it: a row of y elsewhere, zeros in the lanes
// beyond the row, what is left of the program's rows before.
bool is_planted(const Failure& f, int run) {
  const Tensor& x = f.trial.instance.inputs.front();
  const std::int64_t cols = f.trial.size("n_cols"), stride = f.trial.size("row_stride"), row = f.first->offset / cols;
  if (run == 1) {
    bool is_elsewhere = false;
    f.observed.for_each_access("y", [&](std::int64_t, const trace::RecordedAccess& a, const Site&) {
      is_elsewhere |= a.offset(0) % stride != 0;  // a row is one block there
    });
    return is_elsewhere;
  }
  double low = run == 2 ? 0 : INFINITY, high = run == 2 ? 0 : -INFINITY;
  for (std::int64_t r = run == 2 ? row : row % 2; r <= row; r += 2)  // run 3 has two programs
    for (std::int64_t j = 0; j < cols; ++j) {
      low = std::min(low, get(x, r * stride + j));
      high = std::max(high, get(x, r * stride + j));
    }
  const double made = (get(x, row * stride + f.first->offset % cols) - low) / (high - low);
  return std::abs(f.first->got - made) < 1e-5;
}

// A symptom, and the commands that lead from it to its cause.
std::optional<Finding> diagnose(const Failure& f) {
  if (!f.first) return std::nullopt;
  const int run = run_of(f.trial);
  const std::string cell = report::cell_text(f.trial.instance.outputs.front(), f.first->offset);
  const bool is_stored =
      f.observed.last_writer("y", offset_of(f.trial.instance.outputs.front(), f.first->offset)).has_value();
  const int digits = std::abs(f.first->got - f.first->expected) < 1e-3 ? 9 : 4;
  const std::string symptom =
      is_stored ? fmt::format("{} is {:.{}g}, and should be {:.{}g}", cell,
                              std::isnan(f.first->got) ? NAN : f.first->got, digits, f.first->expected, digits)
                : fmt::format("nobody stored {}", cell);
  if (run == 0)
    return Finding{symptom, "rows with gaps, tails, several rows a program, and elements below zero",
                   "step through it"};
  const std::string opens = fmt::format("tilescope learn debug detective --trial {}", run - 1);
  constexpr const char* commands[] = {
      "history {0}: who stored it, in which step? `program` and `goto` lead there, then p row, p y",
      "watch {0}, c: which program makes it? Then rn, and p low, p high, p x: which lanes of x took part?",
      "watch {0}, c, then rc in steps of its program: p row, p low, p high when the row begins"};
  constexpr const char* questions[] = {"does row number `row` of y begin where the kernel stores it?",
                                       "what do the lanes hold that were masked off, and is a minimum above it?",
                                       "what should be known of a row before its first block was loaded?"};
  if (!is_planted(f, run))
    return Finding{fmt::format("run {}: {}", run, symptom), opens + "\n" + fmt::format(fmt::runtime(commands[0]), cell),
                   "what made the value that was stored, and what made that?"};
  return Finding{fmt::format("run {}: {}", run, symptom),
                 opens + "\n" + fmt::format(fmt::runtime(commands[run - 1]), cell), questions[run - 1]};
}

// How often z[1] is stored to: what the debugger's `history` lists.
Answer predict() {
  const Demo demo("copy_wrong_offsets", {"n=6", "block=2"});
  return {std::to_string(demo.observed().stores("z")[1]), demo.programs_text() + demo.cells_text("z")};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "1") return "One store would be right; but offs is [0 1] in every program.";
  if (guess == "2") return "Two is the number of lanes of a program; z[1] is one of them, in each of the programs.";
  if (guess == "6") return "That are the stores to z[0] and z[1] together.";
  if (guess == "0") return "Lane 1 of every program stands at z[1].";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "09_detective",
          .title = "Detective: from a wrong number to its line",
          .kernel = "stretch_kernel",
          .parameters = "ttiiic",
          .picture = {"copy_wrong_offsets", {"n=6", "block=2"}, "memory"},
          .changes_starter = "its starter has three wrong lines, which are to be found",
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "stretch(2 x) = stretch(x)", .times = 2},
                        {.law = "stretch(x + c) = stretch(x)", .plus = 16}},
          .diagnose = diagnose,
          .tells_symptoms = true,
          .note_when_passed =
              "Three lines: where a row of y begins, what masked lanes hold, and when a row's state begins."};
}

}  // namespace tl::lessons::detective
