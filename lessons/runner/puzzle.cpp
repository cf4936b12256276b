#include "lessons/runner/puzzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <numeric>

#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/tensor_text.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/names.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace {

constexpr std::int64_t rest = 37;  // elements after each tensor that are not its own

Tensor with_rest(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  std::int64_t elems = rest;
  Tensor t = make_tensor(name, dtype, shape);
  elems += t.elems();
  Tensor longer = make_tensor(name, dtype, {elems});
  longer.strides = t.strides;
  longer.shape = std::move(shape);
  return longer;
}

std::string program_text_of(const Failure& f, ProgramId id) {
  const auto& grid = f.observed.trace().launches.front().grid;
  return report::program_text(id, grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1);
}

// A row of lanes over the last axis of a matrix that goes on into the next row.
std::optional<Finding> beyond_the_row(const Failure& f, const Tensor& t) {
  if (t.shape.size() < 2 || t.shape.back() < 2) return std::nullopt;
  const std::int64_t cols = t.shape.back(), stride = t.strides[t.strides.size() - 2];
  std::optional<Finding> found;
  f.observed.for_each_access(t.name, [&](std::int64_t program, const trace::RecordedAccess& a, const Site& where) {
    if (found || a.shape.rank == 0 || a.shape[a.shape.rank - 1] < 2) return;
    const std::int64_t width = a.shape[a.shape.rank - 1];
    for (std::int64_t lane = 1; lane < a.lanes() && !found; ++lane) {
      if (lane % width == 0 || !a.is_active(lane - 1) || !a.is_active(lane) ||
          a.offset(lane - 1) % stride != cols - 1 || a.offset(lane) - a.offset(lane - 1) != 1)
        continue;
      const ProgramId id = f.observed.trace().programs[static_cast<std::size_t>(program)].id;
      found = at(Finding{fmt::format("the {} takes column {} of {}, and its rows end at column {}",
                                     a.writes() ? "store" : "load", cols, t.name, cols - 1),
                         fmt::format("lane {} of program {}; {} is {}, and what follows a row {}", lane,
                                     program_text_of(f, id), t.name, report::type_text(t),
                                     stride > cols ? "is no part of it" : "is the next one"),
                         "which lanes have a column of their own?"},
                 where);
    }
  });
  return found;
}

// A block, or programs with a row each, whose rows lie another number of elements apart than the matrix's.
std::optional<Finding> rows_apart(const Failure& f, const Tensor& t) {
  if (t.shape.size() < 2) return std::nullopt;
  std::optional<Finding> found;
  const std::int64_t stride = t.strides[t.strides.size() - 2];
  const auto finding = [&](const trace::RecordedAccess& a, std::int64_t down, const Site& where) {
    return at(Finding{fmt::format("a row further down, the {} goes {} elements on, and the next row of {} is {} on",
                                  a.writes() ? "store" : "load", down, t.name, stride),
                      fmt::format("{} is {}, its rows begin {} apart", t.name, report::type_text(t), stride),
                      stride == t.shape.back() ? "how many elements does a row have?"
                                               : "behind each row lies what is no part of it: take the row's stride"},
              where);
  };
  f.observed.for_each_access(t.name, [&](std::int64_t program, const trace::RecordedAccess& a, const Site& where) {
    if (found) return;
    if (a.shape.rank == 1 && program == 1 && stride > t.shape.back()) {
      const auto before = f.observed.first_lane(0, t.name, a.writes());
      if (before && a.offset(0) - *before == t.shape.back()) found = finding(a, t.shape.back(), where);
    }
    if (a.shape.rank != 2 || a.shape[0] < 2 || a.shape[1] < 2) return;
    const std::int64_t across = a.offset(1) - a.offset(0), down = a.offset(a.shape[1]) - a.offset(0);
    if (across == 1 && down != stride && down % stride != 0) found = finding(a, down, where);
  });
  return found;
}

