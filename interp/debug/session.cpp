#include "interp/debug/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::debug {

using trace::RecordedAccess;
using trace::RecordedProgram;
using trace::RecordedTensor;

Session::Session(trace::RecordedTrace recording) : trace_(std::move(recording)), sources_(trace_) {
  if (trace_.programs.empty()) throw Error("this recording holds no program", "record a launch with at least one program");
  go({0, 0});
}

const ProgramView& Session::view(std::size_t program) {
  std::unique_ptr<ProgramView>& view = views_[program];
  if (!view) {
    if (views_.size() > 64)  // far apart from here: cheap to make again
      std::erase_if(views_, [&](const auto& entry) { return entry.second && entry.first != now_.program; });
    std::unique_ptr<ProgramView>& again = views_[program];
    again = std::make_unique<ProgramView>(trace_, program, sources_);
    return *again;
  }
  return *view;
}

trace::Memory& Session::memory() {
  if (!memory_) memory_ = std::make_unique<trace::Memory>(trace_);
  memory_->seek(now_);
  return *memory_;
}

void Session::go(Moment to) {
  now_ = to;
  frame_ = running_ = view().frame_before_calls(now_.step);
}

Place Session::place() { return view().place_in(now_.step, running_); }

std::optional<std::size_t> Session::find_program(ProgramId id, int launch) const {
  std::optional<std::size_t> result;
  for (std::size_t p = 0; p < trace_.programs.size(); ++p) {
    if (!(trace_.programs[p].id == id)) continue;
    if (launch < 0 ? trace_.programs[p].launch == program().launch : trace_.programs[p].launch == launch) return p;
    result = p;
  }
  return launch < 0 ? result : std::nullopt;
}

const trace::RecordedFault* Session::fault_here() const {
  for (const trace::RecordedFault& f : program().faults)
    if (f.step == now_.step) return &f;
  return nullptr;
}

// ---- movement --------------------------------------------------------------------------------------------------------------

// One op on or back, or into a helper whose first op is next, or back out of it. At a program's edge into its neighbour unless it must stay.
Session::Advance Session::advance(bool forwards, bool stay) {
  const auto steps = static_cast<std::uint32_t>(program().steps.size());
  if (forwards && now_.step < steps && running_ != view().frame_at(now_.step)) {
    running_ = view().callee_at(now_.step, running_);
    return Advance::frame;
  }
  if (!forwards && running_ != view().frame_before_calls(now_.step)) {
    running_ = view().frames()[static_cast<std::size_t>(running_)].parent;
    return Advance::frame;
  }
  if (forwards && now_.step < steps) ++now_.step;
  else if (!forwards && now_.step > 0) --now_.step;
  else if (stay) return Advance::none;
  else if (forwards && now_.program + 1 < trace_.programs.size()) now_ = {now_.program + 1, 0};
  else if (!forwards && now_.program > 0) now_ = {now_.program - 1, static_cast<std::uint32_t>(trace_.programs[now_.program - 1].steps.size())};
  else return Advance::none;
  running_ = forwards ? view().frame_before_calls(now_.step) : view().frame_at(now_.step);
  return Advance::step;
}

Stop Session::move(bool forwards, bool stay, const std::function<bool()>& arrived) {
  Stop result;
  while (true) {
    const Advance how = advance(forwards, stay);
    if (how == Advance::none) {
      result.reason = stay ? (forwards ? StopReason::program_end : StopReason::program_start) : (forwards ? StopReason::end : StopReason::start);
      break;
    }
    if (const Breakpoint* const b = hit(forwards, how, result.detail)) {
      result.reason = StopReason::breakpoint;
      result.breakpoint = b->number;
      break;
    }
    if (how == Advance::step && fault_here()) {
      result.reason = StopReason::fault;
      break;
    }
    if (arrived && arrived()) break;
  }
  frame_ = running_;
  if (result.reason == StopReason::breakpoint) {
    const int number = result.breakpoint;
    std::erase_if(breakpoints_, [&](const Breakpoint& b) { return b.number == number && b.is_temporary; });
  }
  return result;
}

