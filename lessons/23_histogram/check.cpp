// Lesson 23: histogram. Programs count in registers, and add to memory once a bin.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::histogram {
namespace {

struct Sizes {
  std::int64_t n, bins, block, programs;
};

std::optional<Finding> too_many_atomics(const Observed& o, std::int64_t enough, std::int64_t n) {
  std::int64_t atomics = 0;
  o.for_each_access("counts", [&atomics](std::int64_t, const trace::RecordedAccess& a, const Site&) {
    atomics += a.kind == trace::AccessKind::atomic ? a.active : 0;
  });
  if (atomics <= enough) return std::nullopt;
  return at(
      Finding{
          fmt::format("the numbers are right, but {} additions go to memory, and {} would do", atomics, enough),
          fmt::format("{} elements, {} programs; equal elements wait for each other at their cell", n, o.programs()),
          "count within the program, in a block with a lane a bin, and add each bin once, behind the loop"},
      o.first_site("counts", true));
}

// `height`: levels below it occur, so that one bin may hold all.
Trial trial(const Kernel& kernel, const Sizes& s, std::int64_t height, bool on_gpu = false) {
  const Tensor x = puzzle_input("x", DType::uint8, {s.n}, s.n, [height](std::int64_t number) {
    return static_cast<double>((number & 0xffff) % height);
  });
  const auto count = [=](std::int64_t level, std::int64_t first, std::int64_t end) {
    std::int64_t all = 0;
    for (std::int64_t i = first; i < end; ++i) all += static_cast<std::int64_t>(get(x, i)) == level;
    return static_cast<double>(all);
  };
  const std::int64_t blocks = problems::cdiv(s.n, s.block), beyond = blocks * s.block - s.n;
  std::vector<Slip> slips;
  if (beyond > 0)
    slips.push_back({"lanes beyond the end count as level 0, which is what they were filled with",
                     "which lanes count? tl.histogram takes a mask",
                     [=](std::int64_t l) { return count(l, 0, s.n) + static_cast<double>(l == 0 ? beyond : 0); }});
  if (blocks > s.programs)
    slips.push_back({"each program counts its first block alone", "how does a program come to its next block?",
                     [=](std::int64_t l) { return count(l, 0, std::min(s.n, s.programs * s.block)); }});
  slips.push_back({"counts says whether a level occurs, not how often", "equal lanes are to be counted, too",
                   [=](std::int64_t l) { return count(l, 0, s.n) > 0 ? 1.0 : 0.0; }});
  Trial t = trial_of(kernel, {.sizes = {{"n", s.n}, {"BINS", s.bins}, {"BLOCK", s.block}},
                              .grid = {s.programs},
                              .inputs = {x},
                              .sums = {{puzzle_output("counts", DType::int32, {s.bins}), s.programs,
                                        [=](std::int64_t l) { return count(l, 0, s.n); }}},
                              .slips = std::move(slips),
                              .on_gpu = on_gpu});
  t.expect = [=](const Observed& o) { return too_many_atomics(o, s.bins * s.programs, s.n); };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {32, 4, 8, 2}, 4), trial(kernel, {45, 8, 16, 2}, 8), trial(kernel, {300, 32, 64, 1}, 20),
          trial(kernel, {999, 16, 64, 4}, 16, true), trial(kernel, {200, 8, 32, 3}, 1)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t n = c.size(1, 400), bins = c.one_of({c.block(4, 64), std::int64_t{256}}),
                     block = std::max(c.block(8, 64), bins);
  return trial(kernel, {n, bins, block, std::min(c.size(1, 4), problems::cdiv(n, block))},
               c.one_of({std::int64_t{1}, c.between(1, bins), bins}));
}

std::optional<Finding> diagnose(const Failure& f) {
  const auto race = std::ranges::find(f.faults, FaultKind::race, &Fault::kind);
  if (race != f.faults.end() && race->tensor == "counts")
    return at(Finding{"two programs change the same bin, and one count is lost",
                      race->headline + (race->detail.empty() ? "" : "\n" + race->detail),
                      "several programs add to a bin: tl.atomic_add"},
              race->site);
  return diagnose_puzzle(f);
}

// The sum of a vector as one bin: a block a program, one atomic each.
Answer predict() {
  const Demo demo("sum", {"n=4096", "block=256"});
  std::int64_t atomics = 0;
  demo.observed().for_each_access("", [&atomics](std::int64_t, const trace::RecordedAccess& a, const Site&) {
    atomics += a.kind == trace::AccessKind::atomic ? a.active : 0;
  });
  return {std::to_string(atomics),
          fmt::format("tilescope run sum n=4096 block=256: {} programs, {} atomics, all on one cell\n",
                      demo.observed().programs(), atomics)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "4096")
    return "So it would be if each element went to memory. Within a program its lanes are added first.";
  if (guess == "256") return "Those are the elements of a program's block: they become one number before they go out.";
  if (guess == "1") return "There is one cell; each program adds to it once.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "23_histogram",
          .title = "Histogram: count at home, add once",
          .kernel = "histogram_kernel",
          .parameters = "tticc",
          .picture = {"sum", {"n=4096", "block=256"}, "offsets"},
          .changes_starter = "its line that goes to memory for each element gives way to one that counts in registers",
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose,
          .note_when_passed =
              "An addition a bin and program, however long the vector, and whatever it holds: a picture all in one "
              "grey takes no longer than any other."};
}

}  // namespace tl::lessons::histogram
