// The heads of a program's loops and branches: ops whose results no other op takes, so that they decide what runs next.
#pragma once

#include <optional>

#include "interp/trace/recorded.h"

namespace tl::lessons {

// The first one that ran more often or less often than any of the other program's; empty: none.
std::optional<trace::RecordedSite> other_head(const trace::RecordedProgram& mine, const trace::RecordedProgram& other);

}  // namespace tl::lessons
