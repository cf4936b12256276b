#include "lessons/runner/softmax_rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace {

// A row as a program sees it: from its first block to its last.
struct Row {
  const Tensor& x;
  std::int64_t begin, cols, block;

  double at(std::int64_t j) const { return get(x, begin + j); }
  std::int64_t blocks() const { return problems::cdiv(cols, block); }
  std::int64_t end_of(std::int64_t b) const { return std::min(cols, (b + 1) * block); }
  double largest(std::int64_t first, std::int64_t end) const {
    double most = -INFINITY;
    for (std::int64_t j = first; j < end; ++j) most = std::max(most, at(j));
    return most;
  }
  double largest() const { return largest(0, cols); }
  // As f32 has it, which holds neither exp(89) nor exp(-104).
  float term(std::int64_t j, double minus) const { return std::exp(static_cast<float>(at(j) - minus)); }
  float sum(std::int64_t first, std::int64_t end, double minus) const {
    float all = 0;
    for (std::int64_t j = first; j < end; ++j) all += term(j, minus);
    return all;
  }
  double quotient(std::int64_t j, double minus) const { return term(j, minus) / sum(0, cols, minus); }
};

// What may stand in z instead, of rows of this shape in x.
struct Slipped {
  SoftmaxRows shape;
  Tensor x;

  Row row(std::int64_t i) const { return {x, i * x.strides[0], shape.cols, shape.block_cols}; }
  std::int64_t last_block() const { return (shape.cols - 1) / shape.block_cols * shape.block_cols; }
  template <class Value>
  auto of_row(Value value) const {
    return [*this, value](std::int64_t e) { return value(row(e / shape.cols), e % shape.cols); };
  }
  template <class Sum>
  auto over(Sum sum) const {  // exp(x - largest) over another sum
    return of_row([sum](const Row& r, std::int64_t j) { return static_cast<double>(r.term(j, r.largest()) / sum(r)); });
  }

  std::vector<Slip> by_formula() const;
  std::vector<Slip> by_origin() const;  // what terms are measured from
  std::vector<Slip> by_step() const;    // from block to block
  Slip by_masked_lanes(std::int64_t masked) const;
};

std::vector<Slip> Slipped::by_formula() const {
  return {{"exp is given x as it is: from 89 on that is more than f32 holds, and below -104 it is 0",
           "softmax does not change when the row's largest is taken from every element: exp(x - largest)",
           of_row([](const Row& r, std::int64_t j) { return r.quotient(j, 0); })},
          {"z is exp(x - largest), and was not divided by the row's sum", "... / sum",
           over([](const Row&) { return 1.0f; })},
          {"exp(x - largest) was multiplied by the row's sum, and should be divided by it", "... / sum",
           of_row([](const Row& r, std::int64_t j) {
             return static_cast<double>(r.term(j, r.largest()) * r.sum(0, r.cols, r.largest()));
           })},
          {"the powers are of 2, not of e", "tl.exp", of_row([](const Row& r, std::int64_t j) {
             double all = 0;
             for (std::int64_t i = 0; i < r.cols; ++i) all += std::exp2(r.at(i) - r.largest());
             return std::exp2(r.at(j) - r.largest()) / all;
           })},
          {"z is the logarithm of softmax", "exp(x - largest) / sum, without a log",
           of_row([](const Row& r, std::int64_t j) {
             return r.at(j) - r.largest() - std::log(r.sum(0, r.cols, r.largest()));
           })},
          {"the largest is that of all rows of the block, not of each row",
           "`tl.max(x, 1_c)` (in Python `tl.max(x, 1)`) goes along the columns and leaves a number a row",
           [*this](std::int64_t e) {
             const std::int64_t i = e / shape.cols, first = i / shape.block_rows * shape.block_rows;
             double most = -INFINITY;
             for (std::int64_t r = first; r < std::min(shape.rows, first + shape.block_rows); ++r)
               most = std::max(most, row(r).largest());
             return row(i).quotient(e % shape.cols, most);
           }}};
}

