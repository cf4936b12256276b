// Puzzle 12: a product whose weights are 4 bits, a scale and a zero.
#include <algorithm>
#include <cmath>

#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::quantized_matmul {
namespace {

struct Sizes {
  std::int64_t m, n, k, bm, bn, g;
};

// What w[i, l] may be made of.
struct Weights {
  Tensor packed, scale, zero;
  std::int64_t k, g;

  std::int64_t word(std::int64_t i, std::int64_t number) const {
    return static_cast<std::int64_t>(get(packed, i * (k / 8) + number)) & 0xffffffff;
  }
  double nibble(std::int64_t i, std::int64_t l) const {
    return static_cast<double>(word(i, l / 8) >> 4 * (l % 8) & 15);
  }
  double scale_of(std::int64_t i, std::int64_t l) const { return get(scale, i * (k / g) + l / g); }
  double zero_of(std::int64_t i, std::int64_t l) const { return get(zero, i * (k / g) + l / g); }
  double value(std::int64_t i, std::int64_t l) const { return scale_of(i, l) * (nibble(i, l) - zero_of(i, l)); }
};

template <class Weight>
std::function<double(std::int64_t)> products(const Tensor& y, const Sizes& s, Weight weight) {
  return [=](std::int64_t e) {
    double all = 0;
    for (std::int64_t l = 0; l < s.k; ++l) all += weight(e / s.n, l) * get(y, l * s.n + e % s.n);
    return all;
  };
}

std::vector<Slip> slips_of(const Weights& w, const Tensor& y, const Sizes& s) {
  using I = std::int64_t;
  std::vector<Slip> slips;
  const auto slip = [&](const char* headline, const char* fix, auto weight) {
    slips.push_back({headline, fix, products(y, s, weight)});
  };
  slip("the zero was not taken away", "scale (nibble - zero)",
       [=](I i, I l) { return w.scale_of(i, l) * w.nibble(i, l); });
  slip("the scale does not come into it", "scale (nibble - zero)",
       [=](I i, I l) { return w.nibble(i, l) - w.zero_of(i, l); });
  slip("the zero is taken away after scaling", "scale (nibble - zero): nibble and zero are numbers of one kind",
       [=](I i, I l) { return w.scale_of(i, l) * w.nibble(i, l) - w.zero_of(i, l); });
  slip("nibbles are taken from the top of a word; the first stands lowest", "packed >> 4 * (l % 8) & 15",
       [=](I i, I l) {
         return w.scale_of(i, l) * (static_cast<double>(w.word(i, l / 8) >> 4 * (7 - l % 8) & 15) - w.zero_of(i, l));
       });
  slip("every one of the eight takes the lowest nibble of its word", "shift by 4 * (l % 8) before & 15",
       [=](I i, I l) { return w.scale_of(i, l) * (static_cast<double>(w.word(i, l / 8) & 15) - w.zero_of(i, l)); });
  slip("nibbles are shifted by l % 8 bits; each has 4", "shift by 4 * (l % 8)", [=](I i, I l) {
    return w.scale_of(i, l) * (static_cast<double>(w.word(i, l / 8) >> (l % 8) & 15) - w.zero_of(i, l));
  });
  slip("a nibble is 0 to 15, and here those from 8 on became negative", "& 15 comes last, after the shift",
       [=](I i, I l) {
         const double v = w.nibble(i, l);
         return w.scale_of(i, l) * ((v > 7 ? v - 16 : v) - w.zero_of(i, l));
       });
  slip("neighbouring columns are taken from neighbouring words; eight neighbours share a word",
       "the axis of the eight nibbles must be the last when it is reshaped: packed(_, _, None)", [=](I i, I l) {
         const I words = s.g / 8, in = l % s.g;
         const double v = static_cast<double>(w.word(i, l / s.g * words + in % words) >> 4 * (in / words) & 15);
         return w.scale_of(i, l) * (v - w.zero_of(i, l));
       });
  if (s.k > s.g) {
    slip("all groups of a row take its first scale", "scale[i, l / G]",
         [=](I i, I l) { return w.scale_of(i, 0) * (w.nibble(i, l) - w.zero_of(i, l)); });
    slip("all groups of a row take its first zero", "zero[i, l / G]",
         [=](I i, I l) { return w.scale_of(i, l) * (w.nibble(i, l) - w.zero_of(i, 0)); });
    slip("only the first group along k counts", "k has k / G groups: a loop",
         [=](I i, I l) { return l < s.g ? w.value(i, l) : 0.0; });
    slip("only the last group along k counts: every step overwrites what the ones before it made",
         "acc = tl.dot(w, y, acc)", [=](I i, I l) { return l >= s.k - s.g ? w.value(i, l) : 0.0; });
  }
  return slips;
}

// A weight has 11 bits, which f16 holds and bf16 does not; sums are exact in f32. `fine_scales`: of 9 bits, which bf16
// does not hold either; nibbles are 1, 2, 4 or 8 then, and zeros 0.
Trial trial(const Kernel& kernel, const Sizes& s, bool on_gpu = false, bool fine_scales = false) {
  const Tensor packed = puzzle_input("packed", DType::int32, {s.m, s.k / 8}, s.m, [=](std::int64_t number) {
    std::uint32_t word = static_cast<std::uint32_t>(number) * 2654435761u;
    if (fine_scales) {
      const std::uint32_t any = word;
      word = 0;
      for (unsigned i = 0; i < 8; ++i) word |= 1u << (4 * i + (any >> (4 * i) & 3));
    }
    return static_cast<double>(static_cast<std::int32_t>(word));
  });
  const Tensor scale = puzzle_input("scale", DType::float16, {s.m, s.k / s.g}, s.n,
                                    [=](std::int64_t number) {
                                      return fine_scales ? static_cast<double>((number & 255) | 257) / 256
                                                         : static_cast<double>((number & 63) | 1) / 16;
                                    }),
               zero = puzzle_input(
                   "zero", DType::int8, {s.m, s.k / s.g}, s.k,
                   [=](std::int64_t number) { return fine_scales ? 0.0 : static_cast<double>((number & 15) - 4); }),
               y = puzzle_input("y", DType::float16, {s.k, s.n}, s.n + 50, small_numbers(30));
  const Weights w{packed, scale, zero, s.k, s.g};
  const std::int64_t down = problems::cdiv(s.m, s.bm), across = problems::cdiv(s.n, s.bn);
  return trial_of(kernel, {.sizes = {{"m", s.m}, {"n", s.n}, {"k", s.k}, {"BM", s.bm}, {"BN", s.bn}, {"G", s.g}},
                           .grid = {down, across},
                           .inputs = {packed, scale, zero, y},
                           .output = puzzle_output("z", DType::float32, {s.m, s.n}),
                           .value = products(y, s, [=](std::int64_t i, std::int64_t l) { return w.value(i, l); }),
                           .allowed_loads = {{"packed", across}, {"scale", across}, {"zero", across}, {"y", down}},
                           .share = s.bm * s.bn,
                           .slips = slips_of(w, y, s),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {3, 5, 16, 4, 4, 16}),           trial(kernel, {6, 4, 64, 4, 4, 16}),
          trial(kernel, {20, 24, 96, 16, 16, 32}, true), trial(kernel, {33, 17, 128, 16, 32, 64}),
          trial(kernel, {1, 1, 112, 2, 2, 16}),          trial(kernel, {5, 3, 32, 4, 4, 16}, false, true)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t g = c.block(16, 32);
  return trial(kernel, {c.size(1, 24), c.size(1, 24), g * c.size(1, 4), c.block(2, 16), c.block(2, 16), g});
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/12_quantized_matmul",
          .title = "Products with weights of four bits",
          .kernel = "quantized_matmul_kernel",
          .parameters = "tttttiiiccc",
          .picture = {"", {}, "memory"},
          .timed = {"m=512", "n=512", "k=512", "BM=64", "BN=64", "G=64"},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose_puzzle,
          .note_when_passed = "A word was loaded once for eight weights: half a byte each where f16 takes two."};
}

}  // namespace tl::lessons::quantized_matmul
