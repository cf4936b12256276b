#include "viz/page/page.h"

#include <charconv>

#include "interp/lang/error.h"
#include "interp/machine/device.h"
#include "viz/page/state.h"

namespace tl::page {

namespace {

std::map<std::string, Answer>& others() {
  static std::map<std::string, Answer> by_name;
  return by_name;
}

Json answer(State& state, const Json& q) {
  const std::string what = q.at("do");
  if (what == "kernels") return kernels_of(q);
  if (what == "run") return run(state, q);
  if (what == "go") return go(state, q);
  if (what == "debug") return debug(state, q);
  if (what == "panels") return panels(state);
  if (what == "draw") return draw(state, q);
  if (what == "schedule") return schedule(state, q);
  if (what == "film") return film(state, q);
  if (what == "devices") return machine::device_names();
  if (const auto other = others().find(what); other != others().end()) return other->second(state, q);
  throw Error("a page answers no \"" + what + "\"");
}

// An error's first place in the text: kernel.py:10:5: ')' is expected.
Json with_place(Json error) {
  const std::string& fact = error["error"].get_ref<const std::string&>();
  const std::string begin = std::string(file) + ":";
  const std::size_t at = fact.find(begin);
  if (at == std::string::npos) return error;
  const char *from = fact.data() + at + begin.size(), *const end = fact.data() + fact.size();
  int line = 0, column = 0;
  from = std::from_chars(from, end, line).ptr;
  if (from < end && *from == ':') std::from_chars(from + 1, end, column);
  error["line"] = line;
  error["column"] = column;
  return error;
}

}  // namespace

bool answer_by(const std::string& what, Answer answer) { return others().emplace(what, answer).second; }

Run& State::ran() {
  if (!run) throw Error("nothing was run yet", "run a kernel first");
  return *run;
}

Page::Page() : state_(std::make_unique<State>()) {}
Page::~Page() = default;

std::string Page::call(const std::string& question) {
  Json out;
  try {
    out = answer(*state_, Json::parse(question));
  } catch (const FaultError& e) {
    out = {{"error", e.what()}, {"fix", e.fault.fix}, {"line", e.fault.site.line}, {"column", e.fault.site.column}};
  } catch (const Error& e) {
    out = with_place({{"error", e.what()}, {"fix", e.fix}});
  } catch (const std::bad_alloc&) {
    out = {{"error", "the page's memory is at its end"}, {"fix", "choose smaller sizes, or fewer programs"}};
  } catch (const std::exception& e) {
    out = {{"error", e.what()}, {"fix", ""}};
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tl::page
