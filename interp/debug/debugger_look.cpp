// Looking: values, the text, calls, programs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "interp/debug/debugger.h"
#include "interp/debug/text_place.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"

namespace tl::debug {
std::string Debugger::location_text() {
  const ProgramView& view = session_.view();
  const std::uint32_t s = session_.now().step;
  if (s >= view.steps()) {
    const bool has_failed = session_.fault_here() != nullptr;
    return has_failed ? ""
                      : paint_(Color::faint,
                               fmt::format("Program {} has ended: {} steps. `rn` goes back, `program +1` to the next.",
                                           trace::text_of(session_.program().id), view.steps())) +
                            "\n";
  }
  const SourceModel* const model = view.model_of_frame(session_.running_frame());
  if (model && session_.location().token >= 0) return line_text(*model, session_.location().token, paint_);
  const SourceModel* const of_op = view.model_of(s);  // where the text does not tell the call
  if (of_op && view.location(s).token >= 0) return line_text(*of_op, view.location(s).token, paint_);
  const trace::Step& step = view.step(s);
  return fmt::format("  line {}: {} (the kernel's text is not at hand)\n", step.site.line, trace::text_of(step.op));
}

std::string Debugger::frame_text(int frame) {
  const Frame& f = session_.view().frames()[frame];
  const SourceModel* const m = session_.sources().model(f.file);
  if (!m || f.function < 0) return short_name(session_.launch().kernel);
  const Function& function = m->functions()[f.function];
  std::string arguments;
  std::set<std::string> shown;
  if (f.parent < 0) {
    for (const auto& [name, text] : session_.arguments())
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", name, text);
  } else {
    for (const Parameter& p : function.parameters)
      for (const Variable* v : session_.view().locals(std::max(session_.now().step, f.first), frame)) {
        const std::int32_t value = session_.view().value_at(*v, session_.now().step);
        if (!v->is_parameter || v->name != p.name || value < 0 || !shown.insert(p.name).second) continue;
        const trace::RecordedValue& r = session_.program().values[value];
        const Printing narrow{.whole = 4, .edge = 2, .whole_rows = 1, .edge_rows = 1};
        arguments += fmt::format(
            "{}{}={}", arguments.empty() ? "" : ", ", v->name,
            r.shape.rank <= 1 ? elements_text(r, session_.launch(), narrow) : type_text(r.dtype, r.shape.span()));
      }
  }
  return fmt::format("{}({})", paint_(Color::yellow, function.name), arguments);
}

// The line of the fault at which a failed program stands, which has no next op; 0: none in this file.
int Debugger::fault_line(int file) {
  const trace::RecordedFault* const fault = session_.fault_here();
  const bool is_here = fault && file >= 0 && session_.now().step >= session_.view().steps() && fault->fault.site.file &&
                       session_.trace().files[file] == fault->fault.site.file;
  return is_here ? fault->fault.site.line : 0;
}

std::string Debugger::backtrace(const Words&) {
  std::string result;
  int number = 0;
  for (const Call& call : session_.calls()) {
    result += fmt::format("{}#{} {}", call.frame == session_.frame() ? "*" : " ", number++, frame_text(call.frame));
    if (call.line > 0 && call.file >= 0) result += fmt::format(" at {}:{}", file_name(call.file), call.line);
    result += '\n';
  }
  return result;
}

std::string Debugger::list(const Words& w) {
  const ProgramView& view = session_.view();
  const int file_here = view.frames()[session_.frame()].file;
  TextPlace place{list_from_ > 0 ? list_file_ : file_here, 0};
  if (!w.rest.empty()) place = place_called(w.rest, file_here, session_.trace(), session_.sources());
  const SourceModel* const m = session_.sources().model(place.file);
  if (!m) return "The kernel's text is not at hand.\n";
  const int token = view.location_in(session_.now().step, session_.frame()).token;
  const int here = place.file != file_here ? 0 : token >= 0 ? m->token(token).line : fault_line(place.file);
  const int middle = w.rest.empty() ? here : place.line;
  if (!w.rest.empty()) {
    if (middle < 1 || middle > m->lines())
      throw Error(fmt::format("{} has lines 1 to {}", m->file().substr(m->file().rfind('/') + 1), m->lines()),
                  "`l` alone lists around the line that comes next");
    list_from_ = 0;
  }
  int first = list_from_ > 0 ? list_from_ : std::max(1, middle - 5);
  if (first > m->lines()) first = std::max(1, middle - 5);
  list_from_ = first + 11;
  list_file_ = place.file;
  return (first == 1 ? m->file().substr(m->file().rfind('/') + 1) + "\n" : "") +
         listing(*m, first, first + 10, here, paint_);
}

std::string Debugger::print(const Words& w) {
  if (w.rest.empty()) throw Error("print needs an expression", "p offs, p x[3:7], p any(mask)");
  Printing printing;
  printing.has_lines = true;
  if (w.format) printing.base = w.format;
  // A name alone is shown with its dtype and shape; pointers as what they point to.
  if (const Variable* const v = session_.view().visible(w.rest, session_.now().step, session_.frame()))
    if (const std::int32_t value = session_.view().value_at(*v, session_.now().step); value >= 0) {
      std::string result = fmt::format("{} = {}\n", paint_(Color::cyan, v->name),
                                       value_text(session_.program(), session_.launch(), value, printing));
      const trace::RecordedValue& r = session_.program().values[value];
      if (session_.lane() >= 0 && r.is_kept() && r.shape.rank > 0 && session_.lane() < r.shape.product())
        result += fmt::format("  {}\n", lane_text(r, session_.lane(), printing.base));
      return result;
    }
  const std::string text = text_of(evaluate(w.rest, session_.resolver()), printing);
  return fmt::format("{} ={}{}\n", w.rest, text.starts_with('\n') ? "" : " ", text);
}

std::string Debugger::display_text() {
  std::string result;
  for (std::size_t i = 0; i < displays_.size(); ++i) {
    try {
      result +=
          fmt::format("  {}: {} = {}\n", i + 1, displays_[i], text_of(evaluate(displays_[i], session_.resolver())));
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      result += fmt::format("  {}: {} (not known here)\n", i + 1, displays_[i]);
    }
  }
  return result;
}

std::string Debugger::display(const Words& w) {
  if (!w.rest.empty()) displays_.push_back(w.rest);
  return displays_.empty() ? "Nothing is displayed.\n" : display_text();
}

std::string Debugger::undisplay(const Words& w) {
  std::size_t number = 0;
  std::from_chars(w.rest.data(), w.rest.data() + w.rest.size(), number);
  if (w.rest.empty()) displays_.clear();
  else if (number < 1 || number > displays_.size())
    throw Error(fmt::format("there is no display {}", w.rest), "`display` lists them");
  else displays_.erase(displays_.begin() + static_cast<std::ptrdiff_t>(number - 1));
  return "";
}

std::string Debugger::whatis(const Words& w) {
  if (const Variable* const v = session_.view().visible(w.rest, session_.now().step, session_.frame()))
    if (const std::int32_t value = session_.view().value_at(*v, session_.now().step); value >= 0) {
      const trace::RecordedValue& r = session_.program().values[value];
      std::string made;
      for (std::uint32_t s = 0; s < session_.view().steps(); ++s)
        for (std::int32_t result : session_.program().results(session_.view().step(s)))
          if (result == value && made.empty())
            made = fmt::format(", made by {} in line {} (step {})", trace::text_of(session_.view().step(s).op),
                               session_.view().line(s), s);
      const std::string type = r.tensor >= 0 ? fmt::format("pointers into {}", session_.launch().tensors[r.tensor].name)
                                             : type_text(r.dtype, r.shape.span());
      return fmt::format("{}: {}{}\n", v->name, type, made);
    }
  for (const trace::RecordedTensor& t : session_.launch().tensors)
    if (t.name == w.rest)
      return fmt::format("{}: tensor {}, strides {}\n", t.name, type_text(t.dtype, t.shape),
                         fmt::format("{}", fmt::join(t.strides, ", ")));
  for (const auto& [name, text] : session_.arguments())
    if (name == w.rest) return fmt::format("{}: a parameter of the kernel, {}\n", name, text);
  throw Error(fmt::format("no variable, tensor or parameter is called {} here", w.rest),
              "`info locals`, `info tensors` and `info args` list them");
}

std::string Debugger::info(const Words& w) {
  const auto wants = [&](std::string_view name) { return !w.rest.empty() && name.starts_with(w.rest); };
  if (wants("locals")) return info_locals();
  if (wants("breakpoints")) return info_breakpoints();
  if (wants("arguments")) return info_arguments();
  if (wants("args")) return info_arguments();
  if (wants("programs")) return info_programs();
  if (wants("tensors")) return info_tensors();
  throw Error(w.rest.empty() ? "info needs a topic" : fmt::format("info knows nothing of '{}'", w.rest),
              "info locals, args, programs, tensors or b");
}

std::string Debugger::info_locals() {
  std::string result;
  std::size_t width = 0;
  const std::vector<const Variable*> locals = session_.view().locals(session_.now().step, session_.frame());
  for (const Variable* v : locals) width = std::max(width, v->name.size());
  for (const Variable* v : locals) {
    const std::int32_t value = session_.view().value_at(*v, session_.now().step);
    if (value < 0) continue;
    result += fmt::format("  {}{} = {}\n", paint_(Color::cyan, v->name), std::string(width - v->name.size(), ' '),
                          value_text(session_.program(), session_.launch(), value));
    const trace::RecordedValue& r = session_.program().values[value];
    if (session_.lane() >= 0 && r.is_kept() && r.shape.rank > 0 && session_.lane() < r.shape.product())
      result += fmt::format("  {:>{}}   {}\n", "", width, lane_text(r, session_.lane()));
  }
  if (!result.empty()) return result;
  if (session_.program().keep != trace::Keep::values)
    return "This program kept its loads and stores, but no values: record it alone with --break.\n";
  return "No variable has a value yet.\n";
}

std::string Debugger::info_arguments() {
  std::string result;
  for (const auto& [name, text] : session_.arguments())
    result += fmt::format("  {} = {}\n", paint_(Color::cyan, name), text);
  return result.empty() ? "The kernel has no arguments.\n" : result;
}

std::string Debugger::info_programs() {
  std::string result;
  std::size_t shown = 0;
  const auto& programs = session_.trace().programs;
  std::size_t width = 0;  // of the kernels' names
  if (session_.trace().launches.size() > 1)
    for (const trace::RecordedLaunch& l : session_.trace().launches)
      width = std::max(width, short_name(l.kernel).size() + 1);
  for (std::size_t p = 0; p < programs.size(); ++p) {
    end_if_stopped();
    const bool is_here = p == session_.now().program;
    if (shown >= most_lines && !is_here && programs[p].faults.empty()) continue;
    ++shown;
    std::int64_t loads = 0, stores = 0;
    for (const trace::RecordedAccess& a : programs[p].accesses) (a.writes() ? stores : loads) += a.active;
    std::string state =
        programs[p].faults.empty() ? "ended" : std::string(name_of(programs[p].faults.front().fault.kind));
    if (programs[p].is_cut_short) state += ", cut short by the budget";
    if (programs[p].keep != trace::Keep::values) state += ", no values";
    const std::string launch =
        session_.trace().launches.size() > 1
            ? fmt::format(" {}", short_name(session_.trace().launches[programs[p].launch].kernel))
            : "";
    result += fmt::format("{} {:<12}{:<{}} {:>6} steps, {:>7} loaded, {:>7} stored  {}\n", is_here ? "*" : " ",
                          trace::text_of(programs[p].id), launch, width, programs[p].steps.size(), loads, stores,
                          programs[p].faults.empty() ? state : paint_(Color::red, state));
  }
  if (shown < programs.size()) result += fmt::format("  ... {} more\n", programs.size() - shown);
  for (const std::string& note : session_.trace().notes) result += "  " + note + "\n";
  return result;
}

}  // namespace tl::debug
