// A line plot as data: what it shows, not how it looks.
#pragma once

#include <string>
#include <vector>

namespace tl::report {

struct Line {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  // p20 and p80 as a band; empty: none
  bool is_dots = false;           // points, none connected
  bool is_dashed = false;         // a peer beside the line before it, in the same colour
};

struct Plot {
  std::string title, subtitle, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Line> lines;
};

}  // namespace tl::report
