// Where in the text an access stands: g++ gives the ops of a generic lambda's statement one location, the text tells
// them apart.
#pragma once

#include <vector>

#include "interp/machine/access/coalescing.h"
#include "interp/trace/access_record.h"

namespace tl::run {

struct TextLocation {
  int line = 0, column = 0;
};
std::vector<TextLocation> text_locations_of(const std::vector<machine::LineKey>& keys,
                                            const trace::AccessRecord& record);

}  // namespace tl::run
