// Text in a size for which its font was not rasterized.
#pragma once

#include <imgui.h>

namespace tl::viz {

// A glyph is a scaled quad: one of less than a pixel, a minus or a point, would fall between pixels. It is widened to
// one.
void add_text(ImDrawList& list, const ImFont* font, float size, ImVec2 at, ImU32 colour, const char* text);

}  // namespace tl::viz
