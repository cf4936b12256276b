#include "lessons/runner/random_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/report/tensor_text.h"
#include "interp/run/execute.h"
#include "lessons/runner/blocks.h"

namespace tl::lessons {

namespace {

constexpr int nudges = 4;

// The distance from 1 to the next number.
double epsilon_of(DType dtype) {
  const Tensor t = make_tensor("one", dtype, {1});
  double e = 1;
  for (;; e /= 2) {
    set(t, 0, 1 + e / 2);
    if (get(t, 0) == 1) return e;
  }
}

double largest_of(DType dtype) {  // as a power of two; sums and products of some must stay finite
  return dtype == DType::float32 || dtype == DType::bfloat16 ? 24 : size_in_bytes(dtype) * 3;
}

bool can_hold(DType dtype, double v) {
  const double magnitude = std::abs(v);
  if (is_integer(dtype)) return magnitude < 0x1p31;
  return magnitude == 0 ||
         (dtype == DType::float32 || dtype == DType::bfloat16 ? magnitude > 0x1p-120 && magnitude < 0x1p120
                                                              : magnitude > 0x1p-13 && magnitude < 0x1p14);
}

// Some are 0, some stand in the kernel's text. `number`: of the input; where all are high, they differ in sign, so that
// products of two are below 0 as well.
void fill(const Tensor& t, std::size_t number, const Values& values, bool takes_infinities, Chance& chance) {
  const double largest = largest_of(t.dtype);
  const double own = chance.own().empty()
                         ? 0
                         : chance.own()[static_cast<std::size_t>(chance.between(0, std::ssize(chance.own()) - 1))];
  const auto sign = [&chance] { return chance.between(0, 1) ? 1.0 : -1.0; };
  double height = values.height, unit = values.unit;
  if (height != 0 && !values.is_exact)
    height = std::copysign(std::exp2(largest / 2 * (1 + std::abs(height) * chance.real(0.8, 1))), height);
  if (number % 2 == 1 && height < 0) height = -height;
  if (!can_hold(t.dtype, height)) height = 0;
  if (unit < 1 && !values.is_exact) unit = std::pow(unit, largest);
  if (values.is_first_alone && number > 0) unit = 1;
  unit = std::abs(unit);
  if (!can_hold(t.dtype, unit)) unit = 1;
  const bool is_whole = is_integer(t.dtype);
  const double alike = height != 0 ? height : 0.0;
  for (std::int64_t i = 0; i < t.elems(); ++i) {
    double v = 3 * chance.normal() * unit;
    if (values.kind == Values::Kind::all_alike) v = alike;
    else if (is_whole && !values.is_exact) v = chance.real(-0x1p31, 0x1p31);
    else if (values.has_zeros && chance.between(0, 15) == 0) v = 0;
    else if (takes_infinities && chance.between(0, 31) == 0) v = sign() * INFINITY;
    else if (values.kind == Values::Kind::all_magnitudes) v = std::exp2(chance.real(-largest, largest)) * sign();
    else v += height;
    if (height == 0 && own != 0 && !values.is_exact && values.kind != Values::Kind::all_alike &&
        can_hold(t.dtype, 2 * own) && chance.between(0, 7) == 0)
      v = own * sign();
    set(t, offset_of(t, i), is_whole ? std::floor(v) : v);
  }
}

// Each number by its last digit, up or down.
void nudge(const Tensor& t, Chance& chance) {
  if (is_integer(t.dtype)) return;
  const double e = epsilon_of(t.dtype);
  for (std::int64_t i = 0; i < t.elems(); ++i)
    set(t, offset_of(t, i), get(t, offset_of(t, i)) * (1 + (chance.between(0, 1) ? e : -e)));
}

// Those whose values may be any: numbers, no bits and no bytes of a picture.
std::vector<std::size_t> free_inputs(const problems::Instance& instance) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < instance.inputs.size(); ++i) {
    const DType dtype = instance.inputs[i].dtype;
    if (is_float(dtype) || (dtype == DType::int32 && instance.outputs.front().dtype == DType::int32)) all.push_back(i);
  }
  return all;
}

// In a promised order, since threads would take longer to wake than so few programs to run.
std::vector<Tensor> outputs_of(const problems::Instance& instance, std::vector<Fault>& faults,
                               cpu::Order order = cpu::Order::sequential) {
  instance.reset();
  cpu::RunOptions options;
  options.op_limit = 200'000;
  options.order = order;
  faults = run::run_on_cpu(instance, options).faults;
  return packed(instance.outputs);
}

