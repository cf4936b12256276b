// Brings drawings to a program that asks interp/run for them: `bench --plot`, `schedule --svg`, Python's.
#include "interp/run/pictures.h"

#include "viz/export/chrome_trace.h"
#include "viz/export/export.h"
#include "viz/model/panel.h"
#include "viz/model/plot.h"
#include "viz/model/schedule_picture.h"
#include "viz/scene/default_moment.h"
#include "viz/scene/panel_of.h"

namespace {

std::string svg(const tl::viz::Drawing& drawing) { return tl::viz::svg(drawing, tl::viz::Theme()); }

std::string panel(tl::debug::Session& session, const std::string& name, std::optional<tl::debug::Moment> at) {
  const tl::viz::Panel& panel = tl::viz::panel_of(name);
  tl::viz::Scene scene{.session = session};
  session.go(at ? *at : tl::viz::default_moment(session, name, ""));
  tl::viz::require_picture(panel, scene, session.launch().kernel);
  return svg(panel.draw(scene, {}));
}

const tl::run::PicturePart pictures(
    {.plot = [](const tl::report::Plot& plot) { return svg(tl::viz::draw_plot(plot)); },
     .schedule =
         [](const tl::machine::Schedule& schedule, const tl::trace::AccessRecord& record, const std::string& kernel,
            const std::string& settings) { return svg(tl::viz::draw_schedule(schedule, record, kernel, settings)); },
     .chrome_trace = tl::viz::chrome_trace,
     .panel = panel});

}  // namespace
