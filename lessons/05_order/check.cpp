// Lesson 5: the same work in another order. Programs that run together should share what they read.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/matrices.h"
#include "lessons/runner/names.h"

namespace tl::lessons::order {
namespace {

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t group,
            MatrixValues values, bool on_gpu = false) {
  const std::int64_t bk = problems::next_power_of_2(k);
  const Matrices x({m, n, k, 1, 1, bk, group}, 0, MatrixLayout::rows, values);
  Trial t = x.trial(on_gpu);
  t.sizes = {{"m", m}, {"n", n}, {"k", k}, {"group_size", group}};
  const auto all = x.arguments();
  t.instance.launches = {kernel.launch(
      {m * n}, {all[0], all[1], all[2], all[3], all[4], all[5], problems::constant(group), problems::constant(bk)})};
  t.expect = [=](const Observed& o) -> std::optional<Finding> {
    const auto window = unshared_window(m, n, group, [&](std::int64_t first, std::int64_t last) {
      return o.distinct_loads({"a", "b"}, first, last) / k;
    });
    if (!window) return std::nullopt;
    std::string order = "c is made in this order:\n";
    for (std::int64_t i = 0; i < m; ++i, order += "\n")
      for (std::int64_t j = 0; j < n; ++j) {
        const auto writer = o.last_writer("c", i * n + j);
        order += fmt::format("{:>4}", writer ? std::to_string(writer->program.x) : "?");
      }
    return at(Finding{fmt::format("C is right, but programs {} to {} load {} different elements of A and B; {} suffice",
                                  window->first, window->last, k * window->lines, k * window->enough),
                      order,
                      fmt::format("in which shape should {} neighbours stand, so that they need few rows and few "
                                  "columns? Here group_size is {}",
                                  window->last - window->first + 1, group)},
              Names(o, 0).made("i", o.last_site_of(trace::Op::div)));
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 9, 9, 9, 3, MatrixValues::small), trial(kernel, 5, 4, 7, 3, MatrixValues::wide_a),
          trial(kernel, 7, 11, 16, 4, MatrixValues::wide_b, true), trial(kernel, 1, 6, 3, 2, MatrixValues::small),
          trial(kernel, 13, 6, 5, 8, MatrixValues::wide_a)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t m = c.size(1, 12), n = c.size(1, 12), k = c.size(1, 20), group = c.size(1, 5);
  const bool whole = c.between(0, 1) == 1;  // orders are compared at sizes into which whole groups fit
  const auto fitting = [&](std::int64_t of) { return problems::cdiv(of, group) * group; };
  Trial t = trial(kernel, whole ? fitting(m) : m, whole ? fitting(n + group) : n, k, group,
                  c.one_of({MatrixValues::small, MatrixValues::wide_a, MatrixValues::wide_b}));
  if (!whole) t.expect = {};
  return t;
}

// Whoever changes ids must make a permutation: every element once.
std::optional<Finding> diagnose(const Failure& f) {
  const Observed& o = f.observed;
  const std::int64_t m = f.trial.size("m"), n = f.trial.size("n");
  auto stores = o.stores("c");
  stores.resize(static_cast<std::size_t>(m * n));
  const auto nobody = static_cast<std::int64_t>(std::ranges::find(stores, 0) - stores.begin());
  const bool has_stopped = std::ranges::any_of(f.faults, [](const Fault& x) { return x.kind != FaultKind::race; });
  std::vector<std::int64_t> at_c;
  for (std::int64_t p = 0; p < o.programs(); ++p)
    if (const auto c = o.first_lane(p, "c", true)) at_c.push_back(*c);
  const auto outside = std::ranges::find_if(f.faults, [](const Fault& x) {
    return x.kind == FaultKind::out_of_bounds || x.headline.find("is not a place of") != std::string::npos;
  });
  if (outside != f.faults.end()) {
    const Names names(o, o.programs() - 1);
    const auto i = names.integer("i"), j = names.integer("j");
    const bool is_place = outside->kind != FaultKind::out_of_bounds;  // swizzle2d was given none
    const auto where = is_place                   ? outside->site
                       : i && (*i < 0 || *i >= m) ? names.made("i", outside->site)
                       : j && (*j < 0 || *j >= n) ? names.made("j", outside->site)
                                                  : outside->site;
    if (!is_place && i && j && *i >= 0 && *i < m && *j >= 0 && *j < n)  // the work is there, its offsets are not
      return at(Finding{fmt::format("program {} makes c[{}, {}], which exists, but leaves {} on the way",
                                    outside->program.x, *i, *j, outside->tensor),
                        outside->headline + ", " + outside->detail,
                        "a has rows of k elements, b and c rows of n: how far apart do rows begin?"},
                outside->site);
    return at(Finding{fmt::format("program {} works on an item that does not exist", outside->program.x),
                      fmt::format("{}\nthere are {} rows of {}; in program {}: {}", outside->headline, m, n,
                                  outside->program.x, names.integers_text()),
                      "the new (i, j) must stay within m rows and n columns: N ids run from 0 to N - 1. Which size "
                      "belongs to which axis? Is the last group smaller?"},
              where);
  }
  if (has_stopped || nobody == m * n) return std::nullopt;
  std::string twice;
  for (std::size_t e = 0; e < stores.size() && twice.empty(); ++e)
    if (stores[e] > 1)
      twice = fmt::format("c[{}, {}] is made {} times instead", static_cast<std::int64_t>(e) / n,
                          static_cast<std::int64_t>(e) % n, stores[e]);
  return at(Finding{fmt::format("nobody makes c[{}, {}]", nobody / n, nobody % n), twice,
                    "the new (i, j) must reach every element once: look at which size belongs to which axis, and at a "
                    "last group that is smaller"},
            Names(o, 0).made("i", o.first_site("c", true)));
}

std::int64_t blocks_of_nine(const std::string& kernel, std::string& evidence) {
  const Demo demo(kernel, {"m=144", "n=144", "k=144", "bm=16", "bn=16", "bk=16", "group_size=3", "dtype=f32"});
  const MatrixSizes z{144, 144, 144, 16, 16, 16};
  const std::int64_t both =
      distinct_blocks(demo.observed(), z, demo.instance().inputs[0], demo.instance().inputs[1], 0, 8);
  evidence += fmt::format("{:<16} the first nine programs load {} different blocks\n", kernel, both);
  return both;
}

Answer predict() {
  std::string evidence = "C in 9 x 9 blocks, k in 9 steps; counted from runs:\n";
  const std::int64_t rows = blocks_of_nine("matmul", evidence);
  blocks_of_nine("grouped_matmul", evidence);
  return {std::to_string(rows), evidence};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "18") return "Each of the nine walks along k: a row of A is nine blocks, not one.";
  if (guess == "162") return "They all need the same row of A: counted once, it is nine blocks.";
  if (guess == "54")
    return "That is what a better order needs. Row by row, the nine share a row of A, and no column of B.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "05_order",
      .title = "Order: programs that run together should share",
      .kernel = "order_kernel",
      .parameters = "tttiiicc",
      .picture = {"grouped_matmul", {"m=144", "n=144", "k=144", "bm=16", "bn=16", "bk=16", "group_size=3"}, "order"},
      .prediction = {{"18", "54", "90", "162"}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
      .diagnose = diagnose,
      .note_when_passed =
          "Nine neighbours now need 54 elements of A and B where they needed 90: the same work, the same result, "
          "another order."};
}

}  // namespace tl::lessons::order
