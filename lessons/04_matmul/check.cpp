// Lesson 4: C = A B in tiles. Masks along m, n and k, and what masked lanes hold.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/matrices.h"
#include "lessons/runner/names.h"
#include "lessons/runner/products.h"

namespace tl::lessons::matmul {
namespace {

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t padding, MatrixLayout layout, MatrixValues values,
            bool on_gpu = false) {
  const Matrices x(z, padding, layout, values);
  Trial t = x.trial(on_gpu);
  t.instance.launches = {kernel.launch({problems::cdiv(z.m, z.bm), problems::cdiv(z.n, z.bn)}, x.arguments())};
  return t;
}

// Small and square first, to be read; then three different sides to a block, and strides none of which is 1.
std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {3, 5, 4, 16, 16, 16}, 0, MatrixLayout::rows, MatrixValues::small),
          trial(kernel, {32, 32, 32, 16, 16, 16}, 3, MatrixLayout::rows, MatrixValues::small),
          trial(kernel, {37, 29, 41, 16, 16, 16}, 3, MatrixLayout::rows, MatrixValues::wide_a, true),
          trial(kernel, {40, 70, 37, 32, 64, 16}, 0, MatrixLayout::rows, MatrixValues::wide_b),
          trial(kernel, {20, 35, 70, 16, 32, 64}, 2, MatrixLayout::gaps, MatrixValues::small),
          trial(kernel, {70, 18, 35, 64, 16, 32}, 1, MatrixLayout::columns, MatrixValues::wide_a),
          trial(kernel, {20, 24, 200, 16, 16, 16}, 1, MatrixLayout::rows, MatrixValues::wide_a),
          trial(kernel, {33, 20, 150, 16, 16, 32}, 2, MatrixLayout::rows, MatrixValues::in_f16),
          trial(kernel, {1, 1, 1, 16, 16, 16}, 5, MatrixLayout::rows, MatrixValues::small)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const MatrixSizes z{c.size(1, 50), c.size(1, 50), c.size(1, 80), c.block(16, 32), c.block(16, 32), c.block(16, 64)};
  return trial(kernel, z, c.size(0, 5), c.one_of({MatrixLayout::rows, MatrixLayout::columns, MatrixLayout::gaps}),
               c.one_of({MatrixValues::small, MatrixValues::wide_a, MatrixValues::wide_b, MatrixValues::in_f16}));
}

// Program (x, y) makes the block of c at row x bm, column y bn.
std::optional<Finding> wrong_block(const Failure& f) {
  const std::int64_t bm = f.trial.size("bm"), bn = f.trial.size("bn");
  const Tensor& c = f.trial.instance.outputs.front();
  for (std::int64_t p = 0; p < f.observed.programs(); ++p) {
    const ProgramId id = f.observed.trace().programs[static_cast<std::size_t>(p)].id;
    const auto begins = f.observed.first_lane(p, "c", true);
    if (!begins || *begins == id.x * bm * c.strides[0] + id.y * bn * c.strides[1]) continue;
    const auto place = block_place(c, *begins, bm, bn);
    const bool wrong_row = !place || place->first != id.x * bm;
    return at(
        Finding{
            place
                ? fmt::format(
                      "program ({}, {}) makes the block of c at row {}, column {}; its own begins at row {}, column {}",
                      id.x, id.y, place->first, place->second, id.x * bm, id.y * bn)
                : fmt::format(
                      "program ({}, {}) begins at element {} of c; its block begins at row {}, column {}, element {}",
                      id.x, id.y, *begins, id.x * bm, id.y * bn, id.x * bm * c.strides[0] + id.y * bn * c.strides[1]),
            fmt::format(
                "c is {} x {}; axis 0 of the grid counts blocks of bm = {} rows, axis 1 blocks of bn = {} columns",
                c.shape[0], c.shape[1], bm, bn),
            "which program_id makes rm, which rn?"},
        Names(f.observed, p).made(wrong_row ? "rm" : "rn", f.observed.site_of(trace::Op::program_id)));
  }
  return std::nullopt;
}

std::optional<Finding> diagnose(const Failure& f) {
  if (auto found = diagnose_addresses(f)) return found;
  if (!f.first) return std::nullopt;
  if (auto found = wrong_block(f)) return found;
  return diagnose_sums(f);
}

Answer predict() {
  const std::vector<std::string> sizes{"m=3", "n=5", "k=4", "bm=16", "bn=16", "bk=16", "dtype=f32"};
  const Demo masked("lecture_matmul", sizes), unmasked("matmul_unmasked", sizes);
  const trace::RecordedAccess& a = masked.observed().trace().programs.front().accesses.front();
  std::string evidence = fmt::format("the load of A, masked: {} lanes, {} of them inside, {} masked off\n", a.lanes(),
                                     a.active, a.lanes() - a.active);
  if (!unmasked.faults().empty())
    evidence += fmt::format("unmasked, as printed:  {}, {}\n", unmasked.faults().front().headline,
                            unmasked.faults().front().detail);
  return {std::to_string(a.lanes() - a.active), evidence};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "0") return "A is 3 x 4 and the block 16 x 16: it cannot lie inside.";
  if (guess == "256") return "Twelve lanes do find an element of A.";
  if (guess == "208")
    return "Those are in rows that A does not have; of its three rows most columns lie outside as well.";
  if (guess == "192")
    return "Those are in columns that A does not have; of its four columns most rows lie outside as well.";
  if (guess == "12") return "Those are inside; the question is how many are not.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "04_matmul",
          .title = "Matmul: tiles along m, n and k",
          .kernel = "matmul_kernel",
          .parameters = "tttiiiiiiiiiccc",
          .picture = {"lecture_matmul", {"m=37", "n=29", "k=41", "bm=16", "bn=16", "bk=16"}, "matmul"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .note_when_passed =
              "Every element of A was loaded once for each block of columns, every element of B once for each block of "
              "rows, and nothing outside."};
}

}  // namespace tl::lessons::matmul
