// ImGui's look from the drawings' own theme, so that panels and pictures are of one piece.
#pragma once

#include "viz/model/theme.h"

namespace tl::viz {

void apply_style(const Theme& theme, float scale);

}  // namespace tl::viz
