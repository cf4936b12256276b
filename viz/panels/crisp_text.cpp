#include "viz/panels/crisp_text.h"

#include <cmath>

namespace tl::viz {

namespace {

// From a to b, onto the pixel in which its middle lies.
void widen(float& a, float& b) {
  if (b - a >= 1 || b <= a) return;
  a = std::floor((a + b) / 2);
  b = a + 1;
}

}  // namespace

void add_text(ImDrawList& list, const ImFont* font, float size, ImVec2 at, ImU32 colour, const char* text) {
  int i = list.VtxBuffer.Size;
  list.AddText(font, size, at, colour, text);
  for (; i + 3 < list.VtxBuffer.Size; i += 4) {  // corners: upper left, upper right, lower right, lower left
    ImDrawVert* const corner = &list.VtxBuffer[i];
    widen(corner[0].pos.x, corner[2].pos.x);
    widen(corner[0].pos.y, corner[2].pos.y);
    corner[1].pos = {corner[2].pos.x, corner[0].pos.y};
    corner[3].pos = {corner[0].pos.x, corner[2].pos.y};
  }
}

}  // namespace tl::viz
