// Looking at memory: tensors, cells, and who touched them when.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/debug/debugger.h"
#include "interp/lang/stop_scope.h"

namespace tl::debug {
namespace {

std::string elements_range(const std::vector<std::int64_t>& elements) {
  return elements.empty() ? "no cell" : fmt::format("{} cells", elements.size());
}

}  // namespace

std::pair<int, std::vector<std::int64_t>> Debugger::cells(const std::string& text) {
  if (text.empty()) throw Error("cells are needed here", "out[37], out[2, 0:8]");
  Cells parsed = parse_cells(text, session_.tensor_resolver());
  std::sort(parsed.elements.begin(), parsed.elements.end());
  for (std::size_t t = 0; t < session_.launch().tensors.size(); ++t)
    if (session_.launch().tensors[t].name == parsed.tensor) return {static_cast<int>(t), parsed.elements};
  throw Error(fmt::format("{} is not a tensor", parsed.tensor), "`info tensors` lists them");
}

std::string Debugger::examine(const Words& w) {
  auto [tensor, elements] = cells(w.rest);
  const trace::RecordedTensor& t = session_.launch().tensors[tensor];
  const std::int64_t count = w.count > 0 ? w.count : static_cast<std::int64_t>(elements.size());
  const std::int64_t first = elements.empty() ? 0 : elements.front();
  trace::Memory& memory = session_.memory();
  if (!memory.is_known(tensor) && t.pages.empty())
    throw Error(fmt::format("the contents of {} were not recorded", t.name), "record with a larger budget");
  std::string result;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 4096) && first + i < t.storage_elems; ++i) {
    if (i % 8 == 0)
      result += fmt::format("{}{}", i ? "\n" : "",
                            paint_(Color::faint, fmt::format("{:<12}", trace::cell_name(t, first + i) + ":")));
    const bool is_there = memory.is_known(tensor, first + i) && !memory.is_unset(tensor, first + i);
    result += fmt::format("  {:>8}",
                          is_there ? text_of(number_of(memory, tensor, t.dtype, first + i), t.dtype, w.format) : "?");
  }
  if (first + count > t.storage_elems) result += fmt::format("\n{} ends here: {} elements", t.name, t.storage_elems);
  return result + "\n";
}

std::string Debugger::info_tensors() {
  std::string result;
  trace::Memory& memory = session_.memory();
  for (std::size_t i = 0; i < session_.launch().tensors.size(); ++i) {
    const trace::RecordedTensor& t = session_.launch().tensors[i];
    result += fmt::format("  {} {}", paint_(Color::cyan, t.name), type_text(t.dtype, t.shape));
    const int tensor = static_cast<int>(i);
    if (!memory.is_known(tensor)) {
      result +=
          t.pages.empty() ? "  contents not recorded\n" : "  contents recorded where recorded programs touch them\n";
      continue;
    }
    std::int64_t written = 0;
    in_chunks(t.storage_elems, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t e = from; e < to; ++e) written += memory.is_written(tensor, e);
    });
    std::int64_t elems = 1;
    for (std::int64_t n : t.shape) elems *= n;
    if (elems <= (1 << 20)) {
      result +=
          fmt::format(" = {}", text_of(evaluate(t.name, session_.tensor_resolver()), Printing{.whole = 12, .edge = 3}));
    }
    result += written ? fmt::format("  ({} stored so far)\n", written) : "\n";
  }
  return result;
}

