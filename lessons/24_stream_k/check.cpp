// Lesson 24: split-k and stream-k. A tile's sum may be made by several programs; all do equally much.
#include <fmt/format.h>

#include <algorithm>

#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::stream_k {
namespace {

struct Sizes {
  std::int64_t m, n, k, bm, bn, bk, programs;

  std::int64_t steps() const { return problems::cdiv(k, bk); }
  std::int64_t tiles() const { return problems::cdiv(m, bm) * problems::cdiv(n, bn); }
  std::int64_t units() const { return tiles() * steps(); }
  // Of one tile's sum, if all programs take equally many units: at most so many have a part in it.
  std::int64_t sharers() const {
    const std::int64_t least = std::max<std::int64_t>(1, units() / programs);
    return std::min(programs, (steps() - 2) / least + 2);
  }
};

// The dots of each program, by number.
std::vector<std::int64_t> dots_of(const Observed& o) {
  std::vector<std::int64_t> dots;
  for (const trace::RecordedProgram& p : o.trace().programs)
    dots.push_back(std::ranges::count_if(p.steps, [](const trace::Step& s) { return s.op == trace::Op::dot; }));
  return dots;
}

// Of a program that has one.
Site dot_of(const Observed& o, std::int64_t program) {
  const auto& steps = o.trace().programs[static_cast<std::size_t>(program)].steps;
  return o.site(std::ranges::find(steps, trace::Op::dot, &trace::Step::op)->site);
}

std::optional<Finding> unequal(const Observed& o, const Sizes& z) {
  const auto dots = dots_of(o);
  const auto [least, most] = std::ranges::minmax_element(dots);
  if (*most <= problems::cdiv(z.units(), z.programs)) return std::nullopt;
  return at(Finding{fmt::format("the numbers are right, but program {} does {} dots, and program {} does {}",
                                most - dots.begin(), *most, least - dots.begin(), *least),
                    fmt::format("{} of {} are {} units; {}, {} units each at most", report::plural(z.tiles(), "tile"),
                                report::plural(z.steps(), "step"), z.units(), report::plural(z.programs, "program"),
                                problems::cdiv(z.units(), z.programs)),
                    "the busiest program is the kernel's time: program p takes the units from p * units / programs on, "
                    "up to where the next one begins"},
            dot_of(o, most - dots.begin()));
}

// Small whole numbers: sums are exact in any order.
Trial trial(const Kernel& kernel, const Sizes& z, bool on_gpu = false) {
  const Tensor a = puzzle_input("a", DType::float16, {z.m, z.k}, z.m, small_numbers(7)),
               b = puzzle_input("b", DType::float16, {z.k, z.n}, z.n + 50, small_numbers(5));
  const auto sum = [=](std::int64_t e, std::int64_t first, std::int64_t end) {
    double all = 0;
    for (std::int64_t l = first; l < std::min(z.k, end); ++l)
      all += get(a, e / z.n * z.k + l) * get(b, l * z.n + e % z.n);
    return all;
  };
  std::vector<Slip> slips;
  if (z.k > z.bk) {
    slips.push_back({"only the first step along k counts", "a tile's sum goes over all of its steps",
                     [=](std::int64_t e) { return sum(e, 0, z.bk); }});
    slips.push_back({"only the last step along k counts", "tl.dot(a, b, acc) adds to acc",
                     [=](std::int64_t e) { return sum(e, (z.steps() - 1) * z.bk, z.k); }});
  }
  Trial t = trial_of(kernel, {.sizes = {{"m", z.m}, {"n", z.n}, {"k", z.k}, {"BM", z.bm}, {"BN", z.bn}, {"BK", z.bk}},
                              .grid = {z.programs},
                              .inputs = {a, b},
                              .sums = {{puzzle_output("c", DType::float32, {z.m, z.n}), z.sharers(),
                                        [=](std::int64_t e) { return sum(e, 0, z.k); }}},
                              .allowed_loads = {{"a", problems::cdiv(z.n, z.bn)}, {"b", problems::cdiv(z.m, z.bm)}},
                              .slips = std::move(slips),
                              .on_gpu = on_gpu});
  t.expect = [z](const Observed& o) { return unequal(o, z); };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {16, 16, 64, 16, 16, 16, 2}), trial(kernel, {32, 48, 50, 16, 16, 16, 4}),
          trial(kernel, {20, 24, 40, 16, 16, 16, 5}), trial(kernel, {40, 70, 100, 16, 32, 16, 4}, true),
          trial(kernel, {17, 5, 90, 16, 16, 32, 1})};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  Sizes z{c.size(1, 50), c.size(1, 50), c.size(1, 120), c.block(16, 32), c.block(16, 32), c.block(16, 32), 1};
  z.programs = std::min(c.size(1, 7), z.units());
  return trial(kernel, z);
}

std::optional<Finding> diagnose(const Failure& f) {
  const auto race = std::ranges::find(f.faults, FaultKind::race, &Fault::kind);
  if (race != f.faults.end() && race->tensor == "c")
    return at(Finding{"two programs have parts of one tile, and one part is lost",
                      race->headline + (race->detail.empty() ? "" : "\n" + race->detail),
                      "c begins at 0, and whoever has a part of a tile adds it: tl.atomic_add"},
              race->site);
  return diagnose_puzzle(f);
}

// Nine tiles of four steps for eight programs: whole tiles, then equal shares.
Answer predict() {
  constexpr std::int64_t tiles = 9, steps = 4, programs = 8;
  report::Table table{.header = {"program", "tiles whole: steps", "equal shares: units"}};
  std::int64_t busiest_whole = 0, busiest_equal = 0;
  for (std::int64_t p = 0; p < programs; ++p) {
    const std::int64_t whole = (tiles - p + programs - 1) / programs * steps,
                       equal = (p + 1) * tiles * steps / programs - p * tiles * steps / programs;
    busiest_whole = std::max(busiest_whole, whole);
    busiest_equal = std::max(busiest_equal, equal);
    table.rows.push_back({std::to_string(p), std::to_string(whole), std::to_string(equal)});
  }
  return {std::to_string(busiest_equal),
          table.text(0) + fmt::format("the busiest: {} steps, or {} units\n", busiest_whole, busiest_equal)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "8") return "So it is with whole tiles: one program has two of them, and the others wait for it.";
  if (guess == "4") return "Eight programs with 4 each do 32 of the 36.";
  if (guess == "4.5") return "A step is not divided: some do 4, some do 5.";
  if (guess == "36") return "Those are all units.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "24_stream_k",
      .title = "Split-k and stream-k: a sum that several programs make",
      .kernel = "stream_k_kernel",
      .parameters = "tttiiiccc",
      .picture = {"persistent_matmul", {"m=1536", "n=1536", "k=512"}, "chip"},
      .changes_starter = "its loop over tiles becomes one over units, and its store an addition",
      .prediction = {{}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
      .diagnose = diagnose,
      .note_when_passed =
          "No program does a step more than it must, whatever the number of tiles. What it costs: tiles that end in "
          "two programs go to memory twice, and sums of floats depend on who comes first."};
}

}  // namespace tl::lessons::stream_k
