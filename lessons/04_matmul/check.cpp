// Lesson 4: C = A B in tiles. Masks along m, n and k, and what masked lanes hold.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/matrices.h"

namespace tl::lessons::matmul {
namespace {

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t padding, bool on_gpu = false) {
  const Matrices x(z, padding);
  Trial t = x.trial(on_gpu);
  t.instance.launches = {kernel.launch({problems::cdiv(z.m, z.bm), problems::cdiv(z.n, z.bn)}, x.arguments())};
  t.expect = [z](const Observed& o) { return each_element_once_a_block(o, z); };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {3, 5, 4, 16, 16, 16}, 0), trial(kernel, {32, 32, 32, 16, 16, 16}, 3), trial(kernel, {37, 29, 41, 16, 16, 16}, 3, true), trial(kernel, {17, 64, 33, 16, 32, 16}, 0),
          trial(kernel, {1, 1, 1, 16, 16, 16}, 5)};
}

// "the block of a reaches row 3, and a has 3 rows": of the first lane that loads what is not the matrix's.
std::optional<Finding> reaches_out(const Failure& f, const std::string& name) {
  const auto it = std::ranges::find(f.trial.instance.inputs, name, &Tensor::name);
  const std::int64_t rows = it->shape[0], cols = it->shape[1], stride = it->strides[0];
  const auto told = [&](const char* what, std::int64_t reached, std::int64_t there, const Site& where) {
    return at(Finding{fmt::format("the block of {} reaches {} {}, and {} has {} {}s", name, what, reached, name, there, what),
                      fmt::format("blocks are {} x {} for a and {} x {} for b; {} is {} x {}", f.trial.size("bm"), f.trial.size("bk"), f.trial.size("bk"), f.trial.size("bn"), name, rows, cols),
                      "a lane is inside when its row is and its column is; along k, how much is left at this step?"}, where);
  };
  std::optional<Finding> found;
  f.observed.for_each_access(name, [&](std::int64_t, const trace::RecordedAccess& a, const Site& where) {
    if (found || a.writes()) return;
    trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e, std::int64_t) {
      if (found) return;
      if (e % stride >= cols) found = told("column", e % stride, cols, where);
      else if (e / stride >= rows) found = told("row", e / stride, rows, where);
    });
  });
  if (found) return found;
  const auto fault = std::ranges::find_if(f.faults, [&](const Fault& x) { return x.kind == FaultKind::out_of_bounds && x.tensor == name; });
  if (fault == f.faults.end()) return std::nullopt;
  // Of the first block of the first program, lanes stand where the matrix does; further on only elements are known.
  const std::int64_t width = name == "a" ? f.trial.size("bk") : f.trial.size("bn"), i = fault->lane / width, j = fault->lane % width;
  if (!f.observed.first_access(0, name, false) && fault->element != i * stride + j)
    return at(Finding{fmt::format("lane ({}, {}) of the block of {} takes element {}, and {}[{}, {}] is element {}", i, j, name, fault->element, name, i, j, i * stride + j), "", fmt::format("which stride of {} belongs to its rows, which to its columns?", name)}, fault->site);
  return j >= cols ? told("column", j, cols, fault->site) : told("row", std::max(i, rows), rows, fault->site);
}

// How the first block lies in a row-major matrix: the next column is one element on, the next row a stride.
std::optional<Finding> lies_on_its_side(const Failure& f, const std::string& name) {
  const trace::RecordedAccess* const a = f.observed.first_access(0, name, false);
  if (!a || a->shape.rank != 2) return std::nullopt;
  const std::int64_t across = a->offset(1) - a->offset(0), down = a->offset(a->shape[1]) - a->offset(0);
  const std::int64_t stride = std::ranges::find(f.trial.instance.inputs, name, &Tensor::name)->strides[0];
  if (across == 1 && down == stride) return std::nullopt;
  return at(Finding{fmt::format("in the block of {} the next column is {} elements on, and the next row {}; in {} it is 1 and {}", name, across, down, name, stride), "", fmt::format("which stride of {} belongs to its rows, which to its columns?", name)},
            f.observed.first_site(name, false));
}

