// Brings `tilescope export` to the program.
#include "interp/cli/part.h"

#include "viz/cli/export_command.h"

namespace {
const tl::cli::Part part(60, "tilescope export add --panel offsets -o add.svg",
                         "a drawing as SVG, PNG, a page to step through, or text", tl::viz::add_export_command);
}  // namespace
