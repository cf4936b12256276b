// Measured points as a table, as CSV, as a plot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/report/plot.h"
#include "interp/run/measure.h"

namespace tl::run {

enum class Metric { gb_per_s, tflop_per_s, ms };

// What the kernels are limited by on any machine of today: TFLOP/s from 16 operations a byte up, else GB/s.
Metric metric_of(const std::vector<Point>& points);

// A row a point; the settings that differ between points are columns.
std::string points_table(const std::vector<Point>& points);
// kernel, device, every setting, median_ms, p20_ms, p80_ms, repetitions, gb_per_s, tflop_per_s, peer, peer_median_ms,
// ratio
std::string points_csv(const std::vector<Point>& points, const std::string& device);
// As it was typed; empty: the point has no such setting.
std::string setting_of(const Point& p, const std::string& name);
// A line a kernel with its p20 to p80 band, its peer dashed; `x` names the swept setting. `others`: swept as well, a
// line for each of their values.
report::Plot points_plot(const std::vector<Point>& points, const std::string& x, bool log_x, Metric metric,
                         const std::string& device, const std::vector<std::string>& others = {});

}  // namespace tl::run
