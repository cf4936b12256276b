// Reads of what nothing wrote, and what a Shadow knows of the elements. It reports and lets the program go on.
#include "interp/cpu/checks.h"

#include "interp/cpu/memories.h"
#include "interp/cpu/shadow_parts.h"

namespace tl::cpu {

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

bool is_same_place(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.site.line == b.site.line && a.site.column == b.site.column && a.tensor == b.tensor;
}

}  // namespace tl::cpu
