#include "interp/run/why/search.h"

namespace tl::run {

std::optional<Fault> Search::cause() {
  if (slice_.ends.empty() || work() > most_work) return {};
  for (const auto rule :
       {&Search::masked_lanes, &Search::stray_lanes, &Search::lost_digits, &Search::cut_cast, &Search::whole_division,
        &Search::exchanged_axes, &Search::lost_update, &Search::not_finite, &Search::wrapped, &Search::same_tiles,
        &Search::odd_stride, &Search::unread, &Search::any_stray, &Search::last_op})
    if (std::optional<Fault> f = (this->*rule)()) return f;
  return {};
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
