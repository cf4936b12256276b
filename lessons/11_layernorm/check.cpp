// Lesson 11: layer normalization. A variance of the lanes that exist, from differences and in f32.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::layernorm {
namespace {

// A matrix and what its rows are.
struct Rows {
  Tensor x, w, b;
  std::int64_t cols, block;

  std::vector<double> means = {}, variances = {};  // of each row

  Rows(Tensor x_is, Tensor w_is, Tensor b_is, std::int64_t lanes)
      : x(std::move(x_is)), w(std::move(w_is)), b(std::move(b_is)), cols(x.shape[1]), block(lanes) {
    const auto n = static_cast<double>(cols);
    for (std::int64_t i = 0; i < x.shape[0]; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < cols; ++j) sum += at(i, j);
      means.push_back(sum / n);
      variances.push_back(squares(i, sum / n) / n);
    }
  }
  double at(std::int64_t i, std::int64_t j) const { return get(x, i * x.strides[0] + j); }
  double mean(std::int64_t i) const { return means[static_cast<std::size_t>(i)]; }
  double variance(std::int64_t i) const { return variances[static_cast<std::size_t>(i)]; }
  double squares(std::int64_t i, double from) const {
    double sum = 0;
    for (std::int64_t j = 0; j < cols; ++j) sum += (at(i, j) - from) * (at(i, j) - from);
    return sum;
  }
  double rstd(std::int64_t i) const { return 1 / std::sqrt(variance(i) + 1e-5); }
};

std::vector<Slip> slips_of(const Rows& r) {
  std::vector<Slip> slips;
  // y from other means and factors than those of the row.
  const auto slip = [&](const char* headline, const char* fix, auto mean, auto rstd) {
    slips.push_back({headline, fix, [=](std::int64_t e) {
                       const std::int64_t i = e / r.cols, j = e % r.cols;
                       return (r.at(i, j) - mean(i)) * rstd(i) * get(r.w, j) + get(r.b, j);
                     }});
  };
  const auto own_mean = [=](std::int64_t i) { return r.mean(i); };
  const auto own_rstd = [=](std::int64_t i) { return r.rstd(i); };
  const auto of_variance = [](auto variance) {
    return [=](std::int64_t i) { return 1 / std::sqrt(variance(i) + 1e-5); };
  };
  const auto n = static_cast<double>(r.cols), lanes = static_cast<double>(r.block);
  if (lanes > n) {
    slip("the lanes beyond the row count in the variance: they hold 0, and 0 - mean is not 0",
         "tl.where(mask, x - mean, 0.0): what is masked must be 0 after the mean was taken away", own_mean,
         of_variance(
             [=](std::int64_t i) { return (r.squares(i, r.mean(i)) + (lanes - n) * r.mean(i) * r.mean(i)) / n; }));
    slip("the variance is divided by the block's lanes, not by the row's elements", "/ n_cols, as the mean is",
         own_mean, of_variance([=](std::int64_t i) { return r.squares(i, r.mean(i)) / lanes; }));
    slip(
        "the mean is divided by the block's lanes, not by the row's elements", "/ n_cols",
        [=](std::int64_t i) { return r.mean(i) * n / lanes; },
        of_variance([=](std::int64_t i) { return r.squares(i, r.mean(i) * n / lanes) / n; }));
  }
  if (n > 1)
    slip("the variance is divided by n - 1; this one is of all there is, not of a sample", "/ n_cols", own_mean,
         of_variance([=](std::int64_t i) { return r.squares(i, r.mean(i)) / (n - 1); }));
  slip("1e-5 is missing: a row of equal elements has the variance 0", "1 / sqrt(variance + 1e-5)", own_mean,
       [=](std::int64_t i) { return 1 / std::sqrt(r.variance(i)); });
  slip("1e-5 is added after the root", "1 / sqrt(variance + 1e-5)", own_mean,
       [=](std::int64_t i) { return 1 / (std::sqrt(r.variance(i)) + 1e-5); });
  slip("what is multiplied by is the root, and it should be divided by", "1 / sqrt(variance + 1e-5)", own_mean,
       [=](std::int64_t i) { return std::sqrt(r.variance(i) + 1e-5); });
  slip("y is centred, and not scaled to the variance 1", "times 1 / sqrt(variance + 1e-5)", own_mean,
       [](std::int64_t) { return 1.0; });
  slip("the mean was not taken away", "(x - mean) * rstd", [](std::int64_t) { return 0.0; }, own_rstd);
  slip("the variance is the mean square: the mean was not taken away before squaring", "(x - mean) * (x - mean)",
       own_mean, of_variance([=](std::int64_t i) { return r.squares(i, 0) / n; }));
  const auto other = [&](const char* headline, const char* fix, auto f) {
    slips.push_back({headline, fix, [=](std::int64_t e) {
                       const std::int64_t i = e / r.cols, j = e % r.cols;
                       return f((r.at(i, j) - r.mean(i)) * r.rstd(i), get(r.w, j), get(r.b, j));
                     }});
  };
  other("w does not come into it", "... * w + b", [](double v, double, double b) { return v + b; });
  other("b does not come into it", "... * w + b", [](double v, double w, double) { return v * w; });
  other("w and b are interchanged", "... * w + b", [](double v, double w, double b) { return v * b + w; });
  other("b is added before w is multiplied by", "... * w + b",
        [](double v, double w, double b) { return (v + b) * w; });
  return slips;
}

