#include "interp/debug/stop_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interp/debug/syntax.h"
#include "interp/lang/text.h"

namespace tl::debug {

StopWords parse_stop(const std::string& rest) {
  StopWords result;
  std::string text = " " + rest + " ";
  const std::size_t condition = text.find(" if ");
  // `pid` is also a name in expressions: the word after a whole one begins a condition on programs.
  std::size_t pid = text.find(" pid ");
  const auto follows_operand = [&](std::size_t at) {
    const std::size_t before = text.find_last_not_of(' ', at);
    if (before == std::string::npos || (before >= 2 && text.substr(before - 2, 3) == " if"))
      return before == std::string::npos;
    return std::isalnum(static_cast<unsigned char>(text[before])) || text[before] == '_' || text[before] == ')' ||
           text[before] == ']';
  };
  while (pid != std::string::npos && !follows_operand(pid)) pid = text.find(" pid ", pid + 1);
  if (pid != std::string::npos) {
    const std::size_t end = condition != std::string::npos && condition > pid ? condition : text.size();
    std::string of = trimmed(text.substr(pid + 5, end - pid - 5));
    if (of.empty()) throw Error("`pid` needs a condition after it", "b 12 pid '>0,=1'");
    if (of.size() >= 2 && (of.front() == '\'' || of.front() == '"') && of.back() == of.front())
      of = of.substr(1, of.size() - 2);
    result.pid = PidCondition::parse(of);
  }
  if (condition != std::string::npos) {
    const std::size_t end = pid != std::string::npos && pid > condition ? pid : text.size();
    result.condition = trimmed(text.substr(condition + 4, end - condition - 4));
    if (result.condition.empty()) throw Error("`if` needs an expression after it", "b 12 if any(offs > 100)");
    parse(result.condition);  // refused now rather than at the first stop
  }
  result.location = trimmed(text.substr(0, std::min(pid, condition)));
  return result;
}

Breakpoint caught(const std::string& what) {
  Breakpoint b;
  b.kind = BreakKind::fault;
  if (what == "fault")
    for (int kind = 0; kind <= static_cast<int>(FaultKind::other); ++kind)
      b.faults.insert(static_cast<FaultKind>(kind));
  else if (what == "oob") b.faults = {FaultKind::out_of_bounds};
  else if (what == "race") b.faults = {FaultKind::race};
  else if (what == "uninit") b.faults = {FaultKind::uninitialized, FaultKind::undefined_lane};
  else if (what == "nan") b.kind = BreakKind::nan;
  else if (what == "wrong") b.kind = BreakKind::wrong;
  else if (what == "store") b.kind = BreakKind::any_store;
  else if (what == "mask-empty") b.kind = BreakKind::empty_mask;
  else
    throw Error(what.empty() ? "catch needs what to stop at" : fmt::format("'{}' cannot be caught", what),
                "catch fault, oob, nan, race, uninit, wrong, mask-empty or store");
  b.what = "catch " + what;
  return b;
}

}  // namespace tl::debug