void copy_values(const Tensor& from, const Tensor& to) {
  for (std::int64_t i = 0; i < from.elems(); ++i) set(to, offset_of(to, i), get(from, offset_of(from, i)));
}

// Multiplies an input so that outputs are about as large as `output`, where they grow with it.
void scale_to(double output, const Tensor& mine, const Trial& best, std::size_t input) {
  if (!is_float(mine.dtype)) return;
  std::vector<Fault> faults;
  std::vector<double> sizes;
  for (const Tensor& t : outputs_of(best.instance, faults))
    for (std::int64_t i = 0; i < t.elems(); ++i)
      if (const double v = std::abs(get(t, i)); v > 0 && std::isfinite(v)) sizes.push_back(v);
  if (sizes.empty()) return;
  std::nth_element(sizes.begin(), sizes.begin() + std::ssize(sizes) / 2, sizes.end());
  const double by = output / sizes[sizes.size() / 2];
  for (std::int64_t i = 0; i < mine.elems(); ++i)
    if (const double v = get(mine, offset_of(mine, i)) * by; can_hold(mine.dtype, v)) set(mine, offset_of(mine, i), v);
  copy_values(mine, best.instance.inputs[input]);
}

// What arithmetic may explain.
struct Bound {
  double relative = 0;            // to an output
  bool is_elementwise = false;    // no other output is larger on the way
  bool tells_infinities = false;  // an infinity is one of a sign, and no NaN
  double digits = 1;              // of its dtype, by which each operation may round
};

// The first element of an output that is further from what it should be than that: several digits where f32 is computed
// in f32, one where a narrower result is rounded at its end.
std::optional<WrongValue> first_wrong(const std::vector<Tensor>& mine, const std::vector<Tensor>& best,
                                      const std::vector<std::vector<Tensor>>& moved, const Bound& by) {
  for (std::size_t o = 0; o < mine.size(); ++o) {
    const Tensor& b = best[o];
    double largest = 0;
    for (std::int64_t i = 0; i < b.elems() && !by.is_elementwise; ++i)
      if (std::isfinite(get(b, i))) largest = std::max(largest, std::abs(get(b, i)));
    const double digit = is_float(b.dtype) ? by.digits * epsilon_of(b.dtype) : 0,
                 rounding = b.dtype == DType::float32 ? 4 : 1;
    for (std::int64_t i = 0; i < b.elems(); ++i) {
      const double got = get(mine[o], i), is = std::isnan(got) ? NAN : got, should = get(b, i);
      if (is == should || std::isnan(should)) continue;
      if (std::isinf(should) && !std::isfinite(is) && !by.tells_infinities) continue;
      double spread = 0;
      for (const std::vector<Tensor>& other : moved)
        spread = get(other[o], i) == should ? spread : std::max(spread, std::abs(get(other[o], i) - should));
      const double bound = std::isinf(should) ? 0
                                              : 16 * spread + by.relative * std::abs(should) +
                                                    rounding * digit * (std::abs(should) + largest);
      if (!std::isfinite(spread) || std::abs(is - should) <= bound) continue;
      if (by.relative > 0.5 && std::isfinite(is)) continue;  // of two terms either may be the larger one
      return WrongValue{
          {fmt::format("{} is {:.9g}, and should be {:.9g}", report::cell_text(b, i), is, should),
           fmt::format("rounding explains a difference of {:.2g}", bound),
           "the chosen trials pass: for which values, signs or heights does the kernel compute something else?"},
          Cell{b.name, i}};
    }
  }
  return std::nullopt;
}

// The outputs after the relation's change of the first input, which leaves room for it: few digits, near 0.
std::optional<WrongValue> broken_relation(const Relation& law, const Trial& mine, const Tensor& x, double relative,
                                          Chance& chance) {
  for (std::int64_t i = 0; i < x.elems(); ++i) set(x, offset_of(x, i), std::round(get(x, offset_of(x, i)) * 32) / 32);
  std::vector<Fault> faults;
  std::vector<Tensor> before = outputs_of(mine.instance, faults);
  const double c = law.plus * static_cast<double>(chance.between(1, 8));
  for (std::int64_t i = 0; i < x.elems(); ++i) set(x, offset_of(x, i), get(x, offset_of(x, i)) * law.times + c);
  const std::vector<Tensor> after = outputs_of(mine.instance, faults);
  for (const Tensor& t : before)
    for (std::int64_t i = 0; i < t.elems(); ++i) set(t, i, get(t, i) * law.outputs);
  // by a power of two nothing is rounded otherwise than it was
  auto found = c == 0 ? first_wrong(after, before, {}, {.digits = 0})
                      : first_wrong(after, before, {}, {.relative = relative + 2 * 0x1p-23 * std::abs(c)});
  if (found) found->finding.fix = fmt::format("{}: what in the kernel breaks this law?", law.law);
  return found;
}

}  // namespace

