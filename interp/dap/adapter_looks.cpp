// Looking: programs, calls, variables, tensors.
#include <fmt/format.h>

#include <algorithm>

#include "interp/dap/adapter.h"
#include "interp/debug/fault_text.h"
#include "interp/debug/show.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"

namespace tl::dap {

// A thread is a program, its number one more than the program's in the recording.
Json Adapter::threads(const Json&) {
  const trace::RecordedTrace& t = session().trace();
  Json all = Json::array();
  for (std::size_t p = 0; p < t.programs.size(); ++p) {
    const trace::RecordedProgram& program = t.programs[p];
    const bool is_told = all.size() < debug::most_lines || !program.faults.empty() || p == session().now().program;
    if (!is_told) continue;
    std::string name = "program " + trace::text_of(program.id);
    if (t.launches.size() > 1) name = fmt::format("{} {}", short_name(t.launches[program.launch].kernel), name);
    if (!program.faults.empty()) name += fmt::format(": {}", debug::name_of(program.faults.front().fault.kind));
    all.push_back({{"id", p + 1}, {"name", name}});
  }
  return {{"threads", all}};
}

// Other programs are looked at in the same step, as the debugger's `program` does.
debug::Place Adapter::place_of(std::int64_t thread) {
  const auto& programs = session().trace().programs;
  if (thread < 1 || thread > std::ssize(programs))
    throw Error(fmt::format("there is no thread {}", thread), fmt::format("1 to {}, a program each", programs.size()));
  const auto program = static_cast<std::size_t>(thread - 1);
  if (program == session().now().program) return session().place();
  const auto steps = static_cast<std::uint32_t>(programs[program].steps.size());
  const debug::Moment moment{program, std::min(session().now().step, steps)};
  const int frame = session().view(program).frame_before_calls(moment.step);
  return {moment, frame, frame};
}

Json Adapter::stack_trace(const Json& arguments) {
  debug::Place place = place_of(integer_of(arguments, "threadId"));
  const Look look(session(), place);
  const std::vector<debug::Call> calls = session().calls();
  const auto first = std::max<std::int64_t>(0, integer_of(arguments, "startFrame", 0));
  const std::int64_t levels = integer_of(arguments, "levels", 0);
  Json all = Json::array();
  for (std::int64_t i = first; i < std::ssize(calls) && (levels <= 0 || i < first + levels); ++i) {
    const debug::Call& call = calls[static_cast<std::size_t>(i)];
    const debug::Frame& frame = session().view().frames()[call.frame];
    const debug::SourceModel* const model = session().sources().model(frame.file);
    place.frame = call.frame;
    frames_.push_back(place);
    all.push_back({{"id", frames_.size()},
                   {"name", model && frame.function >= 0 ? model->functions()[frame.function].name
                                                         : short_name(session().launch().kernel)},
                   {"line", call.line > 0 ? call.line - 1 + first_line_ : 0},
                   {"column", call.line > 0 ? call.column - 1 + first_column_ : 0}});
    if (call.file >= 0) all.back()["source"] = source_of(call.file);
  }
  return {{"stackFrames", all}, {"totalFrames", calls.size()}};
}

int Adapter::open(const debug::Place& place, std::variant<Scope, Part> what) {
  opened_.push_back({place, std::move(what)});
  return static_cast<int>(opened_.size());
}

const Adapter::Opened& Adapter::opened(std::int64_t reference) const {
  if (reference < 1 || reference > std::ssize(opened_))
    throw Error(fmt::format("there is no variablesReference {}", reference),
                "ask `scopes` again: they end as the kernel moves");
  return opened_[static_cast<std::size_t>(reference - 1)];
}

Json Adapter::scopes(const Json& arguments) {
  session();
  const std::int64_t id = integer_of(arguments, "frameId");
  if (id < 1 || id > std::ssize(frames_))
    throw Error(fmt::format("there is no frame {}", id), "ask `stackTrace` again: they end as the kernel moves");
  const debug::Place place = frames_[static_cast<std::size_t>(id - 1)];
  const auto scope = [&](const char* name, Scope what) {
    return Json{{"name", name}, {"variablesReference", open(place, what)}, {"expensive", false}};
  };
  Json all{scope("Variables", Scope::variables), scope("Arguments", Scope::arguments),
           scope("Tensors", Scope::tensors)};
  all[0]["presentationHint"] = "locals";
  all[1]["presentationHint"] = "arguments";
  return {{"scopes", all}};
}

Json Adapter::variable(const debug::Place& place, const std::string& name, const Part& part) {
  const Elements& e = *part.whole;
  const std::size_t axis = part.index.size();
  Json result{{"name", name},
              {"value", text_behind(e, part.index)},
              {"type", type_behind(e, part.index)},
              {"variablesReference", 0}};
  if (result["value"] == "") result["value"] = result["type"];
  if (!e.name.empty()) result["evaluateName"] = name_behind(e.name, part.index);
  if (axis < e.shape.size()) {
    result["variablesReference"] = open(place, part);
    result["indexedVariables"] = e.shape[axis];
  }
  return result;
}

Json Adapter::variables(const Json& arguments) {
  session();
  const Opened of = opened(integer_of(arguments, "variablesReference"));  // a copy: opening more moves them
  const Look look(session(), of.place);
  session().memory();  // as it is there
  const std::string filter = text_of(arguments, "filter", "");
  const bool is_part = std::holds_alternative<Part>(of.what);
  if (!filter.empty() && (filter == "indexed") != is_part) return {{"variables", Json::array()}};
  return {{"variables",
           is_part ? elements(of, integer_of(arguments, "start", 0), integer_of(arguments, "count", 0)) : members(of)}};
}

Json Adapter::elements(const Opened& of, std::int64_t start, std::int64_t count) {
  constexpr std::int64_t most = 10'000;  // at once; an editor that pages asks for far less
  const Part& part = std::get<Part>(of.what);
  const std::int64_t n = part.whole->shape[part.index.size()];
  const std::int64_t first = std::clamp<std::int64_t>(start, 0, n);
  const std::int64_t wanted = count > 0 ? std::min(count, n - first) : n - first;
  Json all = Json::array();
  for (std::int64_t i = first; i < first + std::min(wanted, most); ++i) {
    end_if_stopped();
    Part inner = part;
    inner.index.push_back(i);
    all.push_back(variable(of.place, fmt::format("[{}]", i), inner));
  }
  if (wanted > most)
    all.push_back({{"name", "..."},
                   {"value", fmt::format("{} more; x[{}:{}] shows some of them", wanted - most, first + most,
                                         first + most + 100)},
                   {"variablesReference", 0}});
  return all;
}

Json Adapter::members(const Opened& of) {
  const debug::ProgramView& view = session().view();
  const trace::RecordedLaunch& launch = session().launch();
  const std::uint32_t now = session().now().step;
  Json all = Json::array();
  const auto add = [&](const std::string& name, Elements e) {
    all.push_back(variable(of.place, name, {std::make_shared<const Elements>(std::move(e)), {}}));
  };
  switch (std::get<Scope>(of.what)) {
    case Scope::variables:
      for (const debug::Variable* v : view.locals(now, session().frame()))
        if (const std::int32_t value = view.value_at(*v, now); value >= 0)
          add(v->name, elements_of(v->name, view.program().values[static_cast<std::size_t>(value)], launch));
      break;
    case Scope::arguments:
      for (const auto& [name, text] : session().arguments())
        all.push_back({{"name", name}, {"value", text}, {"variablesReference", 0}, {"evaluateName", name}});
      break;
    case Scope::tensors:
      for (const trace::RecordedTensor& t : launch.tensors) {
        try {
          const auto tensor = session().tensor_resolver()(t.name);
          // an expression of that name means the variable, where there is one
          const bool is_hidden = view.visible(t.name, now, session().frame());
          add(t.name, elements_of(is_hidden ? "" : t.name, std::get<debug::TensorView>(tensor.value())));
        } catch (const Stopped&) {
          throw;
        } catch (const Error& e) {
          all.push_back({{"name", t.name}, {"value", fmt::format("({})", e.what())}, {"variablesReference", 0}});
        }
      }
  }
  return all;
}

}  // namespace tl::dap
