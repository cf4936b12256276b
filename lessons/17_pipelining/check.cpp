// Lesson 17: pipelining. A block is asked for while the one before it is multiplied.
#include <fmt/format.h>

#include <array>

#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/gantt.h"
#include "lessons/runner/matrices.h"
#include "lessons/runner/products.h"

namespace tl::lessons::pipelining {
namespace {

// How many blocks of a and b had been asked for when each dot began.
struct Dot {
  std::array<std::int64_t, 2> asked_for;  // of a, of b
  Site site;
};

std::vector<Dot> dots_of(const Observed& o, const trace::RecordedProgram& p) {
  std::vector<Dot> dots;
  std::array<std::int64_t, 2> loads{};
  const auto& tensors = o.trace().launches.front().tensors;
  for (const trace::Step& s : p.steps) {
    if (s.op == trace::Op::dot) dots.push_back({loads, o.site(s.site)});
    if (s.access < 0) continue;
    const std::string& name =
        tensors[static_cast<std::size_t>(p.accesses[static_cast<std::size_t>(s.access)].tensor)].name;
    if (name == "a") ++loads[0];
    if (name == "b") ++loads[1];
  }
  return dots;
}

std::optional<Finding> not_ahead(const Observed& o, std::int64_t rounds) {
  for (const trace::RecordedProgram& p : o.trace().programs) {
    const std::vector<Dot> dots = dots_of(o, p);
    const std::string picture = gantt_text(bars_of(o.trace(), p, {}), 9);
    if (!dots.empty() && std::ranges::min(dots.front().asked_for) == 0)
      return at(
          Finding{fmt::format("the numbers are right, but the first dot multiplies no block of {} that was loaded",
                              dots.front().asked_for[0] == 0 ? "a" : "b"),
                  fmt::format("{} dots for {} blocks along k", dots.size(), rounds),
                  "fill: load the first blocks before the loop, so that the first dot has them"},
          dots.front().site);
    if (std::ranges::any_of(dots, [rounds](const Dot& d) { return std::ranges::max(d.asked_for) > rounds; }))
      return std::nullopt;  // a block is loaded twice, which is told with its element
    for (std::int64_t i = 0; i < std::ssize(dots); ++i)
      for (const int of : {0, 1}) {
        const char* name = of == 0 ? "a" : "b";
        const std::int64_t asked = dots[static_cast<std::size_t>(i)].asked_for[static_cast<std::size_t>(of)];
        if (asked < std::min(i + 2, rounds))
          return at(Finding{fmt::format("the numbers are right, but when block {} is multiplied, block {} of {} is not "
                                        "yet asked for",
                                        i, i + 1, name),
                            "program (0, 0) on a clock where a load takes 3 units and a dot 1:\n" + picture,
                            "in a round: ask for the next block first, then multiply the one you have"},
                    dots[static_cast<std::size_t>(i)].site);
        if (asked > i + 2)
          return at(Finding{fmt::format("the numbers are right, but when block {} is multiplied, {} blocks of {} are "
                                        "under way or here",
                                        i, asked - i, name),
                            "program (0, 0) on a clock where a load takes 3 units and a dot 1:\n" + picture,
                            "two are asked of you, this one and the next: each takes registers"},
                    dots[static_cast<std::size_t>(i)].site);
      }
  }
  return std::nullopt;
}

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t padding, MatrixLayout layout, MatrixValues values,
            bool on_gpu = false) {
  const Matrices x(z, padding, layout, values);
  Trial t = x.trial(on_gpu);
  t.instance.launches = {kernel.launch({problems::cdiv(z.m, z.bm), problems::cdiv(z.n, z.bn)}, x.arguments())};
  t.expect = [rounds = problems::cdiv(z.k, z.bk)](const Observed& o) { return not_ahead(o, rounds); };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {16, 16, 64, 16, 16, 16}, 0, MatrixLayout::rows, MatrixValues::small),
          trial(kernel, {20, 24, 40, 16, 16, 16}, 3, MatrixLayout::rows, MatrixValues::wide_a, true),
          trial(kernel, {40, 70, 12, 32, 64, 16}, 0, MatrixLayout::rows, MatrixValues::wide_b),
          trial(kernel, {20, 35, 170, 16, 32, 32}, 2, MatrixLayout::gaps, MatrixValues::small),
          trial(kernel, {70, 18, 32, 64, 16, 16}, 1, MatrixLayout::columns, MatrixValues::wide_a),
          trial(kernel, {33, 20, 150, 16, 16, 32}, 2, MatrixLayout::rows, MatrixValues::in_f16),
          trial(kernel, {1, 1, 1, 16, 16, 16}, 5, MatrixLayout::rows, MatrixValues::small)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const MatrixSizes z{c.size(1, 50), c.size(1, 50), c.size(1, 80), c.block(16, 32), c.block(16, 32), c.block(16, 64)};
  return trial(kernel, z, c.size(0, 5), c.one_of({MatrixLayout::rows, MatrixLayout::columns, MatrixLayout::gaps}),
               c.one_of({MatrixValues::small, MatrixValues::wide_a, MatrixValues::wide_b, MatrixValues::in_f16}));
}

