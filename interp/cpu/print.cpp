// tl.print_if and tl.breakpoint_if: both ask a condition on the program's ids.
#include <fmt/format.h>

#include <cstdio>

#include "interp/cpu/exploration.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"
#include "interp/lang/pid_condition.h"
#include "interp/lang/printed.h"

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

}  // namespace

namespace {

// A value as a line has it; of a constant that is a text, the text.
std::string text_of_printed(const Head* head, const Literal& literal, const char* text) {
  std::string out;
  if (text) return text;
  if (head) {
    const Value& v = *static_cast<const Value*>(head);
    out = text_of_block(v.element_dtype(), flat(v), v.rank, v.dims);
  } else if (literal.kind == LiteralKind::real) out = fmt::format("{}", literal.real);
  else if (literal.kind == LiteralKind::boolean) out = literal.integer ? "True" : "False";
  else out = std::to_string(literal.integer);
  return out;
}

template <class P>
void show(const Where& w, std::string line, const P* values, int count) {
  if (w.state.due(w.op, w.location)) {
    const Value* operands[8];
    int n = 0;
    for (int i = 0; i < count && n < 8; ++i)
      if (values[i].head) operands[n++] = static_cast<const Value*>(values[i].head);
    w.state.on_op(w.op, w.location, operands, n, nullptr, 0, nullptr, line);
  }
  if (w.state.launch.options.observer && w.state.keeps_values) return;  // the observer shows it
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
}

}  // namespace

void Context::print(Text text, const char* condition, const Printed* values, int count, bool is_static) {
  const Where w{state_, is_static ? Op::static_print : Op::print_if, text.location};
  int braces = 0;
  for (const char* p = text.text; *p; ++p)
    if (p[0] == '{' && p[1] == '}') ++braces;
  if (braces > count) fail(w, FaultKind::other, "more {} than values", text.text, "pass one value for each {}");
  if (braces < count) fail(w, FaultKind::other, "more values than {}", text.text, "write one {} for each value");
  if (state_.exploration) return state_.exploration->prints();
  if (state_.replay) state_.replay->fails();  // another program may have something to print
  if (state_.recording) return state_.recording->prints();
  if (!holds(w, condition)) return;
  std::string out;
  for (const char* p = text.text; *p; ++p) {
    if (p[0] != '{' || p[1] != '}') {
      out += *p;
      continue;
    }
    ++p;
    const Printed& v = *values++;
    out += text_of_printed(v.head, v.literal, v.text);
  }
  show(w, std::move(out), values - count, count);
}

// As Triton's, but a block a line and not a lane.
void Context::print_line(Text prefix, const Printed* values, int count) {
  const Where w{state_, Op::device_print, prefix.location};
  if (state_.exploration) return state_.exploration->prints();
  if (state_.replay) state_.replay->fails();
  if (state_.recording) return state_.recording->prints();
  const ProgramId& p = state_.program;
  std::string out = fmt::format("pid ({}, {}, {}) {}", p.x, p.y, p.z, prefix.text);
  for (int i = 0; i < count; ++i)
    out += (i ? ", " : "") + text_of_printed(values[i].head, values[i].literal, values[i].text);
  show(w, std::move(out), values, count);
}

void Context::breakpoint_if(const char* condition, Location location) {
  const Where w{state_, Op::breakpoint_if, location};
  if (state_.exploration) return state_.exploration->breaks();
  if (state_.replay) state_.replay->fails();
  if (!holds(w, condition)) return;
  if (state_.due(Op::breakpoint_if, location))
    state_.on_op(Op::breakpoint_if, location, nullptr, 0, nullptr, 0, nullptr, condition);
}

}  // namespace tl::cpu
