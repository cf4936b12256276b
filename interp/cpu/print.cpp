// tl.print_if and tl.breakpoint_if: both ask a condition on the program's ids.
#include <fmt/format.h>

#include <cstdio>

#include "interp/cpu/replay.h"
#include "interp/lang/pid_condition.h"

namespace tl::cpu {

namespace {

// The condition is parsed once a text: kernels pass literals.
bool holds(const Where& w, const char* condition) {
  thread_local std::pair<std::string, PidCondition> last{"", {}};
  if (last.first != condition) {
    try {
      last = {condition, PidCondition::parse(condition)};
    } catch (const Error& e) {
      fail(w, FaultKind::other, e.what(), "", e.fix);
    }
  }
  return last.second.matches(w.state.program);
}

// Nested as numpy prints: [[1 2] [3 4]]. Long axes keep their ends.
void append(std::string& out, const Value& d, int axis, std::int64_t lane) {
  if (axis == d.rank) {
    out += text_of_element(d, lane);
    return;
  }
  constexpr std::int64_t ends = 3, longest = 16;
  std::int64_t below = 1;
  for (int i = axis + 1; i < d.rank; ++i) below *= d.dims[i];
  out += '[';
  for (std::int64_t i = 0; i < d.dims[axis]; ++i) {
    if (i) out += ' ';
    if (d.dims[axis] > longest && i == ends) {
      out += "... ";
      i = d.dims[axis] - ends;
    }
    append(out, d, axis + 1, lane + i * below);
  }
  out += ']';
}

}  // namespace

void Context::print(Text text, const char* condition, const Printed* values, int count) {
  const Where w{state_, Op::print_if, text.location};
  int braces = 0;
  for (const char* p = text.text; *p; ++p)
    if (p[0] == '{' && p[1] == '}') ++braces;
  if (braces > count) fail(w, FaultKind::other, "more {} than values", text.text, "pass one value for each {}");
  if (braces < count) fail(w, FaultKind::other, "more values than {}", text.text, "write one {} for each value");
  if (state_.replay) state_.replay->fails();  // another program may have something to print
  if (state_.recording || !holds(w, condition)) return;
  std::string out;
  int next = 0;
  for (const char* p = text.text; *p; ++p) {
    if (p[0] != '{' || p[1] != '}') {
      out += *p;
      continue;
    }
    ++p;
    const Printed& v = values[next++];
    if (v.head) append(out, *static_cast<const Value*>(v.head), 0, 0);
    else if (v.literal.kind == LiteralKind::real) out += fmt::format("{}", v.literal.real);
    else if (v.literal.kind == LiteralKind::boolean) out += v.literal.integer ? "True" : "False";
    else out += std::to_string(v.literal.integer);
  }
  if (state_.due()) {
    const Value* operands[8];
    int n = 0;
    for (int i = 0; i < count && n < 8; ++i)
      if (values[i].head) operands[n++] = static_cast<const Value*>(values[i].head);
    state_.on_op(Op::print_if, text.location, operands, n, nullptr, 0, nullptr, out);
  }
  if (state_.launch.options.observer && state_.keeps_values) return;  // the observer shows it
  out += '\n';
  std::fwrite(out.data(), 1, out.size(), stdout);
}

void Context::breakpoint_if(const char* condition, Location location) {
  const Where w{state_, Op::breakpoint_if, location};
  if (state_.replay) state_.replay->fails();
  if (!holds(w, condition)) return;
  if (state_.due()) state_.on_op(Op::breakpoint_if, location, nullptr, 0, nullptr, 0, nullptr, condition);
}

}  // namespace tl::cpu
