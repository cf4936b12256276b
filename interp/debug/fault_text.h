// A fault for a person: the place, the fact with its values, the source line with a caret, the fix.
#pragma once

#include <string>
#include <string_view>

#include "interp/debug/paint.h"
#include "interp/lang/error.h"

namespace tl::debug {

// out of bounds, race, nan ...
const char* name_of(FaultKind kind);

// kernels/softmax.h:17, however the compiler spelled the path.
std::string place_text(const Site& site);

// A source line with a caret under `column`, `note` beside the caret; the note alone where the line is "" (its text is
// unknown).
std::string caret_text(std::string_view line, int column, const std::string& note, const Paint& paint);

// Lines after the first keep the indent of the first.
std::string indented(const std::string& text, std::size_t indent);

// The fix, told with the line's own name for the offsets where it has one: pass {.mask = offs < 6}.
std::string fix_text(const Fault& fault, std::string_view line);

// kernels/softmax.h:17: tl.load: lane 781 of program 3 is out of bounds
//     auto row = tl.load(input_ptrs);
//                ^ element 3124 of "input", which holds 3124 (4 x 781)
//     fix: pass {.mask = col_offsets < n_cols}
std::string fault_text(const Fault& fault, std::string_view line, const Paint& paint);

}  // namespace tl::debug
