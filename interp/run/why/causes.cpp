#include "interp/run/why/search.h"

namespace tl::run {

std::optional<Fault> Search::cause() {
  if (slice_.ends.empty() || work() > most_work) return {};
  for (const auto rule :
       {&Search::lost_digits, &Search::masked_lanes,   &Search::wrong_other,    &Search::stray_lanes,
        &Search::cut_cast,    &Search::whole_division, &Search::exchanged_axes, &Search::lost_update,
        &Search::not_finite,  &Search::wrapped,        &Search::repaired,       &Search::same_in_each_turn,
        &Search::same_tiles,  &Search::odd_stride,     &Search::same_elements,  &Search::nothing_loaded,
        &Search::unread,      &Search::any_stray,      &Search::unused,         &Search::last_op})
    if (std::optional<Fault> f = (this->*rule)()) return f;
  return {};
}

bool Search::explains(const WhatIf& what, double& v) {
  v = beside_.run(what);
  if (!is_right(v)) return false;
  if (others_.empty())
    for (const WrongElement::Other& o : wrong_.others) {
      WrongElement other = wrong_;
      other.element = o.element;
      other.got = o.got;
      other.expected = o.expected;
      other.others.clear();
      others_.push_back(std::make_unique<Search>(ledger_, other));
    }
  return std::ranges::all_of(others_, [&](const std::unique_ptr<Search>& s) {
    return s->slice_.ends.empty() || s->work() > most_work || s->is_right(s->beside_.run(what));
  });
}

double Search::work() const {
  double n = 0;
  for (const LedgerStep& s : ledger_.steps)
    for (const int r : s.results) {
      if (!slice_.holds(r)) continue;
      const auto& lanes = slice_.lanes[static_cast<std::size_t>(r)];
      const auto count = static_cast<double>(std::count(lanes.begin(), lanes.end(), true));
      const OpFamily f = family_of(s.op);
      const bool is_long =
          f == OpFamily::reduction || f == OpFamily::scan || f == OpFamily::dot || f == OpFamily::movement;
      n += count * (is_long && s.operands[0] >= 0 && !value(s.operands[0]).shape.empty()
                        ? static_cast<double>(value(s.operands[0]).shape.back())
                        : 1.0);
    }
  return n;
}

std::optional<Fault> wrap_in(const Ledger& ledger) { return Search(ledger).wrap(); }

std::optional<Fault> cause_of(const Ledger& ledger, const WrongElement& wrong) { return Search(ledger, wrong).cause(); }

}  // namespace tl::run
