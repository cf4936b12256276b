// Causes in lanes that a load masked off: those that count, and those that hold another number than they should.
#include "interp/run/why/search.h"

namespace tl::run {

std::optional<Fault> Search::masked_lanes() {
  double without = 0;
  return explains({.skips_masked = true}, without) ? masked_fault(without) : std::nullopt;
}

std::optional<Fault> Search::wrong_other() {
  for (const double other : std::array<double, 4>{0, -INFINITY, INFINITY, 1}) {
    double v = 0;
    if (!explains({.other = other}, v)) continue;
    for (const LedgerStep& s : ledger_.steps) {
      if (!s.access || s.access->writes() || s.results.empty() || !slice_.holds(s.results[0])) continue;
      std::int64_t first = -1, count = 0;
      for_each_lane(s.results[0], [&](std::int64_t lane) {
        if (s.access->is_active(lane) || value(s.results[0]).real(lane) == other) return;
        if (count++ == 0) first = lane;
      });
      if (count == 0) continue;
      Fault f = fault(s, fmt::format("{} that its mask switches off hold{} {}", lanes_text(count),
                                     count == 1 ? "s" : "", number(value(s.results[0]).real(first))));
      f.lane = first;
      f.detail = fmt::format("lane {} is the first; with {} there {}", first, number(other), would_be(v));
      f.fix = "pass " + notation(s).options({{"other", notation(s).number(other)}});
      return f;
    }
  }
  return {};
}

// After a run beside without them.
std::optional<Fault> Search::masked_fault(double without) {
  for (const LedgerStep& s : ledger_.steps) {
    const OpFamily family = family_of(s.op);
    const bool is_atomic = s.access && s.access->kind == trace::AccessKind::atomic;
    if (family != OpFamily::reduction && family != OpFamily::scan && family != OpFamily::dot && !is_atomic) continue;
    const double neutral = s.op == Op::max || s.op == Op::argmax || s.op == Op::max_with_index || s.op == Op::softmax
                               ? -INFINITY
                           : s.op == Op::min || s.op == Op::argmin || s.op == Op::min_with_index ? INFINITY
                                                                                                 : 0;
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      if (!beside_.has(s.operands[o]) || value(s.operands[o]).is_pointer || value(s.operands[o]).dtype == DType::int1)
        continue;
      std::int64_t first = -1, count = 0;
      for_each_lane(s.operands[o], [&](std::int64_t lane) {
        if (!beside_.at(s.operands[o], lane).masked || value(s.operands[o]).real(lane) == neutral) return;
        if (count++ == 0) first = lane;
      });
      if (count == 0) continue;
      Fault f =
          fault(s, fmt::format("{} that a load masked off take{} part", lanes_text(count), count == 1 ? "s" : ""));
      f.lane = first;
      f.detail = fmt::format("lane {} of them holds {}; without them {}", first,
                             number(value(s.operands[o]).real(first)), would_be(without));
      const Notation n = notation(s);
      if (is_atomic) f.fix = fmt::format("pass the load's mask to the atomic, too: {}", n.options({{"mask", "..."}}));
      else if (family == OpFamily::dot) f.fix = fmt::format("give the load {} of 0 on both sides", n.option("other"));
      else
        f.fix = fmt::format("take tl.where(mask, x, {}) before it, or give the load an {} that makes it so",
                            n.number(neutral), n.option("other"));
      return f;
    }
  }
  return {};
}

std::string Search::lanes_text(std::int64_t n) { return n == 1 ? "1 lane" : fmt::format("{} lanes", n); }

}  // namespace tl::run
