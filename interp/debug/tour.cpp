#include "interp/debug/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tl::debug {
namespace {

// What a newcomer should look at, by the op that a statement ends in.
const char* remark(trace::Op op) {
  switch (op) {
    case trace::Op::program_id: return "Who am I? Every program runs the same text; its number is all that tells it from the others.";
    case trace::Op::arange: return "The offsets: the positions this program will touch. A whole block at once, one a lane.";
    case trace::Op::lt: return "The mask: which of these positions lie inside the tensor. Only lanes that are True will touch memory.";
    case trace::Op::load: return "Loads one element of x a lane.";
    case trace::Op::store: return "Stores one element a lane into z.";
    default: return "";
  }
}

}  // namespace

Tour::Tour(trace::RecordedTrace recording, DebuggerOptions options) : debugger_(std::move(recording), options), paint_(options.paint) {
  Session& s = debugger_.session();
  pages_.push_back([this] { return introduction(); });
  int statements = 0;
  for (std::uint32_t step = 0; step < s.view(0).steps(); ++step) statements += s.view(0).starts_statement(step, 0);
  for (int i = 0; i < statements; ++i) pages_.push_back([this, i] { return statement_page(0, i); });
  for (std::size_t p = 1; p < s.trace().programs.size(); ++p) pages_.push_back([this, p] { return program_page(p); });
  pages_.push_back([this] { return result(); });
  pages_.push_back([this] { return reason(); });
  pages_.push_back([this] { return backwards(); });
  pages_.push_back([this] { return farewell(); });
}

std::string Tour::page(std::size_t number) { return pages_.at(number)(); }

std::string Tour::heading(const std::string& text) const { return paint_(Color::bold, text) + "\n\n"; }

std::string Tour::tensor_line(const std::string& name) {
  return fmt::format("    {} = {}\n", paint_(Color::cyan, name), text_of(evaluate(name, debugger_.session().tensor_resolver())));
}

std::string Tour::local(const std::string& name) {
  Session& s = debugger_.session();
  for (const Variable* v : s.view().locals(s.now().step, 0))
    if (v->name == name && s.view().value_at(*v, s.now().step) >= 0)
      return elements_text(s.program().values[static_cast<std::size_t>(s.view().value_at(*v, s.now().step))], s.launch());
  return "?";
}

std::string Tour::source_line(trace::Op op) {
  Session& s = debugger_.session();
  for (std::uint32_t step = 0; step < s.view().steps(); ++step)
    if (s.view().step(step).op == op && s.view().model_of(step)) return line_text(*s.view().model_of(step), s.view().place(step).token, paint_);
  return "";
}

std::string Tour::introduction() {
  Session& s = debugger_.session();
  s.go({0, 0});
  const std::size_t programs = s.trace().programs.size();
  std::string result = heading("tilescope: a GPU kernel, run on your CPU, one step at a time");
  result += "This is the lecture's first kernel, and it is wrong on purpose. It should copy x into z:\n\n" + tensor_line("x") + tensor_line("z") + "\n";
  result += fmt::format("A GPU runs the same text many times at once; each run is a {}. Here there are {}, and each is to copy\na {} of {} elements, one a {}.\n\n",
                        paint_(Color::bold, "program"), programs, paint_(Color::bold, "block"), text_of(evaluate("bs", s.resolver())), paint_(Color::bold, "lane"));
  if (const SourceModel* const m = s.view().model_of(0)) {
    const Function& f = m->functions()[static_cast<std::size_t>(s.view().frames()[0].function)];
    const int first = m->tokens()[static_cast<std::size_t>(f.body.first)].line, last = m->tokens()[static_cast<std::size_t>(f.body.last)].line;
    result += listing(*m, first, last, 0, paint_);
  }
  return result + "\nCan you see what is wrong? Let us watch program 0.\n";
}

std::string Tour::statement_page(std::size_t program, int statement) {
  Session& s = debugger_.session();
  s.go({program, 0});
  for (int i = 0; i < statement; ++i) s.next(true);
  const std::uint32_t from = s.now().step;
  std::string result = statement == 0 ? heading("Program 0") : "";
  const SourceModel* const m = s.view().model_of(from);
  trace::Op op = s.view().step(from).op;
  std::uint32_t end = from + 1;
  while (end < s.view().steps() && !s.view().starts_statement(end, 0)) op = s.view().step(end++).op;
  if (m) result += line_text(*m, s.view().place(end - 1).token, paint_);
  s.next(true);
  result += steps_text(s, from, end, 0, paint_);
  if (*remark(op)) result += fmt::format("\n{}\n", remark(op));
  if (op == trace::Op::store) result += "Now memory holds\n" + tensor_line("z") + "So far, so good.\n";
  return result;
}

