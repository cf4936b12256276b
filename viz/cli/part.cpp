// Brings `tilescope export` to the program, and the drawings of `bench --plot` and `schedule --svg`.
#include "interp/cli/part.h"

#include "interp/run/pictures.h"
#include "viz/cli/export_command.h"
#include "viz/export/chrome_trace.h"
#include "viz/export/export.h"
#include "viz/model/plot.h"
#include "viz/model/schedule_picture.h"

namespace {
const tl::cli::Part part(60, "tilescope export add --panel offsets -o add.svg",
                         "a drawing as SVG, PNG, a page to step through, or text", tl::viz::add_export_command);

std::string svg(const tl::viz::Drawing& drawing) { return tl::viz::svg(drawing, tl::viz::Theme()); }
const tl::run::PicturePart pictures(
    {.plot = [](const tl::report::Plot& plot) { return svg(tl::viz::draw_plot(plot)); },
     .schedule =
         [](const tl::machine::Schedule& schedule, const tl::trace::AccessRecord& record, const std::string& kernel,
            const std::string& settings) { return svg(tl::viz::draw_schedule(schedule, record, kernel, settings)); },
     .chrome_trace = tl::viz::chrome_trace});
}  // namespace
