#include "interp/report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::report {

std::string time_text(double ms) {
  if (!std::isfinite(ms)) return "-";
  if (ms > 0 && ms < 1e-6) return fmt::format("{:.2g} ns", ms * 1e6);
  if (ms < 1e-3) return fmt::format("{:.0f} ns", ms * 1e6);
  if (ms < 1) return fmt::format("{} us", rate_text(ms * 1e3));
  if (ms < 1000) return fmt::format("{} ms", rate_text(ms));
  return fmt::format("{} s", rate_text(ms / 1000));
}

std::string rate_text(double v) {
  if (!std::isfinite(v)) return "-";
  if (v == 0) return "0";
  const double a = std::abs(v);
  if (a < 1e-4 || a >= 1e6) return fmt::format("{:.2e}", v);
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(a))), 0, 6);
  return fmt::format("{:.{}f}", v, decimals);
}

std::string error_text(double error) {
  if (std::isnan(error)) return "nan";
  return error == 0 ? "0" : fmt::format("{:.2g}", error);
}

std::string count_text(std::int64_t n) {
  const std::string digits = fmt::format("{}", n < 0 ? -n : n);
  std::string out = n < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string bytes_text(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string percent_text(double share, int digits) { return fmt::format("{:.{}f} %", 100 * share, digits); }

std::string plural(std::int64_t n, const std::string& noun) { return count_text(n) + " " + noun + (n == 1 ? "" : "s"); }

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return NAN;
  std::sort(samples.begin(), samples.end());
  const double at = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
}

Statistics statistics_of(const std::vector<double>& samples) {
  return {static_cast<std::int64_t>(samples.size()), quantile(samples, 0.5), quantile(samples, 0.2),
          quantile(samples, 0.8), quantile(samples, 0)};
}

}  // namespace tl::report
