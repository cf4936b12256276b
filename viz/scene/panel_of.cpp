#include "viz/scene/panel_of.h"

#include <fmt/format.h>

#include <vector>

#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::viz {

std::string panel_names() {
  std::string out;
  for (const Panel& p : panels()) out += (out.empty() ? "" : ", ") + p.name;
  return out;
}

const Panel& panel_of(const std::string& name) {
  if (const Panel* const p = find_panel(name)) return *p;
  std::vector<std::string> names;
  for (const Panel& p : panels()) names.push_back(p.name);
  const std::string guess = nearest(name, names);
  throw Error(fmt::format("there is no panel \"{}\"", name),
              guess.empty() ? "the panels: " + panel_names()
                            : fmt::format("did you mean {}? The panels: {}", guess, panel_names()));
}

void require_picture(const Panel& panel, Scene& scene, const std::string& kernel) {
  const std::string why = panel.missing(scene);
  if (why.empty()) return;
  std::string has;
  for (const Panel& p : panels())
    if (p.missing(scene).empty()) has += (has.empty() ? "" : ", ") + p.name;
  throw Error(fmt::format("{} has no {} picture: {}", kernel, panel.name, why),
              (panel.traits.is_modelled ? "among others it has: " : "it has: ") + has);
}

}  // namespace tl::viz
