#include "lessons/runner/random_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "interp/report/tensor_text.h"
#include "interp/run/execute.h"
#include "lessons/runner/blocks.h"

namespace tl::lessons {

namespace {

constexpr int kinds = 4, rounds = 3 * kinds, nudges = 4;
constexpr std::int64_t most_elements = 3000;  // of a trial that is run so often

// The distance from 1 to the next number.
double epsilon_of(DType dtype) {
  const Tensor t = make_tensor("one", dtype, {1});
  double e = 1;
  for (;; e /= 2) {
    set(t, 0, 1 + e / 2);
    if (get(t, 0) == 1) return e;
  }
}

// Values near 0, of all magnitudes, or around a height above or below 0; some are 0.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(bits_); }

  void fill(const Tensor& t, int round) {
    const double largest = t.dtype == DType::float32 || t.dtype == DType::bfloat16 ? 24 : size_in_bytes(t.dtype) * 3;
    // Of the heights of one sign each lies in a part of its own of their magnitudes: one is always near the largest.
    const double magnitude = (round / kinds + uniform(0, 1)) / (rounds / kinds);
    const double height = (round % 2 ? -1 : 1) * std::exp2(largest / 2 * (1 + magnitude));
    for (std::int64_t i = 0; i < t.elems(); ++i) {
      double v = 3 * normal_(bits_);
      if (is_integer(t.dtype)) v = std::floor(uniform(-0x1p31, 0x1p31));
      else if (below(16) == 0) v = 0;
      else if (round % kinds == 1) v = std::exp2(uniform(-largest, largest)) * (below(2) ? 1 : -1);
      else if (round % kinds > 1) v += height;
      set(t, offset_of(t, i), v);
    }
  }
  // Each number by its last digit, up or down.
  void nudge(const Tensor& t) {
    if (is_integer(t.dtype)) return;
    const double e = epsilon_of(t.dtype);
    for (std::int64_t i = 0; i < t.elems(); ++i)
      set(t, offset_of(t, i), get(t, offset_of(t, i)) * (1 + (below(2) ? e : -e)));
  }

 private:
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(bits_); }
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
};

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
  faults = run::run_on_cpu(instance, options).faults;
  return packed(instance.outputs);
}

void copy_values(const Tensor& from, const Tensor& to) {
  for (std::int64_t i = 0; i < from.elems(); ++i) set(to, offset_of(to, i), get(from, offset_of(from, i)));
}

// The first element of an output that is further from the solution's than arithmetic explains.
std::optional<Finding> first_wrong(const std::vector<Tensor>& mine, const std::vector<Tensor>& best,
                                   const std::vector<std::vector<Tensor>>& moved, double relative) {
  for (std::size_t o = 0; o < mine.size(); ++o) {
    const Tensor& b = best[o];
    double largest = 0;
    for (std::int64_t i = 0; i < b.elems(); ++i)
      if (std::isfinite(get(b, i))) largest = std::max(largest, std::abs(get(b, i)));
    const double digit = is_float(b.dtype) ? epsilon_of(b.dtype) : 0, rounding = b.dtype == DType::float32 ? 4 : 1;
    for (std::int64_t i = 0; i < b.elems(); ++i) {
      const double got = get(mine[o], i), is = std::isnan(got) ? NAN : got, should = get(b, i);
      if (is == should || (!std::isfinite(should) && !std::isfinite(is))) continue;
      double spread = 0;
      for (const std::vector<Tensor>& other : moved) spread = std::max(spread, std::abs(get(other[o], i) - should));
      const double bound = 16 * spread + relative * std::abs(should) + digit * (rounding * std::abs(should) + largest);
      if (!std::isfinite(should) || !std::isfinite(spread) || std::abs(is - should) <= bound) continue;
      return Finding{
          fmt::format("{} is {:.9g}, and should be {:.9g}", report::cell_text(b, i), is, should),
          fmt::format("rounding explains a difference of {:.2g}", bound),
          "the chosen trials pass: for which values, signs or heights does the kernel compute something else?"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> random_failure(const std::vector<Trial>& mine, const std::vector<Trial>& best,
                                      bool exponentiates, std::uint64_t seed) {
  Chance chance(seed);
  std::vector<std::size_t> small;
  for (std::size_t i = 0; i < std::min(mine.size(), best.size()); ++i) {
    std::int64_t elements = 0;
    for (const auto* all : {&mine[i].instance.inputs, &mine[i].instance.outputs})
      for (const Tensor& t : *all) elements += t.elems();
    if (elements <= most_elements) small.push_back(i);
  }
  if (small.empty()) return std::nullopt;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t number = small[chance.below(small.size())];
    const problems::Instance &my = mine[number].instance, &its = best[number].instance;
    const std::vector<std::size_t> inputs = free_inputs(my);
    if (inputs.empty()) continue;
    double largest_input = 0;
    for (const std::size_t i : inputs) {
      chance.fill(my.inputs[i], round);
      copy_values(my.inputs[i], its.inputs[i]);
      for (std::int64_t e = 0; e < my.inputs[i].elems(); ++e)
        largest_input = std::max(largest_input, std::abs(get(my.inputs[i], offset_of(my.inputs[i], e))));
    }
    std::vector<Fault> faults;
    const std::vector<Tensor> should = outputs_of(its, faults), is = outputs_of(my, faults);
    std::optional<Finding> found;
    if (!faults.empty()) {
      const Fault& f = faults.front();
      found = at(Finding{f.headline, f.detail, f.fix}, f.site);
    } else {
      std::vector<std::vector<Tensor>> moved;
      for (int n = 0; n < nudges; ++n) {
        for (const std::size_t i : inputs) {
          copy_values(my.inputs[i], its.inputs[i]);
          chance.nudge(its.inputs[i]);
        }
        moved.push_back(outputs_of(its, faults));
      }
      found = first_wrong(is, should, moved, exponentiates ? 2 * 0x1p-23 * largest_input : 0);
    }
    if (!found) continue;
    found->headline = fmt::format("values by chance (--seed {}), {}: {}", seed, mine[number].text(), found->headline);
    return found;
  }
  return std::nullopt;
}

}  // namespace tl::lessons
