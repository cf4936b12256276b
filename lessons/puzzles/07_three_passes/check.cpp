// Puzzle 7: softmax of rows longer than a block, in three passes.
#include "lessons/runner/puzzle.h"
#include "lessons/runner/softmax_rows.h"

namespace tl::lessons::three_passes {

Lesson lesson() {
  return {.folder = "puzzles/07_three_passes",
          .title = "Long softmax, in three passes",
          .kernel = "three_passes_kernel",
          .parameters = "ttiicc",
          .picture = {"", {}, "memory"},
          .timed = {"m=1000", "n=1000", "BM=4", "BN=256"},
          .trials = [](const Kernel& kernel) { return softmax_puzzle_trials(kernel, 3); },
          .by_chance = [](const Kernel& kernel, Chance& c) { return softmax_puzzle_by_chance(kernel, 3, c); },
          .relations = {{.law = "softmax(x + c) = softmax(x)", .plus = 16}},
          .diagnose = diagnose_puzzle,
          .exponent_degree = 1,
          .most_work = 4,
          .note_when_passed = "Every element was loaded three times and stored once. The next puzzle saves a third."};
}

}  // namespace tl::lessons::three_passes
