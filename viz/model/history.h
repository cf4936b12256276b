// The accesses of one cell in order, shown beneath the memory picture when the reader has chosen a cell.
#pragma once

#include "viz/model/moment.h"
#include "viz/model/sheet.h"

namespace tl::viz {

void draw_history(Sheet& sheet, debug::Session& session, const About& cell);

}  // namespace tl::viz
