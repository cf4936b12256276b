// Lesson 20: what a profiler says. A right kernel that other things limit than memory does, one behind the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/lang/error.h"
#include "interp/machine/limits/roofline.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/run/schedule_case.h"
#include "interp/trace/access_builder.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/score.h"

namespace tl::lessons::profiler {
namespace {

struct Need {
  std::string resource;
  double us = 0;  // all SMs at work
};

std::vector<Need> needs_of(const machine::Roofline& roofline) {
  std::vector<Need> needs;
  for (const machine::ResourceTime& r : roofline.resources) needs.push_back({r.resource, r.work / r.rate * 1e6});
  std::ranges::stable_sort(needs, std::ranges::greater{}, &Need::us);
  return needs;
}

std::string table_text(const std::vector<Need>& needs) {
  report::Table table{.header = {"resource", "time"}, .left = {0}};
  for (const Need& n : needs) table.rows.push_back({n.resource, report::time_text(n.us / 1000)});
  return table.text(0);
}

std::vector<Need> needs_of(const Launch& launch, const Observed& o) {
  const machine::Device device = machine::find_device("h200");
  const run::Model model =
      run::model_of(launch, trace::accesses_of(o.trace()), device, {.why_not = "a lesson's kernel"});
  return needs_of(run::figures_of(model, device).roofline);
}

// Sectors beyond those that the bytes need, then units that take longer than DRAM does.
std::optional<Finding> other_limit(const problems::Instance& instance, const Observed& o) {
  const auto figures = figures_of(instance, o);
  const auto sectors = std::ranges::find(figures, "sectors", &NamedCount::first);
  const auto bytes = std::ranges::find(figures, "bytes of DRAM", &NamedCount::first);
  std::vector<Need> needs;
  try {
    needs = needs_of(instance.launches.front(), o);
  } catch (const Error&) {  // what the model cannot follow is not judged
    return std::nullopt;
  }
  const auto dram = std::ranges::find(needs, "DRAM", &Need::resource);
  if (dram != needs.end() && needs.front().us > 1.05 * dram->us)
    return Finding{fmt::format("the numbers are right, but {} takes {:.1f} times as long as DRAM",
                               needs.front().resource, needs.front().us / dram->us),
                   "by the model of an H200, all SMs at work:\n" + table_text(needs),
                   "which line asks so much of it? `tilescope roofline` of your file, `tilescope compile --sass`"};
  if (sectors != figures.end() && sectors->second * 32 > bytes->second * 5 / 4)
    return at(Finding{fmt::format("the numbers are right, but requests take {} sectors, and {} hold all there is",
                                  sectors->second, bytes->second / 32),
                      "arithmetic is no limit any more; sectors are asked for more than once, each time for a part",
                      "do the lanes of one load take all of a sector? `tilescope coalesce`"},
              o.first_site("x", false));
  return std::nullopt;
}

double gelu(double x) { return x / 2 * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t bm, std::int64_t bn,
            bool is_judged = false) {
  const Tensor x = puzzle_input("x", DType::float32, {m, n}, m, [](std::int64_t number) {
    return number % 31 == 7 ? 20.0 * (number % 2 ? 1 : -1) : static_cast<double>((number & 1023) - 512) / 128;
  });
  std::vector<Slip> slips;
  const auto slip = [&](const char* headline, const char* fix, auto f) {
    slips.push_back({headline, fix, [=](std::int64_t e) { return f(get(x, e)); }});
  };
  slip("t is tanh of twice the number", "tanh(u) = 1 - 2 / (exp(2 u) + 1)",
       [](double v) { return v / 2 * (1 + std::tanh(2 * 0.7978845608 * (v + 0.044715 * v * v * v))); });
  slip("t is tanh of half the number", "tanh(u) = 1 - 2 / (exp(2 u) + 1)",
       [](double v) { return v / 2 * (1 + std::tanh(0.5 * 0.7978845608 * (v + 0.044715 * v * v * v))); });
  slip("x is squared where its third power belongs", "x * x * x",
       [](double v) { return v / 2 * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v))); });
  slip("y is half of x times t: the 1 of 1 + t is missing", "0.5 * x * (1.0 + t)",
       [](double v) { return v / 2 * std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)); });
  slip("y is x times the sigmoid of x, which is near gelu and not it", "0.5 * x * (1.0 + t)",
       [](double v) { return v / (1 + std::exp(-v)); });
  slip("y is x times the sigmoid of 1.702 x, which is near gelu and not it", "0.5 * x * (1.0 + t)",
       [](double v) { return v / (1 + std::exp(-1.702 * v)); });
  slip("y is gelu by erf, and this is the one by tanh", "0.5 * x * (1.0 + t)",
       [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0))); });
  slip("y is twice as large: the half is missing", "0.5 * x * (1.0 + t)", [](double v) { return 2 * gelu(v); });
  Trial t = trial_of(kernel, {.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}},
                              .grid = {problems::cdiv(m, bm), problems::cdiv(n, bn)},
                              .inputs = {x},
                              .output = puzzle_output("y", DType::float32, {m, n}),
                              .value = [=](std::int64_t e) { return gelu(get(x, e)); },
                              .tolerance = {2e-6, 1e-5},
                              .share = bm * bn,
                              .slips = std::move(slips),
                              .on_gpu = is_judged});
  if (is_judged) t.expect = [instance = t.instance](const Observed& o) { return other_limit(instance, o); };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 4, 8, 4, 4), trial(kernel, 37, 53, 16, 16), trial(kernel, 64, 256, 32, 32, true),
          trial(kernel, 1, 1, 4, 4), trial(kernel, 20, 300, 8, 64)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, c.size(1, 30), c.size(1, 60), c.block(4, 16), c.block(4, 16));
}