// The store's lanes: (i, j) of the first block is c[i, j].
std::optional<Finding> store_goes_astray(const Failure& f) {
  const auto fault = std::ranges::find_if(f.faults, [](const Fault& x) { return x.kind == FaultKind::out_of_bounds && x.tensor == "c"; });
  if (fault == f.faults.end() || fault->program.x != 0 || fault->program.y != 0) return std::nullopt;
  const Tensor& c = f.trial.instance.outputs.front();
  const std::int64_t i = fault->lane / f.trial.size("bn"), j = fault->lane % f.trial.size("bn"), rows = c.shape[0], cols = c.shape[1];
  const bool lies_right = i * c.strides[0] + j == fault->element;
  if (i < rows && j < cols) return at(Finding{fmt::format("lane ({}, {}) of the block goes to element {} of c, and c[{}, {}] is element {}", i, j, fault->element, i, j, i * c.strides[0] + j), "", "which stride of c belongs to its rows, which to its columns?"}, fault->site);
  if (!lies_right) return std::nullopt;
  return at(Finding{fmt::format("the store reaches {} {}, and c has {} {}s", i >= rows ? "row" : "column", i >= rows ? i : j, i >= rows ? rows : cols, i >= rows ? "row" : "column"), fault->headline, "rm is compared with the rows of c, rn with its columns"}, fault->site);
}

// No dot, or one of b and a.
std::optional<Finding> another_product(const Failure& f) {
  if (!f.observed.has_op(trace::Op::dot)) return at(Finding{"there is no tl.dot: * multiplies element by element, and a product of matrices sums rows times columns", "", "acc = tl.dot(a, b, acc, tl.ieee)"}, f.observed.first_site("c", true));
  const auto& in = f.trial.instance.inputs;
  const std::int64_t n = f.trial.size("n"), k = f.trial.size("k"), i = f.first->offset / n, j = f.first->offset % n;
  if (k > f.trial.size("bk") || i >= k || j >= k) return std::nullopt;
  double turned = 0;  // b times a, where both lie in one block
  for (std::int64_t l = 0; l < std::min(n, f.trial.size("m")); ++l) turned += get(in[1], i * in[1].strides[0] + l) * get(in[0], l * in[0].strides[0] + j);
  if (turned != f.first->got) return std::nullopt;
  return at(Finding{"this is B A, and C is A B: the order of a dot's sides matters", fmt::format("c[{}, {}] is {:g}, and should be {:g}", i, j, turned, f.first->expected), "tl.dot(a, b, acc)"}, f.observed.site_of(trace::Op::dot));
}

// Each step loads the block that begins bk further along k.
std::optional<Finding> wrong_step(const Failure& f, const std::string& name) {
  std::vector<std::int64_t> begins;
  std::optional<Site> where;
  f.observed.for_each_access(name, [&](std::int64_t program, const trace::RecordedAccess& a, const Site& site) {
    if (program == 0 && !a.writes()) begins.push_back(a.offset(0)), where = site;
  });
  if (begins.size() < 2) return std::nullopt;
  const std::int64_t step = begins[1] - begins[0], bk = f.trial.size("bk");
  const std::int64_t along = name == "a" ? bk : bk * std::ranges::find(f.trial.instance.inputs, name, &Tensor::name)->strides[0];
  if (step == 0) return at(Finding{fmt::format("every step along k loads the same block of {}", name), "", fmt::format("what moves {}_ptrs on to the next block?", name)}, where);
  if (step == along) return std::nullopt;
  return at(Finding{fmt::format("{}_ptrs moves on by {} elements a step, and the next block of {} begins {} further on", name, step, name, along), "", fmt::format("k runs along the {} of {}: which stride is theirs?", name == "a" ? "columns" : "rows", name)}, where);
}

// Program (x, y) makes the block of c at row x bm, column y bn.
std::optional<Finding> wrong_block(const Failure& f) {
  const std::int64_t bm = f.trial.size("bm"), bn = f.trial.size("bn"), stride = f.trial.instance.outputs.front().strides[0];
  for (std::int64_t p = 0; p < f.observed.programs(); ++p) {
    const ProgramId id = f.observed.trace().programs[static_cast<std::size_t>(p)].id;
    const auto begins = f.observed.first_lane(p, "c", true);
    if (begins && *begins != id.x * bm * stride + id.y * bn)
      return at(Finding{fmt::format("program ({}, {}) makes the block of c at row {}, column {}; its own begins at row {}, column {}", id.x, id.y, *begins / stride, *begins % stride, id.x * bm, id.y * bn), "axis 0 of the grid counts blocks of bm rows, axis 1 blocks of bn columns",
                        "which program_id makes rm, which rn?"}, f.observed.site_of(trace::Op::program_id));
  }
  return std::nullopt;
}

