// tilescope export KERNEL --panel NAME -o FILE: one drawing of a run, to a file or as text.
#pragma once

#include "interp/debug/session.h"

namespace CLI {
class App;
}

namespace tl::viz {

void add_export_command(CLI::App& program, int& exit_code);

// A moment at which a panel's drawing shows something. `program`: 1, '=1,=0', or "": the one that shows most. Throws
// Error when none fits.
debug::Moment default_moment(debug::Session& session, const std::string& panel, const std::string& program);

}  // namespace tl::viz
