// Uninitialized reads and races. They report and let the program go on.
#include "interp/cpu/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/cpu/memories.h"

namespace tl::cpu {

namespace {

constexpr const char* one_memory = "both tensors lie in one memory: pass a copy, or an output of its own";

std::string text_of_program(const Where& w, std::int32_t number) {
  const Grid& g = w.state.launch.launch.grid;
  return "program " + text_of(ProgramId{number % g.x, number / g.x % g.y, number / (g.x * g.y)}, g);
}

Fault fault_at(const Where& w, FaultKind kind, const Lanes& l, std::int64_t lane, std::int64_t element) {
  Fault f = make_fault(w, kind, "", "", "");
  f.lane = lane;
  f.element = element;
  f.tensor = l.memory->name;
  return f;
}

}  // namespace

Shadow::Shadow(const std::vector<Tensor>& tensors, const Checks& checks) : checks_(checks) {
  const Memories all = memories_of(tensors);
  for (const std::int64_t n : all.elements) {
    OfMemory& memory = memory_.emplace_back();
    if (checks.uninitialized) memory.written.resize(static_cast<std::size_t>(n));
    if (checks.race) memory.histories.resize(static_cast<std::size_t>(n));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto [number, first] = all.places[i];
    OfMemory& memory = memory_[static_cast<std::size_t>(number)];
    places_.push_back({&memory, number, first, &tensors[i]});
    if (!checks.uninitialized) continue;
    const std::vector<bool> written = written_elements(tensors[i]);
    std::copy(written.begin(), written.end(), memory.written.begin() + first);
  }
}

std::string Shadow::alias_of(const Lanes& l, std::int64_t element) const {
  const Place& here = place_of(l);
  for (const Place& p : places_)
    if (const std::int64_t there = here(element) - p.first;
        &p != &here && p.memory == here.memory && there >= 0 && there < p.tensor->storage_elems)
      return fmt::format("element {} of \"{}\"", there, p.tensor->name);
  return "";
}

std::string Shadow::element_text(const Lanes& l, std::int64_t element) const {
  const std::string alias = alias_of(l, element);
  return fmt::format("element {} of \"{}\"{}", element, l.memory->name, alias.empty() ? "" : " (" + alias + ")");
}

void Shadow::check(const Where& w, const Lanes& l) {
  if (checks_.uninitialized) {
    if (l.kind != trace::AccessKind::store) check_written(w, l);
    const Place& at = place_of(l);
    if (l.writes()) for_each_active_lane(l, [&](std::int64_t, std::int64_t e) { at.memory->written[at(e)] = true; });
  }
  if (checks_.race) check_race(w, l);
}

void Shadow::check_written(const Where& w, const Lanes& l) {
  const Place& at = place_of(l);
  bool found = false;
  for_each_active_lane(l, [&](std::int64_t lane, std::int64_t e) {
    if (found || at.memory->written[at(e)]) return;
    found = true;
    Fault f = fault_at(w, FaultKind::uninitialized, l, lane, e);
    f.headline = fmt::format("{}: lane {} of program {} reads what nothing wrote", trace::text_of(w.op), lane,
                             text_of(w.state.program, w.state.launch.launch.grid));
    f.detail = fmt::format("element {} of \"{}\"", e, l.memory->name);
    f.fix = "fill the tensor before the launch, or store to this element first";
    report(w.state, std::move(f));
  });
}

namespace {
std::int32_t number_of(const State& s) {
  const Grid& g = s.launch.launch.grid;
  const ProgramId& p = s.program;
  return static_cast<std::int32_t>(p.x + g.x * (p.y + g.y * p.z));
}
}  // namespace

std::size_t Shadow::synchronize(const Where& w, const Lanes& l, AtomicOrder order, AtomicReach reach) {
  ++w.state.barriers;  // a GPU's threads meet before and after it
  if (!checks_.race) return 0;
  const std::int32_t me = number_of(w.state);
  const Cell cell{place_of(l).number, place_of(l).first + l.base};
  const Site site = w.location.site();
  meetings_[cell][{me, site.line, site.column}] = {site, order, reach, order_.now()};
  std::int64_t before = 0;
  const auto bytes = static_cast<std::size_t>(size_in_bytes(l.memory->dtype));
  std::memcpy(&before, l.memory->data() + static_cast<std::size_t>(l.base) * bytes, bytes);
  const bool is_order = order != AtomicOrder::relaxed && reach != AtomicReach::cta;
  return order_.synchronize(me, cell, before, is_order && order != AtomicOrder::release,
                            is_order && order != AtomicOrder::acquire);
}

void Shadow::follow(State& s, Value& read, std::size_t reading) {
  if (checks_.race) s.earlier.read(s, read, reading, order_.earlier(number_of(s), reading));
}

void Shadow::decide(State& s, const Value& v, bool is_condition) {
  for (const auto& [reading, otherwise] : s.earlier.decided_by(v, is_condition))
    order_.decided(number_of(s), reading, otherwise);
}

template <class Visit>
void Shadow::for_each_history(const Lanes& l, Visit visit) const {
  const Place& at = place_of(l);
  const auto visit_run = [&](std::int64_t lane, std::int64_t element, std::int64_t stride, std::int64_t length) {
    at.memory->histories.for_each(at(element), stride, length,
                                  [&](History& h, std::int64_t i) { visit(h, lane + i, element + i * stride); });
  };
  if (l.is_tile) return for_each_active_run(l, visit_run);
  // Most lists are made of runs, too.
  const auto is_active = [&](std::int64_t lane) { return !l.mask || l.mask[lane]; };
  for (std::int64_t lane = 0, end = 0; lane < l.count; lane = std::max(end, lane + 1)) {
    if (!is_active(lane)) continue;
    for (end = lane + 1; end < l.count && is_active(end) && l.offsets[end] == l.offsets[end - 1] + 1;) ++end;
    visit_run(lane, l.base + l.offsets[lane], 1, end - lane);
  }
}

namespace {

const char* word_of(AtomicOrder o) {
  return o == AtomicOrder::relaxed   ? "relaxed"
         : o == AtomicOrder::acquire ? "acquire"
         : o == AtomicOrder::release ? "release"
                                     : "acq_rel";
}

}  // namespace

// What would order the two programs: an atomic on which they met, if there is one, else elements of their own.
std::string Shadow::race_fix(const Where& w, const Lanes& l, const History& s, std::int32_t other, std::int64_t time,
                             bool with_atomic) const {
  const std::int32_t me = number_of(w.state);
  const Notation notation = notation_of(w);
  const auto at = [&](const Meeting& m) {
    return fmt::format("line {} ({} = \"{}\"{})", m.site.line, notation.option("sem"), word_of(m.order),
                       m.reach == AtomicReach::cta ? fmt::format(", {} = \"cta\"", notation.option("scope")) : "");
  };
  const Meeting *past = nullptr, *released = nullptr;  // where the other one has been and this program has not
  for (const auto& [cell, all] : meetings_) {
    const Meeting *mine = nullptr, *before = nullptr, *after = nullptr;  // the other's: before its access and after it
    for (const auto& [key, m] : all) {
      const std::int32_t program = std::get<0>(key);
      if (program == me) mine = mine && mine->acquires() ? mine : &m;
      else if (program != other && other >= 0) continue;
      else if (m.time < time) before = &m;
      else after = after && after->releases() ? after : &m;
    }
    if (!mine && after) released = after;
    else if (!mine && before) past = before;
    if (!mine || !after) continue;
    if (mine->reach == AtomicReach::cta || after->reach == AtomicReach::cta)
      return fmt::format(
          "the atomics that should order them reach one program's threads alone, {} and {}: give them {}", at(*after),
          at(*mine), notation.options({{"scope", "\"gpu\""}}));
    if (!after->releases() || !mine->acquires())
      return fmt::format(
          "they meet at the atomics of {} and {}, which order too little: the first needs release, the "
          "second acquire (acq_rel is both)",
          at(*after), at(*mine));
    return fmt::format(
        "the atomics of {} and {} happened in this order by chance: wait until the value says that the "
        "other program is done",
        at(*after), at(*mine));
  }
  if (l.kind == trace::AccessKind::atomic)
    return fmt::format(
        "its plain access is no atomic, so that nothing orders them: read the element there by "
        "tl.atomic_add(.., 0), set it by tl.atomic_xchg(.., {})",
        notation.options({{"sem", "\"release\""}}));
  if (with_atomic && l.kind == trace::AccessKind::store)
    return fmt::format("other programs change this element by atomics: set it by tl.atomic_xchg(.., {}), too",
                       notation.options({{"sem", "\"release\""}}));
  if (s.is_update)
    return "programs load this element, change it and store it, and one's change alone stays: use tl.atomic_add, or "
           "give each program elements of its own";
  if (past && (l.writes() || !released))
    return fmt::format(
        "that program has gone past the atomic of {} without waiting for this one: let it wait until the "
        "value says that this one is done",
        at(*past));
  if (released)
    return fmt::format(
        "that program is done at the atomic of {}: wait at an atomic on the same element, until its "
        "value says so",
        at(*released));
  if (l.kind == trace::AccessKind::load && l.count == 1)
    return fmt::format(
        "a flag of another program is read by an atomic, tl.atomic_add(.., 0, {}), and set by "
        "tl.atomic_xchg with \"release\"; other elements: each program its own",
        notation.options({{"sem", "\"acquire\""}}));
  return "give each program elements of its own (do the offsets use program_id?), or use tl.atomic_add";
}

std::optional<Shadow::Access> Shadow::unordered(std::int32_t me, Access a) const {
  const auto is_unordered = [&](const Access& one) {
    return one.program != me && !order_.comes_before(me, one.program, one.time);
  };
  if (a.program == -1) return {};
  if (a.program >= 0) return is_unordered(a) ? std::optional(a) : std::nullopt;
  for (std::int32_t at = a.program; at < -1; at = past_[static_cast<std::size_t>(-2 - at)].before)
    if (const Access& one = past_[static_cast<std::size_t>(-2 - at)].access; is_unordered(one)) return one;
  return {};
}

// Adds this access; those that come before it count no more.
void Shadow::join(std::int32_t me, std::int32_t& program, std::int64_t& time) {
  const std::pair was(program, time);
  time = order_.now();
  if (!unordered(me, {was.first, was.second})) {
    program = me;
    return;
  }
  std::int32_t& list = joined_[was];  // neighbouring elements share it
  if (list == 0) {
    const auto add = [&](Access a, std::int32_t before) {
      past_.push_back({a, before});
      return static_cast<std::int32_t>(-1 - std::ssize(past_));
    };
    list = add({me, order_.now()}, was.first < -1 ? was.first : add({was.first, was.second}, -1));
  }
  program = list;
}

void Shadow::check_race(const Where& w, const Lanes& l) {
  const Grid& g = w.state.launch.launch.grid;
  const ProgramId& p = w.state.program;
  const std::int32_t me = number_of(w.state);
  bool found = false;
  order_.step();
  joined_.clear();
  check_threads(w, l);
  for_each_history(l, [&](History& s, std::int64_t lane, std::int64_t e) {
    std::optional<Access> other = unordered(me, {s.writer, s.written});
    const char* did = "wrote";
    if (!other && l.kind != trace::AccessKind::atomic && (other = unordered(me, {s.atomic, s.changed})))
      did = "atomically changed";
    else if (!other && l.writes() && (other = unordered(me, {s.reader, s.read}))) did = "read";
    if (other && !found) {
      found = true;
      Fault f = fault_at(w, FaultKind::race, l, lane, e);
      f.headline = fmt::format("{}: program {} races with {}", trace::text_of(w.op), text_of(p, g),
                               text_of_program(w, other->program));
      f.detail = fmt::format("lane {} {} {}, which {} {}", lane, l.writes() ? "writes" : "reads", element_text(l, e),
                             text_of_program(w, other->program), did);
      f.fix = alias_of(l, e).empty()
                  ? race_fix(w, l, s, other->program, other->time, did == std::string_view("atomically changed"))
                  : one_memory;
      report(w.state, std::move(f));
    }
    if (!l.writes()) return join(me, s.reader, s.read);
    if (l.kind == trace::AccessKind::atomic) return join(me, s.atomic, s.changed);
    join(me, s.writer, s.written);
    s.reader = -1;  // who comes after this store comes after them
  });
}

namespace {

// Two active lanes of one element?
bool has_duplicates(const Lanes& l) {
  std::vector<std::int64_t> elements;
  for_each_active_lane(l, [&](std::int64_t, std::int64_t e) { elements.push_back(e); });
  std::ranges::sort(elements);
  return std::ranges::adjacent_find(elements) != elements.end();
}

std::string lane_text(std::int64_t lane, std::int64_t lanes) {
  if (lane < 0) return "several lanes";
  return fmt::format("lane {} of {}", lane, lanes);
}

}  // namespace

void Shadow::report_threads(const Where& w, const Lanes& l, std::int64_t lane, std::int64_t element, bool other_loaded,
                            const Thread& other) const {
  const bool loads = !l.writes();
  const char* what = loads          ? "may not see its own store"
                     : other_loaded ? "may change what it still reads"
                                    : "stores to an element twice";
  const std::string program = text_of(w.state.program, w.state.launch.launch.grid);
  Fault f = fault_at(w, FaultKind::race, l, lane, element);
  f.headline = fmt::format("{}: program {} {}", trace::text_of(w.op), program, what);
  const bool one = l.count == 1 && other.lanes == 1;
  f.detail = one ? element_text(l, element) + ": on a GPU one thread stores a scalar, and every thread loads it"
                 : fmt::format("{} {} {}, which {} {}: on a GPU another thread", lane_text(lane, l.count),
                               loads ? "reads" : "writes", element_text(l, element), lane_text(other.lane, other.lanes),
                               other_loaded ? "read" : "stored");
  if (!alias_of(l, element).empty()) f.fix = one_memory;
  else if (other_loaded && has_duplicates(l))
    f.fix = "several lanes load this element, change it and store it, and one's change alone stays: use tl.atomic_add";
  else
    f.fix = fmt::format("call tl.debug_barrier() between the {}", other_loaded ? "load and the store"
                                                                  : loads      ? "store and the load"
                                                                               : "two stores");
  report(w.state, std::move(f));
}

// A program's threads go their own ways between barriers: what one has stored, another may not see yet; what one
// stores, another may still have to read. Which lanes are one thread's is the compiler's affair, but for the same lane
// of equally many; of fewer lanes than threads several hold each, and the first of them stores.
void Shadow::check_threads(const Where& w, const Lanes& l) {
  const bool loads = !l.writes(), is_atomic = l.kind == trace::AccessKind::atomic;
  if (is_atomic && l.count == 1) return;  // the threads meet before and after it
  const std::int64_t now = order_.now();
  const std::int32_t me = number_of(w.state);
  if (me != program_) begun_ = now;
  if (me != program_ || w.state.barriers != barriers_) {
    program_ = me;
    barriers_ = w.state.barriers;
    since_ = now;
  }
  const auto lanes = static_cast<std::int32_t>(l.count);
  const bool may_be_one = !loads || lanes >= 32 * w.state.launch.launch.options.num_warps;
  bool found = false;
  for_each_history(l, [&](History& s, std::int64_t lane, std::int64_t e) {
    const auto is_same_lane = [&](const Thread& of) { return of.lane == lane && of.lanes == lanes; };
    const bool is_stored = s.stored.time >= since_ && s.stored.time != now;
    const bool is_loaded = s.loaded.time >= since_;
    const Thread* other = nullptr;
    if (is_stored && !(is_same_lane(s.stored) && may_be_one) && !(s.is_atomic && is_atomic)) other = &s.stored;
    else if (!loads && is_loaded && !is_same_lane(s.loaded)) other = &s.loaded;
    if (other && !found) {
      found = true;
      report_threads(w, l, lane, e, other == &s.loaded, *other);
    }
    // A barrier does not help where several lanes change what all of them loaded.
    const bool is_shared = !loads && !is_atomic && s.loaded.lane == -1 && s.loaded.time >= begun_;
    if (is_shared && !found && has_duplicates(l)) {
      found = true;
      report_threads(w, l, lane, e, true, {now, -1, lanes});
    }
    const bool is_updating = s.loaded.time >= begun_ && is_same_lane(s.loaded);
    const bool several = loads && is_loaded && !is_same_lane(s.loaded);
    (loads ? s.loaded : s.stored) = {now, static_cast<std::int32_t>(several ? -1 : lane), lanes};
    if (loads) return;
    s.is_atomic = is_atomic;
    s.is_update = is_updating;
  });
}

namespace {

// A tile whose axes, by stride, each begin where the one before has ended.
bool has_element_a_lane(const Lanes& l) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (int i = 0; i < l.shape.rank; ++i)
    if (l.shape[i] > 1) axes.emplace_back(std::abs(l.strides[i]), l.shape[i]);
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (const auto& [stride, n] : axes) {
    if (stride <= reach) return false;
    reach += stride * (n - 1);
  }
  return true;
}

}  // namespace