Values values_of_round(int round) {
  constexpr int kinds = 4, heights = rounds_by_chance / kinds;
  const int kind = round % kinds, depth = round / kinds % heights;
  // Of the heights of one sign each lies in a part of its own of their magnitudes: one is always near the largest, and
  // has no zeros, so that nothing is as large as the height.
  const double height = static_cast<double>(depth + 1) / heights * (kind == 2 ? 1 : -1);
  const bool is_alike = depth == 1;
  if (kind == 0) return {.unit = std::exp2(-depth / 3.0), .is_first_alone = depth == 2};
  if (kind == 1) return {.kind = Values::Kind::all_magnitudes};
  if (is_alike && kind == 3) return {.kind = Values::Kind::all_alike};
  return {.kind = is_alike ? Values::Kind::all_alike : Values::Kind::spread,
          .height = height,
          .has_zeros = depth + 1 < heights};
}

std::vector<Values> values_around(double own) {
  const double size = std::abs(own), root = std::sqrt(size);
  const auto far = [](double unit) {
    return Values{.unit = unit / 200, .height = 3 * unit, .is_exact = true, .has_zeros = false};
  };
  return {{.unit = size / 16, .is_exact = true},
          {.unit = 1 / size / 16, .is_exact = true},
          far(size),
          far(-size),
          far(root),
          far(-root),
          {.output = size}};
}

bool takes_any_values(const problems::Instance& instance) { return !free_inputs(instance).empty(); }

std::optional<WrongValue> random_failure(const Lesson& lesson, const Trial& mine, const Trial& best,
                                         const Values& values, Chance& chance) {
  const std::vector<std::size_t> inputs = free_inputs(mine.instance);
  if (inputs.empty()) return std::nullopt;
  std::vector<Fault> faults;
  for (const std::size_t i : inputs) {
    fill(mine.instance.inputs[i], i, values, lesson.takes_infinities, chance);
    copy_values(mine.instance.inputs[i], best.instance.inputs[i]);
  }
  if (values.output != 0) scale_to(values.output, mine.instance.inputs[inputs.front()], best, inputs.front());
  double largest_input = 0;
  for (const std::size_t i : inputs) {
    const Tensor& t = mine.instance.inputs[i];
    for (std::int64_t e = 0; e < t.elems(); ++e)
      largest_input = std::max(largest_input, std::abs(get(t, offset_of(t, e))));
  }
  const std::vector<Tensor> should = outputs_of(best.instance, faults);
  if (!faults.empty()) return std::nullopt;  // more ops than a run may take
  const std::vector<Tensor> is = outputs_of(
      mine.instance, faults, chance.one_of({cpu::Order::sequential, cpu::Order::reversed, cpu::Order::shuffled}));
  if (!faults.empty())
    return WrongValue{
        at(Finding{faults.front().headline, faults.front().detail, faults.front().fix}, faults.front().site), {}};
  const double relative =
      lesson.exponent_degree > 0 ? 2 * 0x1p-23 * (8 + std::pow(largest_input, lesson.exponent_degree)) : 0;
  const Bound bound{relative, lesson.is_elementwise, lesson.takes_infinities};
  auto found = first_wrong(is, should, {}, bound);
  if (found) {  // how far do the solution's own outputs move?
    std::vector<std::vector<Tensor>> moved;
    for (int n = 0; n < nudges; ++n) {
      for (const std::size_t i : inputs) {
        copy_values(mine.instance.inputs[i], best.instance.inputs[i]);
        nudge(best.instance.inputs[i], chance);
      }
      moved.push_back(outputs_of(best.instance, faults));
    }
    found = first_wrong(is, should, moved, bound);
  }
  for (const Relation& law : lesson.relations)
    if (!found && values.is_near_one() && is_float(mine.instance.inputs[inputs.front()].dtype))  // integers wrap
      found = broken_relation(law, mine, mine.instance.inputs[inputs.front()], relative, chance);
  if (found && found->cell)
    for (const Tensor& t : mine.instance.outputs)
      if (t.name == found->cell->tensor) found->cell->element = offset_of(t, found->cell->element);
  if (found) found->finding.headline = "on values by chance " + found->finding.headline;
  return found;
}

}  // namespace tl::lessons
