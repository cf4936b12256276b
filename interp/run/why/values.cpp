// Causes in what ops made of numbers: digits, wraps, infinities.
#include "interp/run/why/search.h"

namespace tl::run {

std::pair<const LedgerStep*, double> Search::lossy_op(double exact) {
  std::map<std::pair<int, int>, const LedgerStep*> places;
  for (const LedgerStep& s : ledger_.steps)
    if (!s.results.empty() && slice_.holds(s.results[0]) && !value(s.results[0]).is_pointer && may_err(s))
      places.try_emplace(Beside::place_of(s), &s);
  const LedgerStep* worst = nullptr;
  double most = 0;
  for (const auto& [place, s] : places) {
    if (places.size() * work() > 20 * most_work) break;
    const double with = beside_.run({.errs = place}), change = std::isfinite(with) ? std::abs(with - exact) : INFINITY;
    if (change > most) {
      most = change;
      worst = s;
    }
  }
  return {worst, most};
}

std::optional<Fault> Search::lost_digits() {
  double exact = 0;
  const bool is_exact_right = explains({}, exact);
  exact_ = exact;
  if (!is_exact_right) return {};
  const auto [worst, most] = lossy_op(exact);
  const double lost = std::abs(wrong_.got - exact);
  if (std::optional<Fault> f = stored_narrow(exact)) return f;
  if (slice_.ends.size() > 1 && !(most > 0.3 * lost)) return added_by_programs(exact);
  if (!worst || most <= wrong_.tolerance.absolute * 0.1) return {};
  return digits_fault(*worst, exact);
}

std::optional<Fault> Search::stored_narrow(double exact) {
  const LedgerStep& s = last_store();
  const int v = stored_operand(ledger_, s);
  if (v < 0 || s.access->kind == trace::AccessKind::atomic) return {};
  const std::vector<std::int64_t> shape(s.access->shape.span().begin(), s.access->shape.span().end());
  const double given = value(v).real(broadcast_lane(value(v).shape, shape, slice_.ends.back().second));
  if (!is_right(given)) return {};
  const DType t = s.access->of->dtype;
  Fault f =
      fault(s, fmt::format("{} holds {} for the {} that is stored", name_of(t), number(wrong_.got), number(given)));
  f.detail = fmt::format("without the cast to {}'s {} {}", s.access->of->name, name_of(t), would_be(exact));
  f.fix = fmt::format("give {} a wider dtype, or keep what is stored within its range", s.access->of->name);
  return f;
}

std::optional<Fault> Search::added_by_programs(double exact) {
  const LedgerStep& s = last_store();
  if (s.op != Op::atomic_add) return {};
  const DType t = s.access->of->dtype;
  Fault f = fault(s, fmt::format("a sum of {} atomics in {} depends on their order", slice_.ends.size(), name_of(t)));
  f.detail = fmt::format("in this order it is {}, in double {}", number(wrong_.got, 9), number(exact, 9));
  f.fix = "allow for it, as in tolerance=1e-4, add parts in an order of their own, or keep the sum in float64";
  return f;
}

std::optional<Fault> Search::last_op() {
  if (wrong_.is_told) return {};
  const LedgerStep& end = last_store();
  int v = stored_operand(ledger_, end);
  if (v < 0) return {};
  const std::vector<std::int64_t> shape(end.access->shape.span().begin(), end.access->shape.span().end());
  std::int64_t lane = broadcast_lane(value(v).shape, shape, slice_.ends.back().second);
  for (auto s = ledger_.steps.rbegin(); s != ledger_.steps.rend(); ++s) {
    const auto r = std::ranges::find(s->results, v);
    if (r == s->results.end()) continue;
    const OpFamily family = family_of(s->op);
    if ((family == OpFamily::cast || family == OpFamily::view) && !s->operands.empty() && s->operands[0] >= 0) {
      for_each_source(ledger_, *s, 0, lane, [&](std::size_t, std::int64_t from) { lane = from; });
      v = s->operands[0];
      continue;
    }
    if (s->access && !s->access->writes() && s->access->is_active(lane)) {
      Fault f = fault(*s, fmt::format("it loads {}", cell(*s->access->of, s->access->offset(lane))));
      f.lane = lane;
      f.detail = fmt::format("which holds {}", number(value(v).real(lane)));
      if (const std::int64_t e = element_that_is_right(*s->access); e >= 0)
        f.detail += fmt::format("; {} holds what the reference says", cell(*s->access->of, e));
      f.fix = "is it the element that the reference takes? `tilescope debug` steps through it";
      return f;
    }
    std::string of;
    std::size_t n = 0;
    for_each_source(ledger_, *s, static_cast<std::size_t>(r - s->results.begin()), lane,
                    [&](std::size_t o, std::int64_t from) {
                      if (value(s->operands[o]).is_pointer || ++n > 4) return;
                      of += (of.empty() ? "" : ", ") + number(value(s->operands[o]).real(from));
                    });
    for (const double literal : s->numbers)
      if (!std::isnan(literal)) of += (of.empty() ? "" : ", ") + number(literal);
    if (of.empty() || family == OpFamily::memory) return {};
    Fault f = fault(*s, fmt::format("it makes {} of {}{}", number(value(v).real(lane)), of, n > 4 ? ", .." : ""));
    f.lane = lane;
    if (std::abs(exact_ - wrong_.got) <= 1e-3 * std::max(std::abs(exact_), std::abs(wrong_.got)))
      f.detail = "in double it is the same: no digits were lost";
    f.fix = "is it what the reference computes? `tilescope debug` steps through it";
    return f;
  }
  return {};
}

bool Search::may_err(const LedgerStep& s) {
  switch (family_of(s.op)) {
    case OpFamily::cast:
    case OpFamily::arithmetic:
    case OpFamily::math:
    case OpFamily::reduction:
    case OpFamily::scan:
    case OpFamily::bitwise:
    case OpFamily::dot: return true;
    default: return false;
  }
}

Search::Error Search::largest_error(std::pair<int, int> place) {
  beside_.run({});
  Error e;
  double most = -1;
  for (const LedgerStep& s : ledger_.steps) {
    if (Beside::place_of(s) != place || s.results.empty()) continue;
    for_each_lane(s.results[0], [&](std::int64_t lane) {
      const double was = value(s.results[0]).real(lane), exact = beside_.at(s.results[0], lane).is;
      const double error = std::isfinite(was) ? std::abs(was - exact) : INFINITY;
      if (error > most) most = error, e = {&s, lane, was, exact};
    });
  }
  return e;
}

std::optional<Fault> Search::digits_fault(const LedgerStep& at, double exact) {
  const Error e = largest_error(Beside::place_of(at));
  if (!e.step) return {};
  const LedgerStep& s = *e.step;
  const DType t = value(s.results[0]).dtype;
  const Notation n = notation(s);
  Fault f;
  const int digits = digits_between(e.was, e.exact);
  const std::string then = fmt::format("lane {} holds {}, in double {}; without this {}", e.lane, number(e.was, digits),
                                       number(e.exact, digits), would_be(exact));
  if (is_integer(t)) {
    f = fault(s, fmt::format("{} wraps", name_of(t)));
    f.fix = fmt::format("compute wider: x.to(tl.{}) first", size_in_bytes(t) < 4 ? "int32" : "int64");
  } else if (!std::isfinite(e.was)) {
    f = fault(s, fmt::format("{} overflows", name_of(t)));
    f.fix = "compute in tl.float32, or scale before it";
  } else if (s.is_tf32) {
    f = fault(s, "f32 is multiplied as tf32, which keeps 11 bits of each factor");
    f.fix = n.is_python() ? "input_precision=\"ieee\" multiplies f32 exactly"
                          : "tl.ieee as the last argument multiplies f32 exactly";
  } else if (s.op == Op::cast) {
    f = fault(s, fmt::format("the cast to {} cuts digits that matter", name_of(t)));
    f.fix = "compute in tl.float32 and cast what is stored";
  } else {
    f = fault(s, fmt::format("{} keeps too few digits here", name_of(t)));
    f.fix = size_in_bytes(t) < 4 ? "accumulate in tl.float32 and cast what is stored"
                                 : "add in another order or in tl.float64, or allow for it: tolerance=1e-4";
  }
  f.lane = e.lane;
  f.detail = then;
  return f;
}

std::optional<Fault> Search::cut_cast() {
  double nearest = 0;
  if (!explains({.rounds_casts = true}, nearest)) return {};
  const LedgerStep* found = nullptr;
  for (const LedgerStep& s : ledger_.steps) {
    const bool casts = s.op == Op::cast && !s.results.empty() && slice_.holds(s.results[0]) &&
                       is_integer(value(s.results[0]).dtype) && is_float(value(s.operands[0]).dtype);
    const int stored = s.access && s.access->writes() ? stored_operand(ledger_, s) : -1;
    const bool stores =
        stored >= 0 && slice_.holds(stored) && is_integer(s.access->of->dtype) && is_float(value(stored).dtype);
    if (casts || stores) found = &s;
  }
  if (!found) return {};
  Fault f = fault(*found, "a float becomes an integer toward zero, not the nearest");
  f.detail = "to the nearest, " + would_be(nearest);
  f.fix = notation(*found).is_python() ? "round first: tl.floor(x + 0.5), or libdevice.rint(x)"
                                       : "round first: tl.floor(x + 0.5), or tl.rint(x)";
  return f;
}

std::optional<Fault> Search::whole_division() {
  double down = 0, truly = 0;
  const bool is_down = explains({.floors = true}, down);
  if (!is_down && !explains({.divides_truly = true}, truly)) return {};
  for (const LedgerStep& s : ledger_.steps) {
    if ((s.op != Op::div && s.op != Op::mod) || !slice_.holds(s.results[0]) || !is_integer(value(s.results[0]).dtype))
      continue;
    Fault f =
        fault(s, is_down ? "integers divide toward zero, as in C, not down" : "integers divide without a fraction");
    f.detail = fmt::format("{}, {}", is_down ? "rounded down" : "with a fraction", would_be(is_down ? down : truly));
    f.fix = is_down ? "shift what is divided above 0, or take one off where the remainder is below 0"
                    : "cast one side first: x.to(tl.float32)";
    return f;
  }
  return {};
}

std::optional<Fault> Search::not_finite() {
  if (std::isfinite(wrong_.got) || !std::isfinite(wrong_.expected)) return {};
  const LedgerStep* underflow = nullptr;
  std::int64_t underflow_lane = 0;
  for (const LedgerStep& s : ledger_.steps) {
    if (s.results.empty() || s.access || !slice_.holds(s.results[0]) || !is_float(value(s.results[0]).dtype)) continue;
    std::optional<Fault> found;
    for_each_lane(s.results[0], [&](std::int64_t lane) {
      if (found) return;
      const double made = value(s.results[0]).real(lane);
      bool all_finite = true;
      std::string of;
      for_each_source(ledger_, s, 0, lane, [&](std::size_t o, std::int64_t from) {
        const double v = value(s.operands[o]).real(from);
        all_finite &= std::isfinite(v);
        if (of.size() < 60) of += (of.empty() ? "" : " and ") + number(v);
      });
      const bool is_exp = s.op == Op::exp || s.op == Op::exp2;
      if (is_exp && made == 0 && all_finite && !underflow) {
        underflow = &s;
        underflow_lane = lane;
      }
      if (std::isfinite(made) || !all_finite || of.empty()) return;
      found =
          fault(s, fmt::format("the first {} on the way to {}", std::isnan(made) ? "NaN" : "infinity", wrong_.name));
      found->lane = lane;
      found->detail = fmt::format("lane {} is {}, made of {}", lane, number(made), of);
      const bool of_zero = s.op == Op::log || s.op == Op::log2 || s.op == Op::div || s.op == Op::rsqrt;
      if (of_zero && underflow) {
        const LedgerStep& u = *underflow;
        found->fix = fmt::format(
            "exp in line {} gives 0 for {}, its lane {}: subtract the maximum of what is really there, so "
            "that one exp is 1",
            u.site.line, number(value(u.operands[0]).real(underflow_lane)), underflow_lane);
      } else {
        found->fix =
            of_zero ? "look for a divisor or argument of 0" : "compute in a wider dtype, or subtract the maximum first";
      }
    });
    if (found) return found;
  }
  return {};
}

std::optional<Fault> Search::wrapped() {
  for (const LedgerStep& s : ledger_.steps) {
    if ((s.op != Op::add && s.op != Op::sub && s.op != Op::mul && s.op != Op::cast && s.op != Op::sum &&
         s.op != Op::shl) ||
        s.results.empty() || !slice_.holds(s.results[0]))
      continue;
    const LedgerValue& to = value(s.results[0]);
    if (to.is_pointer || !is_integer(to.dtype) || to.dtype == DType::int1 || to.dtype == DType::uint32 ||
        to.dtype == DType::uint64)
      continue;
    if (s.op == Op::cast && !is_integer(value(s.operands[0]).dtype)) continue;
    std::optional<Fault> found;
    for_each_lane(s.results[0], [&](std::int64_t lane) {
      if (found) return;
      __int128 x[2] = {}, exact = 0;
      bool known = true;
      std::size_t n = 0;
      if (s.op == Op::sum) {
        for_each_source(ledger_, s, 0, lane,
                        [&](std::size_t o, std::int64_t from) { exact += value(s.operands[o]).whole(from); });
      } else {
        for (std::size_t o = 0; o < std::min<std::size_t>(s.operands.size(), 2); ++o, ++n) {
          if (s.operands[o] < 0) {
            known &= !std::isnan(s.numbers[o]);
            x[o] = known ? static_cast<__int128>(s.numbers[o]) : 0;
          } else if (is_float(value(s.operands[o]).dtype)) known = false;
          else x[o] = value(s.operands[o]).whole(broadcast_lane(value(s.operands[o]).shape, to.shape, lane));
        }
        exact = s.op == Op::add   ? x[0] + x[1]
                : s.op == Op::sub ? x[0] - x[1]
                : s.op == Op::mul ? x[0] * x[1]
                : s.op == Op::shl ? (x[1] < 64 ? x[0] << static_cast<int>(x[1]) : x[0])
                                  : x[0];
      }
      if (!known || exact == to.whole(lane)) return;
      found = fault(s, fmt::format("{} wraps", name_of(to.dtype)));
      found->lane = lane;
      const auto text = [](__int128 v) { return number(static_cast<double>(v)); };
      found->detail =
          n == 2 ? fmt::format("lane {}: {} {} {} is {}, and {} holds {}", lane, text(x[0]), info_of(s.op).text,
                               text(x[1]), text(exact), name_of(to.dtype), to.whole(lane))
                 : fmt::format("lane {}: {} holds {} for {}", lane, name_of(to.dtype), to.whole(lane), text(exact));
      found->fix = fmt::format("compute wider: x.to(tl.{}) first", size_in_bytes(to.dtype) < 4 ? "int32" : "int64");
    });
    if (found) return found;
  }
  return {};
}

}  // namespace tl::run
