// Where a run stops: lines, cells, faults.
#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/session.h"
#include "interp/debug/stops.h"
#include "interp/debug/wrong_stores.h"
#include "interp/lang/stop_scope.h"

namespace tl::debug {

using trace::RecordedAccess;
using trace::RecordedProgram;
using trace::RecordedTensor;

const Breakpoint* Session::hit(bool forwards, Advance how, std::string& detail) {
  // Forwards the op before this moment has just been done; backwards it is the op after it that was undone.
  const bool has_op = how == Advance::step && (forwards ? now_.step > 0 : now_.step < program().steps.size());
  const Moment op{now_.program, forwards ? now_.step - 1 : now_.step};
  for (Breakpoint& b : breakpoints_) {
    if (!b.is_enabled || !b.pid.matches(program().id)) continue;
    bool is_hit = false;
    if (b.kind == BreakKind::line) is_hit = line_is_hit(b);
    else if (b.kind == BreakKind::fault)
      is_hit = how == Advance::step && fault_here() && b.faults.contains(fault_here()->fault.kind);
    else is_hit = has_op && step_is_hit(b, op, detail);
    if (!is_hit) continue;
    if (!b.condition.empty()) {
      frame_ = running_;
      try {
        if (!is_true(evaluate(b.condition, resolver()))) continue;
      } catch (const Stopped&) {
        throw;
      } catch (const Error& e) {
        detail = fmt::format("its condition cannot be computed here: {}", e.what());
      }
    }
    if (b.ignore > 0) {
      --b.ignore;
      continue;
    }
    ++b.hits;
    return &b;
  }
  // tl.breakpoint_if in the kernel's own text; it is recorded where its condition holds.
  if (has_op && program().steps[op.step].op == trace::Op::breakpoint_if) {
    static const Breakpoint own;
    return &own;
  }
  return nullptr;
}

// Stops where one of its statements begins.
bool Session::line_is_hit(const Breakpoint& b) {
  const std::uint32_t s = now_.step;
  if (s >= program().steps.size()) return false;
  if (b.statements.empty()) {  // no text to go by
    const trace::RecordedSite& site = program().steps[s].site;
    return site.file == b.file && site.line == b.line && (s == 0 || program().steps[s - 1].site.line != site.line);
  }
  const ProgramView& v = view();
  return v.frames()[running_].file == b.file && b.statements.contains(location().statement) &&
         v.starts_statement(s, running_);
}

bool Session::step_is_hit(const Breakpoint& b, Moment op, std::string& detail) {
  const trace::Step& step = program().steps[op.step];
  if (b.kind == BreakKind::nan) {
    if (!makes_nan(program(), step)) return false;
    detail = fmt::format("{} of line {} makes a NaN", trace::text_of(step.op), view(op.program).line(op.step));
    return true;
  }
  if (b.kind == BreakKind::wrong) {
    const auto it = b.moments.find(op);
    if (it == b.moments.end()) return false;
    detail =
        fmt::format("{} of line {} stores {}", trace::text_of(step.op), view(op.program).line(op.step), it->second);
    return true;
  }
  if (step.access < 0) return false;
  const RecordedAccess& a = program().accesses[step.access];
  if (b.kind == BreakKind::any_store) {
    if (!stores_something(a)) return false;
    detail = fmt::format("{} of line {}: {} of {} lanes, into {}", trace::text_of(step.op),
                         view(op.program).line(op.step), a.active, a.lanes(), launch().tensors[a.tensor].name);
    return true;
  }
  if (b.kind == BreakKind::empty_mask) {
    if (!has_empty_mask(a)) return false;
    const std::string& name = launch().tensors[a.tensor].name;
    detail = fmt::format("{} of line {} touches nothing of {}: all {} lanes are masked off", trace::text_of(step.op),
                         view(op.program).line(op.step), name, a.lanes());
    return true;
  }
  if ((b.kind == BreakKind::store && !a.writes()) || (b.kind == BreakKind::load && a.kind == trace::AccessKind::store))
    return false;
  if (launch().tensors[a.tensor].name != b.tensor || b.elements.empty() || a.last < b.elements.front() ||
      a.first > b.elements.back())
    return false;
  std::int64_t found = -1, found_lane = -1, more = 0;
  trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t offset) {
    if (!std::binary_search(b.elements.begin(), b.elements.end(), offset)) return;
    if (found < 0) {
      found = offset;
      found_lane = lane;
    } else ++more;
  });
  if (found < 0) return false;
  const RecordedTensor& tensor = launch().tensors[a.tensor];
  const auto text_at = [&](const trace::Memory& m) {
    return text_of(number_of(m, a.tensor, tensor.dtype, found), tensor.dtype);
  };
  detail = trace::cell_name(tensor, found);
  if (a.writes() && memory().is_known(a.tensor, found)) {
    const trace::Memory& was = memory(op);
    const std::string before = was.is_unset(a.tensor, found) ? "never written" : "was " + text_at(was);
    const std::string after = text_at(memory({op.program, op.step + 1}));
    detail += fmt::format(": {}, {} {}", before, now_ == op ? "will be" : "now", after);
  }
  detail += fmt::format(", {} by lane {} of line {}", a.writes() ? "stored" : "loaded", found_lane,
                        view(op.program).line(op.step));
  if (more > 0) detail += fmt::format(" (and {} more watched cells)", more);
  return true;
}

Breakpoint& Session::add(Breakpoint b) {
  if (b.kind == BreakKind::wrong) b.moments = wrong_stores(trace_);
  b.number = ++last_number_;
  breakpoints_.push_back(std::move(b));
  return breakpoints_.back();
}

Breakpoint& Session::break_at(int file, int line) {
  Breakpoint b;
  b.file = file;
  b.line = line;
  const SourceModel* const m = sources_.model(file);
  const std::string name = trace_.files[file];
  const std::string base = name.substr(name.rfind('/') + 1);
  if (m) {
    if (line < 1 || line > m->lines())
      throw Error(fmt::format("{} has lines 1 to {}", base, m->lines()), "`l` lists them");
    int found = m->first_statement_line(line);
    for (std::size_t s = 0; s < m->statements().size(); ++s) {  // a line within a longer statement means that one
      const TokenRange& range = m->statements()[s].tokens;
      const int begins = m->token(range.first).line, ends = m->token(range.last).line;
      if (begins < line && line <= ends && found != line &&
          m->statement_of(m->token_at(line, 1)) == static_cast<int>(s))
        found = begins;
    }
    if (found == 0)
      throw Error(fmt::format("no statement at or after line {} of {}", line, base), "`l` lists the text");
    b.line = found;
    for (std::size_t s = 0; s < m->statements().size(); ++s)
      if (m->line_of(m->statements()[s]) == found) b.statements.insert(static_cast<int>(s));
  }
  b.what = fmt::format("{}:{}", base, b.line);
  if (m && b.line < line) b.what += fmt::format(", where the statement of line {} begins", line);
  return add(std::move(b));
}

Breakpoint& Session::watch(BreakKind kind, const std::string& cells) {
  const Cells parsed = parse_cells(cells, tensor_resolver());
  Breakpoint b;
  b.kind = kind;
  b.what = cells;
  b.tensor = parsed.tensor;
  b.elements = parsed.elements;
  std::sort(b.elements.begin(), b.elements.end());
  return add(std::move(b));
}

}  // namespace tl::debug
