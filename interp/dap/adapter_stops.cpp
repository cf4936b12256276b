// Where a run stops: lines, cells of tensors, faults and other events.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interp/dap/adapter.h"
#include "interp/debug/stop_words.h"
#include "interp/debug/syntax.h"
#include "interp/debug/text_place.h"

namespace tl::dap {

using debug::BreakKind;
using debug::Breakpoint;

namespace {

// The 37 of [37].
std::int64_t number_in(const std::string& name) {
  std::int64_t number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + name.starts_with('['), last, number);
  if (error != std::errc{} || last - end > 1) throw Error(fmt::format("there is no element {}", name), "[37]");
  return number;
}

template <class Parse>
bool is_read_by(const Parse& parse, const std::string& text) {
  try {
    parse(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// `any(offs > 100)`, `pid >0,=1`, or the one and then the other.
void set_condition(Breakpoint& b, const std::string& text) {
  constexpr std::string_view pid = "pid ";
  const bool is_of_programs = text.starts_with(pid) && is_read_by(PidCondition::parse, text.substr(pid.size()));
  if (text.empty() || (!is_of_programs && is_read_by([](const std::string& t) { debug::parse(t); }, text))) {
    b.condition = text;
    return;
  }
  const debug::StopWords words = debug::parse_stop(text);
  if (!words.location.empty()) debug::parse(words.location);  // says what is wrong with it
  b.condition = words.location.empty() ? words.condition : words.location;
  b.pid = words.pid;
}

// The first n - 1 are passed.
void set_hit(Breakpoint& b, const std::string& text) {
  if (text.empty()) return;
  std::int64_t hit = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, hit);
  if (error != std::errc{} || end != last || hit < 1)
    throw Error(fmt::format("'{}' is not a hit count", text), "5: from the fifth time on");
  b.ignore = hit - 1;
}

}  // namespace

void Adapter::forget_stops(std::vector<int>& numbers) {
  std::erase_if(session().breakpoints(),
                [&](const Breakpoint& b) { return std::ranges::find(numbers, b.number) != numbers.end(); });
  numbers.clear();
}

Json Adapter::set_stop(const Json& wanted, std::vector<int>& numbers, const Make& make) {
  try {
    Breakpoint words;
    set_condition(words, text_of(wanted, "condition", ""));
    set_hit(words, text_of(wanted, "hitCondition", ""));
    Breakpoint& b = make();
    b.condition = words.condition;
    b.pid = words.pid;
    b.ignore = words.ignore;
    numbers.push_back(b.number);
    Json result{{"id", b.number}, {"verified", true}};
    if (b.kind == BreakKind::line) result["line"] = b.line - 1 + first_line_;
    return result;
  } catch (const Error& e) {
    return {{"verified", false}, {"message", whole_text(e)}};
  }
}

Json Adapter::set_breakpoints(const Json& arguments) {
  session();
  const Json& all = list_of(arguments, "breakpoints");
  Json result = Json::array();
  try {
    const int file = file_of(arguments.value("source", Json()));
    forget_stops(line_stops_[file]);
    for (const Json& wanted : all)
      result.push_back(set_stop(wanted, line_stops_[file], [&]() -> Breakpoint& {
        const std::int64_t line = integer_of(wanted, "line") - first_line_ + 1;
        return session().break_at(file, static_cast<int>(std::clamp<std::int64_t>(line, 0, 1 << 30)));
      }));
  } catch (const Error& e) {  // other files are the editor's to have breakpoints in
    result.insert(result.end(), all.size(), Json{{"verified", false}, {"message", whole_text(e)}});
  }
  return {{"breakpoints", result}};
}

Json Adapter::set_function_breakpoints(const Json& arguments) {
  forget_stops(function_stops_);
  Json result = Json::array();
  for (const Json& wanted : list_of(arguments, "breakpoints"))
    result.push_back(set_stop(wanted, function_stops_, [&]() -> Breakpoint& {
      const debug::TextPlace place = debug::place_called(text_of(wanted, "name"), session().view().frames()[0].file,
                                                         session().trace(), session().sources());
      return session().break_at(place.file, place.line);
    }));
  return {{"breakpoints", result}};
}

Json Adapter::data_breakpoint_info(const Json& arguments) {
  const std::string name = text_of(arguments, "name");
  const std::int64_t reference = integer_of(arguments, "variablesReference", 0);
  std::string cells = name;
  if (reference != 0) {
    const Opened& of = opened(reference);
    const Part* const part = std::get_if<Part>(&of.what);
    const bool is_tensor = part ? !part->whole->tensor.empty() : std::get<Scope>(of.what) == Scope::tensors;
    if (!is_tensor)
      return {{"dataId", nullptr}, {"description", name + " is not memory: cells of tensors can be watched"}};
    if (part) {
      Index index = part->index;
      index.push_back(number_in(name));
      cells = name_behind(part->whole->tensor, index);
    }
  }
  try {
    const std::size_t count = debug::parse_cells(cells, session().tensor_resolver()).elements.size();
    return {{"dataId", cells},
            {"description", count == 1 ? cells : fmt::format("{}: {} cells", cells, count)},
            {"accessTypes", {"read", "write", "readWrite"}}};
  } catch (const Error& e) {
    return {{"dataId", nullptr}, {"description", whole_text(e)}};
  }
}

Json Adapter::set_data_breakpoints(const Json& arguments) {
  session();
  forget_stops(data_stops_);
  Json result = Json::array();
  for (const Json& wanted : list_of(arguments, "breakpoints"))
    result.push_back(set_stop(wanted, data_stops_, [&]() -> Breakpoint& {
      const std::string type = text_of(wanted, "accessType", "write");
      return session().watch(type == "read"    ? BreakKind::load
                             : type == "write" ? BreakKind::store
                                               : BreakKind::access,
                             text_of(wanted, "dataId"));
    }));
  return {{"breakpoints", result}};
}

Json Adapter::set_exception_breakpoints(const Json& arguments) {
  session().stop_at_faults(false);
  forget_stops(exception_stops_);
  Json result = Json::array();
  const auto set = [&](const Json& wanted, const std::string& filter) {
    result.push_back(
        set_stop(wanted, exception_stops_, [&]() -> Breakpoint& { return session().add(debug::caught(filter)); }));
  };
  for (const Json& filter : list_of(arguments, "filters"))
    set(Json::object(), filter.is_string() ? filter.get<std::string>() : filter.dump());
  for (const Json& option : list_of(arguments, "filterOptions")) set(option, text_of(option, "filterId"));
  return {{"breakpoints", result}};
}

}  // namespace tl::dap
