// A moment of a recording at which a drawing shows something.
#pragma once

#include <string>

#include "interp/debug/session.h"

namespace tl::viz {

// `program`: 1, '=1,=0', or "": the one that shows most of this panel. Throws Error when none fits.
debug::Moment default_moment(debug::Session& session, const std::string& panel, const std::string& program);

// A program as it is typed, 1 or a condition, as a condition.
std::string condition_of(const std::string& program);
Error no_such_program(const trace::RecordedLaunch& launch, const std::string& program);

}  // namespace tl::viz
