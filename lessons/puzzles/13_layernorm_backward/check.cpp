// Puzzle 13: layer normalization, backwards. Statistics are computed again; sums over rows are added by atomics.
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::layernorm_backward {
namespace {

// What a row's program knows, or believes.
struct Row {
  double mean = 0, rstd = 0, of_g = 0, of_g_xhat = 0;
};

struct Matrices {
  Tensor x, w, dy;
  std::int64_t m, n;

  double xhat(std::int64_t i, std::int64_t j, const Row& r) const { return (get(x, i * n + j) - r.mean) * r.rstd; }
  double g(std::int64_t i, std::int64_t j) const { return get(dy, i * n + j) * get(w, j); }
  template <class Term>
  double sum(Term term) const {
    double all = 0;
    for (std::int64_t j = 0; j < n; ++j) all += term(j);
    return all;
  }
  Row row(std::int64_t i) const { return row_with(i, 0, 1e-5); }
  // Lanes beyond the row's end that count in the variance: each holds 0 - mean.
  Row row_with(std::int64_t i, std::int64_t lanes_beyond, double epsilon) const {
    const auto count = static_cast<double>(n);
    Row r;
    r.mean = sum([&](std::int64_t j) { return get(x, i * n + j); }) / count;
    const double squares = sum([&](std::int64_t j) { return std::pow(get(x, i * n + j) - r.mean, 2); });
    r.rstd = 1 / std::sqrt((squares + static_cast<double>(lanes_beyond) * r.mean * r.mean) / count + epsilon);
    r.of_g = sum([&](std::int64_t j) { return g(i, j); }) / count;
    r.of_g_xhat = sum([&](std::int64_t j) { return g(i, j) * xhat(i, j, r); }) / count;
    return r;
  }
};

using Rows = std::vector<Row>;

Rows rows_of(const Matrices& a, std::int64_t lanes_beyond = 0, double epsilon = 1e-5) {
  Rows rows;
  for (std::int64_t i = 0; i < a.m; ++i) rows.push_back(a.row_with(i, lanes_beyond, epsilon));
  return rows;
}

// dx where an element's g, xhat and the row's averages make it by `formula`.
template <class Formula>
auto dx_by(const Matrices& a, const Rows& rows, Formula formula) {
  return [=](std::int64_t e) {
    const std::int64_t i = e / a.n, j = e % a.n;
    const Row& r = rows[static_cast<std::size_t>(i)];
    return formula(r, a.g(i, j), a.xhat(i, j, r), get(a.dy, e));
  };
}

// A sum over all rows of what `term` makes of dy, xhat, w and x; or the last row's alone.
template <class Term>
auto sum_by(const Matrices& a, const Rows& rows, Term term, bool only_last = false) {
  return [=](std::int64_t j) {
    double sum = 0;
    for (std::int64_t i = only_last ? a.m - 1 : 0; i < a.m; ++i)
      sum += term(get(a.dy, i * a.n + j), a.xhat(i, j, rows[static_cast<std::size_t>(i)]), get(a.w, j),
                  get(a.x, i * a.n + j));
    return sum;
  };
}

double dx_of(const Row& r, double g, double xhat, double) { return r.rstd * (g - r.of_g - xhat * r.of_g_xhat); }
double dw_term(double dy, double xhat, double, double) { return dy * xhat; }
double db_term(double dy, double, double, double) { return dy; }

std::vector<Slip> slips_of(const Matrices& a, std::int64_t block) {
  const Rows rows = rows_of(a);
  std::vector<Slip> slips;
  const auto dx = [&](const char* headline, const char* fix, auto formula) {
    slips.push_back({headline, fix, dx_by(a, rows, formula)});
  };
  dx("dx is g rstd: through the mean and the variance x works, too",
     "average(g) and xhat average(g xhat) are taken away",
     [](const Row& r, double g, double, double) { return r.rstd * g; });
  dx("average(g) is missing in dx: an x also moves the mean of its row", "g - average(g) - xhat * average(g * xhat)",
     [](const Row& r, double g, double xhat, double) { return r.rstd * (g - xhat * r.of_g_xhat); });
  dx("xhat average(g xhat) is missing in dx: an x also moves the variance of its row",
     "g - average(g) - xhat * average(g * xhat)",
     [](const Row& r, double g, double, double) { return r.rstd * (g - r.of_g); });
  dx("average(g xhat) is taken away as it is, and should be xhat times it", "xhat * average(g * xhat)",
     [](const Row& r, double g, double, double) { return r.rstd * (g - r.of_g - r.of_g_xhat); });
  dx("the averages are added, and should be taken away", "g - average(g) - xhat * average(g * xhat)",
     [](const Row& r, double g, double xhat, double) { return r.rstd * (g + r.of_g + xhat * r.of_g_xhat); });
  dx("xhat average(g xhat) is added, and should be taken away", "g - average(g) - xhat * average(g * xhat)",
     [](const Row& r, double g, double xhat, double) { return r.rstd * (g - r.of_g + xhat * r.of_g_xhat); });
  dx("rstd is missing in dx", "rstd * (...): xhat grows by rstd as x grows by 1",
     [](const Row& r, double g, double xhat, double) { return g - r.of_g - xhat * r.of_g_xhat; });
  dx("dx is divided by rstd, and should be multiplied by it", "rstd * (...): xhat grows by rstd as x grows by 1",
     [](const Row& r, double g, double xhat, double) { return (g - r.of_g - xhat * r.of_g_xhat) / r.rstd; });
  dx("what an average is taken away from is dy, and should be g = dy w", "g - average(g) - xhat * average(g * xhat)",
     [](const Row& r, double, double xhat, double dy) { return r.rstd * (dy - r.of_g - xhat * r.of_g_xhat); });
  dx("xhat in dx is x - mean: 1 / sqrt(variance + 1e-5) is missing in it", "xhat = (x - mean) * rstd",
     [](const Row& r, double g, double xhat, double) {
       return r.rstd * (g - r.of_g - xhat * r.of_g_xhat / (r.rstd * r.rstd));
     });
  const auto with_averages = [&](const char* headline, const char* fix, auto averages) {
    slips.push_back({headline, fix, [=](std::int64_t e) {
                       const std::int64_t i = e / a.n;
                       const Row r = averages(i, rows[static_cast<std::size_t>(i)]);
                       return dx_of(r, a.g(i, e % a.n), a.xhat(i, e % a.n, r), 0);
                     }});
  };
  const auto count = static_cast<double>(a.n);
  with_averages("the averages in dx are sums: they are not divided by n", "tl.sum(..., 0) / n",
                [=](std::int64_t, Row r) {
                  r.of_g *= count;
                  r.of_g_xhat *= count;
                  return r;
                });
  with_averages("average(g) in dx is a sum: it is not divided by n", "tl.sum(g, 0) / n", [=](std::int64_t, Row r) {
    r.of_g *= count;
    return r;
  });
  with_averages("average(g xhat) in dx is a sum: it is not divided by n", "tl.sum(g * xhat, 0) / n",
                [=](std::int64_t, Row r) {
                  r.of_g_xhat *= count;
                  return r;
                });
  if (block > a.n) {
    with_averages("the averages in dx are divided by the block's lanes, not by the row's elements",
                  "tl.sum(..., 0) / n", [=](std::int64_t, Row r) {
                    const double part = count / static_cast<double>(block);
                    r.of_g *= part;
                    r.of_g_xhat *= part;
                    return r;
                  });
    slips.push_back({"the lanes beyond the row count in the variance: they hold 0, and 0 - mean is not 0",
                     "tl.where(mask, x - mean, 0.0), as in lesson 11", dx_by(a, rows_of(a, block - a.n), dx_of)});
  }
  slips.push_back({"1e-5 is missing: a row of equal elements has the variance 0", "1 / sqrt(variance + 1e-5)",
                   dx_by(a, rows_of(a, 0, 0), dx_of)});
  with_averages("the averages in dx are of dy, and should be of g = dy w", "g = dy * w comes first, then its averages",
                [=](std::int64_t i, Row r) {
                  r.of_g = a.sum([&](std::int64_t j) { return get(a.dy, i * a.n + j); }) / count;
                  r.of_g_xhat = a.sum([&](std::int64_t j) { return get(a.dy, i * a.n + j) * a.xhat(i, j, r); }) / count;
                  return r;
                });
  slips.push_back({"w is missing in dx: all of it is made of dy", "g = dy * w", [=](std::int64_t e) {
                     const std::int64_t i = e / a.n;
                     Row r = rows[static_cast<std::size_t>(i)];
                     r.of_g = a.sum([&](std::int64_t j) { return get(a.dy, i * a.n + j); }) / count;
                     r.of_g_xhat =
                         a.sum([&](std::int64_t j) { return get(a.dy, i * a.n + j) * a.xhat(i, j, r); }) / count;
                     return dx_of(r, get(a.dy, e), a.xhat(i, e % a.n, r), 0);
                   }});
  const auto sum = [&](std::size_t output, const char* headline, const char* fix, auto term, bool only_last = false) {
    slips.push_back({headline, fix, sum_by(a, rows, term, only_last), output});
  };
  const char* add = "dw and db are sums over all rows: tl.atomic_add adds to what is there";
  if (a.m > 1) {
    sum(1, "dw holds the last row's part alone: each program overwrites what others stored", add, dw_term, true);
    sum(2, "db holds the last row's part alone: each program overwrites what others stored", add, db_term, true);
  }
  sum(1, "dw is db: the sum of dy, and xhat is missing", "w is multiplied by xhat, so dw is the sum of dy xhat",
      db_term);
  sum(2, "db is dw: the sum of dy xhat", "b is added as it is, so db is the sum of dy", dw_term);
  sum(1, "dw is the sum of dy x, and should be that of dy xhat", "w is multiplied by xhat",
      [](double dy, double, double, double x) { return dy * x; });
  sum(1, "dw is the sum of g xhat: w is in it", "w is multiplied by xhat: of w xhat, by w, what remains?",
      [](double dy, double xhat, double w, double) { return dy * w * xhat; });
  sum(2, "db is the sum of g: w is in it", "b is added after w was multiplied by",
      [](double dy, double, double w, double) { return dy * w; });
  slips.push_back({"dw is the sum of dy (x - mean): rstd is missing in it", "xhat = (x - mean) * rstd",
                   [=](std::int64_t j) {
                     double all = 0;
                     for (std::int64_t i = 0; i < a.m; ++i) {
                       const Row& r = rows[static_cast<std::size_t>(i)];
                       all += get(a.dy, i * a.n + j) * a.xhat(i, j, r) / r.rstd;
                     }
                     return all;
                   },
                   1});
  return slips;
}

struct Sizes {
  std::int64_t m, n, block;
};

// Of every five rows one has all elements equal: there 1e-5 is all of what the root is taken of.
Trial trial(const Kernel& kernel, DType dtype, const Sizes& s, double height, bool on_gpu = false) {
  const auto quarters = [](std::int64_t bound) {
    return [bound](std::int64_t number) { return small_numbers(bound)(number) / 4; };
  };
  const Tensor x = puzzle_input("x", dtype, {s.m, s.n}, 7, quarters(16));
  for (std::int64_t e = 0; e < x.elems(); ++e) set(x, e, e / s.n % 5 == 3 ? height : height + get(x, e));
  const Matrices a{x,
                   puzzle_input("w", DType::float32, {s.n}, 3, [](std::int64_t i) { return (i & 511) / 256.0 + 0.5; }),
                   puzzle_input("dy", dtype, {s.m, s.n}, 40, quarters(20)), s.m, s.n};
  const Rows rows = rows_of(a);
  const auto sum = [&](const char* name, auto term) {
    return PuzzleSum{puzzle_output(name, DType::float32, {s.n}), s.m, sum_by(a, rows, term), {2e-3, 1e-5}};
  };
  return trial_of(kernel, {.sizes = {{"n", s.n}, {"BLOCK", s.block}},
                           .grid = {s.m},
                           .inputs = {a.x, a.w, a.dy},
                           .output = puzzle_output("dx", dtype, {s.m, s.n}),
                           .value = dx_by(a, rows, dx_of),
                           .tolerance = dtype == DType::float32 ? problems::Tolerance{2e-3, 1e-5}
                                                                : problems::Tolerance{1e-2, 0x1p-9},
                           .sums = {sum("dw", dw_term), sum("db", db_term)},
                           .allowed_loads = {{"w", s.m}},
                           .share = s.n,
                           .slips = slips_of(a, s.block),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, DType::float32, {4, 5, 8}, 2),
          trial(kernel, DType::float32, {3, 16, 16}, -3),
          trial(kernel, DType::float32, {1, 12, 16}, 10),
          trial(kernel, DType::float32, {6, 37, 64}, 3000),
          trial(kernel, DType::float16, {9, 300, 512}, 400, true),
          trial(kernel, DType::float32, {8, 1, 4}, 5)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t n = c.size(1, 100);
  return trial(kernel, DType::float32, {c.size(1, 10), n, problems::next_power_of_2(n)},
               static_cast<double>(c.between(-100, 100)));
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/13_layernorm_backward",
          .title = "Layernorm, backwards",
          .kernel = "layernorm_backward_kernel",
          .parameters = "ttttttic",
          .picture = {"", {}, "offsets"},
          .timed = {"m=4000", "n=1000", "BLOCK=1024"},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose_puzzle,
          .note_when_passed =
              "x, dy and w were loaded once a row, and mean and 1 / sqrt made again from registers: nothing of the "
              "forward pass was stored for it. dw and db had one addition a row, in whatever order."};
}

}  // namespace tl::lessons::layernorm_backward
