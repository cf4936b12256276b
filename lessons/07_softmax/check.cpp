// Lesson 7: softmax in one pass. Reductions, overflow, and what fusion saves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/names.h"
#include "lessons/runner/softmax_rows.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::softmax {
namespace {

// `height`: what the rows' values lie around; 300 is far beyond what exp takes in f32. `step`: how far apart they are;
// 0: rows of very different heights, each with values from 0 to 32 below its own, which f16 does not hold.
Trial trial(const Kernel& kernel, std::int64_t rows, std::int64_t cols, std::int64_t programs, double height,
            double step = 0.125, bool on_gpu = false, std::int64_t padding = 3) {
  const std::int64_t stride = cols + padding, block = problems::next_power_of_2(cols);
  const Tensor x = padded("x", DType::float32, rows, cols, stride), y = padded("y", DType::float32, rows, cols, stride);
  constexpr double heights[] = {0, 120, -96, 100, -40, 7};
  fill_coded(x, 1e30, [=](std::int64_t i) {
    if (step != 0) return height + step * static_cast<double>((scrambled(i, 16) & 4095) % 23 - 8);
    return heights[i / cols % 6] - (i % cols == cols / 2 ? 0 : static_cast<double>(scrambled(i, 16) & 8191) / 256);
  });
  Trial t{.sizes = {{"rows", rows}, {"cols", cols}, {"programs", programs}, {"stride", stride}},
          .share = problems::cdiv(rows, programs) * cols,
          .on_gpu = on_gpu};
  t.instance.inputs = {x};
  t.instance.outputs = {y};
  t.instance.launches = {
      kernel.launch({programs}, {TensorArgument{x}, TensorArgument{y}, problems::integer(stride),
                                 problems::integer(rows), problems::integer(cols), problems::constant(block)})};
  // Where 2^98 lie between neighbours, one is 1 and the others are 0. A row of one is 1, whatever it holds.
  t.instance.tolerances = {cols == 1 ? problems::Tolerance{0, 0}
                                     : softmax_tolerance(step > 1    ? 0
                                                         : step == 0 ? 128
                                                                     : std::abs(height) + 2)};
  t.instance.reference_at = problems::reference_by_element([=](std::int64_t i) {
    const std::int64_t row = i / cols * stride;
    double max = -INFINITY, sum = 0;
    for (std::int64_t j = 0; j < cols; ++j) max = std::max(max, get(x, row + j));
    for (std::int64_t j = 0; j < cols; ++j) sum += std::exp(get(x, row + j) - max);
    return std::exp(get(x, row + i % cols) - max) / sum;
  });
  t.instance = problems::complete(std::move(t.instance));
  t.expect = [=](const Observed& o) -> std::optional<Finding> {
    const std::int64_t mn = rows * cols, read = o.count("x").loaded, back = o.count("y").loaded;
    if (back > 0)
      return at(Finding{fmt::format(
                            "y is right, but the kernel passes a row through y and reads it back: {} loads of y", back),
                        "", "what one program made it still holds: use the variable"},
                o.first_site("y", false));
    if (read > mn)
      return at(Finding{fmt::format("y is right, but the kernel reads {}{} elements of x where M N = {} suffice",
                                    read % mn == 0 ? fmt::format("{} M N = ", read / mn) : "", read, mn),
                        "", "one load holds the whole row: reduce that"},
                o.first_site("x", false));
    return std::nullopt;
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 5, 5, 2, 0),
          trial(kernel, 4, 8, 4, -50),
          trial(kernel, 3, 13, 2, 300),
          trial(kernel, 31, 97, 7, 1, 0.125, true),
          trial(kernel, 1, 1, 1, 5),
          trial(kernel, 7, 61, 16, 90),
          trial(kernel, 37, 150, 3, 0, 0),
          trial(kernel, 11, 300, 4, 0, 0),
          trial(kernel, 3, 11, 2, -2000),
          trial(kernel, 2, 11, 2, 1000),
          trial(kernel, 2, 5, 2, -0x1p102, 0x1p98)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 20), c.size(1, 100), c.size(1, 8), static_cast<double>(c.between(-100, 100)), 0.125,
               false, c.size(0, 9));
}