void Shadow::check_lanes(const Where& w, const Lanes& l, const Value& value) const {
  if (!checks_.race || is_uniform(value) || (l.is_tile && has_element_a_lane(l))) return;
  const Ref all = broadcast(w, value, l.shape.rank, l.dims());
  const auto bytes = static_cast<std::size_t>(size_in_bytes(l.memory->dtype));
  std::vector<std::pair<std::int64_t, std::int64_t>> lanes;  // element, lane
  for_each_active_lane(l, [&](std::int64_t lane, std::int64_t e) { lanes.emplace_back(e, lane); });
  std::sort(lanes.begin(), lanes.end());
  const auto at = [&](std::int64_t lane) { return flat(*all) + static_cast<std::size_t>(lane) * bytes; };
  const auto found = std::adjacent_find(lanes.begin(), lanes.end(), [&](const auto& a, const auto& b) {
    return a.first == b.first && std::memcmp(at(a.second), at(b.second), bytes) != 0;
  });
  if (found == lanes.end()) return;
  Fault f = fault_at(w, FaultKind::race, l, found->second, found->first);
  f.headline = fmt::format("{}: two lanes of program {} race", trace::text_of(w.op),
                           text_of(w.state.program, w.state.launch.launch.grid));
  f.detail = fmt::format("lanes {} and {} write different values to element {} of \"{}\"", found->second,
                         std::next(found)->second, found->first, l.memory->name);
  f.fix = "on a GPU either may be the last: give each lane an element of its own, or use tl.atomic_add";
  report(w.state, std::move(f));
}

bool is_same_place(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.site.line == b.site.line && a.site.column == b.site.column && a.tensor == b.tensor;
}

}  // namespace tl::cpu
