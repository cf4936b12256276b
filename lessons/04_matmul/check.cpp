// Lesson 4: C = A B in tiles. Masks along m, n and k, and what masked lanes hold.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/matrices.h"

namespace tl::lessons {
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
  return j >= cols ? told("column", j, cols, fault->site) : told("row", std::max(i, rows), rows, fault->site);
}

std::optional<Finding> along_k(const Failure& f) {
  const std::int64_t k = f.trial.size("k"), bk = f.trial.size("bk");
  if (k <= bk) return std::nullopt;
  for (const std::string name : {"a", "b"}) {
    std::vector<std::int64_t> begins;
    std::optional<Site> where;
    f.observed.for_each_access(name, [&](std::int64_t program, const trace::RecordedAccess& a, const Site& site) {
      if (program == 0 && !a.writes()) begins.push_back(a.offset(0)), where = site;
    });
    if (begins.size() > 1 && begins[0] == begins[1])
      return at(Finding{fmt::format("every step along k loads the same block of {}", name), "", fmt::format("what moves {}_ptrs on to the next block?", name)}, where);
  }
  if (!f.first) return std::nullopt;
  const auto& in = f.trial.instance.inputs;
  const std::int64_t n = f.trial.size("n"), i = f.first->offset / n, j = f.first->offset % n;
  double last = 0;
  for (std::int64_t l = (k - 1) / bk * bk; l < k; ++l) last += get(in[0], i * in[0].strides[0] + l) * get(in[1], l * in[1].strides[0] + j);
  if (last != f.first->got) return std::nullopt;
  return at(Finding{"only the last block along k counts: acc is overwritten at every step, not added to", fmt::format("c[{}, {}] is {:g}, the sum over the last {} of {} terms; all make {:g}", i, j, last, k - (k - 1) / bk * bk, k, f.first->expected),
                    "tl.dot(a, b, acc) adds to acc"}, f.observed.site_of(trace::Op::dot));
}

std::optional<Finding> diagnose(const Failure& f) {
  for (const char* name : {"a", "b"})
    if (auto found = reaches_out(f, name)) return found;
  if (f.first) return along_k(f);
  return std::nullopt;
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

Lesson matmul() {
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

}  // namespace tl::lessons
