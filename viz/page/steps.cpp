// Moments of a run: where the session stands, what the variables hold, what the debugger says.
#include <algorithm>

#include "interp/debug/show.h"
#include "interp/report/fault_text.h"
#include "viz/page/state.h"
#include "viz/scene/default_moment.h"

namespace tl::page {

namespace {

Json variables_at(debug::Session& s) {
  const debug::ProgramView& view = s.view();
  const std::uint32_t at = s.now().step;
  const auto arguments = s.arguments();
  Json all = Json::array();
  for (const debug::Variable* v : view.locals(at, s.frame())) {
    const auto is_it = [&](const auto& argument) { return argument.first == v->name; };
    if (s.frame() == 0 && v->values.size() < 2 && std::ranges::any_of(arguments, is_it)) continue;  // told below
    Json one = {{"name", v->name}};
    if (const std::int32_t value = view.value_at(*v, at); value >= 0) {
      one["text"] = debug::value_text(s.program(), s.launch(), value);
      one["is_new"] = std::ranges::any_of(v->values, [&](const auto& e) { return e.first == at; });
    }
    all.push_back(std::move(one));
  }
  for (const auto& [name, text] : arguments) all.push_back({{"name", name}, {"text", text}});
  return all;
}

Json moment(debug::Session& s) {
  const std::uint32_t at = s.now().step, steps = s.view().steps();
  Json out = {
      {"program", s.now().program}, {"step", at}, {"steps", steps}, {"id", report::program_text(s.program().id)}};
  if (at < steps) {
    const trace::Step& step = s.view().step(at);
    if (step.site.file >= 0 && s.trace().files[step.site.file] != file) out["file"] = s.trace().files[step.site.file];
    out["line"] = step.site.line;
    out["column"] = step.site.column;
    out["op"] = trace::text_of(step.op);
  }
  if (const trace::RecordedFault* const f = s.fault_here()) {
    out["fault"] = fault_of(f->fault);
    out["line"] = f->fault.site.line;
    if (out["fault"].contains("file")) out["file"] = out["fault"]["file"];
  }
  out["did"] = at > 0 ? debug::steps_text(s, at - 1, at, s.frame(), {}) : "";
  out["variables"] = variables_at(s);
  out["calls"] = Json::array();
  for (const debug::Call& c : s.calls()) out["calls"].push_back({c.line, c.column});
  return out;
}

}  // namespace

Json go(State& state, const Json& q) {
  debug::Session& s = state.ran().debugger->session();
  const auto& programs = s.trace().programs;
  if (q.contains("panel")) s.go(viz::default_moment(s, q["panel"], ""));  // where that picture shows most
  if (q.contains("program")) {
    const auto program = std::min(q["program"].get<std::size_t>(), programs.size() - 1);
    s.go({program, std::min(q.value("step", 0u), static_cast<std::uint32_t>(programs[program].steps.size()))});
  }
  const std::string how = q.value("how", "");
  if (how == "s" || how == "rs") s.step(how == "s");
  if (how == "n" || how == "rn") s.next(how == "n");
  if (how == "c" || how == "rc") s.run(how == "c");
  return moment(s);
}

Json debug(State& state, const Json& q) {
  debug::Debugger& d = *state.ran().debugger;
  const std::string text = d.execute(q.at("line"));
  return {{"text", text}, {"at", moment(d.session())}};
}

}  // namespace tl::page