// Of every five rows one has all elements equal, and one such a small variance that 1e-5 counts.
struct Sizes {
  std::int64_t rows, cols, block, padding = 3;
};

problems::Tolerance tolerance_of(DType dtype) {
  return dtype == DType::float32 ? problems::Tolerance{3e-4, 1e-5} : problems::Tolerance{1e-3, 0x1p-7};
}

Trial trial(const Kernel& kernel, DType dtype, const Sizes& s, double height, bool on_gpu = false) {
  const std::int64_t stride = s.cols + s.padding;
  const Tensor x = padded("x", dtype, s.rows, s.cols, stride);
  fill_coded(x, 30000, [=](std::int64_t e) {
    if (e / s.cols % 5 == 3) return height;
    const auto number = static_cast<double>((scrambled(e, 16) & 31) - 12);
    return height + (e / s.cols % 5 == 1 && std::abs(height) <= 10 ? number / 1024 : number / 4);
  });
  const Rows r{
      x, puzzle_input("w", DType::float32, {s.cols}, 3, [](std::int64_t i) { return (i & 511) / 256.0 + 0.5; }),
      puzzle_input("b", DType::float32, {s.cols}, 40, [](std::int64_t i) { return (i & 511) / 256.0 - 1; }), s.block};
  return trial_of(kernel, {.sizes = {{"row_stride", stride}, {"n_cols", s.cols}, {"BLOCK", s.block}},
                           .grid = {s.rows},
                           .inputs = {x, r.w, r.b},
                           .output = padded("y", dtype, s.rows, s.cols, stride),
                           .value =
                               [r](std::int64_t e) {
                                 const std::int64_t i = e / r.cols, j = e % r.cols;
                                 return (r.at(i, j) - r.mean(i)) * r.rstd(i) * get(r.w, j) + get(r.b, j);
                               },
                           .tolerance = tolerance_of(dtype),
                           .allowed_loads = {{"w", s.rows}, {"b", s.rows}},
                           .share = s.cols,
                           .slips = slips_of(r),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, DType::float32, {5, 5, 8}, 10),     trial(kernel, DType::float32, {4, 16, 16}, -3),
          trial(kernel, DType::float32, {6, 37, 64}, 3000), trial(kernel, DType::float16, {9, 300, 512}, 400, true),
          trial(kernel, DType::bfloat16, {5, 97, 128}, 2),  trial(kernel, DType::float32, {2, 1, 4}, 7)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const DType dtype = c.one_of({DType::float32, DType::float16, DType::bfloat16});
  const std::int64_t cols = c.size(1, 100), high = dtype == DType::float32 ? 3000 : dtype == DType::float16 ? 100 : 3;
  return trial(kernel, dtype, {c.size(1, 12), cols, problems::next_power_of_2(cols), c.size(0, 9)},
               static_cast<double>(c.between(-high, high)));
}

// One factor is wrong in all of a row: its variance came out as something else.
std::optional<Finding> wrong_factor(const Failure& f) {
  const Tensor &x = f.trial.instance.inputs[0], &w = f.trial.instance.inputs[1], &b = f.trial.instance.inputs[2],
               &y = f.trial.instance.outputs[0];
  const std::int64_t cols = f.trial.size("n_cols"), row = f.first->offset / cols;
  const Rows r{x, w, b, f.trial.size("BLOCK")};
  const double right = r.rstd(row);
  const double near = y.dtype == DType::float32 ? 1.001 : 1.02;  // as its dtype rounds
  double least = INFINITY, most = -INFINITY;
  for (std::int64_t j = 0; j < cols; ++j) {
    const double centred = (r.at(row, j) - r.mean(row)) * get(w, j);
    if (std::abs(centred * right) < 0.5) continue;
    const double rstd = (get(y, row * y.strides[0] + j) - get(b, j)) / centred;
    least = std::min(least, rstd);
    most = std::max(most, rstd);
  }
  if (!(least > 0) || !(most > 0) || most > near * least || std::abs(least - right) < (near - 1) * right)
    return std::nullopt;
  const double own = r.variance(row), came = 1 / (least * least) - 1e-5;
  if (own < 1e-3 && came < own - 8e-6 && came > own - 1.1e-5)  // 1e-5 counts here, and was left out or far too small
    return at(
        Finding{fmt::format("row {} is right but for a factor: what the root is taken of came out as {:.4g}, and "
                            "is {:.4g}",
                            row, came + 1e-5, own + 1e-5),
                fmt::format("the row's variance is {:.4g}: 1e-5 counts beside it", own), "1 / sqrt(variance + 1e-5)"},
        f.observed.first_site("y", true));
  const bool is_squared = std::abs(came - own * own) < 0.02 * own * own,
             is_far = std::abs(r.mean(row)) > 50 * std::sqrt(own);
  return at(
      Finding{is_squared ? "what is divided by is the variance, not its root"
                         : fmt::format("row {} is right but for a factor: its variance came out as {:.4g}, and is "
                                       "{:.4g}",
                                       row, came, own),
              fmt::format("the row's mean is {:.6g}", r.mean(row)),
              is_squared ? "1 / sqrt(variance + 1e-5)"
              : is_far   ? "the mean of the squares less the square of the mean is a small difference of large "
                           "numbers, and f32 has 24 bits: take the mean away first, then square"
                         : "sum of (x - mean) (x - mean), over the row's own elements, / n_cols"},
      f.observed.first_site("y", true));
}

std::optional<Finding> diagnose(const Failure& f) {
  if (!f.observed.has_op(trace::Op::store) && f.has_ended())
    return Finding{"the kernel stores nothing",
                   fmt::format("{} programs know the mean of their rows, and y is as it was", f.observed.programs()),
                   "the differences from the mean, their squares, the factor, w, b, store"};
  if (auto found = diagnose_puzzle(f)) return found;
  if (!f.first || std::isfinite(f.first->got)) return f.first ? wrong_factor(f) : std::nullopt;
  const auto cast = f.observed.last_writer("y", offset_of(f.trial.instance.outputs[0], f.first->offset));
  if (f.trial.instance.inputs[0].dtype != DType::float16 || !cast) return std::nullopt;
  return at(Finding{fmt::format("{} elements of f16 around {:.0f} sum to more than 65504, and f16 ends there",
                                f.trial.size("n_cols"), get(f.trial.instance.inputs[0], 0)),
                    "", "the statistics are f32: cast x before it is summed or squared"},
            f.observed.site_of(trace::Op::sum));
}

// What x - mean holds in lanes that do not exist, by the solution's own run.
Answer predict() {
  constexpr std::int64_t n = 5, block = 8;
  Tensor x = make_tensor("x", DType::float32, {1, n}), y = make_tensor("y", DType::float32, {1, n}),
         w = make_tensor("w", DType::float32, {n}), b = make_tensor("b", DType::float32, {n});
  for (std::int64_t j = 0; j < n; ++j) {
    set(x, j, 10);
    set(w, j, 1);
    set(b, j, 0);
  }
  problems::Instance instance;
  instance.launches = {launch_of_solution("11_layernorm", {1},
                                          {TensorArgument{x}, TensorArgument{w}, TensorArgument{b}, TensorArgument{y},
                                           problems::integer(n), problems::integer(n), problems::constant(block)},
                                          {})};
  std::vector<Fault> faults;
  const Observed o = observe(instance, faults);
  const trace::RecordedProgram& p = o.trace().programs.front();
  double squares = 0;
  std::string lanes;
  for (const trace::Step& s : p.steps) {
    if (s.op != trace::Op::where) continue;
    for (const std::int32_t operand : p.operands(s)) {
      const trace::RecordedValue& v = p.values[static_cast<std::size_t>(operand)];
      for (std::int64_t lane = 0; is_float(v.dtype) && v.shape.product() == block && lane < block; ++lane) {
        const double d = trace::element_as_double(v, lane);
        squares += d * d;
        lanes += fmt::format("{}{:g}", lane ? " " : "", d);
      }
    }
  }
  return {fmt::format("{:g}", squares / n),
          fmt::format(
              "x - mean, all {} lanes: [{}]\ntheir squares sum to {:g}, over n = {}: {:g}\nof the first {} alone: 0",
              block, lanes, squares, n, squares / n, n)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "0") return "That is the row's own variance. Three lanes hold 0 and not 10: what is 0 - mean?";
  if (guess == "100") return "That is the square of one such lane; there are three, and n is 5.";
  if (guess == "300") return "That is the sum of the squares; the variance is a fifth of it.";
  if (guess == "37.5") return "Nearly: divided by the row's 5, not by the block's 8.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "11_layernorm",
          .title = "Layernorm: what a masked lane holds next",
          .kernel = "layernorm_kernel",
          .parameters = "ttttiic",
          .picture = {"layernorm", {"rows=4", "cols=5", "dtype=f32"}, "block"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose,
          .note_when_passed =
              "x was loaded once and y stored once: mean, variance and quotient were taken from the same "
              "registers. A backward pass computes them again rather than loading them: `tilescope learn "
              "layernorm_backward` is a puzzle."};
}

}  // namespace tl::lessons::layernorm
