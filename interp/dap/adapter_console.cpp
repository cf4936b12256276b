// What is typed or hovered over: expressions, and in the console the debugger's commands.
#include <fmt/format.h>

#include <algorithm>

#include "interp/dap/adapter.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"

namespace tl::dap {

Elements Adapter::evaluated(const std::string& expression) {
  const debug::ProgramView& view = session().view();
  const std::uint32_t now = session().now().step;
  if (const debug::Variable* const v = view.visible(expression, now, session().frame()))
    if (const std::int32_t value = view.value_at(*v, now); value >= 0)
      return elements_of(expression, view.program().values[static_cast<std::size_t>(value)], session().launch());
  if (auto named = session().resolver()(expression))
    if (auto* const tensor = std::get_if<debug::TensorView>(&*named))
      return elements_of(expression, std::move(*tensor));
  return elements_of(expression, debug::evaluate(expression, session().resolver()));
}

Json Adapter::evaluate(const Json& arguments) {
  const std::string expression = trimmed(text_of(arguments, "expression"));
  const std::int64_t id = integer_of(arguments, "frameId", 0);
  if (id < 0 || id > std::ssize(frames_))
    throw Error(fmt::format("there is no frame {}", id), "ask `stackTrace` again: they end as the kernel moves");
  const debug::Place place = id > 0 ? frames_[static_cast<std::size_t>(id - 1)] : session().place();
  std::optional<Look> look(std::in_place, session(), place);
  const bool is_console = text_of(arguments, "context", "") == "repl";
  try {
    Json result = variable(place, "", {std::make_shared<const Elements>(evaluated(expression)), {}});
    result["result"] = result["value"];
    for (const char* of_variables_alone : {"name", "value", "evaluateName"}) result.erase(of_variables_alone);
    return result;
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {
    const std::string word = expression.substr(0, expression.find_first_of(" /"));
    if (is_console ? !debug::Debugger::knows(word) : !debug::Debugger::only_looks(word)) throw;
    if (!is_console) return console(expression);
  }
  look.reset();
  if (place.now == session().now()) session().set_frame(place.frame);
  return console(expression);
}

// What is no expression is one of the debugger's commands, which may move.
Json Adapter::console(const std::string& line) {
  const debug::Moment before = session().now();
  std::string answer = debugger().execute(line);
  if (debugger().refused()) throw Error(*debugger().refused());
  if (debugger().is_done()) after_ = [this] { end(); };
  else if (session().now() != before)
    after_ = [this] {
      frames_.clear();
      opened_.clear();
      stopped({});
    };
  if (answer.ends_with('\n')) answer.pop_back();
  return {{"result", answer}, {"variablesReference", 0}};
}

Json Adapter::completions(const Json& arguments) {
  const std::string line = text_of(arguments, "text");
  const std::int64_t column = integer_of(arguments, "column", static_cast<std::int64_t>(line.size()) + first_column_);
  const std::string before =
      line.substr(0, static_cast<std::size_t>(std::clamp<std::int64_t>(column - first_column_, 0, std::ssize(line))));
  Json all = Json::array();
  for (const std::string& word : debugger().completions(before)) all.push_back({{"label", word}});
  return {{"targets", all}};
}

}  // namespace tl::dap
