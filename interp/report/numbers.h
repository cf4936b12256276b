// Numbers as people read them, and statistics of timings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl::report {

std::string time_text(double ms);      // 850 ns, 12.3 us, 4.56 ms, 1.23 s
std::string rate_text(double value);   // three significant digits, no exponent below a million: 0.0312, 4.35, 128, 4350
std::string error_text(double error);  // 0, 3.1e-05, nan
std::string count_text(std::int64_t n);                       // 16777216 -> 16,777,216
std::string bytes_text(double bytes);                         // 1.5 KiB, 64 MiB
std::string percent_text(double share, int digits = 0);       // 0.905 -> 91 %; with one digit 90.5 %
std::string plural(std::int64_t n, const std::string& noun);  // 1 program, 2,000 programs

struct Statistics {
  std::int64_t count = 0;
  double median = 0, p20 = 0, p80 = 0, min = 0;
};
// Quantiles by linear interpolation between order statistics (Hyndman and Fan's type 7, NumPy's default).
double quantile(std::vector<double> samples, double q);
Statistics statistics_of(const std::vector<double>& samples);

}  // namespace tl::report
