// Races within a program: of its threads between barriers, of the lanes of one store.
#include <cstring>

#include "interp/cpu/shadow_parts.h"

namespace tl::cpu {

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

}  // namespace tl::cpu