std::vector<Slip> Slipped::by_origin() const {
  return {
      {"where a row lies far below 0, the largest is too large: it begins too high, or masked lanes hold 0; all exp "
       "are 0",
       "what loses against any maximum?",
       of_row([](const Row& r, std::int64_t j) { return r.quotient(j, std::max(r.largest(), 0.0)); })},
      {"the sum is of exp(x), and the quotients are of exp(x - largest)",
       "both are measured from one number: the row's largest", over([](const Row& r) { return r.sum(0, r.cols, 0); })},
      {"the sum is of exp(x - largest), and the quotients are of exp(x)",
       "both are measured from one number: the row's largest", of_row([](const Row& r, std::int64_t j) {
         return static_cast<double>(r.term(j, 0) / r.sum(0, r.cols, r.largest()));
       })},
      {"the block's own terms were multiplied by the factor as well",
       "they are measured from the new largest already: the factor is for the earlier sum", over([](const Row& r) {
         float all = 0;
         for (std::int64_t b = 0; b < r.blocks(); ++b) {
           const double next = r.largest(0, r.end_of(b));
           all += r.sum(b * r.block, r.end_of(b), next);
           all *= std::exp(static_cast<float>(r.largest(0, b * r.block) - next));
         }
         return all;
       })}};
}

std::vector<Slip> Slipped::by_step() const {
  const std::int64_t last = last_block();
  return {
      {"the sum is of the last block of each row alone: every step overwrites what the others made",
       "the sum goes on from step to step", over([last](const Row& r) { return r.sum(last, r.cols, r.largest()); })},
      {"the sum is of the first block of each row alone",
       "a row may have more than one block: does the loop go over all of them?",
       over([](const Row& r) { return r.sum(0, r.block, r.largest()); })},
      {"where the maximum rises, what was summed before is measured from the old one and counts too much",
       "exp(x - new) = exp(x - old) exp(old - new): what must the sum so far be multiplied by?", over([](const Row& r) {
         float all = 0;
         for (std::int64_t b = 0; b < r.blocks(); ++b)
           all += r.sum(b * r.block, r.end_of(b), r.largest(0, r.end_of(b)));
         return all;
       })},
      {"each block's terms are measured from the largest before it: -inf in the first round",
       "the largest so far, this block's elements among them, comes first: then exp(x - largest)",
       over([](const Row& r) {
         float all = 0;
         for (std::int64_t b = 0; b < r.blocks(); ++b) {
           const double old = r.largest(0, b * r.block), next = r.largest(0, r.end_of(b));
           all = all * std::exp(static_cast<float>(old - next)) + r.sum(b * r.block, r.end_of(b), old);
         }
         return all;
       })},
      {"each block's terms are measured from the block's own largest, and added up as if they were not",
       "terms of one sum are measured from one number: the largest so far", over([](const Row& r) {
         float all = 0;
         for (std::int64_t b = 0; b < r.blocks(); ++b)
           all += r.sum(b * r.block, r.end_of(b), r.largest(b * r.block, r.end_of(b)));
         return all;
       })},
      {"the largest is that of the last block alone: other elements of the row may be larger, and overflow",
       "the maximum goes on from step to step: tl.maximum(largest, ...)",
       of_row([last](const Row& r, std::int64_t j) { return r.quotient(j, r.largest(last, r.cols)); })},
      {"the largest is that of the first block alone: later elements may be larger, and overflow",
       "a row may have more than one block: does the loop go over all of them?",
       of_row([](const Row& r, std::int64_t j) { return r.quotient(j, r.largest(0, r.block)); })}};
}

Slip Slipped::by_masked_lanes(std::int64_t masked) const {
  return {
      "the lanes beyond a row's end hold 0 and count: in the maximum, where they win against negative "
      "rows, and in the sum",
      "what must a masked lane hold, so that it loses against any maximum and exp of it is 0?",
      of_row([masked](const Row& r, std::int64_t j) {
        const double most = std::max(r.largest(), 0.0);
        const float zeros = static_cast<float>(masked) * std::exp(static_cast<float>(-most));
        return static_cast<double>(r.term(j, most) / (r.sum(0, r.cols, most) + zeros));
      })};
}

}  // namespace

