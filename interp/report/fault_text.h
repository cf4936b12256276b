// Faults and errors for a person: the place, the fact with its values, the source line with a caret, the fix.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interp/lang/error.h"
#include "interp/report/terminal.h"

namespace tl::report {

// kernel.h:17: tl.load: lane 781 of program 3 is out of bounds
//     auto row = tl.load(input_ptrs);
//                ^ element 3124 of "input", which holds 3124 (4 x 781)
//     fix: pass {.mask = col_offsets < n_cols}
std::string fault_text(const Fault& fault, Paint paint = {});
nlohmann::ordered_json fault_json(const Fault& fault);

// The source line at a place with a caret under its column, `note` beside the caret; empty when the text is unknown.
std::string caret_text(const Site& site, const std::string& note, Paint paint = {});

// kernels/softmax.h:17, however the compiler spelled the path.
std::string place_text(const Site& site);
// 3, or (2, 0) and (2, 0, 1) where the grid has more axes than one.
std::string program_text(ProgramId id, int axes = 0);
// tilescope: there is no kernel "softmx"
//   fix: did you mean softmax?
std::string error_report(const std::string& fact, const std::string& fix, Paint paint = {});

}  // namespace tl::report
