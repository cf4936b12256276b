// Lesson 6: grouped matmul by hand; and what its speed should be measured in.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/matrices.h"
#include "lessons/runner/names.h"
#include "lessons/runner/products.h"

namespace tl::lessons::grouped {
namespace {

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t padding, MatrixLayout layout, MatrixValues values,
            bool on_gpu = false) {
  const Matrices x(z, padding, layout, values);
  Trial t = x.trial(on_gpu);
  const std::int64_t blocks_m = problems::cdiv(z.m, z.bm), blocks_n = problems::cdiv(z.n, z.bn),
                     steps = problems::cdiv(z.k, z.bk);
  t.instance.launches = {kernel.launch({blocks_m * blocks_n}, x.arguments())};
  t.expect = [=, inputs = t.instance.inputs](const Observed& o) -> std::optional<Finding> {
    const auto window = unshared_window(blocks_m, blocks_n, z.group, [&](std::int64_t first, std::int64_t last) {
      return distinct_blocks(o, z, inputs[0], inputs[1], first, last) / steps;
    });
    if (!window) return std::nullopt;
    return at(Finding{fmt::format("C is right, but programs {} to {} load {} different blocks of A and B; {} suffice",
                                  window->first, window->last, steps * window->lines, steps * window->enough),
                      fmt::format("C has {} x {} blocks, groups have {} rows of them", blocks_m, blocks_n, z.group),
                      "within a group, walk down its rows first, then to the next column"},
              Names(o, 0).made("pid_m", o.last_site_of(trace::Op::div)));
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {144, 144, 144, 16, 16, 16, 3}, 0, MatrixLayout::rows, MatrixValues::small),
          trial(kernel, {80, 60, 32, 16, 16, 16, 3}, 3, MatrixLayout::rows, MatrixValues::wide_b),
          trial(kernel, {70, 100, 50, 16, 32, 16, 4}, 5, MatrixLayout::rows, MatrixValues::wide_a, true),
          trial(kernel, {70, 200, 70, 16, 32, 64, 3}, 1, MatrixLayout::gaps, MatrixValues::small),
          trial(kernel, {200, 40, 40, 64, 16, 32, 3}, 2, MatrixLayout::columns, MatrixValues::wide_b),
          trial(kernel, {40, 36, 200, 16, 16, 16, 2}, 1, MatrixLayout::rows, MatrixValues::wide_a),
          trial(kernel, {60, 50, 100, 16, 16, 32, 3}, 2, MatrixLayout::rows, MatrixValues::in_bf16),
          trial(kernel, {16, 16, 16, 16, 16, 16, 8}, 0, MatrixLayout::rows, MatrixValues::small)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  MatrixSizes z{c.size(1, 50),   c.size(1, 50),   c.size(1, 80), c.block(16, 32),
                c.block(16, 32), c.block(16, 64), c.size(1, 5)};
  const bool whole = c.between(0, 3) == 0;  // orders are compared at sizes into which whole groups fit
  if (whole) z = {z.bm * z.group, 2 * z.bn * z.group, z.bk, z.bm, z.bn, z.bk, z.group};
  Trial t = trial(kernel, z, c.size(0, 5), c.one_of({MatrixLayout::rows, MatrixLayout::columns, MatrixLayout::gaps}),
                  c.one_of({MatrixValues::small, MatrixValues::wide_a, MatrixValues::wide_b, MatrixValues::in_f16}));
  if (!whole) t.expect = {};
  return t;
}

// The variables that the lesson gives, or its hints name, hold what they say; in program `pid`.
std::optional<Finding> wrong_value(const Names& names, std::int64_t pid, std::int64_t blocks_m, std::int64_t blocks_n,
                                   std::int64_t group) {
  const auto wrong_variable = [&](const char* name, std::int64_t right,
                                  const std::string& what) -> std::optional<Finding> {
    const auto held = names.integer(name);
    if (!held || *held == right) return std::nullopt;
    return at(Finding{fmt::format("{} is {} in program {}, and {} is {}", name, *held, pid, what, right),
                      fmt::format("C has {} x {} blocks, groups have {} rows of them\nin program {}: {}", blocks_m,
                                  blocks_n, group, pid, names.integers_text()),
                      "which division or product gives that number?"},
              names.made(name));
  };
  const std::int64_t first = pid / (group * blocks_n) * group;
  if (auto f = wrong_variable("num_pid_m", blocks_m, "the number of blocks below each other")) return f;
  if (auto f = wrong_variable("num_pid_n", blocks_n, "the number of blocks beside each other")) return f;
  if (auto f = wrong_variable("per_group", group * blocks_n, "the number of programs of a full group")) return f;
  if (auto f = wrong_variable("first", first, "the first row of blocks of its group")) return f;
  return wrong_variable("rows", std::min(blocks_m - first, group), "the number of rows of blocks in its group");
}

std::optional<Finding> diagnose(const Failure& f) {
  const Observed& o = f.observed;
  const std::int64_t bm = f.trial.size("bm"), bn = f.trial.size("bn"), n = f.trial.size("n"), m = f.trial.size("m"),
                     group = f.trial.size("group");
  const Tensor& c = f.trial.instance.outputs.front();
  const std::int64_t blocks_m = problems::cdiv(m, bm), blocks_n = problems::cdiv(n, bn);
  const std::string sizes =
      fmt::format("C has {} x {} blocks, groups have {} rows of them: a full group is {} programs", blocks_m, blocks_n,
                  group, group * blocks_n);
  // Which block each program takes, by the names that the lesson gives, or from where it stores; a block outside of C
  // stores nothing, all its lanes masked off.
  std::vector<std::int64_t> made(static_cast<std::size_t>(blocks_m * blocks_n), -1);  // by which program
  for (std::int64_t p = 0; p < o.programs(); ++p) {
    const Names names(o, p);
    auto i = names.integer("pid_m"), j = names.integer("pid_n");
    const trace::RecordedAccess* const stored = o.first_access(p, "c", true);
    if (!i || !j) {
      const auto place = stored ? block_place(c, stored->offset(0), bm, bn) : std::nullopt;
      if (!place) continue;
      i = place->first / bm;
      j = place->second / bn;
    }
    const bool is_below = *i < 0 || *i >= blocks_m, is_beside = *j < 0 || *j >= blocks_n;
    if (!is_below && !is_beside) {
      auto& maker = made[static_cast<std::size_t>(*i * blocks_n + *j)];
      if (maker < 0) {
        maker = p;
        continue;
      }
    }
    if (auto wrong = wrong_value(names, p, blocks_m, blocks_n, group)) return wrong;
    const std::int64_t place = p % (group * blocks_n), first = p / (group * blocks_n) * group;
    const bool is_row_right = *i == first + place % std::min(blocks_m - first, group);
    return at(Finding{!is_below && !is_beside
                          ? fmt::format("program {} makes block ({}, {}) of C, as program {} did", p, *i, *j,
                                        made[static_cast<std::size_t>(*i * blocks_n + *j)])
                          : fmt::format("program {} takes block ({}, {}), which is outside of C", p, *i, *j),
                      fmt::format("{}\nin program {}: {}", sizes, p, names.integers_text()),
                      "which group is it in, and which place has it there? Each group begins group_size rows after the "
                      "one before it; only the last may have fewer rows"},
              names.made(!is_below && (is_beside || is_row_right) ? "pid_n" : "pid_m", o.last_site_of(trace::Op::div)));
  }
  if (auto found = diagnose_addresses(f)) return found;
  return diagnose_sums(f);
}

Answer predict() {
  const Demo demo("matmul", {"m=96", "n=96", "k=96", "bm=16", "bn=16", "bk=16", "dtype=f32"});
  const auto loads = demo.observed().loads("a");
  const auto [least, most] = std::ranges::minmax(loads);
  const auto c = demo.observed().count();
  return {std::to_string(most),
          fmt::format("each element of A is loaded {} times\nall of A and B: {} loads of {} elements\n{} bytes asked "
                      "for by the programs\n{} bytes if each element moved once",
                      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most), c.loaded,
                      2 * 96 * 96, c.loaded_bytes + c.stored_bytes, 3 * 96 * 96 * 4)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "1")
    return "Once would do, if one program held all of C. But each program that makes a part of C's row needs that row "
           "of A.";
  if (guess == "96") return "That would be so without blocks: one program for each element of C.";
  if (guess == "16") return "That is how wide a block is: how many of them stand beside each other?";
  if (guess == "36") return "36 programs there are; only those in the same row of blocks load this element.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "06_grouped",
      .title = "Grouped matmul: faster, and by which measure",
      .kernel = "grouped_matmul_kernel",
      .parameters = "tttiiiiiiiiicccc",
      .picture = {.kernel = "grouped_matmul",
                  .settings = {"m=4096", "n=4096", "k=4096", "bm=128", "bn=128", "bk=64", "warps=8"},
                  .panel = "chip",
                  .compare = "group_size=1"},
      .prediction = {{}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
      .diagnose = diagnose,
      .note_when_passed =
          "Row by row 90 blocks for nine programs, grouped 54, by your own arithmetic, with the smaller last group."};
}

}  // namespace tl::lessons::grouped
