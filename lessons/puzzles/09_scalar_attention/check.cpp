// Puzzle 9: attention of numbers, by blocks of queries and of keys.
#include <algorithm>
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::scalar_attention {
namespace {

struct Attention {
  Tensor q, k, v;
  std::int64_t n, bm, bn;

  double score(std::int64_t i, std::int64_t j) const { return get(q, i) * get(k, j); }
  double largest(std::int64_t i, std::int64_t end) const {
    double most = -INFINITY;
    for (std::int64_t j = 0; j < end; ++j) most = std::max(most, score(i, j));
    return most;
  }
  // Over blocks of keys, each measured from what `minus` says of its end: the terms, and the terms times v.
  template <class Minus>
  std::pair<double, double> sums(std::int64_t i, Minus minus) const {
    double p = 0, pv = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const double term = std::exp(score(i, j) - minus(std::min(n, (j / bn + 1) * bn)));
      p += term;
      pv += term * get(v, j);
    }
    return {p, pv};
  }
  std::pair<double, double> sums(std::int64_t i) const {
    return sums(i, [most = largest(i, n)](std::int64_t) { return most; });
  }
  std::pair<double, double> unscaled(std::int64_t i) const {  // each block measured from the largest so far
    return sums(i, [&](std::int64_t end) { return largest(i, end); });
  }
  double in_f32(std::int64_t i, double minus) const {  // which holds neither exp(89) nor exp(-104)
    float p = 0, pv = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const float term = std::exp(static_cast<float>(score(i, j) - minus));
      p += term;
      pv += term * static_cast<float>(get(v, j));
    }
    return pv / p;
  }
};

std::vector<Slip> slips_of(const Attention& a) {
  const auto last = (a.n - 1) / a.bn * a.bn, masked = last + a.bn - a.n;
  std::vector<Slip> slips{
      {"exp is given the scores as they are: from 89 on that is more than f32 holds",
       "softmax does not change when the same number is taken from all scores of a query: the largest",
       [=](std::int64_t i) { return a.in_f32(i, 0); }},
      {"where scores lie far below 0, the largest is too large: it begins too high, or lanes beyond the last key hold "
       "0",
       "what loses against any maximum?",
       [=](std::int64_t i) { return a.in_f32(i, std::max(a.largest(i, a.n), 0.0)); }},
      all_nan(),
      {"the largest is that of all queries of the block, not of each query",
       "`tl.max(s, 1_c)` (in Python `tl.max(s, 1)`) goes along the keys and leaves a number a query",
       [=](std::int64_t i) {
         const std::int64_t first = i / a.bm * a.bm;
         double most = first + a.bm > a.n ? 0 : -INFINITY;  // queries beyond the last are 0
         for (std::int64_t r = first; r < std::min(a.n, first + a.bm); ++r) most = std::max(most, a.largest(r, a.n));
         return a.in_f32(i, most);
       }},
      {"z was not divided by the sum of the weights", "acc / sum", [=](std::int64_t i) { return a.sums(i).second; }},
      {"z is the sum of the weights: v does not come into it", "each weight times its v[j]",
       [=](std::int64_t i) { return a.sums(i).first; }},
      {"z is the mean of v: q and k do not come into it", "the weights are softmax of q[i] k[j]", [=](std::int64_t) {
         double all = 0;
         for (std::int64_t j = 0; j < a.n; ++j) all += get(a.v, j);
         return all / static_cast<double>(a.n);
       }}};
  if (last > 0) {
    slips.push_back({"acc was rescaled where the largest score rose, and the sum was not",
                     "both are made of terms measured from the old largest: both times exp(old - new)",
                     [=](std::int64_t i) { return a.sums(i).second / a.unscaled(i).first; }});
    slips.push_back({"the sum was rescaled where the largest score rose, and acc was not",
                     "both are made of terms measured from the old largest: both times exp(old - new)",
                     [=](std::int64_t i) { return a.unscaled(i).second / a.sums(i).first; }});
    slips.push_back({"where the largest score rises, what was summed before is measured from the old one",
                     "exp(s - new) = exp(s - old) exp(old - new): sum and acc so far are to be multiplied by what?",
                     [=](std::int64_t i) { return a.unscaled(i).second / a.unscaled(i).first; }});
  }
  if (masked > 0)
    slips.push_back({"lanes beyond the last key count: their score is 0, and exp(0 - largest) is added to the sum",
                     "a score of -inf weighs nothing: tl.where(j < n, ..., -inf)", [=](std::int64_t i) {
                       const double most = std::max(a.largest(i, a.n), 0.0);
                       const auto [p, pv] = a.sums(i, [&](std::int64_t) { return most; });
                       return pv / (p + static_cast<double>(masked) * std::exp(-most));
                     }});
  return slips;
}

// `is_low`: all scores of a query are negative, down to some thousands.
Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t bm, std::int64_t bn, bool on_gpu = false,
            bool is_low = false) {
  const auto eighths = [=](std::int64_t number) { return small_numbers(12)(number) / 8 - (is_low ? 30 : 0); };
  const Tensor q = puzzle_input("q", DType::float32, {n}, n, small_numbers(100)),
               k = puzzle_input("k", DType::float32, {n}, n + 50, eighths),
               v = puzzle_input("v", DType::float32, {n}, n + 70, small_numbers(40));
  for (std::int64_t i = 0; is_low && i < n; ++i) {
    set(q, i, std::abs(get(q, i)) + 1);
    set(k, i, std::min(get(k, i), -20.0));
  }
  const Attention a{q, k, v, n, bm, bn};
  const std::int64_t programs = problems::cdiv(n, bm);
  std::vector<Slip> slips = slips_of(a);
  if (is_low) slips.erase(slips.begin());  // exp of no such score is too large
  return trial_of(kernel, {.sizes = {{"n", n}, {"BM", bm}, {"BN", bn}},
                           .grid = {programs},
                           .inputs = {q, k, v},
                           .output = puzzle_output("z", DType::float32, {n}),
                           .value = [=](std::int64_t i) { return a.sums(i).second / a.sums(i).first; },
                           .tolerance = {1e-4, 1e-5},  // v of both signs cancel
                           .allowed_loads = {{"k", programs}, {"v", programs}},
                           .share = bm,
                           .slips = std::move(slips),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 21, 4, 8),   trial(kernel, 16, 8, 4),
          trial(kernel, 5, 4, 8),    trial(kernel, 1, 2, 4),
          trial(kernel, 40, 1, 2),   trial(kernel, 150, 32, 16, true),
          trial(kernel, 67, 64, 32), trial(kernel, 45, 8, 16, false, true)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 60), c.block(2, 32), c.block(2, 32));
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/09_scalar_attention",
          .title = "Attention, of numbers",
          .kernel = "scalar_attention_kernel",
          .parameters = "tttticc",
          .picture = {"", {}, "memory"},
          .timed = {"n=1900", "BM=64", "BN=64"},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose_puzzle,
          .exponent_degree = 2,
          .note_when_passed = "n n scores, and none of them was ever in memory: three numbers a query went round."};
}

}  // namespace tl::lessons::scalar_attention
