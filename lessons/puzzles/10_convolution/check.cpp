// Puzzle 10: pictures under a window of weights.
#include <algorithm>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::convolution {
namespace {

struct Pictures {
  std::int64_t batch, h, w, kh, kw;
};

// The sum over the window where x is taken at place(b, row, column) and the weight at weight(p, q).
template <class Place, class Weight>
std::function<double(std::int64_t)> sums(const Pictures& s, Place place, Weight weight) {
  return [=](std::int64_t e) {
    const std::int64_t b = e / (s.h * s.w), i = e / s.w % s.h, j = e % s.w;
    double all = 0;
    for (std::int64_t p = 0; p < s.kh; ++p)
      for (std::int64_t q = 0; q < s.kw; ++q) all += weight(p, q) * place(b, i + p, j + q);
    return all;
  };
}

std::vector<Slip> slips_of(const Pictures& s, const Tensor& x, const Tensor& k) {
  const auto at = [=](std::int64_t b, std::int64_t i, std::int64_t j) {
    return i >= 0 && j >= 0 && i < s.h && j < s.w ? get(x, (b * s.h + i) * s.w + j) : 0.0;
  };
  const auto weight = [=](std::int64_t p, std::int64_t q) { return get(k, p * s.kw + q); };
  std::vector<Slip> slips;
  const auto slip = [&](const char* headline, const char* fix, auto place, auto of) {
    slips.push_back({headline, fix, sums(s, place, of)});
  };
  if (s.batch > 1)
    slip(
        "every picture of z is made of the first one of x", "pictures begin h w elements apart: for x as for z",
        [=](std::int64_t, std::int64_t i, std::int64_t j) { return at(0, i, j); }, weight);
  slip("the window is turned round: the last weight meets x[i, j], which the first should meet",
       "k[p, q] goes with x[i + p, j + q]", at,
       [=](std::int64_t p, std::int64_t q) { return weight(s.kh - 1 - p, s.kw - 1 - q); });
  slip(
      "the window lies around x[i, j]; here it begins there", "rows i to i + kh - 1, columns j to j + kw - 1",
      [=](std::int64_t b, std::int64_t i, std::int64_t j) { return at(b, i - s.kh / 2, j - s.kw / 2); }, weight);
  slip(
      "beyond the edge stands the last row or column again, and should be 0",
      "a lane outside adds nothing: a mask, with `.other = 0` (in Python `other=0`)",
      [=](std::int64_t b, std::int64_t i, std::int64_t j) { return at(b, std::min(i, s.h - 1), std::min(j, s.w - 1)); },
      weight);
  slip("z is x under the first weight alone", "the window has kh kw weights: two loops", at,
       [=](std::int64_t p, std::int64_t q) { return p + q == 0 ? weight(0, 0) : 0.0; });
  slip("only the last weight counts: every step overwrites what the ones before it made", "acc += ...", at,
       [=](std::int64_t p, std::int64_t q) { return p == s.kh - 1 && q == s.kw - 1 ? weight(p, q) : 0.0; });
  slip("z is the plain sum under the window: the weights do not come into it", "k[p, q] times x", at,
       [](std::int64_t, std::int64_t) { return 1.0; });
  slip("every x under the window is taken with the first weight", "k[p, q] is element p kw + q of k", at,
       [=](std::int64_t, std::int64_t) { return weight(0, 0); });
  const auto under = [&](const char* headline, auto place) {  // k[p, q] meets the x there
    slips.push_back({headline, "k[p, q] goes with x[i + p, j + q]", [=](std::int64_t e) {
                       double all = 0;
                       for (std::int64_t p = 0; p < s.kh; ++p)
                         for (std::int64_t q = 0; q < s.kw; ++q)
                           all += weight(p, q) * place(e / (s.h * s.w), e / s.w % s.h, e % s.w, p, q);
                       return all;
                     }});
  };
  under("the window goes up and to the left, x[i - p, j - q]; it should go down and to the right",
        [=](std::int64_t b, std::int64_t i, std::int64_t j, std::int64_t p, std::int64_t q) {
          return at(b, i - p, j - q);
        });
  under("p and q are interchanged: rows of weights go along the columns of x",
        [=](std::int64_t b, std::int64_t i, std::int64_t j, std::int64_t p, std::int64_t q) {
          return at(b, i + q, j + p);
        });
  return slips;
}

Trial trial(const Kernel& kernel, const Pictures& s, std::int64_t bh, std::int64_t bw, bool on_gpu = false) {
  const Tensor x = puzzle_input("x", DType::float32, {s.batch, s.h, s.w}, s.h, wide_number),
               k = puzzle_input("k", DType::float32, {s.kh, s.kw}, s.w + 70, small_numbers(9));
  const std::int64_t down = problems::cdiv(s.h, bh), across = problems::cdiv(s.w, bw);
  Trial t = trial_of(kernel, {.sizes = {{"h", s.h}, {"w", s.w}, {"kh", s.kh}, {"kw", s.kw}, {"BH", bh}, {"BW", bw}},
                              .grid = {down, across, s.batch},
                              .inputs = {x, k},
                              .output = puzzle_output("z", DType::float32, {s.batch, s.h, s.w}),
                              .value = sums(
                                  s,
                                  [=](std::int64_t b, std::int64_t i, std::int64_t j) {
                                    return i < s.h && j < s.w ? get(x, (b * s.h + i) * s.w + j) : 0.0;
                                  },
                                  [=](std::int64_t p, std::int64_t q) { return get(k, p * s.kw + q); }),
                              .allowed_loads = {{"x", s.kh * s.kw}, {"k", down * across * s.batch}},
                              .share = bh * bw,
                              .slips = slips_of(s, x, k),
                              .on_gpu = on_gpu});
  // At the last rows the lower part of the window finds nothing, if they are fewer than it has.
  t.every_access_counts = (s.h - 1) % bh + 1 >= s.kh && (s.w - 1) % bw + 1 >= s.kw;
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {1, 7, 10, 3, 2}, 4, 8), trial(kernel, {3, 7, 7, 2, 3}, 4, 4),
          trial(kernel, {2, 9, 5, 3, 3}, 4, 8),  trial(kernel, {2, 4, 3, 1, 1}, 2, 4),
          trial(kernel, {1, 3, 3, 5, 4}, 4, 4),  trial(kernel, {2, 37, 42, 4, 4}, 16, 32, true)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t kh = c.size(1, 5), kw = c.size(1, 5);
  const Pictures s{c.size(1, 3), kh - 1 + c.size(1, 10), kw - 1 + c.size(1, 10), kh, kw};
  return trial(kernel, s, c.block(2, 8), c.block(2, 8));
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/10_convolution",
          .title = "A window over pictures",
          .kernel = "convolution_kernel",
          .parameters = "tttiiiicc",
          .picture = {"", {}, "memory"},
          .timed = {"batch=4", "h=500", "w=500", "kh=3", "kw=3", "BH=16", "BW=64"},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "of 2 x the sums are twice as large", .times = 2, .outputs = 2}},
          .diagnose = diagnose_puzzle,
          .note_when_passed =
              "Each element of x was loaded once a weight at most, most of them from L1 or L2: "
              "`tilescope learn picture convolution` shows the overlap."};
}

}  // namespace tl::lessons::convolution
