// Lesson 13: block pointers. Shape, strides and place stand in the pointer, and the mask follows from them.
#include <fmt/format.h>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/matrices.h"
#include "lessons/runner/products.h"

namespace tl::lessons::block_pointers {
namespace {

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t padding, MatrixLayout layout, MatrixValues values,
            bool on_gpu = false) {
  const Matrices x(z, padding, layout, values);
  Trial t = x.trial(on_gpu);
  t.instance.launches = {kernel.launch({problems::cdiv(z.m, z.bm), problems::cdiv(z.n, z.bn)}, x.arguments())};
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {16, 16, 32, 16, 16, 16}, 0, MatrixLayout::rows, MatrixValues::small),
          trial(kernel, {20, 24, 40, 16, 16, 16}, 3, MatrixLayout::rows, MatrixValues::wide_a, true),
          trial(kernel, {40, 70, 37, 32, 64, 16}, 0, MatrixLayout::rows, MatrixValues::wide_b),
          trial(kernel, {70, 18, 35, 64, 16, 32}, 1, MatrixLayout::columns, MatrixValues::wide_a),
          trial(kernel, {20, 35, 70, 16, 32, 64}, 2, MatrixLayout::gaps, MatrixValues::small),
          trial(kernel, {33, 20, 150, 16, 16, 32}, 2, MatrixLayout::rows, MatrixValues::in_f16),
          trial(kernel, {1, 1, 1, 16, 16, 16}, 5, MatrixLayout::rows, MatrixValues::small)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const MatrixSizes z{c.size(1, 50), c.size(1, 50), c.size(1, 80), c.block(16, 32), c.block(16, 32), c.block(16, 64)};
  return trial(kernel, z, c.size(0, 5), c.one_of({MatrixLayout::rows, MatrixLayout::columns, MatrixLayout::gaps}),
               c.one_of({MatrixValues::small, MatrixValues::wide_a, MatrixValues::wide_b, MatrixValues::in_f16}));
}

// Which axis of a block reaches beyond its tensor and is not checked; a block pointer without a check goes on in
// memory.
std::optional<Finding> unchecked_axis(const Failure& f) {
  for (const auto* all : {&f.trial.instance.inputs, &f.trial.instance.outputs})
    for (const Tensor& t : *all) {
      std::optional<Finding> found;
      const bool stores = t.name == "c";
      const std::int64_t rows = f.trial.size(t.name == "b" ? "bk" : "bm"),
                         cols = f.trial.size(t.name == "a" ? "bk" : "bn");
      const auto finding = [&](std::int64_t row, std::int64_t col, const Site& where) {
        const bool is_row = row >= t.shape[0];
        return at(
            Finding{
                fmt::format("the {} of {} reaches {} {}, and {} has {}: axis {} of this block is not checked",
                            stores ? "store" : "load", t.name, is_row ? "row" : "column", is_row ? row : col, t.name,
                            t.shape[is_row ? 0 : 1], is_row ? 0 : 1),
                fmt::format("{} is {} x {}, its blocks are {} x {}", t.name, t.shape[0], t.shape[1], rows, cols),
                "the boundary check names the axes that are compared with the shape: `tl.axes(0_c, 1_c)` (in Python "
                "`(0, 1)`) is both"},
            where);
      };
      f.observed.for_each_access(t.name, [&](std::int64_t, const trace::RecordedAccess& a, const Site& where) {
        const auto begins = found || a.shape.rank != 2 ? std::nullopt : block_place(t, a.offset(0), rows, cols);
        if (!begins || a.offset(1) - a.offset(0) != t.strides[1]) return;
        trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t) {
          const std::int64_t row = begins->first + lane / a.shape[1], col = begins->second + lane % a.shape[1];
          if (!found && (row >= t.shape[0] || col >= t.shape[1])) found = finding(row, col, where);
        });
      });
      if (found) return found;
    }
  return std::nullopt;
}

std::optional<Finding> diagnose(const Failure& f) {
  if (!f.observed.has_op(trace::Op::store) && f.faults.empty())
    return Finding{"the kernel stores nothing",
                   fmt::format("{} programs ran, and c is as it was", f.observed.programs()),
                   "a block pointer into c, and tl.store(c_block, ...) after the loop"};
  if (auto found = unchecked_axis(f)) return found;
  if (auto found = diagnose_addresses(f)) return found;
  return f.first ? diagnose_sums(f) : std::nullopt;
}

// The last program's load of A in its last step.
Answer predict() {
  const Demo demo("block_pointer_matmul", {"m=20", "n=24", "k=40", "bm=16", "bn=16", "bk=16", "dtype=f32"});
  const auto& program = demo.observed().trace().programs.back();
  const trace::RecordedAccess* last = nullptr;
  for (const trace::RecordedAccess& a : program.accesses)
    if (demo.observed().trace().launches.front().tensors[static_cast<std::size_t>(a.tensor)].name ==
            demo.instance().inputs.front().name &&
        !a.writes())
      last = &a;
  const std::int64_t rows = 20 - program.id.x * 16;
  return {std::to_string(last->active),
          fmt::format("program ({}, {}), rows {} to {} of A, and {} of them are there\n"
                      "columns 32 to 47 in the last of three steps, and 40 - 32 = 8 of them are there\n"
                      "{} lanes, {} of them inside",
                      program.id.x, program.id.y, program.id.x * 16, program.id.x * 16 + 15, rows, last->lanes(),
                      last->active)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "256") return "That is the whole block; A ends within it, along both axes.";
  if (guess == "64") return "So it is in the first two steps; in the third k ends as well.";
  if (guess == "128") return "Eight columns are left; of the rows only four.";
  if (guess == "224") return "Those are the lanes outside.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "13_block_pointers",
          .title = "Block pointers: the boundary is part of the pointer",
          .kernel = "block_pointers_kernel",
          .parameters = "tttiiiiiiiiiccc",
          .picture = {"block_pointer_matmul", {"m=20", "n=24", "k=40", "bm=16", "bn=16", "bk=16"}, "mask", "=1,=1"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .note_when_passed = "No offsets, no masks, and none too many: what lies outside was found from the shape."};
}

}  // namespace tl::lessons::block_pointers
