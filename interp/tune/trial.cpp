#include "interp/tune/trial.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "interp/report/numbers.h"

namespace tl::tune {

Interval interval_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  const auto n = static_cast<std::int64_t>(samples.size());
  // The share of medians below the k-th of n: the greatest k that leaves 2.5 % on each side. By logarithms, since of a
  // thousand samples the first shares are below what a double holds.
  std::int64_t k = 0;
  double log_share = -static_cast<double>(n) * std::numbers::ln2, below = std::exp(log_share);
  while (true) {
    log_share += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    if (below + std::exp(log_share) > 0.025) break;
    below += std::exp(log_share);
    ++k;
  }
  return {report::quantile(samples, 0.5), samples[static_cast<std::size_t>(k)],
          samples[static_cast<std::size_t>(n - 1 - k)]};
}

bool is_of_launch(const std::string& setting) {
  return setting == "warps" || setting == "stages" || setting == "registers";
}

std::string limit_text(const Prediction& m) {
  if (!m.is_least) return m.cause.limit;
  return m.why_least.empty() ? "not followed further" : m.why_least + " alone";
}

double time_of(const Trial& trial) {
  return trial.is_measured() ? interval_of(trial.samples_ms).median : trial.model.ms;
}

bool is_before(const Trial& a, const Trial& b) {
  const auto spills = [](const Trial& t) { return !t.is_measured() && t.spills(); };
  return spills(a) != spills(b) ? spills(b) : time_of(a) < time_of(b);
}

}  // namespace tl::tune
