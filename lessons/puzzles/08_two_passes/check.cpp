// Puzzle 8: softmax of rows longer than a block, in two passes.
#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/softmax_rows.h"

namespace tl::lessons::two_passes {
namespace {

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            bool on_gpu = false) {
  const SoftmaxRows rows{m, n, bm, bn};
  const Tensor x = rows.input();
  return trial_of(kernel, {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
                           .grid = {problems::cdiv(m, bm)},
                           .inputs = {x},
                           .output = puzzle_output("z", DType::float32, {m, n}),
                           .value = rows.value(x),
                           .tolerance = SoftmaxRows::tolerance(),
                           .allowed_loads = {{"x", 2}},
                           .share = bm * n,
                           .slips = rows.slips(x),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 5, 29, 4, 8), trial(kernel, 4, 32, 4, 16),         trial(kernel, 3, 5, 4, 8),
          trial(kernel, 7, 13, 2, 4), trial(kernel, 13, 300, 4, 64, true), trial(kernel, 1, 1, 1, 4)};
}

}  // namespace

Lesson lesson() {
  return {.folder = "puzzles/08_two_passes",
          .title = "Long softmax, in two passes",
          .kernel = "two_passes_kernel",
          .parameters = "ttiicc",
          .picture = {"", {}, "memory"},
          .timed = {"m=1000", "n=1000", "BM=4", "BN=256"},
          .trials = trials,
          .diagnose = diagnose_puzzle,
          .note_when_passed = "Every element was loaded twice and stored once: largest and sum were found together."};
}

}  // namespace tl::lessons::two_passes