// A masked-off lane takes part in the dot.
std::optional<Finding> masked_lanes_count(const Failure& f, const std::string& name) {
  const auto held = f.observed.masked_value(name);
  if (!held || *held == 0) return std::nullopt;
  return at(Finding{fmt::format("masked-off lanes of {} hold {:g}, and the dot adds them to its sums", name, *held), "", "what must they hold so that no sum changes?"}, f.observed.first_site(name, false));
}

// An element that no program loads: a mask keeps it out, or the loop ends before it.
std::optional<Finding> never_loaded(const Failure& f, const std::string& name) {
  const Tensor& t = *std::ranges::find(f.trial.instance.inputs, name, &Tensor::name);
  const auto loads = f.observed.loads(name);
  for (std::int64_t i = 0; i < t.shape[0]; ++i)
    for (std::int64_t j = 0; j < t.shape[1]; ++j)
      if (loads[static_cast<std::size_t>(i * t.strides[0] + j)] == 0)
        return at(Finding{fmt::format("nobody loads {}[{}, {}]", name, i, j), fmt::format("{} is {} x {}; each of its elements belongs into a sum", name, t.shape[0], t.shape[1]),
                          "does the mask keep it out, or does the loop end before it? k - k_start elements are left at a step"}, f.observed.first_site(name, false));
  return std::nullopt;
}

std::optional<Finding> along_k(const Failure& f) {
  const std::int64_t k = f.trial.size("k"), bk = f.trial.size("bk");
  if (k <= bk) return std::nullopt;
  const auto& in = f.trial.instance.inputs;
  const std::int64_t n = f.trial.size("n"), i = f.first->offset / n, j = f.first->offset % n;
  double last = 0, doubled = 0;  // the last step's terms; each step's, with those before it counted again
  for (std::int64_t begin = 0; begin < k; begin += bk) {
    last = 0;
    for (std::int64_t l = begin; l < std::min(begin + bk, k); ++l) last += get(in[0], i * in[0].strides[0] + l) * get(in[1], l * in[1].strides[0] + j);
    doubled = 2 * doubled + last;
  }
  if (doubled == f.first->got && doubled != last)
    return at(Finding{"each step adds what acc holds once more: earlier blocks along k count twice, four times and so on", fmt::format("c[{}, {}] is {:g}, and should be {:g}", i, j, doubled, f.first->expected), "tl.dot(a, b, acc) has added acc already"}, f.observed.site_of(trace::Op::dot));
  if (last != f.first->got) return std::nullopt;
  return at(Finding{"only the last block along k counts: acc is overwritten at every step, not added to", fmt::format("c[{}, {}] is {:g}, the sum over the last {} of {} terms; all make {:g}", i, j, last, k - (k - 1) / bk * bk, k, f.first->expected),
                    "tl.dot(a, b, acc) adds to acc"}, f.observed.site_of(trace::Op::dot));
}

std::optional<Finding> diagnose(const Failure& f) {
  for (const char* name : {"a", "b"}) {
    if (auto found = lies_on_its_side(f, name)) return found;
    if (auto found = wrong_step(f, name)) return found;
    if (auto found = reaches_out(f, name)) return found;
  }
  if (auto found = store_goes_astray(f)) return found;
  if (!f.first) return std::nullopt;
  if (auto found = wrong_block(f)) return found;
  for (const char* name : {"a", "b"}) {
    if (auto found = masked_lanes_count(f, name)) return found;
    if (auto found = never_loaded(f, name)) return found;
  }
  if (auto found = another_product(f)) return found;
  return along_k(f);
}

Answer predict() {
  const std::vector<std::string> sizes{"m=3", "n=5", "k=4", "bm=16", "bn=16", "bk=16", "dtype=f32"};
  const Demo masked("lecture_matmul", sizes), unmasked("matmul_unmasked", sizes);
  const trace::RecordedAccess& a = masked.observed().trace().programs.front().accesses.front();
  std::string evidence = fmt::format("the load of A, masked: {} lanes, {} of them inside, {} masked off\n", a.lanes(), a.active, a.lanes() - a.active);
  if (!unmasked.faults().empty()) evidence += fmt::format("unmasked, as printed:  {}, {}\n", unmasked.faults().front().headline, unmasked.faults().front().detail);
  return {std::to_string(a.lanes() - a.active), evidence};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "0") return "A is 3 x 4 and the block 16 x 16: it cannot lie inside.";
  if (guess == "256") return "Twelve lanes do find an element of A.";
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
          .diagnose = diagnose,
          .in_passing = "Every element of A was loaded once for each block of columns, every element of B once for each block of rows, and nothing outside."};
}

}  // namespace tl::lessons::matmul
