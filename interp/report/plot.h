// A line plot as SVG: axes with units, linear or logarithmic, a legend, colours (Okabe and Ito) and markers that tell
// lines apart without colour too.
#pragma once

#include <string>
#include <vector>

namespace tl::report {

struct Line {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  // p20 and p80 as a band; empty: none
  bool is_dashed = false;         // a peer beside the line before it, in the same colour
};

struct Plot {
  std::string title, subtitle, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Line> lines;
};

std::string svg_of(const Plot& plot);

// Round tick positions that cover [low, high]: 1, 2 or 5 times a power of ten; on a logarithmic axis powers of `base`.
std::vector<double> linear_ticks(double low, double high, int most = 8);
std::vector<double> log_ticks(double low, double high, double base, int most = 10);

}  // namespace tl::report
