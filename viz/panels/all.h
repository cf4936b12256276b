// Every view there is: the source, the console, and one for each drawing of viz/model/panel.h.
#pragma once

#include <memory>
#include <vector>

#include "viz/panels/view.h"

namespace tl::viz {

std::vector<std::unique_ptr<View>> make_views();

}  // namespace tl::viz
