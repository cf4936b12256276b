// Compares outputs with the double reference, all of them or a sample.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "interp/lang/stop_scope.h"
#include "kernels/problems/problem.h"
#include "kernels/problems/random.h"

namespace tl::problems {
namespace {

std::vector<std::int64_t> sampled(std::int64_t elems, std::int64_t samples, std::size_t output) {
  std::vector<std::int64_t> some(static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < some.size(); ++i)
    some[i] = static_cast<std::int64_t>(random_bits(0x5eed + output, i) % static_cast<std::uint64_t>(elems));
  some.front() = 0;
  some.back() = elems - 1;  // tails are where kernels fail
  std::ranges::sort(some);
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

// NaN agrees with NaN, infinity with the same infinity.
bool agrees(double got, double expected, Tolerance t) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  return std::abs(got - expected) <= t.absolute + t.relative * std::abs(expected);
}

// A maximum that stays NaN once it has met one.
void raise(double& max, double value) {
  if (std::isnan(value) || value > max) max = value;
}

void compare(Verdict& verdict, const Instance& instance, const Tensor& row_major, std::size_t o,
             std::span<const std::int64_t> offsets, Tf32 tf32) {
  end_if_stopped();
  const Tolerance tolerance = instance.tolerances_under(tf32)[o];
  const std::vector<double> expected = instance.reference_at(o, offsets);
  std::vector<double> sum_errors;  // of all, once one disagrees
  const auto sum_error = [&](std::size_t i) {
    if (!instance.sum_errors_at) return 0.0;
    if (sum_errors.empty()) sum_errors = instance.sum_errors_at(o, offsets);
    return i < sum_errors.size() ? sum_errors[i] : 0.0;
  };
  for (std::size_t i = 0; i < expected.size(); ++i) {  // none: this output has no reference
    const double got = get(row_major, offsets[i]);
    // NaN for NaN and an infinity for the same one are no error.
    const bool is_same = got == expected[i] || (std::isnan(got) && std::isnan(expected[i]));
    const double error = is_same ? 0 : std::abs(got - expected[i]);
    raise(verdict.max_abs_error, error);
    if (std::abs(expected[i]) > tolerance.absolute) raise(verdict.max_rel_error, error / std::abs(expected[i]));
    ++verdict.checked;
    if (agrees(got, expected[i], tolerance)) continue;
    if (agrees(got, expected[i], {tolerance.absolute + sum_error(i), tolerance.relative})) continue;
    ++verdict.wrong;
    verdict.ok = false;
    if (verdict.all.size() < 1 << 16) verdict.all.push_back({o, offsets[i], got, expected[i]});
    if (!verdict.first) verdict.first = verdict.all.front();
  }
}

Tensor row_major(const Tensor& t) { return t.storage_elems == t.elems() ? t : packed(t); }

}  // namespace

Verdict check_element(const Instance& instance, std::size_t output, std::int64_t offset, Tf32 tf32) {
  Verdict verdict;
  if (instance.reference_at)
    compare(verdict, instance, row_major(instance.outputs[output]), output, std::span(&offset, 1), tf32);
  return verdict;
}

Verdict check(const Instance& instance, const std::vector<Tensor>& outputs, std::int64_t samples, Tf32 tf32) {
  Verdict verdict;
  if (!instance.reference_at) return verdict;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::int64_t elems = outputs[o].elems();
    const Tensor counted = row_major(outputs[o]);
    if (samples > 0 && samples < elems) {
      compare(verdict, instance, counted, o, sampled(elems, samples, o), tf32);
      continue;
    }
    constexpr std::int64_t chunk = 1 << 20;  // bounds the memory of large outputs
    for (std::int64_t first = 0; first < elems; first += chunk) {
      std::vector<std::int64_t> offsets(static_cast<std::size_t>(std::min(chunk, elems - first)));
      std::iota(offsets.begin(), offsets.end(), first);
      compare(verdict, instance, counted, o, offsets, tf32);
    }
  }
  return verdict;
}

std::int64_t affordable_samples(const Instance& instance) {
  constexpr double affordable_flops = 2e9;
  if (instance.flops <= affordable_flops) return 0;
  std::int64_t elems = 1;
  for (const Tensor& t : instance.outputs) elems = std::max(elems, t.elems());
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(elems) * affordable_flops / instance.flops), 256, 4096);
}

}  // namespace tl::problems
