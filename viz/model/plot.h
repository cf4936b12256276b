// A line plot: axes with units, linear or logarithmic; colours and marks that tell lines apart without colour too.
#pragma once

#include "interp/report/plot.h"
#include "viz/model/drawing.h"

namespace tl::viz {

Drawing draw_plot(const report::Plot& plot);

// Round tick positions that cover [low, high]: 1, 2 or 5 times a power of ten; on a logarithmic axis powers of `base`.
std::vector<double> linear_ticks(double low, double high, int most = 8);
std::vector<double> log_ticks(double low, double high, double base, int most = 10);

}  // namespace tl::viz
