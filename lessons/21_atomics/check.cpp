// Lesson 21: atomics and order. What programs change together needs an order: a lost update, a lock, a semaphore.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::atomics {
namespace {

double value_of(std::int64_t number, std::int64_t block, int spread) {
  const auto v = static_cast<double>((number & 0x3ff) - 511);
  return spread == 0 ? v : std::ldexp(v, static_cast<int>(block * 7 % 3) * spread);
}

// A block's own sum is exact. `spread`: how many bits lie between the blocks' magnitudes; from 8 on the sum of blocks
// is rounded, so that each order has its own.
Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t block, int spread, bool on_gpu = false) {
  const Tensor x = puzzle_input("x", DType::float32, {n}, n, [](std::int64_t) { return 0.0; });
  for (std::int64_t i = 0; i < n; ++i) set(x, i, value_of(scrambled(i + 1000 * n, 20), i / block, spread));
  const auto in_order = [=](std::int64_t first, std::int64_t blocks) {
    float total = 0;
    for (std::int64_t b = first; b < first + blocks; ++b) {
      double part = 0;
      for (std::int64_t i = b * block; i < std::min(n, (b + 1) * block); ++i) part += get(x, i);
      total += static_cast<float>(part);
    }
    return static_cast<double>(total);
  };
  const std::int64_t blocks = problems::cdiv(n, block);
  std::vector<Slip> slips;
  if (blocks > 1) {
    slips.push_back({"total holds the last block's sum alone", "what was there before belongs to it: load, add, store",
                     [=](std::int64_t) { return in_order(blocks - 1, 1); }});
    slips.push_back({"total holds the first block's sum alone", "every program adds its own when it is its turn",
                     [=](std::int64_t) { return in_order(0, 1); }});
  }
  Trial t = trial_of(kernel, {.sizes = {{"n", n}, {"BLOCK", block}},
                              .grid = {blocks},
                              .inputs = {x},
                              .sums = {{puzzle_output("total", DType::float32, {1}), blocks,
                                        [=](std::int64_t) { return in_order(0, blocks); }}},
                              .scratch = {puzzle_output("turn", DType::int32, {1})},
                              .slips = std::move(slips),
                              .on_gpu = on_gpu});
  t.when_order_matters =
      "a sum of floats is rounded after every addition, so that another order gives another sum: let each program wait "
      "until turn is its own number";
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 12, 4, 0),  trial(kernel, 13, 4, 0),          trial(kernel, 5, 8, 0),
          trial(kernel, 40, 8, 12), trial(kernel, 300, 32, 14, true), trial(kernel, 64, 4, 9)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 100), c.block(4, 32), static_cast<int>(c.between(0, 14)));
}

std::optional<Finding> diagnose(const Failure& f) {
  const auto race = std::ranges::find(f.faults, FaultKind::race, &Fault::kind);
  if (race != f.faults.end() && race->tensor == "total")
    return at(Finding{"two programs may change total at the same time, and one addition is lost",
                      race->headline + (race->detail.empty() ? "" : "\n" + race->detail),
                      f.observed.has_op(trace::Op::atomic_cas) || f.observed.has_op(trace::Op::atomic_add)
                          ? "between the store and the word to the next program: does the store come first for all "
                            "threads, tl.debug_barrier(), and does the atomic release it?"
                          : "from the load to the store no other program may come between: wait for a turn"},
              race->site);
  return diagnose_puzzle(f);
}

// Two programs that load, add and store: all orders of their four accesses that keep each program's own.
Answer predict() {
  report::Table table{.header = {"order", "total"}};
  std::int64_t right = 0, orders = 0;
  for (int choice = 0; choice < 16; ++choice) {  // bit i: who takes step i
    if (__builtin_popcount(static_cast<unsigned>(choice)) != 2) continue;
    double total = 0, held[2] = {0, 0};
    int step[2] = {0, 0};
    std::string order;
    for (int i = 0; i < 4; ++i) {
      const int who = choice >> i & 1;
      order += fmt::format("{}{} {}", i ? ", " : "", who, step[who] ? "stores" : "loads");
      if (step[who]++ == 0) held[who] = total;
      else total = held[who] + (who ? 20 : 1);
    }
    ++orders;
    right += total == 21;
    table.rows.push_back({order, fmt::format("{:g}", total)});
  }
  return {std::to_string(right),
          fmt::format("program 0 adds 1, program 1 adds 20; {} orders:\n{}", orders, table.text(0))};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "6") return "That are all orders. In most of them both load before either stores.";
  if (guess == "1") return "Either program may be the first one: that is two.";
  if (guess == "4") return "Those are the ones that lose an addition.";
  if (guess == "3") return "One program must be done, load and store, before the other one begins.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "21_atomics",
          .title = "Atomics and order: whose turn it is",
          .kernel = "ordered_sum_kernel",
          .parameters = "tttic",
          .picture = {"sum", {"n=64", "block=16"}, "offsets"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "sum of 2 x = 2 sum of x", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .note_when_passed =
              "The same bits in every order of programs. It has its price: additions wait for each other, and the last "
              "program for all of them. Do the long part, the block's own sum, before the wait."};
}

}  // namespace tl::lessons::atomics
