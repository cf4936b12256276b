// Makes texts legible: small ones grow where they have room, those beyond the edge end in an ellipsis.
#pragma once

#include "viz/model/drawing.h"

namespace tl::viz {

// Words of one row, or of one column that ends at one place, stay alike. A drawing whose marks need more than its width
// becomes wider.
void make_legible(Drawing& drawing);

}  // namespace tl::viz
