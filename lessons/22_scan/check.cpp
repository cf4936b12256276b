// Lesson 22: prefix sums in one pass over many blocks: each looks back until it knows what lies before it.
#include <fmt/format.h>

#include <algorithm>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::scan {
namespace {

double sum_of(const Tensor& x, std::int64_t first, std::int64_t end) {
  double sum = 0;
  for (std::int64_t i = std::max<std::int64_t>(0, first); i < end; ++i) sum += get(x, i);
  return sum;
}

std::vector<Slip> slips_of(const Tensor& x, std::int64_t n, std::int64_t block) {
  const auto begin = [block](std::int64_t i) { return i / block * block; };
  std::vector<Slip> slips;
  if (n > block) {
    slips.push_back({"each block is summed by itself, as if nothing lay before it",
                     "look back from block pid - 1 on: how much lies before this block?",
                     [=](std::int64_t i) { return sum_of(x, begin(i), i + 1); }});
    if (n > 2 * block)
      slips.push_back({"only the block just before this one is added, not those before that",
                       "state 1 says that `own` holds one block's sum: take it, and look one block further back",
                       [=](std::int64_t i) { return sum_of(x, begin(i) - block, i + 1); }});
    slips.push_back({"what is added lies before this block, and this block's own sum again",
                     "`before` is what lies before; a block's own part is in its sums already", [=](std::int64_t i) {
                       return sum_of(x, 0, i + 1) + sum_of(x, begin(i), std::min(n, begin(i) + block));
                     }});
  }
  slips.push_back({"y[i] leaves x[i] itself out", "the sum goes up to x[i], and x[i] is in it",
                   [=](std::int64_t i) { return sum_of(x, 0, i); }});
  slips.push_back({"y[i] is the sum of what comes after x[i]", "from the first element to this one",
                   [=](std::int64_t i) { return sum_of(x, i, n); }});
  return slips;
}

Trial trial(const Kernel& kernel, std::int64_t n, std::int64_t block, DType dtype = DType::float32,
            bool on_gpu = false) {
  const Tensor x = puzzle_input("x", dtype, {n}, n, small_numbers(100));
  const std::int64_t blocks = problems::cdiv(n, block);
  Trial t = trial_of(kernel, {.sizes = {{"n", n}, {"BLOCK", block}},
                              .grid = {blocks},
                              .inputs = {x},
                              .output = puzzle_output("y", dtype, {n}),
                              .value = [x](std::int64_t i) { return sum_of(x, 0, i + 1); },
                              .scratch = {puzzle_output("own", dtype, {blocks}), puzzle_output("upto", dtype, {blocks}),
                                          puzzle_output("state", DType::int32, {blocks})},
                              .share = block,
                              .slips = slips_of(x, n, block),
                              .on_gpu = on_gpu});
  t.when_order_matters =
      "in another order a block is found in state 1, its own sum known and no more, or in state 0: what does the loop "
      "take then, and where does it look next?";
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 12, 4), trial(kernel, 13, 4, DType::int32), trial(kernel, 5, 8),
          trial(kernel, 300, 32, DType::float32, true), trial(kernel, 64, 4)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 100), c.block(4, 32), c.one_of({DType::float32, DType::int32}));
}

std::optional<Finding> diagnose(const Failure& f) {
  const auto race = std::ranges::find(f.faults, FaultKind::race, &Fault::kind);
  if (race != f.faults.end() && (race->tensor == "own" || race->tensor == "upto"))
    return at(Finding{fmt::format("a program may load {} before it is stored", race->tensor),
                      race->headline + (race->detail.empty() ? "" : "\n" + race->detail),
                      "first the store, then tl.debug_barrier(), then the state by an atomic; who loads asks the state "
                      "first, by an atomic, too"},
              race->site);
  return diagnose_puzzle(f);
}

// Eight blocks, program after program: what each loads of others' sums.
Answer predict() {
  const Tensor x = make_tensor("x", DType::float32, {32}), y = make_tensor("y", DType::float32, {32}),
               own = make_tensor("own", DType::float32, {8}), upto = make_tensor("upto", DType::float32, {8}),
               state = make_tensor("state", DType::int32, {8});
  for (std::int64_t i = 0; i < 32; ++i) set(x, i, 1);
  problems::fill(state, 0);
  problems::Instance instance;
  instance.launches = {
      launch_of_solution("22_scan", {8},
                         {TensorArgument{x}, TensorArgument{y}, TensorArgument{own}, TensorArgument{upto},
                          TensorArgument{state}, problems::integer(32), problems::constant(4)},
                         {})};
  std::vector<Fault> faults;
  const Observed o = observe(instance, faults);
  report::Table table{.header = {"block", "loads of own", "loads of upto"}};
  const auto owns = o.loads("own"), uptos = o.loads("upto");
  std::int64_t all = 0;
  for (std::size_t b = 0; b < 8; ++b) {
    all += owns[b] + uptos[b];
    table.rows.push_back({std::to_string(b), std::to_string(owns[b]), std::to_string(uptos[b])});
  }
  return {std::to_string(all), "how often each block's sums are loaded by later programs:\n" + table.text(0)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "28")
    return "So many it takes if all look back at once, while only block 0 knows what lies up to its end. Here each "
           "program is done before the next one looks.";
  if (guess == "8") return "Nothing lies before block 0.";
  if (guess == "0") return "Each program needs what lies before its block, and only others know it.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "22_scan",
          .title = "Scan: sums up to here, over many blocks",
          .kernel = "scan_kernel",
          .parameters = "tttttic",
          .picture = {"copy", {"n=32", "block=4"}, "offsets"},
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "scan of 2 x = twice the scan of x", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .note_when_passed =
              "x was loaded once and y stored once: as much traffic as a copy. What programs tell each other is two "
              "numbers a block."};
}

}  // namespace tl::lessons::scan
