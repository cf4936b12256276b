// The drawings of a run as SVG, and the machine model's schedule of it.
#include <algorithm>

#include "interp/run/schedule_text.h"
#include "viz/export/export.h"
#include "viz/export/film_page.h"
#include "viz/page/state.h"
#include "viz/scene/film_case.h"
#include "viz/scene/panel_of.h"
#include "viz/scene/scene_case.h"

namespace tl::page {

namespace {

constexpr const char* why_not_compiled = "a page has no CUDA";

viz::ModelRun& model_of(Run& run, const std::string& gpu) {
  if (const auto known = run.models.find(gpu); known != run.models.end()) return known->second;
  const run::Case& c = run.a_case;
  viz::ModelRun made = viz::model_of(*c.problem, c.settings, 0, gpu, {.why_not = why_not_compiled});
  made.plans = viz::line_plans_of(*c.problem, c.settings, 0, gpu);
  return run.models.emplace(gpu, std::move(made)).first->second;
}

viz::Scene scene_of(Run& run) {
  viz::Scene scene{.session = run.debugger->session()};
  scene.findings = run.findings;
  scene.chosen = run.chosen;
  return scene;
}

viz::Theme theme_of(const Json& q) {
  return viz::Theme(viz::theme_named(q.value("theme", "light")).value_or(viz::ThemeName::light));
}

// What a page cannot show: of compiled code, of configs, beside a GPU.
bool is_of_a_page(const viz::Panel& p) {
  return !p.traits.needs_code && !p.traits.needs_tuning && !p.traits.needs_outcomes && p.name != "source";
}

bool needs_model(const viz::Panel& p) { return p.traits.is_modelled || p.traits.shows_sectors || p.name == "grid"; }

// Program, step and line that a shape stands for, by its id: pointing at it lights the text, a click goes there.
Json meanings_of(const viz::Drawing& d) {
  std::map<std::string, Json> all;  // an ordered Json looks through all its names for one
  for (const viz::Shape& s : d.shapes)
    if (!s.id.empty() && (s.about.program >= 0 || s.about.line > 0))
      all[s.id] = {s.about.program, s.about.step, s.about.line};
  return all;
}

}  // namespace

Json panels(State& state) {
  Run& run = state.ran();
  Json all = Json::array();
  for (const viz::Panel& p : viz::panels()) {
    if (!is_of_a_page(p)) continue;
    viz::Scene scene = scene_of(run);
    if (!run.models.empty()) scene.model = &run.models.begin()->second;
    const std::string why =
        p.traits.comes_later && run.models.empty() ? "" : p.missing(scene);  // made when it is asked for
    all.push_back({{"name", p.name}, {"summary", p.summary}, {"missing", why}});
  }
  return all;
}

Json draw(State& state, const Json& q) {
  Run& run = state.ran();
  const viz::Panel& panel = viz::panel_of(q.at("panel"));
  viz::Scene scene = scene_of(run);
  if (q.contains("settings"))
    for (const auto& [name, value] : q["settings"].items()) scene.settings[name] = value;
  if (needs_model(panel)) scene.model = &model_of(run, q.value("gpu", "h200"));
  if (const std::string why = panel.missing(scene); !why.empty()) return {{"missing", why}};
  const viz::Drawing d = viz::draw_fitting(panel, scene, {q.value("width", 900.f), q.value("height", 560.f)});
  const viz::Theme theme = theme_of(q);
  Json controls = Json::array();
  for (const viz::Control& c : d.controls)
    controls.push_back({{"name", c.name},
                        {"label", c.label},
                        {"is_toggle", c.kind == viz::Control::Kind::toggle},
                        {"min", c.min},
                        {"max", c.max},
                        {"value", c.value},
                        {"choices", c.choices}});
  return {{"svg", viz::svg(d, theme)}, {"text", viz::plain_text(d)}, {"controls", controls}, {"about", meanings_of(d)}};
}

Json schedule(State& state, const Json& q) {
  const run::Case& c = state.ran().a_case;
  const run::ScheduleRequest request{.kernel = {}, .gpu = q.value("gpu", "h200"), .why_not_compiled = why_not_compiled};
  const run::ComparedCases one{{run::schedule_case(*c.problem, c.settings, request)}, {"model"}};
  std::string text = run::schedules_text(one, false, report::Paint(), 100);
  text.resize(std::min(text.size(), text.find("\n  simulated in ")));  // how long this took is not of the launch
  return {{"text", text}, {"ms", one.cases.front().launches.front().schedule.model_ms}};
}

Json film(State& state, const Json& q) {
  Run& run = state.ran();
  const std::string gpu = q.value("gpu", "h200");
  auto& film = run.films[gpu];
  if (!film) film = viz::film_of_case(*run.a_case.problem, run.a_case.settings, 0, gpu, {.why_not = why_not_compiled});
  return viz::film::data({&film, 1}, {{"as given"}}, theme_of(q));
}

}  // namespace tl::page
