#include "lessons/runner/random_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/report/tensor_text.h"
#include "interp/run/execute.h"
#include "lessons/runner/blocks.h"

namespace tl::lessons {

namespace {

constexpr int kinds = 4, heights = rounds_by_chance / kinds, nudges = 4;

// The distance from 1 to the next number.
double epsilon_of(DType dtype) {
  const Tensor t = make_tensor("one", dtype, {1});
  double e = 1;
  for (;; e /= 2) {
    set(t, 0, 1 + e / 2);
    if (get(t, 0) == 1) return e;
  }
}

// Values near 0, the nearer the later the round; of all magnitudes; or around a height above or below 0. Some are 0,
// some stand in the kernel's text.
void fill(const Tensor& t, int round, bool takes_infinities, Chance& chance) {
  const double largest = t.dtype == DType::float32 || t.dtype == DType::bfloat16 ? 24 : size_in_bytes(t.dtype) * 3;
  // Of the heights of one sign each lies in a part of its own of their magnitudes: one is always near the largest.
  const double magnitude = (round / kinds + chance.real(0.8, 1)) / heights;
  const double unit = std::exp2(-largest / 3 * (round / kinds));
  const double own = chance.own().empty()
                         ? 0
                         : chance.own()[static_cast<std::size_t>(chance.between(0, std::ssize(chance.own()) - 1))];
  const auto can_hold = [&](double v) {
    return v != 0 && 2 * std::abs(v) <= (is_integer(t.dtype) ? 0x1p31 : std::exp2(largest));
  };
  const double height =
      (round % 2 ? -1 : 1) *
      (round < kinds && can_hold(own) ? 1.5 * std::abs(own) : std::exp2(largest / 2 * (1 + magnitude)));
  const bool has_zeros = round % kinds < 2 || round / kinds + 1 < heights;  // else nothing is as large as the height
  const auto sign = [&chance] { return chance.between(0, 1) ? 1.0 : -1.0; };
  for (std::int64_t i = 0; i < t.elems(); ++i) {
    double v = 3 * chance.normal() * (round % kinds == 0 ? unit : 1);
    if (is_integer(t.dtype)) v = std::floor(chance.real(-0x1p31, 0x1p31));
    else if (has_zeros && chance.between(0, 15) == 0) v = 0;
    else if (takes_infinities && chance.between(0, 31) == 0) v = sign() * INFINITY;
    else if (round % kinds == 1) v = std::exp2(chance.real(-largest, largest)) * sign();
    else if (round % kinds > 1) v += height;
    if (round % kinds < 2 && can_hold(own) && chance.between(0, 7) == 0) v = own * sign();
    set(t, offset_of(t, i), v);
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

std::vector<Tensor> outputs_of(const problems::Instance& instance, std::vector<Fault>& faults) {
  instance.reset();
  cpu::RunOptions options;
  options.op_limit = 200'000;
  options.order = cpu::Order::sequential;  // threads would take longer to wake than so few programs to run
  faults = run::run_on_cpu(instance, options).faults;
  return packed(instance.outputs);
}

void copy_values(const Tensor& from, const Tensor& to) {
  for (std::int64_t i = 0; i < from.elems(); ++i) set(to, offset_of(to, i), get(from, offset_of(from, i)));
}

// The first element of an output that is further from what it should be than arithmetic explains. `digits`: of its
// dtype, by which each operation may round:
// several where f32 is computed in f32, one where a narrower result is rounded at its end.
std::optional<Finding> first_wrong(const std::vector<Tensor>& mine, const std::vector<Tensor>& best,
                                   const std::vector<std::vector<Tensor>>& moved, double relative, bool is_elementwise,
                                   double digits = 1) {
  for (std::size_t o = 0; o < mine.size(); ++o) {
    const Tensor& b = best[o];
    double largest = 0;
    for (std::int64_t i = 0; i < b.elems() && !is_elementwise; ++i)
      if (std::isfinite(get(b, i))) largest = std::max(largest, std::abs(get(b, i)));
    const double digit = is_float(b.dtype) ? digits * epsilon_of(b.dtype) : 0,
                 rounding = b.dtype == DType::float32 ? 4 : 1;
    for (std::int64_t i = 0; i < b.elems(); ++i) {
      const double got = get(mine[o], i), is = std::isnan(got) ? NAN : got, should = get(b, i);
      if (is == should || (!std::isfinite(should) && !std::isfinite(is))) continue;
      double spread = 0;
      for (const std::vector<Tensor>& other : moved)
        spread = get(other[o], i) == should ? spread : std::max(spread, std::abs(get(other[o], i) - should));
      const double bound = std::isinf(should) ? 0
                                              : 16 * spread + relative * std::abs(should) +
                                                    rounding * digit * (std::abs(should) + largest);
      if (std::isnan(should) || !std::isfinite(spread) || std::abs(is - should) <= bound) continue;
      if (relative > 0.5 && std::isfinite(is)) continue;  // of two terms either may be the larger one
      return Finding{
          fmt::format("{} is {:.9g}, and should be {:.9g}", report::cell_text(b, i), is, should),
          fmt::format("rounding explains a difference of {:.2g}", bound),
          "the chosen trials pass: for which values, signs or heights does the kernel compute something else?"};
    }
  }
  return std::nullopt;
}

// The outputs after the relation's change of the first input, which leaves room for it: few digits, near 0.
std::optional<Finding> broken_relation(const Relation& law, const Trial& mine, const Tensor& x, double relative,
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
  auto found = c == 0 ? first_wrong(after, before, {}, 0, false, 0)
                      : first_wrong(after, before, {}, relative + 2 * 0x1p-23 * std::abs(c), false);
  if (found) found->fix = fmt::format("{}: what in the kernel breaks this law?", law.law);
  return found;
}

}  // namespace

bool takes_any_values(const problems::Instance& instance) { return !free_inputs(instance).empty(); }

std::optional<Finding> random_failure(const Lesson& lesson, const Trial& mine, const Trial& best, int round,
                                      Chance& chance) {
  const std::vector<std::size_t> inputs = free_inputs(mine.instance);
  if (inputs.empty()) return std::nullopt;
  double largest_input = 0;
  for (const std::size_t i : inputs) {
    const Tensor &my = mine.instance.inputs[i], &its = best.instance.inputs[i];
    fill(my, round, lesson.takes_infinities, chance);
    copy_values(my, its);
    for (std::int64_t e = 0; e < my.elems(); ++e)
      largest_input = std::max(largest_input, std::abs(get(my, offset_of(my, e))));
  }
  std::vector<Fault> faults;
  const std::vector<Tensor> should = outputs_of(best.instance, faults);
  if (!faults.empty()) return std::nullopt;  // more ops than a run may take
  const std::vector<Tensor> is = outputs_of(mine.instance, faults);
  if (!faults.empty())
    return at(Finding{faults.front().headline, faults.front().detail, faults.front().fix}, faults.front().site);
  std::vector<std::vector<Tensor>> moved;
  for (int n = 0; n < nudges; ++n) {
    for (const std::size_t i : inputs) {
      copy_values(mine.instance.inputs[i], best.instance.inputs[i]);
      nudge(best.instance.inputs[i], chance);
    }
    moved.push_back(outputs_of(best.instance, faults));
  }
  const double relative =
      lesson.exponent_degree > 0 ? 2 * 0x1p-23 * (8 + std::pow(largest_input, lesson.exponent_degree)) : 0;
  auto found = first_wrong(is, should, moved, relative, lesson.is_elementwise);
  for (const Relation& law : lesson.relations)
    if (!found && round == 0 && is_float(mine.instance.inputs[inputs.front()].dtype))  // integers wrap
      found = broken_relation(law, mine, mine.instance.inputs[inputs.front()], relative, chance);
  if (found) found->headline = "on values by chance " + found->headline;
  return found;
}

}  // namespace tl::lessons