// Where the second matrix of a tensor begins: programs along the last axis of the grid take a matrix each.
std::optional<Finding> matrices_apart(const Failure& f, const Tensor& t) {
  if (t.shape.size() < 3 || t.shape[0] < 2) return std::nullopt;
  const auto& programs = f.observed.trace().programs;
  const auto next = std::ranges::find(programs, ProgramId{0, 0, 1}, &trace::RecordedProgram::id);
  if (next == programs.end()) return std::nullopt;
  for (const bool stored : {false, true}) {
    const auto zero = f.observed.first_lane(0, t.name, stored),
               one = f.observed.first_lane(next - programs.begin(), t.name, stored);
    if (!zero || !one || *one == *zero || (*one - *zero) % t.strides[0] == 0) continue;
    return at(Finding{fmt::format("from program (0, 0, 0) to (0, 0, 1) the {} goes {} elements on, and {}[1] begins {} "
                                  "after {}[0]",
                                  stored ? "store" : "load", *one - *zero, t.name, t.strides[0], t.name),
                      fmt::format("{} is {}", t.name, report::type_text(t)),
                      "how many elements lie before the part that is this program's?"},
              f.observed.first_site(t.name, stored));
  }
  return std::nullopt;
}

std::optional<Finding> all_alike(const Failure& f) {
  const Tensor& out = f.trial.instance.outputs.front();
  if (f.trial.allowed_stores.contains(out.name) || !f.observed.all_programs_alike(out.name, true)) return std::nullopt;
  return at(
      Finding{fmt::format("all {} programs store to the same elements of {}", f.observed.programs(), out.name),
              stores_text(f.observed, out.name),
              "at these sizes the store's offsets are the same in every program: what should tl.program_id change?"},
      f.observed.first_site(out.name, true));
}

// Stored though it comes from a lane that was masked off, and the place it goes to is one of the output's.
std::optional<Finding> masked_too_many(const Failure& f) {
  const Tensor& out = f.trial.instance.outputs.front();
  const auto undefined = std::ranges::find(f.faults, FaultKind::undefined_lane, &Fault::kind);
  if (undefined == f.faults.end()) return std::nullopt;
  if (undefined->element >= out.elems())
    return at(Finding{fmt::format("the store reaches element {} of {}, which has {}", undefined->element, out.name,
                                  out.elems()),
                      undefined->headline, "the store needs a mask as much as the loads"},
              undefined->site);
  for (const Tensor& t : f.trial.instance.inputs) {
    const auto loads = f.observed.loads(t.name);
    for (std::int64_t i = 0; i < t.elems() && t.shape.size() == 1; ++i)
      if (loads[static_cast<std::size_t>(offset_of(t, i))] == 0)
        return at(Finding{fmt::format("the mask keeps {}[{}] from being loaded, and it is inside", t.name, i),
                          undefined->headline, "an element is inside when it is below the size of its own tensor"},
                  f.observed.first_site(t.name, false));
  }
  return std::nullopt;
}

bool is_close(double a, double b, const problems::Tolerance& t) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= t.absolute + t.relative * std::abs(b);
}

// The outputs' values instead of the right ones.
std::optional<Finding> computes_something_else(const Failure& f) {
  const Tensor& out = f.trial.instance.outputs[f.first->output];
  const problems::Tolerance& tolerance = f.trial.instance.tolerances[f.first->output];
  const auto stores = f.observed.stores(out.name);
  for (std::int64_t i = 0; i < out.elems(); ++i)
    if (stores[static_cast<std::size_t>(offset_of(out, i))] == 0) return std::nullopt;  // and nan was there before
  for (const Slip& slip : f.trial.slips) {
    bool is_so = slip.output == f.first->output;
    for (std::int64_t i = 0; i < out.elems() && is_so; ++i)
      is_so = is_close(get(out, offset_of(out, i)), slip.value(i), tolerance);
    if (!is_so) continue;
    const auto writer = f.observed.last_writer(out.name, offset_of(out, f.first->offset));
    std::int64_t program = 0;
    for (std::int64_t p = 0; writer && p < f.observed.programs(); ++p)
      if (f.observed.trace().programs[static_cast<std::size_t>(p)].id == writer->program) program = p;
    return at(Finding{slip.headline,
                      fmt::format("{} is {:g}, and should be {:g}; all of {} fits this",
                                  report::cell_text(out, f.first->offset),
                                  std::isnan(f.first->got) ? NAN : f.first->got, f.first->expected, out.name),
                      slip.fix},
              Names(f.observed, program).stored(out.name, f.observed.first_site(out.name, true)));
  }
  return std::nullopt;
}

}  // namespace

problems::ReferenceAt computed_once(std::function<double(std::int64_t)> value, std::int64_t elems) {
  return [all = problems::reference_by_element(std::move(value)), elems,
          values = std::make_shared<std::vector<double>>()](std::size_t output, std::span<const std::int64_t> offsets) {
    if (values->empty()) {
      std::vector<std::int64_t> elements(static_cast<std::size_t>(elems));
      std::iota(elements.begin(), elements.end(), 0);
      *values = all(output, elements);
    }
    std::vector<double> expected;
    for (const std::int64_t i : offsets) expected.push_back((*values)[static_cast<std::size_t>(i)]);
    return expected;
  };
}

