#include "interp/dap/adapter.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"

namespace tl::dap {

Adapter::Adapter(Record record, Send send, const std::atomic<bool>& stop, Why why)
    : record_(std::move(record)), why_(std::move(why)), send_(std::move(send)), stop_(stop) {}

const std::map<std::string, Adapter::Handler>& Adapter::handlers() {
  using A = Adapter;
  static const std::map<std::string, Handler> all = {
      {"initialize", &A::initialize},
      {"launch", &A::launch},
      {"configurationDone", &A::configuration_done},
      {"terminate", &A::terminate},
      {"disconnect", &A::disconnect},
      {"setBreakpoints", &A::set_breakpoints},
      {"setFunctionBreakpoints", &A::set_function_breakpoints},
      {"setDataBreakpoints", &A::set_data_breakpoints},
      {"setExceptionBreakpoints", &A::set_exception_breakpoints},
      {"dataBreakpointInfo", &A::data_breakpoint_info},
      {"continue", &A::continue_},
      {"reverseContinue", &A::reverse_continue},
      {"next", &A::next},
      {"stepIn", &A::step_in},
      {"stepOut", &A::step_out},
      {"stepBack", &A::step_back},
      {"pause", &A::pause},
      {"exceptionInfo", &A::exception_info},
      {"threads", &A::threads},
      {"stackTrace", &A::stack_trace},
      {"scopes", &A::scopes},
      {"variables", &A::variables},
      {"evaluate", &A::evaluate},
      {"completions", &A::completions},
      {"source", &A::source},
      {"loadedSources", &A::loaded_sources},
  };
  return all;
}

void Adapter::handle(const Json& message) {
  after_ = nullptr;
  const StopScope scope(&stop_);
  try {
    if (text_of(message, "type") != "request") return;  // we ask the client nothing, so that it answers nothing
    respond(message, nullptr, answer(message));
  } catch (const Error& e) {
    return respond(message, &e, {});
  } catch (const std::exception& e) {  // of a library: the session goes on
    const Error error(fmt::format("a mistake in tilescope itself: {}", e.what()), "please report it");
    return respond(message, &error, {});
  }
  try {
    if (after_) after_();
  } catch (const Error& e) {
    say("stderr", whole_text(e) + "\n");
  }
}

Json Adapter::answer(const Json& request) {
  const std::string command = text_of(request, "command");
  integer_of(request, "seq");
  const auto handler = handlers().find(command);
  if (handler == handlers().end())
    throw Error(fmt::format("tilescope has no request \"{}\"", command), "`initialize` tells which it has");
  const Json arguments = request.value("arguments", Json::object());
  if (!arguments.is_object()) throw Error("a request's \"arguments\" are not an object", "{...}");
  return (this->*handler->second)(arguments);
}

void Adapter::respond(const Json& request, const Error* refused, Json body) {
  const auto member = [&](const char* name, Json otherwise) {
    return request.is_object() && request.contains(name) ? request[name] : otherwise;
  };
  Json response{{"type", "response"},
                {"request_seq", member("seq", 0)},
                {"command", member("command", "")},
                {"success", !refused}};
  if (refused) {
    const std::string text = whole_text(*refused);
    response["message"] = text;
    body["error"] = {{"id", 1}, {"format", text}, {"showUser", true}};
  }
  if (!body.is_null() && !body.empty()) response["body"] = std::move(body);
  send_(response);
}

void Adapter::refuse(const Error& damage) {
  respond({}, &damage, {});
  say("stderr", whole_text(damage) + "\n");
}

void Adapter::event(const std::string& name, Json body) {
  Json event{{"type", "event"}, {"event", name}};
  if (!body.empty()) event["body"] = std::move(body);
  send_(event);
}

void Adapter::say(const std::string& category, const std::string& text) {
  if (!text.empty()) event("output", {{"category", category}, {"output", text}});
}

std::string whole_text(const Error& e) {
  return e.fix.empty() ? e.what() : fmt::format("{}\n  fix: {}", e.what(), e.fix);
}

debug::Debugger& Adapter::debugger() {
  if (!debugger_) throw Error("nothing is being debugged", "send `launch` with a \"program\" first");
  return *debugger_;
}

Json Adapter::initialize(const Json& arguments) {
  first_line_ = flag_of(arguments, "linesStartAt1", true) ? 1 : 0;
  first_column_ = flag_of(arguments, "columnsStartAt1", true) ? 1 : 0;
  shows_progress_ = flag_of(arguments, "supportsProgressReporting", false);
  if (text_of(arguments, "pathFormat", "path") != "path")
    throw Error("tilescope knows files by their paths alone", "\"pathFormat\": \"path\"");
  const auto filter = [](const char* name, const char* label, const char* description, bool is_default) {
    return Json{{"filter", name},
                {"label", label},
                {"description", description},
                {"default", is_default},
                {"supportsCondition", true},
                {"conditionDescription", "an expression, or `pid >0`: in these programs alone"}};
  };
  Json body{{"exceptionBreakpointFilters",
             {filter("fault", "Faults", "out of bounds, races, reads of what nobody wrote, and all that fails", true),
              filter("nan", "NaN", "the first op that makes a NaN of none", false),
              filter("mask-empty", "Empty masks", "a load or store whose lanes are all masked off", false),
              filter("wrong", "Wrong values", "the last store to an element that is not what the case expects", false),
              filter("store", "Stores", "every store", false)}}};
  for (const char* can :
       {"supportsConfigurationDoneRequest", "supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers", "supportsStepBack", "supportsSteppingGranularity", "supportsDataBreakpoints",
        "supportsExceptionFilterOptions", "supportsExceptionInfoRequest", "supportsTerminateRequest",
        "supportsCompletionsRequest", "supportsLoadedSourcesRequest", "supportsFunctionBreakpoints"})
    body[can] = true;
  return body;
}

namespace {

// One text or a list of them.
std::vector<std::string> texts_of(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end() || found->is_null()) return {};
  if (found->is_string()) return {found->get<std::string>()};
  std::vector<std::string> result;
  for (const Json& word : list_of(arguments, name)) {
    if (!word.is_string())
      throw Error(fmt::format("\"{}\" holds something that is not a text", name), "[\"n=1000\", \"BLOCK=64\"]");
    result.push_back(word.get<std::string>());
  }
  return result;
}

// Editors add members of their own, so only a misspelled name is reported.
void refuse_misspelt(const Json& arguments) {
  static const std::vector<std::string> names = {"program", "case",      "grid",        "pid",     "seed", "programs",
                                                 "budget",  "stepLimit", "stopOnEntry", "noDebug", "cwd"};
  for (const auto& [name, value] : arguments.items())
    if (const std::string meant = nearest(name, names, 1);
        !meant.empty() && std::ranges::find(names, name) == names.end())
      throw Error(fmt::format("`launch` has no \"{}\"", name), fmt::format("did you mean \"{}\"?", meant));
}

LaunchRequest request_of(const Json& arguments) {
  refuse_misspelt(arguments);
  LaunchRequest result{text_of(arguments, "program"), texts_of(arguments, "case"), {}, text_of(arguments, "cwd", "")};
  if (const auto grid = texts_of(arguments, "grid"); !grid.empty())
    result.options = {"--grid", fmt::format("{}", fmt::join(grid, ", "))};
  for (const auto& [number, option] : {std::pair("seed", "--seed"), std::pair("programs", "--programs"),
                                       std::pair("budget", "--budget"), std::pair("stepLimit", "--step-limit")})
    if (arguments.contains(number))
      result.options.insert(result.options.end(), {option, std::to_string(integer_of(arguments, number))});
  result.condition = text_of(arguments, "pid", "");
  return result;
}

}  // namespace