// The mask against the row's width: lanes are columns.
std::optional<Finding> wrong_mask(const Failure& f) {
  const std::int64_t cols = f.trial.size("cols"), stride = f.trial.size("stride");
  for (const bool stored : {false, true}) {
    const std::string name = stored ? "y" : "x";
    std::optional<Finding> found;
    f.observed.for_each_access(name, [&](std::int64_t p, const trace::RecordedAccess& a, const Site& where) {
      if (found || a.writes() != stored || a.shape.rank != 1 || a.offset(0) % stride != 0) return;
      const std::int64_t row = a.offset(0) / stride;
      for (std::int64_t lane = 0; lane < a.lanes() && !found; ++lane) {
        if (a.offset(lane) != row * stride + lane || a.is_active(lane) == (lane < cols)) continue;
        const std::string fact = fmt::format("rows have {} elements, columns 0 to {}; lane {} of program {} is {}",
                                             cols, cols - 1, lane, p, lane < cols ? "masked off" : "not masked off");
        const auto line = Names(f.observed, p).mask(name, stored, where);
        found = lane < cols ? at(Finding{fmt::format("the mask keeps {}[{}, {}] from being {}, and it is inside", name,
                                                     row, lane, stored ? "stored" : "loaded"),
                                         fact, "column j is inside when j < n_cols"},
                                 line)
                            : at(Finding{fmt::format("the {} takes column {} of {}, and rows end at column {}",
                                                     stored ? "store" : "load", lane, name, cols - 1),
                                         fact, "column j is inside when j < n_cols: what follows is padding"},
                                 line);
      }
    });
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Finding> nothing_written(const Failure& f) {
  const Observed& o = f.observed;
  if (!o.has_op(trace::Op::store))
    return Finding{"the kernel stores nothing",
                   fmt::format("{} programs loaded their rows, and y is as it was", o.programs()),
                   "maximum, difference, exp, sum, quotient, store"};
  if (o.last_writer("y", offset_of(f.trial.instance.outputs.front(), f.first->offset))) return std::nullopt;
  const std::int64_t cols = f.trial.size("cols");
  const auto loop = Names(o, 0).loop();
  return at(
      Finding{fmt::format("nobody writes y[{}, {}]", f.first->offset / cols, f.first->offset % cols),
              fmt::format("{} programs for {} rows", f.trial.size("programs"), f.trial.size("rows")),
              loop ? "a program takes every num_programs-th row: from where to where does the loop go, in which steps?"
                   : "a program takes every num_programs-th row: that is a loop"},
      loop ? loop : o.first_site("y", true));
}

std::optional<Finding> misplaced_row(const Failure& f) {
  const std::int64_t rows = f.trial.size("rows"), cols = f.trial.size("cols"), stride = f.trial.size("stride");
  std::set<std::pair<std::int64_t, std::int64_t>> stored;  // program, row
  std::optional<Finding> misplaced;
  f.observed.for_each_access("y", [&](std::int64_t p, const trace::RecordedAccess& a, const Site& where) {
    if (!a.writes() || misplaced) return;
    const std::int64_t begins = a.offset(0);
    if (begins % stride != 0)
      misplaced = at(
          Finding{fmt::format("program {} stores a row from element {} of y on, and rows of y begin at 0, {}, {} ...",
                              p, begins, stride, 2 * stride),
                  fmt::format("rows have {} elements and begin {} apart", cols, stride),
                  "what does a row's number have to be multiplied by?"},
          where);
    else if (!stored.emplace(p, begins / stride).second)
      misplaced = at(Finding{fmt::format("program {} stores to row {} of y more than once", p, begins / stride),
                             fmt::format("{} programs for {} rows: each takes several", f.trial.size("programs"), rows),
                             "the loop goes from row to row: does the store go along?"},
                     where);
  });
  return misplaced;
}

// The first wrong row: its largest input, and what its outputs come to.
struct WrongRow {
  std::int64_t row = 0, column = 0;
  double max = -INFINITY, sum = 0, sum_of_exp = 0;
  bool is_finite = true;
};

WrongRow wrong_row(const Failure& f) {
  const Tensor& x = f.trial.instance.inputs.front();
  const Tensor y = packed(f.trial.instance.outputs.front());
  const std::int64_t cols = f.trial.size("cols");
  WrongRow r{.row = f.first->offset / cols, .column = f.first->offset % cols};
  for (std::int64_t j = 0; j < cols; ++j) {
    const double v = get(y, r.row * cols + j);
    r.max = std::max(r.max, get(x, r.row * f.trial.size("stride") + j));
    r.sum += v;
    r.sum_of_exp += std::exp(v);
    r.is_finite = r.is_finite && std::isfinite(v);
  }
  return r;
}

// What masked lanes hold, and whether exp is of e.
std::optional<Finding> wrong_terms(const Failure& f, const WrongRow& r) {
  const Observed& o = f.observed;
  if (const auto held = o.masked_value("x"); held && *held != -INFINITY && !o.has_op(trace::Op::where))
    return at(Finding{"the masked lanes count in the maximum or in the sum",
                      fmt::format("they hold {:g}, and the largest element of row {} is {:g}: {}", *held, r.row, r.max,
                                  *held > r.max ? "they win the maximum" : "they add their exp to the sum"),
                      "what must a masked lane hold, so that it loses against any maximum and exp of it is 0?"},
              o.first_site("x", false));
  const bool is_near =
      std::abs(f.first->got - f.first->expected) < 0.01 * f.first->expected;  // a constant nearly right
  if (!o.has_op(trace::Op::exp) && o.has_op(trace::Op::exp2) && is_near)
    return at(Finding{"exp2 is given the exponent times a constant that is not quite log2(e)",
                      fmt::format("y[{}, {}] is {:.9g}, and should be {:.9g}", r.row, r.column, f.first->got,
                                  f.first->expected),
                      "log2(e) = 1.4426950408889634, or tl.exp"},
              o.site_of(trace::Op::exp2));
  if (!o.has_op(trace::Op::exp) && o.has_op(trace::Op::exp2))
    return at(Finding{"exp2(x) is 2 to the power of x; softmax is made of e to the power of x", "", "tl.exp"},
              o.site_of(trace::Op::exp2));
  return std::nullopt;
}

// A row with inf or nan, by what exp was given.
std::optional<Finding> not_finite(const Failure& f, const WrongRow& r) {
  const auto given = f.observed.operand_range(trace::Op::exp);
  if (!given) return std::nullopt;
  const auto exp = f.observed.site_of(trace::Op::exp);
  if (std::isinf(given->second) && given->second > 0)
    return at(Finding{"exp was given inf: -inf, which the masked lanes hold, was taken from the row's elements", "",
                      "only the maximum lets the masked lanes lose: tl.max(x, 0)"},
              exp);
  if (given->second < -87)
    return at(
        Finding{fmt::format("every exp of a row is 0: it was given {:g} at most, and the quotient of zeros is nan",
                            given->second),
                "exp(-87) is the last that f32 holds in full",
                "take the row's own largest element away: then one term is exp(0) = 1"},
        exp);
  if (given->second > 88.7)
    return at(
        Finding{fmt::format("exp overflowed: it was given {:g}, and f32 ends at exp(88.7)", given->second),
                fmt::format("so y[{}, {}] is {}; the largest element of row {} of x is {:g}", r.row, r.column,
                            std::isnan(f.first->got) ? "nan" : "inf", r.row, r.max),
                "softmax does not change when the same number is taken from every element of a row: take the largest"},
        exp);
  return std::nullopt;  // for another reason: the report names the value and its writer
}

// A finite row whose elements are not softmax's.
std::optional<Finding> wrong_values(const Failure& f, const WrongRow& r) {
  const Observed& o = f.observed;
  if (std::abs(r.sum_of_exp - 1) < 1e-3)
    return at(
        Finding{"y is the logarithm of softmax",
                fmt::format("the elements of a row of softmax sum to 1; those of row {} sum to {:.4g}", r.row, r.sum),
                "the formula has no log: exp(x - max x) / sum exp(x - max x)"},
        o.first_site("y", true));
  if (std::abs(r.sum - 1) > 1e-3)
    return at(Finding{fmt::format("row {} of y sums to {:.4g}, and a row of softmax sums to 1", r.row, r.sum), "",
                      "exp(x - max x) / sum exp(x - max x): is what stands below the line the sum of what stands above "
                      "it, element by element?"},
              o.first_site("y", true));
  if (const auto given = o.operand_range(trace::Op::exp); given && given->second != 0)
    return at(Finding{fmt::format("exp was given {:g} at most; with the row's largest element taken away the most is 0",
                                  given->second),
                      "", "x - tl.max(x, 0)"},
              o.site_of(trace::Op::exp));
  return std::nullopt;
}

std::optional<Finding> diagnose(const Failure& f) {
  if (auto found = wrong_mask(f)) return found;
  if (!f.first) return std::nullopt;
  for (const auto check : {nothing_written, misplaced_row})
    if (auto found = check(f)) return found;
  const WrongRow row = wrong_row(f);
  if (auto found = wrong_terms(f, row)) return found;
  return row.is_finite ? wrong_values(f, row) : not_finite(f, row);
}

Answer predict() {
  const Demo unfused("unfused_softmax", {"rows=4", "cols=8"}), fused("softmax", {"rows=4", "cols=8"});
  report::Table table{.header = {"kernel", "reads", "writes"}};
  const auto& trace = unfused.observed().trace();
  std::vector<std::int64_t> reads(trace.launches.size()), writes(trace.launches.size());
  for (const auto& p : trace.programs)
    for (const auto& a : p.accesses) (a.writes() ? writes : reads)[static_cast<std::size_t>(p.launch)] += a.active;
  std::int64_t all_reads = 0, all_writes = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const std::string& name = trace.launches[i].kernel;
    table.rows.push_back({name.substr(name.rfind(':') + 1), std::to_string(reads[i]), std::to_string(writes[i])});
    all_reads += reads[i];
    all_writes += writes[i];
  }
  table.rows.push_back({"all five", std::to_string(all_reads), std::to_string(all_writes)});
  const auto c = fused.observed().count();
  table.rows.push_back({"fused softmax_kernel", std::to_string(c.loaded), std::to_string(c.stored)});
  return {std::to_string(all_reads), "elements, M = 4 rows of N = 8:\n" + table.text(0)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "32")
    return "That is what the fused kernel reads. The five kernels hand every intermediate result on through memory.";
  if (guess == "104") return "That is what they write: 3 M N + 2 M.";
  if (guess == "136")
    return "One more: the largest, the difference, exp, the sum and the quotient each read the matrix.";
  if (guess == "160") return "Nearly: two of the five also read a value a row, the maximum and the sum.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "07_softmax",
      .title = "Softmax: reduce, stay finite, fuse",
      .kernel = "softmax_kernel",
      .parameters = "ttiiic",
      .picture = {"softmax", {"rows=4", "cols=8"}, "softmax"},
      .prediction = {{}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .relations = {{.law = "softmax(x + c) = softmax(x)", .plus = 16}},
      .diagnose = diagnose,
      .exponent_degree = 1,
      .most_work = 4,
      .note_when_passed =
          "M N elements read and M N written, by the trace: the five kernels of the unfused softmax move 8 M N + 4 M."};
}

}  // namespace tl::lessons::softmax