Stop Session::step(bool forwards) {
  return move(forwards, true, [] { return true; });
}

Stop Session::next(bool forwards) {
  const ProgramView& v = view();
  const int depth = v.depth(running_);
  return move(forwards, true, [&] { return now_.step < v.steps() && v.depth(running_) <= depth && v.starts_statement(now_.step, running_); });
}

Stop Session::finish() {
  const ProgramView& v = view();
  const int depth = v.depth(frame_);
  return move(true, true, [&] { return v.depth(running_) < depth; });
}

Stop Session::until(int line) {
  const ProgramView& v = view();
  const int frame = running_, depth = v.depth(frame), here = place().token;
  return move(true, true, [&] {
    if (now_.step >= v.steps() || !v.starts_statement(now_.step, running_)) return false;
    const SourceModel* const m = v.model_of_frame(running_);
    const int token = place().token;
    if (line > 0) return running_ == frame && m && token >= 0 && m->tokens()[static_cast<std::size_t>(token)].line >= line;
    return v.depth(running_) < depth || (running_ == frame && token > here);
  });
}

Stop Session::run(bool forwards) { return move(forwards, false, nullptr); }

// ---- breakpoints -----------------------------------------------------------------------------------------------------------

const Breakpoint* Session::hit(bool forwards, Advance how, std::string& detail) {
  // Forwards the op before this moment has just been done; backwards it is the op after it that was undone.
  const bool has_op = how == Advance::step && (forwards ? now_.step > 0 : now_.step < program().steps.size());
  const Moment op{now_.program, forwards ? now_.step - 1 : now_.step};
  for (Breakpoint& b : breakpoints_) {
    if (!b.is_enabled || !b.pid.matches(program().id)) continue;
    bool is_hit = false;
    if (b.kind == BreakKind::line) is_hit = line_is_hit(b);
    else if (b.kind == BreakKind::fault) is_hit = how == Advance::step && fault_here() && b.faults.contains(fault_here()->fault.kind);
    else is_hit = has_op && step_is_hit(b, op, detail);
    if (!is_hit) continue;
    if (!b.condition.empty()) {
      frame_ = running_;
      try {
        if (!is_true(evaluate(b.condition, resolver()))) continue;
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
  // tl.breakpoint_if in the kernel's own text.
  if (forwards && has_op && program().steps[op.step].op == trace::Op::breakpoint_if && program().steps[op.step].text >= 0) {
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
  return v.frames()[static_cast<std::size_t>(running_)].file == b.file && b.statements.contains(place().statement) && v.starts_statement(s, running_);
}

bool Session::step_is_hit(const Breakpoint& b, Moment op, std::string& detail) {
  const trace::Step& step = program().steps[op.step];
  if (b.kind == BreakKind::nan) return makes_nan(op);
  if (step.access < 0) return false;
  const RecordedAccess& a = program().accesses[static_cast<std::size_t>(step.access)];
  if (b.kind == BreakKind::any_store) return a.writes() && a.active > 0;
  if (b.kind == BreakKind::empty_mask) {
    if (a.active > 0 || a.lanes() == 0) return false;
    const std::string& name = launch().tensors[static_cast<std::size_t>(a.tensor)].name;
    detail = fmt::format("{} of line {} touches nothing of {}: all {} lanes are masked off", trace::text_of(step.op), step.site.line, name, a.lanes());
    return true;
  }
  if ((b.kind == BreakKind::store && !a.writes()) || (b.kind == BreakKind::load && a.kind == trace::AccessKind::store)) return false;
  if (a.tensor != b.tensor || b.elements.empty() || a.last < b.elements.front() || a.first > b.elements.back()) return false;
  std::int64_t found = -1, found_lane = -1, more = 0;
  trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t offset, std::int64_t) {
    if (!std::binary_search(b.elements.begin(), b.elements.end(), offset)) return;
    if (found < 0) found = offset, found_lane = lane;
    else ++more;
  });
  if (found < 0) return false;
  const RecordedTensor& tensor = launch().tensors[static_cast<std::size_t>(a.tensor)];
  const Kind kind = kind_of(tensor.dtype);
  detail = trace::cell_name(tensor, found);
  if (a.writes() && memory().is_known(a.tensor, found)) {
    const Moment here = now_;
    now_ = op;
    const double before = memory().element(a.tensor, found);
    now_ = {op.program, op.step + 1};
    const double after = memory().element(a.tensor, found);
    now_ = here;
    detail += fmt::format(": was {}, {} {}", text_of(before, kind), here == op ? "will be" : "now", text_of(after, kind));
  }
  detail += fmt::format(", {} by lane {} of line {}", a.writes() ? "stored" : "loaded", found_lane, step.site.line);
  if (more > 0) detail += fmt::format(" (and {} more watched cells)", more);
  return true;
}

// The first op that makes a NaN out of none.
bool Session::makes_nan(Moment op) {
  const RecordedProgram& p = trace_.programs[op.program];
  const auto has_nan = [&](std::int32_t index) {
    const trace::RecordedValue& v = p.values[static_cast<std::size_t>(index)];
    if (!v.is_kept() || !is_float(v.dtype)) return false;
    const std::int64_t elems = v.form == trace::Form::splat ? 1 : v.shape.product();
    for (std::int64_t i = 0; i < elems; ++i)
      if (std::isnan(trace::element_as_double(v, i))) return true;
    return false;
  };
  const trace::Step& step = p.steps[op.step];
  const auto operands = p.operands(step), results = p.results(step);
  return std::any_of(results.begin(), results.end(), has_nan) && std::none_of(operands.begin(), operands.end(), has_nan);
}

Breakpoint& Session::add(Breakpoint b) {
  b.number = ++last_number_;
  breakpoints_.push_back(std::move(b));
  return breakpoints_.back();
}

Breakpoint& Session::break_at(int file, int line) {
  Breakpoint b;
  b.file = file;
  b.line = line;
  const SourceModel* const m = sources_.model(file);
  const std::string name = trace_.files[static_cast<std::size_t>(file)];
  const std::string base = name.substr(name.rfind('/') + 1);
  if (m) {
    if (line < 1 || line > m->lines()) throw Error(fmt::format("{} has lines 1 to {}", base, m->lines()), "`l` lists them");
    int found = 0;  // the first line from here on where a statement begins
    for (const Statement& s : m->statements()) {
      const int begins = m->tokens()[static_cast<std::size_t>(s.tokens.first)].line;
      if (begins >= line && (found == 0 || begins < found)) found = begins;
    }
    for (std::size_t s = 0; s < m->statements().size(); ++s) {  // a line within a longer statement means that one
      const TokenRange& range = m->statements()[s].tokens;
      const int begins = m->tokens()[static_cast<std::size_t>(range.first)].line, ends = m->tokens()[static_cast<std::size_t>(range.last)].line;
      if (begins < line && line <= ends && found != line && m->statement_of(m->token_at(line, 1)) == static_cast<int>(s)) found = begins;
    }
    if (found == 0) throw Error(fmt::format("no statement at or after line {} of {}", line, base), "`l` lists the text");
    b.line = found;
    for (std::size_t s = 0; s < m->statements().size(); ++s)
      if (m->tokens()[static_cast<std::size_t>(m->statements()[s].tokens.first)].line == found) b.statements.insert(static_cast<int>(s));
  }
  b.what = fmt::format("{}:{}", base, b.line);
  return add(std::move(b));
}

Breakpoint& Session::watch(BreakKind kind, const std::string& cells) {
  const Cells parsed = parse_cells(cells, tensor_resolver());
  Breakpoint b;
  b.kind = kind;
  b.what = cells;
  for (std::size_t t = 0; t < launch().tensors.size(); ++t)
    if (launch().tensors[t].name == parsed.tensor) b.tensor = static_cast<int>(t);
  b.elements = parsed.elements;
  std::sort(b.elements.begin(), b.elements.end());
  return add(std::move(b));
}

// ---- names -----------------------------------------------------------------------------------------------------------------

TensorView Session::tensor_view(int tensor) {
  const RecordedTensor& t = launch().tensors[static_cast<std::size_t>(tensor)];
  trace::Memory& m = memory();
  if (!m.is_known(tensor) && t.pages.empty()) throw Error(fmt::format("the contents of {} were not recorded", t.name), "record with a larger budget");
  return {t.name, kind_of(t.dtype), t.shape, t.strides, [&m, &t, tensor](std::int64_t element) {
            if (!m.is_known(tensor, element))
              throw Error(fmt::format("{} was not recorded: no recorded program touches its part of the tensor", trace::cell_name(t, element)), "record more programs");
            return m.element(tensor, element);
          }};
}

std::vector<std::pair<std::string, std::string>> Session::arguments() {
  std::vector<std::pair<std::string, std::string>> result;
  const std::vector<std::string>& texts = launch().arguments;
  const Frame& kernel = view().frames()[0];
  const SourceModel* const m = sources_.model(kernel.file);
  const std::vector<Parameter>* const parameters = m && kernel.function >= 0 ? &m->functions()[static_cast<std::size_t>(kernel.function)].parameters : nullptr;
  for (std::size_t i = 0; i < texts.size(); ++i)
    result.emplace_back(parameters && i < parameters->size() ? (*parameters)[i].name : fmt::format("argument {}", i), texts[i]);
  return result;
}

// A tensor by its own name, or by the parameter it was passed as.
std::optional<Operand> Session::resolve_tensor(const std::string& name) {
  std::string wanted = name;
  for (const auto& [parameter, text] : arguments())
    if (parameter == name) wanted = text;
  for (std::size_t t = 0; t < launch().tensors.size(); ++t)
    if (launch().tensors[t].name == wanted) return tensor_view(static_cast<int>(t));
  return std::nullopt;
}

std::optional<Operand> Session::resolve(const std::string& name) {
  for (int f = frame_; f >= 0; f = view().frames()[static_cast<std::size_t>(f)].parent) {
    for (const Variable* v : view().locals(now_.step, f)) {
      const std::int32_t index = view().value_at(*v, now_.step);
      if (v->name != name || index < 0) continue;
      const trace::RecordedValue& value = program().values[static_cast<std::size_t>(index)];
      if (!value.is_kept()) throw Error(fmt::format("the value of {} was not recorded", name), "record with a larger budget, or this program alone with --break");
      return array_of(value);
    }
  }
  if (auto tensor = resolve_tensor(name)) return tensor;
  for (const auto& [parameter, text] : arguments()) {
    if (parameter != name) continue;
    if (text == "True" || text == "true") return scalar(1, Kind::boolean);
    if (text == "False" || text == "false") return scalar(0, Kind::boolean);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end != text.c_str()) return scalar(value, text.find_first_of(".en") == std::string::npos ? Kind::integer : Kind::floating);
  }
  const ProgramId id = program().id;
  if (name == "pid") {
    const auto x = static_cast<double>(id.x), y = static_cast<double>(id.y), z = static_cast<double>(id.z);
    if (launch().grid[1] == 1 && launch().grid[2] == 1) return scalar(x, Kind::integer);
    return Array{Kind::integer, {3}, {x, y, z}};
  }
  return std::nullopt;
}

Resolve Session::resolver() {
  return [this](const std::string& name) { return resolve(name); };
}

Resolve Session::tensor_resolver() {
  return [this](const std::string& name) {
    auto tensor = resolve_tensor(name);
    return tensor ? tensor : resolve(name);
  };
}

}  // namespace tl::debug