std::string Debugger::history(const Words& w) {
  const auto [tensor, elements] = cells(w.rest);
  if (elements.empty()) return "No cell.\n";
  const trace::RecordedTensor& t = session_.launch().tensors[tensor];
  std::string result;
  trace::Memory memory(session_.trace());
  memory.seek({session_.now().program, 0});
  std::size_t first = session_.now().program;
  while (first > 0 && session_.trace().programs[first - 1].launch == session_.program().launch) --first;
  if (elements.size() == 1 && memory.is_known(tensor, elements.front())) {
    memory.seek({first, 0});
    result += fmt::format("  before the run: {}\n",
                          memory.is_unset(tensor, elements.front())
                              ? "?, never written"
                              : text_of(number_of(memory, tensor, t.dtype, elements.front()), t.dtype));
  }
  std::size_t shown = 0, all = 0;
  bool is_marked = false;
  // clang 14 captures no structured binding by itself
  const auto tell = [&, tensor = tensor, &elements = elements](const trace::Touch& touch) {
    end_if_stopped();
    if (!std::binary_search(elements.begin(), elements.end(), touch.element)) return;
    ++all;
    if (shown >= most_lines) return;
    ++shown;
    if (!is_marked && !(touch.moment < session_.now())) {
      result += paint_(Color::green, "  -- now --") + "\n";
      is_marked = true;
    }
    const trace::RecordedProgram& p = session_.trace().programs[touch.moment.program];
    std::string value;
    if (memory.is_known(tensor, touch.element)) {
      memory.seek({touch.moment.program, touch.moment.step + 1});
      value = memory.is_unset(tensor, touch.element)
                  ? "?"
                  : text_of(number_of(memory, tensor, t.dtype, touch.element), t.dtype);
    }
    const std::string cell = elements.size() > 1 ? trace::cell_name(t, touch.element) + " " : "";
    result +=
        fmt::format("  program {:<9} step {:<5} line {:<4} lane {:<5} {}{} {}\n", trace::text_of(p.id),
                    touch.moment.step, session_.view(touch.moment.program).line(touch.moment.step), touch.lane, cell,
                    touch.kind == trace::AccessKind::load ? text_of(touch.kind) + std::string(" ")
                                                          : paint_(Color::yellow, text_of(touch.kind)),
                    value);
  };
  trace::for_each_touch(session_.trace(), session_.program().launch, tensor, elements.front(), elements.back(), tell);
  if (!is_marked && all > 0) result += paint_(Color::green, "  -- now --") + "\n";
  if (all == 0)
    result += fmt::format("  no recorded program touched {}\n",
                          elements.size() == 1 ? trace::cell_name(t, elements.front()) : elements_range(elements));
  if (shown < all) result += fmt::format("  ... {} more\n", all - shown);
  return result;
}

std::string Debugger::why(const Words& w) {
  const auto [tensor, elements] = cells(w.rest);
  if (elements.size() != 1) throw Error(fmt::format("{} here", elements_range(elements)), "one cell: why out[37]");
  if (!options_.why)
    throw Error("a recording does not say what is right",
                "`tilescope debug KERNEL` of a case with a reference knows it");
  return options_.why(session_.launch().tensors[tensor].name, elements.front());
}

std::string Debugger::who(const Words& w) {
  const auto [tensor, elements] = cells(w.rest);
  if (elements.empty()) return "No cell.\n";
  struct Count {
    std::int64_t loads = 0, stores = 0;
    std::set<std::int64_t> lanes;
    std::set<int> lines;
  };
  struct Writers {
    std::size_t last = SIZE_MAX, count = 0;  // programs, in their order
  };
  std::vector<Writers> writers(elements.size());
  std::map<std::size_t, Count> programs;
  const auto count = [&, &elements = elements](const trace::Touch& touch) {
    end_if_stopped();
    const auto element = std::ranges::lower_bound(elements, touch.element);
    if (element == elements.end() || *element != touch.element) return;
    Count& c = programs[touch.moment.program];
    (touch.kind == trace::AccessKind::load ? c.loads : c.stores) += 1;
    Writers& of = writers[static_cast<std::size_t>(element - elements.begin())];
    if (touch.kind == trace::AccessKind::store && of.last != touch.moment.program) {
      of.last = touch.moment.program;
      ++of.count;
    }
    if (programs.size() > most_lines) return;  // not shown
    c.lanes.insert(touch.lane);
    c.lines.insert(session_.view(touch.moment.program).line(touch.moment.step));
  };
  trace::for_each_touch(session_.trace(), session_.program().launch, tensor, elements.front(), elements.back(), count);
  std::string result;
  std::size_t shown = 0;
  for (const auto& [p, c] : programs) {
    if (++shown > most_lines) break;
    std::string lanes;
    for (std::int64_t lane : c.lanes) {
      if (lanes.size() > 40) {
        lanes += " ...";
        break;
      }
      lanes += (lanes.empty() ? "" : ", ") + std::to_string(lane);
    }
    result +=
        fmt::format("  program {:<9} {}{}{}, lane{} {}, line{} {}\n", trace::text_of(session_.trace().programs[p].id),
                    c.stores ? paint_(Color::yellow, fmt::format("stored {}x", c.stores)) : "",
                    c.stores && c.loads ? ", " : "", c.loads ? fmt::format("loaded {}x", c.loads) : "",
                    c.lanes.size() == 1 ? "" : "s", lanes, c.lines.size() == 1 ? "" : "s", fmt::join(c.lines, ", "));
  }
  if (programs.empty()) return "  no recorded program touched it\n";
  if (shown > most_lines) result += fmt::format("  ... {} programs in all\n", programs.size());
  const std::size_t most = std::ranges::max(writers, {}, &Writers::count).count;
  if (most > 1)
    result +=
        paint_(
            Color::red,
            fmt::format("  {} programs store {}: on a GPU the last one wins, and which that is changes from run to run",
                        most, elements.size() == 1 ? "here" : "to one cell of these")) +
        "\n";
  return result;
}

}  // namespace tl::debug
