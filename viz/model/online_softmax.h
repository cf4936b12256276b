// The softmax panel of a row that comes in blocks, whose sum is measured from the largest so far.
#pragma once

#include "viz/model/panel.h"

namespace tl::viz {

bool has_online_softmax(debug::Session& session);  // in the program in focus
Drawing draw_online_softmax(debug::Session& session, const Canvas& canvas);

}  // namespace tl::viz
