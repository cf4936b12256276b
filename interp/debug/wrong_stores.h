// The stores that left the wrong elements of a run.
#pragma once

#include <map>
#include <string>

#include "interp/trace/recorded.h"

namespace tl::debug {

// The last store to each element that is wrong at the end, for a sum's earlier ones are parts of it: with what it
// stores. Throws Error where the case has no reference.
std::map<trace::Moment, std::string> wrong_stores(const trace::RecordedTrace& trace);

}  // namespace tl::debug
