// One session with an editor, from the first message to the last.
#pragma once

#include <iosfwd>

#include "interp/dap/adapter.h"

namespace tl::dap {

// Returns when the client has disconnected.
void serve(std::istream& in, std::ostream& out, Record record, Why why = {});

}  // namespace tl::dap
