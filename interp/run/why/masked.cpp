// Causes in lanes that a load masked off, and that count.
#include "interp/run/why/search.h"

namespace tl::run {

std::optional<Fault> Search::masked_lanes() {
  double without = 0;
  return explains({.skips_masked = true}, without) ? masked_fault(without) : std::nullopt;
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
      f.fix = is_atomic ? fmt::format("pass the load's mask to the atomic, too: {}", n.options({{"mask", "..."}}))
              : family == OpFamily::dot
                  ? fmt::format("give the load {} of 0 on both sides", n.option("other"))
                  : fmt::format("take tl.where(mask, x, {}) before it, or give the load an {} that makes it so",
                                neutral == 0    ? "0"
                                : neutral < 0   ? n.is_python() ? "float('-inf')" : "-tl.inf"
                                : n.is_python() ? "float('inf')"
                                                : "tl.inf",
                                n.option("other"));
      return f;
    }
  }
  return {};
}

std::string Search::lanes_text(std::int64_t n) { return n == 1 ? "1 lane" : fmt::format("{} lanes", n); }

}  // namespace tl::run
