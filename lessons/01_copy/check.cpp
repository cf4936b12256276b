// Lesson 1: z[i] = x[i]. Offsets that depend on the program.
#include <fmt/format.h>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::copy {
namespace {

constexpr double sentinel = -77;

// The first shows x and z as the lesson does, and has no padding. The others hold what no kernel makes up: numbers that
// f16 and f32 cannot hold, too.
Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t bs, std::int64_t padding, int bits,
            bool on_gpu = false) {
  const auto value = [bits](std::int64_t i) { return static_cast<double>(bits == 0 ? i + 1 : scrambled(i, bits)); };
  const Tensor x = padded("x", DType::int32, n, padding), z = padded("z", DType::int32, n, padding);
  fill_coded(x, sentinel, value);
  Trial t{.sizes = {{"n", n}, {"bs", bs}}, .share = bs, .on_gpu = on_gpu};
  t.instance.inputs = {x};
  t.instance.outputs = {z};
  t.instance.launches = {kernel.launch(
      {problems::cdiv(n, bs)}, {TensorArgument{x}, TensorArgument{z}, problems::integer(n), problems::constant(bs)})};
  t.instance.tolerances = {{0, 0}};
  t.instance.reference_at = problems::reference_by_element(value);
  t.instance = problems::complete(std::move(t.instance));
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 6, 2, 0, 0), trial(kernel, 7, 2, 6, 12), trial(kernel, 64, 16, 48, 32),
          trial(kernel, 97, 16, 48, 32, true), trial(kernel, 1, 4, 12, 32), trial(kernel, 1009, 32, 96, 32),
          // positions and programs beyond what f16 and a byte count
          trial(kernel, 4999, 512, 96, 32), trial(kernel, 4301, 2, 6, 32)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 200), c.block(2, 32), c.size(0, 40), 32);
}

std::optional<Finding> diagnose(const Failure& f) {
  return diagnose_blocks(f, {{"x"}, "z", f.trial.size("n"), f.trial.size("bs")});
}

// How many elements of z the lecture's first try gets right.
Answer predict() {
  const Demo demo("copy_wrong_offsets", {"n=6", "block=2"});
  int right = 0;
  for (std::int64_t i = 0; i < 6; ++i) right += demo.output("z", i) == static_cast<double>(i + 1);
  return {std::to_string(right), demo.programs_text() + "\n" + demo.cells_text("z")};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "6")
    return "That is what the kernel is meant to do. Look at offs: does anything in that line differ between the "
           "programs?";
  if (guess == "4") return "Two cells from one block of two: does any program store elsewhere?";
  if (guess == "0") return "Nearly: the programs do copy something, the same block each time.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "01_copy",
      .title = "Copy: every program needs offsets of its own",
      .kernel = "copy_kernel",
      .parameters = "ttic",
      .picture = {"copy_wrong_offsets", {"n=6", "block=2"}, "offsets"},
      .changes_starter = "the lecture's own wrong line is the lesson: it is mended where it stands",
      .prediction = {{"0", "2", "4", "6"}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .diagnose = diagnose,
      .note_when_passed = "Each program now moves a block of its own: nothing is copied twice, nothing is left out."};
}

}  // namespace tl::lessons::copy
