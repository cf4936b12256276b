// Causes in what was read and stored: rows, strides, tiles, elements that several lanes change.
#include "interp/run/why/search.h"

namespace tl::run {

const LedgerStep* Search::first_stray(std::int64_t& lane, std::int64_t& count) const {
  for (const LedgerStep& s : ledger_.steps) {
    if (!s.access || s.access->writes() || s.results.empty()) continue;
    count = 0;
    for_each_lane(s.results[0], [&](std::int64_t l) {
      if (is_stray(*s.access, l) && count++ == 0) lane = l;
    });
    if (count > 0) return &s;
  }
  return nullptr;
}

Fault Search::stray_fault(const LedgerStep& s, std::int64_t lane, std::int64_t count, const std::string& then) const {
  const trace::TensorInfo& t = *s.access->of;
  const std::int64_t row = t.strides[t.strides.size() - 2], e = s.access->offset(lane);
  Fault f = fault(s, fmt::format("{} run{} on into another row of {}, inside the tensor", lanes_text(count),
                                 count == 1 ? "s" : "", t.name));
  f.lane = lane;
  f.tensor = t.name;
  f.element = e;
  f.detail = fmt::format("lane {} reads {}[{}, {}]; a row has {} columns{}", lane, t.name, e / row, e % row,
                         t.shape.back(), then);
  const Notation n = notation(s);
  f.fix = fmt::format("mask the columns, {}; of a block pointer {}",
                      n.options({{"mask", fmt::format("columns < {}", t.shape.back())}, {"other", "0"}}),
                      n.options({{"boundary_check", n.axes(s.access->shape.rank)}}));
  return f;
}

std::optional<Fault> Search::stray_lanes() {
  std::int64_t lane = -1, count = 0;
  const LedgerStep* s = first_stray(lane, count);
  if (!s) return {};
  double without = 0;
  if (!explains({.skips_strays = true}, without)) return {};
  return stray_fault(*s, lane, count, "; without them " + would_be(without));
}

std::optional<Fault> Search::lost_update() {
  const LedgerStep& s = last_store();
  if (s.access->kind != trace::AccessKind::store) return {};
  std::int64_t lanes = 0;
  for_each_active_lane(*s.access, [&](std::int64_t, std::int64_t e) { lanes += e == wrong_.element; });
  const bool has_loaded = std::ranges::any_of(ledger_.steps, [&](const LedgerStep& l) {
    bool found = false;
    if (&l < &s && l.program == s.program && l.access && !l.access->writes() && l.access->data == s.access->data)
      for_each_active_lane(*l.access, [&](std::int64_t, std::int64_t e) { found |= e == wrong_.element; });
    return found;
  });
  if (lanes < 2 || !has_loaded) return {};
  Fault f =
      fault(s, fmt::format("{} lanes store to {}, each what it loaded from there and changed", lanes, wrong_.name));
  f.detail = "one's change alone stays";
  f.fix = fmt::format("add what is added by tl.atomic_add({} + ..)", s.access->of->name);
  return f;
}

std::optional<Fault> Search::exchanged_axes() {
  std::map<std::pair<int, int>, const LedgerStep*> loads;
  for (const LedgerStep& s : ledger_.steps)
    if (s.access && !s.access->writes() && !s.results.empty() && slice_.holds(s.results[0]) &&
        is_square(value(s.results[0])))
      loads.try_emplace(Beside::place_of(s), &s);
  for (const auto& [place, s] : loads) {
    double exchanged = 0;
    if (!explains({.transposes = place}, exchanged)) continue;
    Fault f = fault(*s, fmt::format("the two axes of this tile of {} are exchanged", s->access->of->name));
    f.detail = "with them the other way round " + would_be(exchanged);
    f.fix = notation(*s).is_python() ? "exchange [:, None] and [None, :], or take tl.trans of it"
                                     : "exchange (_, None) and (None, _), or take tl.trans of it";
    return f;
  }
  return {};
}

std::vector<Search::Reading> Search::readings() const {
  std::vector<Reading> all;
  for (const LedgerStep& s : ledger_.steps) {
    if (!s.access || s.access->writes()) continue;
    auto it = std::ranges::find_if(all, [&](const Reading& r) { return r.tensor->data == s.access->data; });
    if (it == all.end()) {
      all.push_back({s.access->of, std::vector<bool>(static_cast<std::size_t>(s.access->of->storage_elems))});
      it = std::prev(all.end());
    }
    for_each_active_lane(*s.access, [&](std::int64_t, std::int64_t e) {
      if (e >= 0 && e < static_cast<std::int64_t>(it->read.size())) it->read[static_cast<std::size_t>(e)] = true;
    });
  }
  return all;
}

std::string Search::cell(const trace::TensorInfo& t, std::int64_t e) {
  std::string text;
  for (std::size_t d = 0; d < t.shape.size(); ++d) {
    text += fmt::format("{}{}", d ? ", " : "", t.strides[d] > 0 ? e / t.strides[d] : 0);
    if (t.strides[d] > 0) e %= t.strides[d];
  }
  return fmt::format("{}[{}]", t.name, text);
}

const LedgerStep* Search::load_of(const std::byte* data) const {
  for (const LedgerStep& s : ledger_.steps)
    if (s.access && !s.access->writes() && s.access->data == data &&
        slice_.holds(s.results.empty() ? -1 : s.results[0]))
      return &s;
  return nullptr;
}

std::optional<Fault> Search::same_tiles() {
  struct Turns {
    const LedgerStep* first;
    std::int64_t count = 0, others = 0;
  };
  std::map<std::pair<int, int>, Turns> loads;
  for (const LedgerStep& s : ledger_.steps) {
    if (!s.access || s.access->writes() || s.results.empty() || !slice_.holds(s.results[0]) || s.access->lanes() < 2)
      continue;
    Turns& t = loads.try_emplace(Beside::place_of(s), Turns{&s}).first->second;
    if (!(s.program == t.first->program)) continue;
    ++t.count;
    bool same = s.access->first_offset() == t.first->access->first_offset();
    for (std::int64_t l = 0; same && l < s.access->lanes(); l += 7)
      same = s.access->offset(l) == t.first->access->offset(l);
    t.others += !same;
  }
  const bool some_move = std::ranges::any_of(loads, [](const auto& p) { return p.second.others > 0; });
  for (const auto& [place, t] : loads) {
    if (t.count < 2 || t.others > 0) continue;
    const Reading* left = nullptr;
    const std::vector<Reading> all = readings();
    for (const Reading& r : all)
      if (r.tensor->data == t.first->access->data && std::ranges::count(r.read, false) > 0) left = &r;
    if (!some_move && !left) continue;
    Fault f = fault(*t.first, fmt::format("it loads the same elements of {} in each of {} turns",
                                          t.first->access->of->name, t.count));
    f.detail = left && wrong_.holds_all
                   ? fmt::format("nothing read {}",
                                 cell(*left->tensor, std::ranges::find(left->read, false) - left->read.begin()))
                   : "the loop's other loads move on";
    f.fix = "move the pointer in the loop by its block times the stride of that axis";
    return f;
  }
  return {};
}

// The elements that a load's active lanes read.
std::set<std::int64_t> Search::elements_of(const LedgerAccess& a) {
  std::set<std::int64_t> elements;
  for_each_active_lane(a, [&](std::int64_t, std::int64_t e) { elements.insert(e); });
  return elements;
}

// How far apart the elements of neighbours are along each axis; none for those of a table.
std::vector<std::int64_t> Search::steps_of(const LedgerAccess& a) {
  std::vector<std::int64_t> steps(a.shape.rank);
  std::int64_t below = a.lanes();
  for (int d = 0; d < a.shape.rank; ++d) {
    below /= a.shape[d];
    if (a.shape[d] > 1) steps[d] = a.offset(below) - a.offset(0);
  }
  for (std::int64_t lane = 0; lane < a.lanes(); ++lane) {
    std::int64_t offset = a.offset(0), rest = lane;
    for (int d = a.shape.rank; d-- > 0; rest /= a.shape[d]) offset += rest % a.shape[d] * steps[d];
    if (offset != a.offset(lane)) return {};
  }
  return steps;
}

std::optional<Fault> Search::same_elements() {
  if (!wrong_.holds_all) return {};
  const std::vector<Reading> all = readings();
  std::set<std::pair<int, int>> seen;
  for (const LedgerStep& s : ledger_.steps) {
    if (!s.access || s.access->writes() || s.results.empty() || !slice_.holds(s.results[0]) ||
        !seen.insert(Beside::place_of(s)).second)
      continue;
    const LedgerAccess& a = *s.access;
    const auto reading = std::ranges::find_if(all, [&](const Reading& r) { return r.tensor->data == a.data; });
    const auto left = std::ranges::find(reading->read, false);
    if (left == reading->read.end()) continue;
    const std::string unread = fmt::format("nothing reads {}", cell(*a.of, left - reading->read.begin()));
    const std::set<std::int64_t> elements = elements_of(a);
    const auto count = static_cast<std::int64_t>(elements.size());
    if (const std::vector<std::int64_t> steps = steps_of(a); count < a.active_lanes() && !steps.empty()) {
      Fault f = fault(s, fmt::format("its {} read {} element{} of {}", lanes_text(a.active_lanes()), count,
                                     count == 1 ? "" : "s", a.of->name));
      for (int d = 0; d < a.shape.rank; ++d)
        if (a.shape[d] > 1) f.detail += fmt::format("along axis {} they are {} apart, ", d, steps[d]);
      f.detail += unread;
      f.fix = "multiply each axis' offsets by its stride, and add them all up";
      return f;
    }
    // For a product's tiles some programs read the same ones. All programs, and little of the tensor: that is odd.
    if (2 * std::ranges::count(reading->read, true) > std::ssize(reading->read)) continue;
    std::map<std::array<std::int64_t, 3>, std::set<std::int64_t>> by_program;
    for (const LedgerStep& o : ledger_.steps)
      if (o.access && Beside::place_of(o) == Beside::place_of(s))
        by_program[{o.program.z, o.program.y, o.program.x}].merge(elements_of(*o.access));
    if (by_program.size() < 2 ||
        !std::ranges::all_of(by_program, [&](const auto& o) { return o.second == by_program.begin()->second; }))
      continue;
    Fault f = fault(s, fmt::format("all {} programs read the same elements of {}", by_program.size(), a.of->name));
    f.detail = unread;
    f.fix = "do the offsets use program_id, times the stride?";
    return f;
  }
  return {};
}

std::optional<Fault> Search::unread() {
  if (!wrong_.holds_all) return {};
  for (const Reading& r : readings()) {
    const trace::TensorInfo& t = *r.tensor;
    const auto missing = std::ranges::count(r.read, false);
    const LedgerStep* load = load_of(t.data);
    std::int64_t elems = 1;
    for (const std::int64_t d : t.shape) elems *= d;
    if (!load || missing == 0 || elems != t.storage_elems || missing * 4 > elems * 3) continue;
    const std::int64_t first = std::ranges::find(r.read, false) - r.read.begin();
    std::int64_t last = first;
    while (last + 1 < elems && !r.read[static_cast<std::size_t>(last + 1)]) ++last;
    Fault f = fault(*load, fmt::format("no load reads {} of {}'s {} elements", missing, t.name, elems));
    f.tensor = t.name;
    f.element = first;
    f.detail = first == last ? fmt::format("{} is the first of them", cell(t, first))
                             : fmt::format("{} .. {} are the first of them", cell(t, first), cell(t, last));
    f.fix = "look at the loop's count (cdiv, not /), at the grid and at the masks: do they reach the tensor's end?";
    return f;
  }
  return {};
}

std::optional<Fault> Search::odd_stride() {
  for (const LedgerStep& s : ledger_.steps) {
    if (!s.access || s.access->writes() || s.results.empty() || !slice_.holds(s.results[0])) continue;
    const LedgerAccess& a = *s.access;
    const trace::TensorInfo& t = *a.of;
    if (t.shape.size() < 2 || t.strides.back() != 1) continue;
    std::int64_t below = a.lanes();
    for (int d = 0; d < a.shape.rank; ++d) {
      below /= a.shape[d];
      if (a.shape[d] < 2) continue;
      const std::int64_t apart = std::abs(a.offset(below) - a.offset(0));
      const std::int64_t row = t.strides[t.strides.size() - 2];
      if (apart < t.shape.back() / 2 || apart < 2 || apart % row == 0) continue;
      if (std::ranges::any_of(t.strides, [&](std::int64_t stride) { return stride > 1 && apart % stride == 0; }))
        continue;
      Fault f = fault(s, fmt::format("along axis {} its lanes are {} elements apart, and {}'s rows are {} apart", d,
                                     apart, t.name, row));
      f.tensor = t.name;
      f.detail = fmt::format("lanes 0 and {} read {} and {}", below, cell(t, a.offset(0)), cell(t, a.offset(below)));
      f.fix = fmt::format("multiply that axis' offsets by {}'s stride, {}", t.name, row);
      return f;
    }
  }
  return {};
}

std::optional<Fault> Search::any_stray() {
  std::int64_t lane = -1, count = 0;
  if (const LedgerStep* s = first_stray(lane, count)) return stray_fault(*s, lane, count, "");
  return {};
}

}  // namespace tl::run
