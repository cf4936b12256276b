// Lesson 14: dtypes. Small numbers are loaded, large sums are f32, and what is stored is rounded once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::dtypes {
namespace {

struct Product {
  Tensor x, v;
  std::int64_t n, bn;

  double term(std::int64_t i, std::int64_t j) const { return get(x, i * n + j) * get(v, j); }
  // Each term, each block's sum and the sum so far as `term_is`, `block_is`, `sum_is` have it.
  template <class Term, class Block, class Sum>
  double sum(std::int64_t i, Term term_is, Block block_is, Sum sum_is) const {
    double all = 0;
    for (std::int64_t start = 0; start < n; start += bn) {
      double block = 0;
      for (std::int64_t j = start; j < std::min(n, start + bn); ++j) block += term_is(term(i, j));
      all = sum_is(all + block_is(block));
    }
    return all;
  }
};

// `bound`: of the whole numbers that x holds.
Trial trial(const Kernel& kernel, DType in, DType out, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            std::int64_t bound, bool on_gpu = false) {
  const auto value = in == DType::float32 ? std::function<double(std::int64_t)>(wide_number) : small_numbers(bound);
  const Tensor x = puzzle_input("x", in, {m, n}, m, [=](std::int64_t i) { return std::abs(value(i)); }),
               v = puzzle_input("v", in, {n}, n + 50, small_numbers(in == DType::float32 ? 40 : bound));
  const Product p{x, v, n, bn};
  const auto as_is = [](double s) { return s; };
  const auto in_dtype = [=](double s) { return rounded(in, s); };
  const auto exact = [=](std::int64_t i) { return p.sum(i, as_is, as_is, as_is); };
  std::vector<Slip> slips;
  const auto slip = [&](const std::string& headline, const char* fix, auto f) {
    slips.push_back({headline, fix, [=](std::int64_t i) { return rounded(out, f(i)); }});
  };
  const std::string name(name_of(in));
  if (in != DType::float32) {
    slip("products, sums of blocks and the sum so far are each rounded to " + name,
         "load, then .to(tl.float32), and a sum that begins as tl.float32",
         [=](std::int64_t i) { return p.sum(i, in_dtype, in_dtype, in_dtype); });
    slip("each block's sum is rounded to " + name + " before it is added up",
         "cast x and v before they are multiplied, not the sum",
         [=](std::int64_t i) { return p.sum(i, as_is, in_dtype, as_is); });
    slip("each product and each block's sum is rounded to " + name + " before it is added up",
         "cast x and v before they are multiplied, not the product's sum",
         [=](std::int64_t i) { return p.sum(i, in_dtype, in_dtype, as_is); });
    slip("each product is rounded to " + name + " before it is summed", "cast x and v, not their product",
         [=](std::int64_t i) { return p.sum(i, in_dtype, as_is, as_is); });
    slip("the sum so far is rounded to " + name + " in every round",
         "acc is f32: `tl.zeros(tl.shape(BM), tl.float32)` (in Python `tl.zeros((BM,), tl.float32)`)",
         [=](std::int64_t i) { return p.sum(i, as_is, as_is, in_dtype); });
  }
  for (const DType other : {DType::float16, DType::bfloat16})
    if (other != out)
      slip(fmt::format("the sum is rounded to {} on its way, and y is {}", name_of(other), name_of(out)),
           "y_ptr.dtype says what y holds", [=](std::int64_t i) { return rounded(other, exact(i)); });
  slip("the sum is cut to a whole number on its way", "y_ptr.dtype says what y holds",
       [=](std::int64_t i) { return std::trunc(exact(i)); });
  Trial t = trial_of(kernel, {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
                              .grid = {problems::cdiv(m, bm)},
                              .inputs = {x, v},
                              .output = puzzle_output("y", out, {m}),
                              .value = [=](std::int64_t i) { return rounded(out, exact(i)); },
                              .allowed_loads = {{"v", problems::cdiv(m, bm)}},
                              .share = bm,
                              .slips = std::move(slips),
                              .on_gpu = on_gpu});
  t.expect = [](const Observed& o) -> std::optional<Finding> {
    for (const trace::RecordedProgram& program : o.trace().programs)
      for (const trace::Step& s : program.steps)
        for (const std::int32_t result : program.results(s))
          if (program.values[static_cast<std::size_t>(result)].dtype == DType::float64)
            return at(Finding{"the numbers are right, but this is computed in f64",
                              "an H200 has half as many f64 units as f32 ones, most other GPUs a 32nd or a 64th",
                              "f32 holds these sums exactly"},
                      o.site(s.site));
    return std::nullopt;
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  using enum DType;
  return {
      trial(kernel, float16, float32, 3, 20, 4, 8, 300),        trial(kernel, float16, float32, 5, 300, 2, 64, 40),
      trial(kernel, bfloat16, float32, 7, 140, 4, 32, 100),     trial(kernel, float8e4nv, float32, 4, 70, 4, 16, 14),
      trial(kernel, float16, float16, 9, 500, 8, 128, 4, true), trial(kernel, bfloat16, bfloat16, 3, 90, 2, 16, 30),
      trial(kernel, float32, float32, 6, 33, 4, 8, 0)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  using enum DType;
  const DType in = c.one_of({float16, bfloat16, float32}), out = c.one_of({in, float32});
  return trial(kernel, in, out, c.size(1, 12), c.size(1, in == float32 ? 50 : 150), c.block(2, 8), c.block(4, 64),
               in == float16 ? 40 : 30);
}

std::optional<Finding> diagnose(const Failure& f) {
  if (auto found = diagnose_puzzle(f)) return found;
  if (!f.first || std::isfinite(f.first->got) || !f.observed.last_writer("y", f.first->offset)) return std::nullopt;
  return at(
      Finding{fmt::format("y[{}] is {}: a product or a sum was more than {} holds", f.first->offset,
                          std::isnan(f.first->got) ? "nan" : "inf", name_of(f.trial.instance.inputs[0].dtype)),
              "f16 ends at 65504, fp8e4nv at 448; 300 times 300 is 90000", "cast to tl.float32 what is multiplied"},
      f.observed.first_site("y", true));
}

// Ones, added one at a time, by each dtype's own rounding.
Answer predict() {
  report::Table table{.header = {"dtype", "significant bits", "stops at"}};
  std::string answer;
  for (const auto& [dtype, bits] : {std::pair(DType::float8e4nv, 4), {DType::bfloat16, 8}, {DType::float16, 11}}) {
    double sum = 0;
    while (rounded(dtype, sum + 1) != sum) sum = rounded(dtype, sum + 1);
    table.rows.push_back({std::string(name_of(dtype)), std::to_string(bits), fmt::format("{:g}", sum)});
    answer = fmt::format("{:g}", sum);
  }
  return {answer, "1 + 1 + 1 + ..., rounded after each:\n" + table.text(0)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "65504") return "That is the largest number f16 holds; long before, neighbours are 2 apart, then 4.";
  if (guess == "1024")
    return "There neighbours are 1 apart, as they should be; above the next power of two they are not.";
  if (guess == "2049") return "That is what 2048 + 1 would be; f16 does not hold it, and rounds back.";
  if (guess == "4096") return "Half of that: at the answer neighbours become 2 apart, and a half of 2 rounds to even.";
  if (guess == "256") return "That is bf16, with 8 significant bits; f16 has 11.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "14_dtypes",
          .title = "Dtypes: small to load, large to sum",
          .kernel = "matvec_kernel",
          .parameters = "tttiicc",
          .picture = {"sum", {"n=64"}, "block"},
          .changes_starter = "its starter computes in x's dtype, and that gives way to f32",
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "(2 x) v = 2 (x v)", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .note_when_passed =
              "f16, bf16 and fp8 were loaded, f32 was summed, and y was rounded once: half the bytes, or a "
              "quarter, and no digit lost on the way."};
}

}  // namespace tl::lessons::dtypes
