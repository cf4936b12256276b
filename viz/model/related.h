// Other things that belong to the thing under the pointer, beyond its shape's own About.
#pragma once

#include <vector>

#include "viz/model/panel.h"

namespace tl::viz {

// For a cell: the programs, steps, lines and lanes that touched it, and of a product's cell the row and the column it
// is made from. For a lane: its cell at this step. For a program or a line: the cells it touches. At most about a
// hundred.
std::vector<About> related_to(Scene& scene, const About& about);

}  // namespace tl::viz