std::string Tour::program_page(std::size_t program) {
  Session& s = debugger_.session();
  s.go({program, 0});
  const std::string before = text_of(evaluate("z", s.tensor_resolver()));
  const auto bs = static_cast<std::int64_t>(evaluate("bs", s.resolver()).data[0]);
  const std::int64_t id = s.program().id.x;
  std::vector<std::int64_t> wanted;
  for (std::int64_t i = 0; i < bs; ++i) wanted.push_back(id * bs + i);
  s.go({program, s.view().steps()});
  std::string result = heading(fmt::format("Program {}", id));
  result += fmt::format("It should copy block number {}: the offsets should be [{}]. But look:\n\n", id, fmt::join(wanted, " "));
  result += source_line(trace::Op::arange);
  for (const char* name : {"pid", "offs", "mask", "x"}) result += fmt::format("    {:<5}= {}\n", name, local(name));
  result += fmt::format("\n    z was {}\n    z is  {}\n", before, text_of(evaluate("z", s.tensor_resolver())));
  result += fmt::format("\nProgram {} did the very same work as program 0, at the very same place.\n", id);
  return result;
}

std::string Tour::result() {
  Session& s = debugger_.session();
  const std::size_t last = s.trace().programs.size() - 1;
  s.go({last, static_cast<std::uint32_t>(s.trace().programs[last].steps.size())});
  int z = 0;
  for (std::size_t t = 0; t < s.launch().tensors.size(); ++t)
    if (s.launch().tensors[t].name == "z") z = static_cast<int>(t);
  const std::int64_t n = s.launch().tensors[static_cast<std::size_t>(z)].storage_elems;
  std::vector<std::set<std::int64_t>> writers(static_cast<std::size_t>(n));
  for (const trace::Touch& t : trace::touches_of(s.trace(), s.program().launch, z, 0, n - 1))
    if (t.kind != trace::AccessKind::load) writers[static_cast<std::size_t>(t.element)].insert(s.trace().programs[t.moment.program].id.x);
  std::vector<std::string> rows[3] = {{"cell"}, {"holds"}, {"stored by"}};
  for (std::int64_t i = 0; i < n; ++i) {
    rows[0].push_back(fmt::format("z[{}]", i));
    rows[1].push_back(text_of(s.memory().element(z, i), Kind::floating));
    rows[2].push_back(writers[static_cast<std::size_t>(i)].empty() ? "nobody" : fmt::format("{}", fmt::join(writers[static_cast<std::size_t>(i)], ",")));
  }
  std::string result = heading("The result");
  for (const auto& row : rows) {
    result += "    ";
    for (std::size_t c = 0; c < row.size(); ++c) result += c == 0 ? fmt::format("{:<10}", row[c]) : fmt::format("{:>8}", row[c]);
    result += '\n';
  }
  std::int64_t crowded = 0, empty = 0;
  for (const auto& w : writers) crowded += w.size() > 1, empty += w.empty();
  result += fmt::format("\n{} cells were stored by several programs, {} by nobody: z = {}.\n", crowded, empty, text_of(evaluate("z", s.tensor_resolver())));
  return result;
}

std::string Tour::reason() {
  Session& s = debugger_.session();
  std::string result = heading("Why, and how to mend it");
  result += source_line(trace::Op::arange);
  result += "\nThe offsets do not depend on pid, so every program takes the first block. On a GPU, where programs run at\nthe same time, they even race for its cells. Move the offsets on by one block a program:\n\n";
  result += paint_(Color::red, "    -   auto offs = tl.arange(0, bs);") + "\n" + paint_(Color::green, "    +   auto offs = pid * bs + tl.arange(0, bs);") + "\n\n";
  const auto bs = static_cast<std::int64_t>(evaluate("bs", s.resolver()).data[0]);
  for (std::size_t p = 0; p < s.trace().programs.size(); ++p) {
    const std::int64_t id = s.trace().programs[p].id.x;
    std::vector<std::int64_t> offs;
    for (std::int64_t i = 0; i < bs; ++i) offs.push_back(id * bs + i);
    result += fmt::format("    pid = {}   offs = [{}]\n", id, fmt::join(offs, " "));
  }
  return result + "\nThat is kernels/copy.h: `tilescope debug copy n=6 block=2` shows it at work.\n";
}

std::string Tour::backwards() {
  Session& s = debugger_.session();
  const std::size_t last = s.trace().programs.size() - 1;
  s.go({last, static_cast<std::uint32_t>(s.trace().programs[last].steps.size())});
  std::string result = heading("Backwards");
  result += "All of it was recorded, so you can also ask where a value came from. Who wrote z[1] last, and who before that?\n\n";
  for (const char* command : {"watch z[1]", "rc", "rc", "history z[1]"}) {
    result += paint_(Color::bold, debugger_.prompt() + command) + "\n";
    result += debugger_.execute(command);
  }
  debugger_.execute("del");
  return result;
}

std::string Tour::farewell() {
  std::string result = heading("Now you");
  result += "    tilescope debug copy_wrong_stride n=6 block=2    the lecture's second mistake\n";
  result += "    tilescope debug matmul_unmasked                  a load out of bounds, caught with its history\n";
  result += "    tilescope debug softmax                          a real kernel, forwards and backwards\n";
  result += "    tilescope list                                   all there are\n\n";
  return result + "In the debugger: n the next statement, rn the one before, p a value, c on, help the rest.\n";
}

}  // namespace tl::debug
