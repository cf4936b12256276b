// tilescope view, in a program that was built without its window: says so, and how to get it.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "interp/cli/part.h"
#include "interp/lang/error.h"

namespace tl::viz {
namespace {

void add_view_command(CLI::App& program, int&) {
  auto* command = program.add_subcommand("view", "the window: this program was built without it");
  command->allow_extras();
  command->callback([] {
    throw Error(
        "this program was built without its window",
        "install libimgui-dev, libglfw3-dev and libgl-dev, then configure with -DTILESCOPE_WINDOW=ON (`make`, not the "
        "headless preset); without a window, `tilescope debug KERNEL` steps in the terminal and `tilescope export "
        "KERNEL --panel order -o F.html` draws into a file");
  });
}

const cli::Part part(20, "tilescope view softmax", "the window: not in this build; it says how to get it",
                     add_view_command);

}  // namespace
}  // namespace tl::viz
