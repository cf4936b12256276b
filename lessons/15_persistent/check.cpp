// Lesson 15: persistent products. As many programs as the chip holds, and each takes tile after tile.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "interp/report/tensor_text.h"
#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/matrices.h"
#include "lessons/runner/names.h"
#include "lessons/runner/products.h"

namespace tl::lessons::persistent {
namespace {

using Place = std::pair<std::int64_t, std::int64_t>;  // row and column of tiles

// A tile that a program stored, and where its loads of a and b began.
struct Made {
  Place place;
  std::int64_t program = 0, a_begins = 0, b_begins = 0;
  Site store, a_load, b_load;
};

std::vector<Made> tiles_made(const Observed& o, const Tensor& c, std::int64_t bm, std::int64_t bn) {
  std::vector<Made> all;
  Made now;
  bool has_a = false, has_b = false;
  o.for_each_access("", [&](std::int64_t program, const trace::RecordedAccess& access, const Site& site) {
    const auto& tensors = o.trace().launches.front().tensors;
    const std::string& name = tensors[static_cast<std::size_t>(access.tensor)].name;
    if (name == "a" && !std::exchange(has_a, true)) {
      now.a_begins = access.offset(0);
      now.a_load = site;
    }
    if (name == "b" && !std::exchange(has_b, true)) {
      now.b_begins = access.offset(0);
      now.b_load = site;
    }
    if (name != "c" || !access.writes()) return;
    const auto place = block_place(c, access.offset(0), bm, bn);
    if (place) {
      now.place = {place->first / bm, place->second / bn}, now.program = program, now.store = site;
      all.push_back(now);
    }
    has_a = has_b = false;
  });
  return all;
}

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t programs, std::int64_t padding,
            MatrixLayout layout, MatrixValues values, bool on_gpu = false) {
  const Matrices x(z, padding, layout, values);
  Trial t = x.trial(on_gpu);
  const std::int64_t wide = problems::cdiv(z.n, z.bn), tiles = problems::cdiv(z.m, z.bm) * wide;
  t.sizes.emplace_back("programs", programs);
  t.share = problems::cdiv(tiles, programs) * z.bm * z.bn;
  t.instance.launches = {kernel.launch({programs}, x.arguments())};
  // Programs run together: in their first round they should take neighbours, which share rows and columns.
  t.note = [=, inputs = t.instance.inputs,
            c = t.instance.outputs.front()](const Observed& o) -> std::optional<std::string> {
    std::set<std::int64_t> seen, rows, columns;
    for (const Made& made : tiles_made(o, c, z.bm, z.bn))
      if (seen.insert(made.program).second) {
        rows.insert(made.place.first);
        columns.insert(made.place.second);
      }
    const auto lines = std::ssize(rows) + std::ssize(columns);
    const std::int64_t enough = problems::cdiv(std::min(programs, tiles), wide) + std::min(programs, wide);
    if (lines <= enough + 1) return std::nullopt;
    return fmt::format(
        "Right; but the {} tiles that are made first lie in {} rows and columns of tiles, where {} would "
        "do: programs that run together should take neighbours.",
        seen.size(), lines, enough);
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {48, 48, 32, 16, 16, 16}, 4, 0, MatrixLayout::rows, MatrixValues::small),
          trial(kernel, {37, 29, 41, 16, 16, 16}, 6, 3, MatrixLayout::rows, MatrixValues::wide_a),
          trial(kernel, {70, 100, 50, 16, 32, 16}, 7, 5, MatrixLayout::rows, MatrixValues::wide_b, true),
          trial(kernel, {20, 135, 70, 16, 32, 64}, 3, 2, MatrixLayout::gaps, MatrixValues::small),
          trial(kernel, {70, 50, 35, 64, 16, 32}, 1, 1, MatrixLayout::columns, MatrixValues::wide_a),
          trial(kernel, {40, 40, 16, 16, 16, 16}, 12, 1, MatrixLayout::rows, MatrixValues::in_f16),
          trial(kernel, {1, 1, 1, 16, 16, 16}, 2, 5, MatrixLayout::rows, MatrixValues::small),
          trial(kernel, {33, 20, 150, 16, 16, 32}, 3, 2, MatrixLayout::rows, MatrixValues::in_f16)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const MatrixSizes z{c.size(1, 50), c.size(1, 50), c.size(1, 80), c.block(16, 32), c.block(16, 32), c.block(16, 64)};
  return trial(kernel, z, c.size(1, 12), c.size(0, 5),
               c.one_of({MatrixLayout::rows, MatrixLayout::columns, MatrixLayout::gaps}),
               c.one_of({MatrixValues::small, MatrixValues::wide_a, MatrixValues::wide_b, MatrixValues::in_f16}));
}

// Tiles that nobody makes, or two do; loads that begin elsewhere than their tile.
std::optional<Finding> wrong_tiles(const Failure& f, const std::vector<Made>& made) {
  const Tensor &a = f.trial.instance.inputs[0], &b = f.trial.instance.inputs[1];
  const std::int64_t bm = f.trial.size("bm"), bn = f.trial.size("bn"), programs = f.trial.size("programs");
  const std::int64_t high = problems::cdiv(f.trial.size("m"), bm), wide = problems::cdiv(f.trial.size("n"), bn);
  const std::string sizes = fmt::format("C has {} x {} tiles, and {} programs run", high, wide, programs);
  std::map<Place, std::int64_t> by;
  for (const Made& t : made) {
    if (t.place.first >= high || t.place.second >= wide)
      return at(Finding{fmt::format("program {} makes tile ({}, {}), and there is none", t.program, t.place.first,
                                    t.place.second),
                        sizes, "tile / tiles_n is a row of tiles, tile % tiles_n a column; the last is tiles - 1"},
                t.store);
    const auto [first, is_new] = by.emplace(t.place, t.program);
    if (!is_new)
      return at(Finding{fmt::format("tile ({}, {}) is made by program {} and by program {}", t.place.first,
                                    t.place.second, first->second, t.program),
                        sizes, "program p makes the tiles p, p + num_programs, p + 2 num_programs, ..."},
                t.store);
    if (t.a_begins != t.place.first * bm * a.strides[0])
      return at(
          Finding{fmt::format("for tile ({}, {}) program {} loads a from element {} on, and its rows begin at {}",
                              t.place.first, t.place.second, t.program, t.a_begins, t.place.first * bm * a.strides[0]),
                  sizes, "after a tile a_ptrs stand behind its last step: where are they made?"},
          t.a_load);
    if (t.b_begins != t.place.second * bn * b.strides[1])
      return at(
          Finding{fmt::format("for tile ({}, {}) program {} loads b from element {} on, and its columns begin at {}",
                              t.place.first, t.place.second, t.program, t.b_begins, t.place.second * bn * b.strides[1]),
                  sizes, "after a tile b_ptrs stand behind its last step: where are they made?"},
          t.b_load);
  }
  if (std::ssize(by) == high * wide || !f.first) return std::nullopt;
  const bool has_loop = std::ranges::any_of(
      made, [&made](const Made& t) { return std::ranges::count(made, t.program, &Made::program) > 1; });
  const auto loop = has_loop ? Names(f.observed, 0).loop() : std::nullopt;
  return at(Finding{fmt::format("{} of {} tiles are made by nobody", high * wide - std::ssize(by), high * wide), sizes,
                    has_loop ? "from where to where does the loop over tiles go, and in which steps?"
                             : "a program that is done with a tile takes the next one that is its own: a loop around "
                               "all of it"},
            loop ? loop : f.observed.first_site("c", true));
}

// A tile that holds the sums of the one before it as well.
std::optional<Finding> goes_on(const Failure& f, const std::vector<Made>& made) {
  const Tensor& c = f.trial.instance.outputs.front();
  const std::int64_t n = f.trial.size("n"), bm = f.trial.size("bm"), bn = f.trial.size("bn");
  const std::int64_t i = f.first->offset / n, j = f.first->offset % n;
  const auto here = std::ranges::find(made, Place(i / bm, j / bn), &Made::place);
  if (here == made.end() || here == made.begin() || (here - 1)->program != here->program) return std::nullopt;
  const Place before = (here - 1)->place;
  const std::int64_t row = before.first * bm + i % bm, col = before.second * bn + j % bn;
  if (row >= f.trial.size("m") || col >= n) return std::nullopt;
  const double held = get(c, row * c.strides[0] + col * c.strides[1]);
  if (held == 0 || f.first->got != f.first->expected + held) return std::nullopt;
  return at(Finding{fmt::format("tile ({}, {}) holds what program {} made of tile ({}, {}) as well: acc went on",
                                i / bm, j / bn, here->program, before.first, before.second),
                    fmt::format("c[{}, {}] is {:g}, and should be {:g}; c[{}, {}] is {:g}", i, j, f.first->got,
                                f.first->expected, row, col, held),
                    "each tile begins with zeros: where is acc made?"},
            f.observed.site_of(trace::Op::dot));
}

std::optional<Finding> diagnose(const Failure& f) {
  const std::vector<Made> made =
      tiles_made(f.observed, f.trial.instance.outputs.front(), f.trial.size("bm"), f.trial.size("bn"));
  if (auto found = wrong_tiles(f, made)) return found;
  if (auto found = f.first ? goes_on(f, made) : std::nullopt) return found;
  if (auto found = diagnose_addresses(f)) return found;
  return f.first ? diagnose_sums(f) : std::nullopt;
}

// The solution with 144 tiles and 132 programs, as many as an H200 has SMs.
Answer predict() {
  const MatrixSizes z{192, 192, 16, 16, 16, 16};
  const Matrices x(z, 0);
  problems::Instance instance = x.trial(false).instance;
  instance.launches = {launch_of_solution("15_persistent", {132}, x.arguments(), {})};
  instance.reset();
  std::vector<Fault> faults;
  const Observed o = observe(instance, faults);
  std::map<std::int64_t, std::int64_t> tiles;  // of a program
  for (const Made& made : tiles_made(o, instance.outputs.front(), z.bm, z.bn)) ++tiles[made.program];
  const auto busy = std::ranges::count_if(tiles, [](const auto& t) { return t.second > 1; });
  return {std::to_string(busy),
          fmt::format(
              "round 1: {} of 132 SMs have a tile\nround 2: {} of 132\n144 tiles in the time of 264: {:.0f} % of the "
              "chip at work",
              tiles.size(), busy, 100.0 * 144 / 264)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "132" || guess == "144") return "All SMs have work in the first round; it leaves 144 - 132 tiles.";
  if (guess == "120") return "Those have none: 132 SMs, and 12 tiles are left.";
  if (guess == "0") return "144 tiles are more than 132.";
  if (guess == "72") return "So it would be if the tiles were dealt out evenly over two rounds, by 72 programs.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "15_persistent",
          .title = "Persistent products: waves and their tails",
          .kernel = "persistent_kernel",
          .parameters = "tttiiiiiiiiiccc",
          .picture = {.kernel = "persistent_matmul",
                      .settings = {"m=1536", "n=1536", "k=512"},
                      .panel = "chip",
                      .compare = "programs=144"},
          .changes_starter = "its starter makes one tile; the loop goes round all of it",
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .note_when_passed = "Every tile was made once, and no program made more than its share of them."};
}

}  // namespace tl::lessons::persistent
