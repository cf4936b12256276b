// A panel by its name, and whether a run has such a picture.
#pragma once

#include <string>

#include "viz/model/panel.h"

namespace tl::viz {

std::string panel_names();  // offsets, block, ...
// Throws Error that names the nearest panel.
const Panel& panel_of(const std::string& name);
// Throws Error where this run of `kernel` has no such picture: why, and those that it has.
void require_picture(const Panel& panel, Scene& scene, const std::string& kernel);

}  // namespace tl::viz