Tensor SoftmaxRows::input() const {
  const Tensor x = padding > 0 ? padded("x", DType::float32, rows, cols, cols + padding)
                               : puzzle_output("x", DType::float32, {rows, cols});
  static constexpr double near[] = {0, -25, -115, 40, -105, 7}, far[] = {0, 300, -300, 40, -1000, 7};
  fill_coded(x, 1e30, [this](std::int64_t e) {
    const std::int64_t i = e / cols, j = e % cols, kind = i % 6;
    const double noise = static_cast<double>(scrambled(e, 16) & 2047) / 256;
    const double block = static_cast<double>(j / block_cols);
    double v = (is_far ? far : near)[kind] - noise;
    if (kind == 0 || kind == 3) v += 3 * block;  // a maximum that rises from block to block
    if (kind == 1 && j == 1) v += 150;           // the others are far below the first block's
    if (kind == 2 && j == cols - 1) v += 150;    // and here below the last's
    if (kind == 4) v -= 3 * block;               // falls: the first block has it
    return v;
  });
  return x;
}

std::function<double(std::int64_t)> SoftmaxRows::value(const Tensor& x) const {
  std::vector<double> exponents;  // of each row: the logarithm of its sum
  for (std::int64_t i = 0; i < rows; ++i) {
    const Row row{x, i * x.strides[0], cols, block_cols};
    const double largest = row.largest();
    double sum = 0;
    for (std::int64_t j = 0; j < cols; ++j) sum += std::exp(row.at(j) - largest);
    exponents.push_back(largest + std::log(sum));
  }
  return [x, exponents, n = cols](std::int64_t e) {
    return std::exp(get(x, e / n * x.strides[0] + e % n) - exponents[static_cast<std::size_t>(e / n)]);
  };
}

std::vector<Slip> SoftmaxRows::slips(const Tensor& x) const {
  const Slipped slipped{*this, x};
  std::vector<Slip> slips = slipped.by_formula();
  const auto add = [&slips](const std::vector<Slip>& more) { slips.insert(slips.end(), more.begin(), more.end()); };
  add({all_nan()});
  add(slipped.by_origin());
  if (slipped.last_block() > 0) add(slipped.by_step());
  if (const std::int64_t masked = slipped.last_block() + block_cols - cols; masked > 0)
    add({slipped.by_masked_lanes(masked)});
  return slips;
}

namespace {

struct PuzzleSizes {
  std::int64_t m, n, bm, bn;
};

Trial puzzle_trial(const Kernel& kernel, int loads, const PuzzleSizes& s, bool on_gpu = false, bool is_far = false) {
  const SoftmaxRows rows{s.m, s.n, s.bm, s.bn, 0, is_far};
  const Tensor x = rows.input();
  return trial_of(kernel, {.sizes = {{"m", s.m}, {"n", s.n}, {"BM", s.bm}, {"BN", s.bn}},
                           .grid = {problems::cdiv(s.m, s.bm)},
                           .inputs = {x},
                           .output = puzzle_output("z", DType::float32, {s.m, s.n}),
                           .value = rows.value(x),
                           .tolerance = rows.tolerance(),
                           .allowed_loads = {{"x", loads}},
                           .share = s.bm * s.n,
                           .slips = rows.slips(x),
                           .on_gpu = on_gpu});
}

}  // namespace

std::vector<Trial> softmax_puzzle_trials(const Kernel& k, int loads) {
  return {puzzle_trial(k, loads, {5, 29, 4, 8}, false, true),
          puzzle_trial(k, loads, {4, 32, 4, 16}),
          puzzle_trial(k, loads, {3, 5, 4, 8}),
          puzzle_trial(k, loads, {7, 13, 2, 4}),
          puzzle_trial(k, loads, {13, 300, 4, 64}, true),
          puzzle_trial(k, loads, {1, 1, 1, 4})};
}

Trial softmax_puzzle_by_chance(const Kernel& kernel, int loads, Chance& c) {
  return puzzle_trial(kernel, loads, {c.size(1, 12), c.size(1, 100), c.block(2, 8), c.block(4, 32)}, false,
                      c.between(0, 1) == 1);
}

}  // namespace tl::lessons
