// Lesson 6: grouped matmul by hand; and what its speed should be measured in.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/lang/swizzle.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/matrices.h"

namespace tl::lessons::grouped {
namespace {

std::int64_t grouped_blocks(std::int64_t blocks_m, std::int64_t blocks_n, std::int64_t steps, std::int64_t group, std::int64_t programs) {
  std::set<std::int64_t> rows, columns;
  for (std::int64_t pid = 0; pid < programs; ++pid) {
    const auto [i, j] = swizzle2d(pid / blocks_n, pid % blocks_n, blocks_m, blocks_n, group);
    rows.insert(i), columns.insert(j);
  }
  return steps * (std::ssize(rows) + std::ssize(columns));
}

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t padding, bool on_gpu = false) {
  const Matrices x(z, padding);
  Trial t = x.trial(on_gpu);
  const std::int64_t blocks_m = problems::cdiv(z.m, z.bm), blocks_n = problems::cdiv(z.n, z.bn), steps = problems::cdiv(z.k, z.bk);
  t.instance.launches = {kernel.launch({blocks_m * blocks_n}, x.arguments())};
  t.expect = [=](const Observed& o) -> std::optional<Finding> {
    if (auto found = each_element_once_a_block(o, z)) return found;
    const std::int64_t together = std::min(z.group * z.group, blocks_m * blocks_n);
    const std::int64_t loads = distinct_blocks(o, z, z.k + padding, z.n + padding, 0, together - 1), enough = grouped_blocks(blocks_m, blocks_n, steps, z.group, together);
    if (loads <= enough) return std::nullopt;
    return at(Finding{fmt::format("C is right, but programs 0 to {} load {} different blocks of A and B; {} suffice", together - 1, loads, enough), fmt::format("C has {} x {} blocks, groups have {} rows of them", blocks_m, blocks_n, z.group),
                      "within a group, walk down its rows first, then to the next column"}, o.last_site_of(trace::Op::div));
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {144, 144, 144, 16, 16, 16, 3}, 0), trial(kernel, {80, 60, 32, 16, 16, 16, 3}, 3), trial(kernel, {70, 100, 50, 16, 32, 16, 4}, 5, true), trial(kernel, {16, 16, 16, 16, 16, 16, 8}, 0)};
}

std::optional<Finding> diagnose(const Failure& f) {
  const Observed& o = f.observed;
  const std::int64_t bm = f.trial.size("bm"), bn = f.trial.size("bn"), n = f.trial.size("n"), m = f.trial.size("m");
  const std::int64_t stride = f.trial.instance.outputs.front().strides[0], blocks_m = problems::cdiv(m, bm), blocks_n = problems::cdiv(n, bn);
  const std::string sizes = fmt::format("C has {} x {} blocks, groups have {} rows of them: a full group is {} programs", blocks_m, blocks_n, f.trial.size("group"), f.trial.size("group") * blocks_n);
  if (const auto fault = std::ranges::find(f.faults, FaultKind::out_of_bounds, &Fault::kind); fault != f.faults.end())
    return at(Finding{fmt::format("program {} takes a block outside of C", fault->program.x), sizes + "\n" + fault->headline, "which group is it in, and which place has it there? Is the last group smaller?"}, o.last_site_of(trace::Op::div));
  if (std::ranges::any_of(f.faults, [](const Fault& x) { return x.kind != FaultKind::race; })) return std::nullopt;
  // Which block each program takes, from where it stores; a block outside of C stores nothing, all its lanes masked off.
  std::vector<int> made(static_cast<std::size_t>(blocks_m * blocks_n));
  std::string goes_wrong;
  for (std::int64_t p = 0; p < o.programs(); ++p) {
    const trace::RecordedAccess* const c = o.first_access(p, "c", true);
    if (!c) continue;
    if (c->active == 0) {
      if (goes_wrong.empty()) goes_wrong = fmt::format("program {} is the first that goes wrong: it takes a block outside of C", p);
      continue;
    }
    const std::int64_t i = c->first / stride / bm, j = c->first % stride / bn;
    if (made[static_cast<std::size_t>(i * blocks_n + j)]++ > 0 && goes_wrong.empty()) goes_wrong = fmt::format("program {} is the first that goes wrong: it makes block ({}, {}) once more", p, i, j);
  }
  const auto nobody = std::ranges::find(made, 0) - made.begin();
  if (nobody == std::ssize(made)) return std::nullopt;
  return at(Finding{fmt::format("block ({}, {}) of C is made by nobody", nobody / blocks_n, nobody % blocks_n), sizes + "\n" + goes_wrong, "each group begins group_size rows after the one before it; only the last may have fewer rows"}, o.last_site_of(trace::Op::div));
}

Answer predict() {
  const Demo demo("matmul", {"m=96", "n=96", "k=96", "bm=16", "bn=16", "bk=16", "dtype=f32"});
  const auto loads = demo.observed().loads("a");
  const auto [least, most] = std::ranges::minmax(loads);
  const auto c = demo.observed().count();
  return {std::to_string(most), fmt::format("each element of A is loaded {} times\nall of A and B: {} loads of {} elements\n{} bytes asked for by the programs\n{} bytes if each element moved once", least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most), c.loaded,
                                            2 * 96 * 96, c.loaded_bytes + c.stored_bytes, 3 * 96 * 96 * 4)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "1") return "Once would do, if one program held all of C. But each program that makes a part of C's row needs that row of A.";
  if (guess == "96") return "That would be so without blocks: one program for each element of C.";
  if (guess == "36") return "36 programs there are; only those in the same row of blocks load this element.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "06_grouped",
          .title = "Grouped matmul: faster, and by which measure",
          .kernel = "grouped_matmul_kernel",
          .parameters = "tttiiiiiiiiicccc",
          .picture = {"grouped_matmul", {"m=576", "n=576", "k=288", "bm=64", "bn=64", "bk=32", "group_size=3"}, "timeline"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .diagnose = diagnose,
          .in_passing = "Row by row 90 blocks for nine programs, grouped 54, by your own arithmetic, with the smaller last group."};
}

}  // namespace tl::lessons::grouped