std::function<double(std::int64_t)> small_numbers(std::int64_t bound) {
  return [bound](std::int64_t number) { return static_cast<double>((number & 0xffff) % (2 * bound + 1) - bound); };
}

double wide_number(std::int64_t number) { return static_cast<double>((number & 0xfff) * 2 - 4095) / 16; }

Tensor puzzle_input(const std::string& name, DType dtype, std::vector<std::int64_t> shape, std::int64_t what,
                    const std::function<double(std::int64_t)>& value) {
  Tensor t = with_rest(name, dtype, std::move(shape));
  fill_coded(t, is_integer(dtype) ? 99 : 30000,
             [&](std::int64_t i) { return (i + what) % 29 == 11 ? 0.0 : value(scrambled(i + 1000 * what, 20)); });
  return t;
}

Tensor puzzle_output(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  return with_rest(name, dtype, std::move(shape));
}

Trial trial_of(const Kernel& kernel, PuzzleTrial p) {
  Trial t{.sizes = p.sizes,
          .allowed_loads = std::move(p.allowed_loads),
          .share = p.share,
          .slips = std::move(p.slips),
          .every_access_counts = true,
          .on_gpu = p.on_gpu};
  std::vector<Argument> arguments;
  for (const Tensor& x : p.inputs) arguments.emplace_back(TensorArgument{x});
  const bool has_output = !p.output.name.empty();
  if (has_output) arguments.emplace_back(TensorArgument{p.output});
  for (const PuzzleSum& sum : p.sums) arguments.emplace_back(TensorArgument{sum.tensor});
  for (const Tensor& shared : p.scratch) arguments.emplace_back(TensorArgument{shared});
  const auto is_constant = [](const auto& size) {
    return std::isupper(static_cast<unsigned char>(size.first.front()));
  };
  for (const auto& size : p.sizes)
    if (!is_constant(size)) arguments.emplace_back(problems::integer(size.second));
  for (const float number : p.floats) arguments.emplace_back(FloatArgument{number});
  for (const auto& size : p.sizes)
    if (is_constant(size)) arguments.emplace_back(problems::constant(size.second));
  t.instance.inputs = std::move(p.inputs);
  std::vector<problems::ReferenceAt> references;
  if (has_output) {
    t.instance.outputs = {p.output};
    t.instance.tolerances = {p.tolerance};
    references.push_back(computed_once(std::move(p.value), p.output.elems()));
  }
  for (PuzzleSum& sum : p.sums) {
    t.instance.outputs.push_back(sum.tensor);
    t.instance.tolerances.push_back(sum.tolerance);
    t.allowed_stores[sum.tensor.name] = sum.terms;
    references.push_back(computed_once(std::move(sum.value), sum.tensor.elems()));
  }
  t.instance.reference_at = [references](std::size_t output, std::span<const std::int64_t> offsets) {
    return references[output](output, offsets);
  };
  t.instance.reset = [outputs = t.instance.outputs, scratch = p.scratch, has_output] {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      i == 0 && has_output ? poison(outputs[i]) : problems::fill(outputs[i], 0);
    for (const Tensor& shared : scratch) problems::fill(shared, 0);
  };
  t.instance.launches = {kernel.launch(p.grid, std::move(arguments))};
  t.instance = problems::complete(std::move(t.instance));
  return t;
}

Slip all_nan() {
  return {"every element is nan: the -inf that the largest begins with went into it",
          "does the largest rise from -inf (tl.maximum)? inf / inf is nan; and in the first round, where old is -inf, "
          "exp(old - new) is 0, but exp(new - old) is inf, and inf times a sum of 0 is nan",
          [](std::int64_t) { return NAN; }};
}

std::optional<Finding> diagnose_puzzle(const Failure& f) {
  for (const auto* all : {&f.trial.instance.inputs, &f.trial.instance.outputs})
    for (const Tensor& t : *all) {
      if (auto found = matrices_apart(f, t)) return found;
      if (auto found = rows_apart(f, t)) return found;
      if (auto found = beyond_the_row(f, t)) return found;
    }
  if (auto found = masked_too_many(f)) return found;
  if (!f.first) return std::nullopt;
  if (auto found = all_alike(f)) return found;
  return computes_something_else(f);
}

}  // namespace tl::lessons
