// Causes in what an op takes: another value of the program in an operand's place or beside the result, or the op left
// out, and the element would be right.
#include "interp/run/why/search.h"

namespace tl::run {

namespace {

using Kind = Change::Kind;

bool is_binary(Op op) { return op == Op::add || op == Op::sub || op == Op::mul || op == Op::div; }

}  // namespace

void Search::add_values(const LedgerStep& s, std::vector<Change>& likely, std::vector<Change>& others) const {
  const LedgerValue& made = value(s.results[0]);
  const std::pair<int, int> place = Beside::place_of(s);
  const OpFamily family = family_of(s.op);
  if (family == OpFamily::reduction && s.operands[0] >= 0 && is_square(value(s.operands[0])) && made.shape.size() < 2 &&
      made.count() > 1)
    likely.push_back({.place = place, .kind = Kind::turned});
  const bool computes = family == OpFamily::arithmetic || family == OpFamily::math || family == OpFamily::reduction ||
                        family == OpFamily::dot || family == OpFamily::select;
  if (!computes || made.dtype == DType::int1) return;
  if (is_binary(s.op) || family == OpFamily::math)
    for (std::size_t o = 0; o < std::min<std::size_t>(s.operands.size(), 2); ++o)
      if (s.operands[o] >= 0) others.push_back({.place = place, .kind = Kind::left_out, .operand = o});
  for (const double n : {1e-5, 1e-6, 1e-8, 1.0, -1.0})
    if (is_float(made.dtype) || std::abs(n) == 1)
      others.push_back({.place = place, .kind = Kind::joined, .op = n < 0 ? Op::sub : Op::add, .number = std::abs(n)});
  std::set<std::pair<int, int>> seen;
  for (const LedgerStep& m : ledger_.steps) {
    if (&m == &s) break;
    if (m.results.empty() || !(m.program == s.program) || !seen.insert(Beside::place_of(m)).second) continue;
    const LedgerValue& v = value(m.results[0]);
    if (v.is_pointer || v.dtype == DType::int1 || (v.count() > 1 && v.shape != made.shape)) continue;
    if (m.op == Op::arange || m.op == Op::full || m.op == Op::multiple_of) continue;
    if (family == OpFamily::arithmetic)
      for (std::size_t o = 0; o < std::min<std::size_t>(s.operands.size(), 2); ++o)
        if (s.operands[o] != m.results[0] &&
            (s.operands[o] < 0 ? v.count() == 1 : v.shape == value(s.operands[o]).shape))
          others.push_back({.place = place, .kind = Kind::substituted, .operand = o, .maker = Beside::place_of(m)});
    for (const Op op : {Op::sub, Op::div, Op::add, Op::mul})
      others.push_back({.place = place, .kind = Kind::joined, .op = op, .maker = Beside::place_of(m)});
  }
}

Fault Search::fault_of_values(const LedgerStep& s, const Change& c, double v) const {
  const Notation n = notation(s);
  std::string other = number(c.number);
  for (const LedgerStep& m : ledger_.steps)
    if (Beside::place_of(m) == c.maker) {
      other = m.access ? fmt::format("what line {} loads from {}", m.site.line, m.access->of->name)
                       : fmt::format("what {} of line {} gives", n.op(m.op), m.site.line);
      break;
    }
  const std::string with = "with it " + would_be(v);
  Fault f;
  switch (c.kind) {
    case Kind::left_out:
      f = fault(s, "is it meant at all?");
      f.detail = fmt::format("of its {} alone {}",
                             s.operands.size() < 2 ? "operand"
                             : c.operand == 0      ? "left side"
                                                   : "right side",
                             would_be(v));
      f.fix = "leave it out";
      break;
    case Kind::turned:
      f = fault(s, fmt::format("is axis {} meant?", 1 - s.axis()));
      f.detail = "along that " + would_be(v);
      f.fix = "its operand is a square: look which of its axes is which";
      break;
    case Kind::substituted:
      f = fault(s, fmt::format("is its {} side meant to be {}?", c.operand == 0 ? "left" : "right", other));
      f.detail = with;
      f.fix = "take that in its place";
      break;
    default: {
      const char* const part = c.op == Op::mul ? "factor" : c.op == Op::div ? "divisor" : "summand";
      f = fault(s, fmt::format("is a {} missing, {}?", part, c.op == Op::sub ? "less " + other : other));
      f.detail = with;
      f.fix = c.op == Op::mul   ? "multiply by it"
              : c.op == Op::div ? "divide by it"
              : c.op == Op::add ? "add it"
                                : "take it off";
    }
  }
  return f;
}

std::optional<Fault> Search::same_in_each_turn() {
  const LedgerStep& end = last_store();
  // Where the loop stores: once a turn.
  std::vector<const LedgerStep*> stores;
  for (const LedgerStep& s : ledger_.steps)
    if (s.access && s.program == end.program && Beside::place_of(s) == Beside::place_of(end)) stores.push_back(&s);
  const int v = stored_operand(ledger_, end);
  if (stores.size() < 2 || stores.front() == &end || v < 0) return {};
  for (const LedgerStep* s : stores) {
    const int other = stored_operand(ledger_, *s);
    if (other < 0 || value(other).bytes != value(v).bytes) return {};
  }
  for (const LedgerStep& s : ledger_.steps)
    if (!s.results.empty() && s.results[0] == v && !s.access) {
      Fault f = fault(s, fmt::format("it makes the same in each of the loop's {} turns", stores.size()));
      f.detail = "what it takes changes in none of them";
      f.fix = "is an update of it missing, at the end of the loop?";
      return f;
    }
  return {};
}

}  // namespace tl::run
