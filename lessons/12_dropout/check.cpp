// Lesson 12: dropout. A random number belongs to an element, not to a program.
#include <fmt/format.h>

#include <cmath>

#include "kernels/problems/build.h"
#include "kernels/reference/philox.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::dropout {
namespace {

double random(std::int64_t seed, std::int64_t counter) {
  return reference::rand(static_cast<std::uint64_t>(seed), static_cast<std::uint32_t>(counter));
}

Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t block, std::int64_t seed, float p, bool on_gpu = false) {
  const Tensor x = puzzle_input("x", DType::float32, {n}, n, wide_number);
  const double kept = 1 - static_cast<double>(p);
  std::vector<Slip> slips;
  const auto slip = [&](const char* headline, const char* fix, auto is_kept, auto value) {
    slips.push_back({headline, fix, [=](std::int64_t i) { return is_kept(i) ? value(get(x, i)) : 0.0; }});
  };
  const auto is_kept = [=](std::int64_t i) { return random(seed, i) > p; };
  const auto value = [=](double v) { return v / kept; };
  if (n > block) {
    slip(
        "every block drops the same lanes: the random numbers do not depend on the program",
        "an element's number comes from its own position: tl.rand(seed, offs)",
        [=](std::int64_t i) { return is_kept(i % block); }, value);
    slip(
        "each program has a seed of its own, so that what is dropped depends on BLOCK",
        "one seed for all, and an element's position: a backward pass with other blocks must drop the same",
        [=](std::int64_t i) { return random(seed + i / block, i % block) > p; }, value);
    slip(
        "a whole block is kept or dropped: its elements share one random number",
        "tl.rand of a block of offsets is a block of numbers", [=](std::int64_t i) { return is_kept(i / block); },
        value);
  }
  slip(
      "what is dropped should be kept, and the other way round", "kept where the random number is above p",
      [=](std::int64_t i) { return !is_kept(i); }, value);
  slip("nothing is dropped", "tl.where(random > p, ..., 0.0)", [](std::int64_t) { return true; }, value);
  slip("what is kept is x as it was: the sum of y is smaller than that of x, by a share of p", "x / (1 - p)", is_kept,
       [](double v) { return v; });
  slip("what is kept is divided by p, and p is the share that is dropped", "x / (1 - p)", is_kept,
       [=](double v) { return v / static_cast<double>(p); });
  slip("what is kept is multiplied by 1 - p: smaller, where it should grow", "x / (1 - p)", is_kept,
       [=](double v) { return v * kept; });
  slip(
      "y is x", "dropped are those whose random number is p at most", [](std::int64_t) { return true; },
      [](double v) { return v; });
  slip(
      "p is compared with 1 - p in mind: the share that is kept is p", "kept where the random number is above p",
      [=](std::int64_t i) { return random(seed, i) > kept; }, value);
  slip(
      "the number is that of the element after this one", "element i takes rand(seed, i)",
      [=](std::int64_t i) { return is_kept(i + 1); }, value);
  return trial_of(kernel, {.sizes = {{"n", n}, {"seed", seed}, {"BLOCK", block}},
                           .floats = {p},
                           .grid = {problems::cdiv(n, block)},
                           .inputs = {x},
                           .output = puzzle_output("y", DType::float32, {n}),
                           .value = [=](std::int64_t i) { return is_kept(i) ? value(get(x, i)) : 0.0; },
                           .tolerance = {0, 4 * 0x1p-23},  // 1 - p is rounded, then the quotient
                           .share = block,
                           .slips = std::move(slips),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 16, 4, 123, 0.5f),
          trial(kernel, 16, 8, 123, 0.5f),
          trial(kernel, 97, 16, 7, 0.25f, true),
          trial(kernel, 300, 64, 2147483647, 0.9f),
          trial(kernel, 65, 32, 0, 0.125f),
          trial(kernel, 40, 8, 5, 0.0f),
          trial(kernel, 33, 16, -5, 0.5f),
          trial(kernel, 4999, 512, 72, 0.3f)};  // more than f16 counts, three of them as near to p as f16 tells
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t n = c.size(1, 300), block = c.block(2, 64), seed = c.between(-0x7fffffff, 0x7fffffff);
  // Half of the time p is an element's own random number, or the one below: that element shows what p itself does.
  const auto own = static_cast<float>(random(seed, c.between(0, n - 1)));
  const float p = c.one_of(
      {own, std::nextafter(own, 0.0f), static_cast<float>(c.real(0, 0.9)), static_cast<float>(c.real(0.9, 0.999))});
  return trial(kernel, n, block, seed, p);
}

std::optional<Finding> diagnose(const Failure& f) {
  if (!f.observed.has_op(trace::Op::store) && f.has_ended())
    return Finding{"the kernel stores nothing",
                   fmt::format("{} programs ran, and y is as it was", f.observed.programs()),
                   "random numbers, what is kept and grows, 0 for the rest, store"};
  return diagnose_puzzle(f);
}

Answer predict() {
  const Demo fours("dropout", {"n=16", "block=4"}), eights("dropout", {"n=16", "block=8"});
  std::string a, b;
  std::int64_t differ = 0;
  for (std::int64_t i = 0; i < 16; ++i) {
    const bool in_fours = fours.output("output", i) != 0, in_eights = eights.output("output", i) != 0;
    a += fmt::format("{}{}", i > 0 && i % 4 == 0 ? " " : "", in_fours ? 'x' : '.');
    b += fmt::format("{}{}", i > 0 && i % 8 == 0 ? " " : "", in_eights ? 'x' : '.');
    differ += in_fours != in_eights;
  }
  return {std::to_string(differ), fmt::format("kept (x) and dropped (.), in blocks of 4: {}\n"
                                              "                          in blocks of 8: {}\n",
                                              a, b)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "8") return "Half would differ by chance, if each run drew its numbers anew. Here they are computed.";
  if (guess == "12" || guess == "4")
    return "So it would be if each program counted its own lanes from 0. The kernel counts elements.";
  if (guess == "16") return "All of them? The seed is the same, and so are the elements' positions.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "12_dropout",
          .title = "Dropout: chance that can be computed again",
          .kernel = "dropout_kernel",
          .parameters = "ttiifc",
          .picture = {"dropout", {"n=16", "block=4"}, "offsets"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "dropout of 2 x is twice that of x", .times = 2, .outputs = 2}},
          .is_elementwise = true,
          .diagnose = diagnose,
          .note_when_passed =
              "n loads, n stores, and no mask in memory: with the seed and an element's position anybody "
              "may compute it again, in other blocks, on another device."};
}

}  // namespace tl::lessons::dropout