std::optional<Finding> diagnose(const Failure& f) {
  if (f.first && std::isnan(f.first->got) &&
      f.observed.last_writer("y", offset_of(f.trial.instance.outputs.front(), f.first->offset))) {
    const Tensor& x = f.trial.instance.inputs.front();
    return at(Finding{fmt::format("y[{}, {}] is nan, of x = {:g}", f.first->offset / x.shape[1],
                                  f.first->offset % x.shape[1], get(x, f.first->offset)),
                      "exp of more than 88 is inf in f32, and inf / inf is nan",
                      "tanh(u) = 1 - 2 / (exp(2 u) + 1): what is that where exp(2 u) is inf, where it is 0?"},
              f.observed.first_site("y", true));
  }
  return diagnose_puzzle(f);
}

// A kernel of the program's own, and what the model says bounds it.
Answer predict() {
  const auto scheduled = run::schedule_case({.kernel = {.kernel = "dropout", .settings = {"n=1048576"}}});
  const auto needs = needs_of(scheduled.launches.front().roofline);
  return {needs.front().resource,
          "tilescope roofline dropout n=1048576, by the model of an H200, were no SM idle at the end:\n" +
              table_text(needs)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "DRAM") return "Eight bytes an element; but each element's random number takes ten rounds of Philox.";
  if (guess == "special functions") return "There is no exp, no root and no sine in it.";
  if (guess == "instruction issue")
    return "It comes next: some fifty instructions an element. Twenty of them multiply integers to 64 bits, and these "
           "keep their units busy four times as long as a product of floats does.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "20_profiler",
          .title = "Profiler: what limits a kernel",
          .kernel = "gelu_kernel",
          .parameters = "ttiicc",
          .picture = {"dropout", {"n=1000000"}, "limits"},
          .changes_starter = "its starter's slow lines give way to others",
          .prediction = {{"DRAM", "FP32 units", "instruction issue", "special functions"}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose,
          .note_when_passed =
              "Memory limits it, as it should: each byte is moved once, in whole sectors, and all else "
              "waits for that."};
}

}  // namespace tl::lessons::profiler