// All of c is a sum of blocks along k, each counted so often.
bool is_sum_of(const Failure& f, const std::vector<double>& counts) {
  const Tensor &a = f.trial.instance.inputs[0], &b = f.trial.instance.inputs[1], &c = f.trial.instance.outputs.front();
  const std::int64_t bk = f.trial.size("bk");
  for (std::int64_t i = 0; i < c.shape[0]; ++i)
    for (std::int64_t j = 0; j < c.shape[1]; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < a.shape[1]; ++l)
        sum += counts[static_cast<std::size_t>(l / bk)] * get(a, i * a.strides[0] + l * a.strides[1]) *
               get(b, l * b.strides[0] + j * b.strides[1]);
      if (get(c, i * c.strides[0] + j * c.strides[1]) != sum) return false;
    }
  return true;
}

std::optional<Finding> wrong_blocks(const Failure& f) {
  const auto rounds = static_cast<std::size_t>(problems::cdiv(f.trial.size("k"), f.trial.size("bk")));
  if (rounds < 2 || !f.first) return std::nullopt;
  const auto found = [&](const std::string& headline, const char* fix) {
    const std::int64_t n = f.trial.size("n");
    return at(Finding{headline,
                      fmt::format("c[{}, {}] is {:g}, and should be {:g}", f.first->offset / n, f.first->offset % n,
                                  f.first->got, f.first->expected),
                      fix},
              f.observed.last_site_of(trace::Op::dot));
  };
  std::vector<double> counts(rounds, 1);
  counts.back() = 0;
  if (is_sum_of(f, counts))
    return found(fmt::format("block {}, the last along k, is never multiplied", rounds - 1),
                 "after the loop one block is still in hand: the drain");
  counts.back() = 2;
  if (is_sum_of(f, counts))
    return found(fmt::format("block {}, the last along k, is multiplied twice", rounds - 1),
                 "how many rounds does the loop make, and what is left for the drain?");
  counts.back() = 1;
  counts.front() = 0;
  if (is_sum_of(f, counts))
    return found("block 0 is loaded and never multiplied", "the first round multiplies what the fill loaded");
  counts.assign(rounds, 0);
  counts.front() = static_cast<double>(rounds);
  if (is_sum_of(f, counts))
    return found("every round multiplies block 0", "what was loaded ahead becomes a and b at the end of a round");
  counts.front() = static_cast<double>(rounds - 1);
  if (is_sum_of(f, counts))
    return found("every round multiplies block 0", "what was loaded ahead becomes a and b at the end of a round");
  counts.assign(rounds, 1);
  counts.front() = 2;
  counts.back() = 0;
  if (is_sum_of(f, counts))
    return found("block 0 is multiplied twice, and the last block never",
                 "the fill has loaded block 0: the pointers move on before the first round loads");
  return std::nullopt;
}

std::optional<Finding> diagnose(const Failure& f) {
  if (auto found = wrong_blocks(f)) return found;
  if (auto found = diagnose_addresses(f)) return found;
  return f.first ? diagnose_sums(f) : std::nullopt;
}

Observed run(const std::string& folder, std::int64_t rounds) {
  const MatrixSizes z{16, 16, 16 * rounds, 16, 16, 16};
  const Matrices x(z, 0);
  problems::Instance instance = x.trial(false).instance;
  instance.launches = {launch_of_solution(folder, {1, 1}, x.arguments(), {})};
  instance.reset();
  std::vector<Fault> faults;
  return observe(instance, faults);
}

// The solution's trace, on the clock of the text; beside it lesson 4's.
Answer predict() {
  const Observed plain = run("04_matmul", 6), ahead = run("17_pipelining", 6);
  const auto bars = [](const Observed& o) { return bars_of(o.trace(), o.trace().programs.front(), {}); };
  const std::int64_t end = end_of(bars(ahead));
  return {std::to_string(end),
          fmt::format("lesson 4's loop, {} units:\n{}\na block ahead, {} units:\n{}", end_of(bars(plain)),
                      gantt_text(bars(plain), 9), end, gantt_text(bars(ahead), 18))};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "24") return "That is one after the other; two loads are under way at once now.";
  if (guess == "9") return "So it would be with four blocks under way or here; this kernel has two.";
  if (guess == "12") return "Two loads at a time, 6 / 2 x 3, and then the dots: which of them still have to wait?";
  if (guess == "18") return "A dot beside each load would make it 6 x 3; but two loads are under way at once.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "17_pipelining",
          .title = "Pipelining: ask early, need late",
          .kernel = "pipelined_kernel",
          .parameters = "tttiiiiiiiiiccc",
          .picture = {.kernel = "matmul",
                      .settings = {"m=1024", "n=1024", "k=1024", "bm=128", "bn=128", "bk=64", "dtype=f16", "warps=8",
                                   "stages=4"},
                      .panel = "chip",
                      .compare = "stages=2"},
          .changes_starter = "its starter's one loop becomes a fill, a loop and a drain",
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .note_when_passed = "No dot waits for the load before it: each block was asked for a round ahead."};
}

}  // namespace tl::lessons::pipelining
