// One config that was tried: the model's prediction, whether it is right, its measured times.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "interp/machine/limits/roofline.h"
#include "kernels/problems/problem.h"

namespace tl::tune {

inline constexpr int usual_top_k = 10;  // of those that the model ranks: checked and timed

// By the machine model, of all launches together.
struct Prediction {
  double ms = NAN;
  bool is_least = false;  // it takes longer than `ms`, and was followed no further
  std::string why_least;  // what alone takes `ms`; "": it was followed until then, and the rest is not known
  double waves = 0, occupancy = 0, hit_rate = 0;  // of the launch that takes longest
  double dram_bytes = 0;
  double ops = 0;  // that its lanes and dots do
  std::int64_t ctas_per_sm = 0, registers = 0, shared_bytes = 0;
  machine::Cause cause = {};  // of the time, of the launch that takes longest
  std::string spills = {};    // "": none
  bool is_estimate = false;   // its registers and shared memory are
};

struct Trial {
  enum class Standing : unsigned char {
    refused,  // `why` says it
    ranked,   // by the model, too far down to be checked or measured
    behind,   // measured, until it was clearly behind
    tied,     // with the winner: their intervals overlap
    winner
  };
  problems::Config config;
  problems::Settings settings;
  Standing standing = Standing::ranked;
  std::string why = {};  // it was refused
  bool is_checked = false;
  Prediction model = {};
  std::vector<double> samples_ms = {};  // measured; empty: not
  double bytes = 0, flops = 0;

  bool is_refused() const { return standing == Standing::refused; }
  bool is_measured() const { return !samples_ms.empty(); }
  bool spills() const { return !model.spills.empty(); }
  void refuse(std::string reason) {
    standing = Standing::refused;
    why = std::move(reason);
  }
};

// The median of some timings, and where it lies with 95 % confidence: between two of them, as the binomial distribution
// has it (of five or fewer, between the least and the greatest).
struct Interval {
  double median = NAN, low = NAN, high = NAN;
};
Interval interval_of(std::vector<double> samples);

// warps, stages, registers: results do not depend on them, nor do times on the interpreter.
bool is_of_launch(const std::string& setting);

// What limits the model's time, or why the time is a lower bound.
std::string limit_text(const Prediction& model);

// The median that was measured, else the model's time.
double time_of(const Trial& trial);
// Orders by time. The model counts no spills: by its times, trials that spill come last.
bool is_before(const Trial& a, const Trial& b);

}  // namespace tl::tune