debug::DebuggerOptions Adapter::debugger_options(const std::string& start) {
  debug::DebuggerOptions options{{}, start, {}};
  if (why_)
    options.why = [this](const std::string& tensor, std::int64_t element) {
      const auto& tensors = session().launch().tensors;
      return why_(request_,
                  trace::cell_name(*std::ranges::find(tensors, tensor, &trace::RecordedTensor::name), element), stop_);
    };
  return options;
}

Json Adapter::launch(const Json& arguments) {
  if (debugger_) throw Error("a kernel is being debugged already", "one session, one `launch`");
  request_ = request_of(arguments);
  stops_on_entry_ = flag_of(arguments, "stopOnEntry", false);
  only_runs_ = flag_of(arguments, "noDebug", false);
  if (shows_progress_)
    event("progressStart", {{"progressId", "recording"}, {"title", "tilescope records " + request_.program}});
  try {
    debugger_.emplace(record_(request_, stop_), debugger_options(text_of(arguments, "pid", "")));
  } catch (const Error& e) {
    if (shows_progress_) event("progressEnd", {{"progressId", "recording"}});
    say("stderr", whole_text(e) + "\n");
    throw;
  }
  if (shows_progress_) event("progressEnd", {{"progressId", "recording"}});
  after_ = [this] {
    say("console", debugger().greeting());
    event("initialized");
  };
  return {};
}

Json Adapter::configuration_done(const Json&) {
  session();
  after_ = [this] {
    if (only_runs_) {
      session().stop_at_faults(false);
      session().breakpoints().clear();
      carry_out([](debug::Session& s) { return s.run(true); });
    } else if (stops_on_entry_) {
      event("stopped", {{"reason", "entry"}, {"threadId", session().now().program + 1}, {"allThreadsStopped", true}});
    } else {
      carry_out([](debug::Session& s) { return s.begin(); });
    }
  };
  return {};
}

int Adapter::exit_code() {
  for (const trace::RecordedProgram& p : session().trace().programs)
    if (!p.faults.empty()) return 1;
  return 0;
}

void Adapter::end() {
  if (debugger_) event("exited", {{"exitCode", exit_code()}});
  event("terminated");
}

Json Adapter::terminate(const Json&) {
  after_ = [this] { end(); };
  return {};
}

Json Adapter::disconnect(const Json&) {
  is_done_ = true;
  return {};
}

}  // namespace tl::dap
