// tilescope export KERNEL --panel chip: the film of a launch, as a page that plays it or as a moment of it.
#pragma once

#include <string>
#include <vector>

#include "interp/run/kernel_case.h"
#include "viz/model/theme.h"

namespace tl::viz {

struct ChipExport {
  run::KernelOptions kernel;
  std::string gpu = "h200", out, extension;  // .svg, .png, .html, .txt; "": the text is printed
  std::int64_t resident = 0;
  std::vector<std::string> compare;  // group_size=1
  std::vector<std::string> set;      // time=500 (thousandths of the launch), sm=17, inside=2
  std::int64_t program = -1;
  Theme theme;
  float width = 1600, height = 1000, scale = 1;
};
int export_chip(const ChipExport& options);

}  // namespace tl::viz
