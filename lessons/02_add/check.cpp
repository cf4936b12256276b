// Lesson 2: z[i] = x[i] + y[i]. Masks where the last block sticks out.
#include <fmt/format.h>

#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::add {
namespace {

constexpr double sentinel = 1e6;

// Without padding a lane too far is a fault; with it, a sentinel that is found.
Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t bs, std::int64_t padding, bool is_small,
            bool on_gpu = false) {
  const Tensor x = padded("x", DType::float32, n, padding), y = padded("y", DType::float32, n, padding),
               z = padded("z", DType::float32, n, padding);
  // Small whole numbers, to be read; or such with 18 bits, a fraction among them: f32 holds their sums exactly, f16 and
  // integers do not.
  fill_coded(x, sentinel, [is_small](std::int64_t i) {
    return is_small ? static_cast<double>(i + 1) : static_cast<double>(scrambled(i, 18)) / 8;
  });
  fill_coded(y, sentinel, [is_small](std::int64_t i) {
    return is_small ? 100.0 * static_cast<double>(i + 1) : static_cast<double>(scrambled(i + 5000, 18)) / 8;
  });
  Trial t{.sizes = {{"n", n}, {"bs", bs}}, .share = bs, .on_gpu = on_gpu};
  if (padding > 0) t.sizes.emplace_back("padding", padding);
  t.instance.inputs = {x, y};
  t.instance.outputs = {z};
  t.instance.launches = {kernel.launch(
      {problems::cdiv(n, bs)},
      {TensorArgument{x}, TensorArgument{y}, TensorArgument{z}, problems::integer(n), problems::constant(bs)})};
  t.instance.tolerances = {{0, 0}};  // sums of such numbers are exact in f32
  t.instance.reference_at = problems::reference_by_element([=](std::int64_t i) { return get(x, i) + get(y, i); });
  t.instance = problems::complete(std::move(t.instance));
  t.expect = [n, bs](const Observed& o) -> std::optional<Finding> {
    const auto c = o.count();
    return c.loaded == 2 * n && c.stored == n ? std::nullopt : wrapped_lane(o, {{"x", "y"}, "z", n, bs});
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 10, 4, 0, true),     trial(kernel, 10, 4, 7, false),         trial(kernel, 8, 4, 0, true),
          trial(kernel, 3, 16, 0, false),    trial(kernel, 97, 16, 16, false, true), trial(kernel, 1009, 128, 0, false),
          trial(kernel, 4999, 512, 0, false)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 200), c.block(2, 64), c.size(0, 40), false);
}

std::optional<Finding> diagnose(const Failure& f) {
  return diagnose_blocks(f, {{"x", "y"}, "z", f.trial.size("n"), f.trial.size("bs")});
}

Answer predict() {
  const Demo demo("copy", {"n=10", "block=4"});
  return {std::to_string(demo.observed().count("x").masked_loads), demo.programs_text()};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "0") return "10 is no multiple of 4: three programs have 12 lanes for 10 elements.";
  if (guess == "12") return "Those are all lanes; ten of them find an element.";
  if (guess == "4") return "The last block has four lanes; two of them find an element.";
  if (guess == "6") return "Each program masks what lies beyond the end: only the last block reaches there.";
  if (guess == "10") return "10 lanes do touch memory; the question is how many do not.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "02_add",
      .title = "Add: a mask for the tail",
      .kernel = "add_kernel",
      .parameters = "tttic",
      .picture = {"copy", {"n=10", "block=4"}, "offsets", "=2"},
      .prediction = {{}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .takes_infinities = true,
      .is_elementwise = true,
      .diagnose = diagnose,
      .note_when_passed = "Masked lanes cost no memory traffic: 2n elements were read and n written, to the element."};
}

}  // namespace tl::lessons::add
