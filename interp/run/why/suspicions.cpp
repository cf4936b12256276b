// What can hardly be meant, of elements that no reference tells.
#include "interp/run/why/search.h"
#include "kernels/problems/tolerance.h"

namespace tl::run {

namespace {

bool differ(double a, double b, double size, double relative = 0.02) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) > relative * std::max({std::abs(a), std::abs(b), size});
}

}  // namespace

// Hashes, generators of random numbers and checksums compute modulo 2^n by such ops. A product that is widened
// afterwards was to be wide.
bool Search::is_modular(const LedgerStep& op) const {
  const DType t = value(op.results[0]).dtype;
  if (!is_integer(t)) return false;
  if (op.op == Op::cast) return is_integer(value(op.operands[0]).dtype);
  const bool is_widened = std::ranges::any_of(ledger_.steps, [&](const LedgerStep& s) {
    return s.op == Op::cast && s.operands[0] == op.results[0] && is_integer(value(s.results[0]).dtype) &&
           size_in_bytes(value(s.results[0]).dtype) > size_in_bytes(t);
  });
  return (op.op == Op::mul || op.op == Op::shl) && size_in_bytes(t) >= 4 && !is_widened;
}

std::optional<Fault> Search::suspicion() {
  if (slice_.ends.size() != 1 || work() > most_work) return {};
  // An index or a bit pattern that is made of numbers has no value in double.
  const auto is_discrete = [&](const LedgerStep& s) {
    return !s.results.empty() && slice_.holds(s.results[0]) &&
           (family_of(s.op) == OpFamily::bitwise || s.op == Op::argmax || s.op == Op::argmin || s.op == Op::reduce ||
            s.op == Op::associative_scan) &&
           value(s.results[0]).dtype != DType::int1;
  };
  if (std::ranges::any_of(ledger_.steps, is_discrete)) return {};
  const LedgerStep& end = last_store();
  const int v = stored_operand(ledger_, end);
  if (v < 0 || !slice_.holds(v)) return {};
  const std::vector<std::int64_t> shape(end.access->shape.span().begin(), end.access->shape.span().end());
  wrong_.got = value(v).real(broadcast_lane(value(v).shape, shape, slice_.ends.back().second));
  double squares = 0;
  for (std::int64_t i = 0; i < value(v).count(); ++i) squares += std::pow(value(v).real(i), 2);
  const double size = std::sqrt(squares / static_cast<double>(value(v).count()));
  const double typical = std::isfinite(size) ? size : 0, got = wrong_.got;
  const double without = beside_.run({.skips_padding = true}), exact = beside_.run({});
  if (differ(without, exact, typical, 0.001)) {
    wrong_.got = exact;
    beside_.run({.skips_padding = true});
    return masked_fault(without);
  }
  if (!differ(got, exact, typical)) return {};
  const auto [op, change] = lossy_op(exact);
  if (!op || change < 0.5 * std::abs(got - exact)) return {};
  if (is_modular(*op)) return {};
  const DType t = value(op->results[0]).dtype;
  if (!differ(got, exact, typical, std::max(0.02, 4 * problems::unit_roundoff(t)))) return {};  // a cast that is meant
  return is_integer(t) || size_in_bytes(t) < 4 ? digits_fault(*op, exact) : std::nullopt;
}

std::optional<Fault> suspicion_in(const Ledger& ledger) {
  constexpr int most = 12;
  int looked = 0;
  std::map<std::pair<int, int>, int> stores;  // by place: elements looked at
  for (auto s = ledger.steps.rbegin(); s != ledger.steps.rend() && looked < most; ++s) {
    if (!s->access || s->access->kind != trace::AccessKind::store || stores[Beside::place_of(*s)] > 1) continue;
    std::vector<std::int64_t> elements;
    for_each_active_lane(*s->access, [&](std::int64_t, std::int64_t e) { elements.push_back(e); });
    if (elements.empty()) continue;
    for (const std::int64_t e : {elements.front(), elements[elements.size() / 2]}) {
      ++looked;
      ++stores[Beside::place_of(*s)];
      const WrongElement element{.data = s->access->data,
                                 .element = e,
                                 .name = Search::cell(*s->access->of, e),
                                 .holds_all = false,
                                 .has_reference = false};
      if (std::optional<Fault> f = Search(ledger, element).suspicion()) return f;
    }
  }
  return {};
}

}  // namespace tl::run
