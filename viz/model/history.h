// What touched one cell, in order: beneath the memory picture, where the reader chose a cell.
#pragma once

#include "viz/model/moment.h"
#include "viz/model/sheet.h"

namespace tl::viz {

void draw_history(Sheet& sheet, debug::Session& session, const About& cell);

}  // namespace tl::viz
