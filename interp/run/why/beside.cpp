#include "interp/run/why/beside.h"

#include <algorithm>
#include <cmath>

#include "interp/trace/recorded.h"

namespace tl::run {

namespace {

bool is_masked_lane(const LedgerStep& s, std::int64_t lane) { return s.access && !s.access->is_active(lane); }

// Largest or smallest as the ops have it: NaN is dropped.
double greater(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); }
double lesser(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b); }

}  // namespace

double Beside::cast(DType t, double x) const {
  if (!is_integer(t) || t == DType::int1) return t == DType::int1 ? static_cast<double>(x != 0) : x;
  return what_.rounds_casts ? std::nearbyint(x) : std::trunc(x);
}

// An op lane by lane, of numbers.
double Beside::applied(Op op, DType result, const double* x) const {
  const bool whole = is_integer(result);
  const auto bits = [](double v) { return static_cast<std::int64_t>(v); };
  switch (op) {
    case Op::add: return x[0] + x[1];
    case Op::sub: return x[0] - x[1];
    case Op::mul: return x[0] * x[1];
    case Op::div: {
      const double q = x[0] / x[1];
      if (!whole || what_.divides_truly) return q;
      if (x[1] == 0) return NAN;
      return what_.floors ? std::floor(q) : std::trunc(q);
    }
    case Op::mod: return x[0] - x[1] * (what_.floors ? std::floor(x[0] / x[1]) : std::trunc(x[0] / x[1]));
    case Op::cdiv: return std::ceil(x[0] / x[1]);
    case Op::neg: return -x[0];
    case Op::abs: return std::abs(x[0]);
    case Op::fma: return x[0] * x[1] + x[2];
    case Op::minimum: return lesser(x[0], x[1]);
    case Op::maximum: return greater(x[0], x[1]);
    case Op::clamp: return lesser(greater(x[0], x[1]), x[2]);
    case Op::bit_and: return static_cast<double>(bits(x[0]) & bits(x[1]));
    case Op::bit_or: return static_cast<double>(bits(x[0]) | bits(x[1]));
    case Op::bit_xor: return static_cast<double>(bits(x[0]) ^ bits(x[1]));
    case Op::shl: return std::ldexp(x[0], static_cast<int>(x[1]));
    case Op::shr: return std::floor(std::ldexp(x[0], -static_cast<int>(x[1])));
    case Op::logical_not: return x[0] == 0;
    case Op::lt: return x[0] < x[1];
    case Op::le: return x[0] <= x[1];
    case Op::gt: return x[0] > x[1];
    case Op::ge: return x[0] >= x[1];
    case Op::eq: return x[0] == x[1];
    case Op::ne: return x[0] != x[1];
    case Op::cast: return cast(result, x[0]);
    case Op::exp: return std::exp(x[0]);
    case Op::exp2: return std::exp2(x[0]);
    case Op::log: return std::log(x[0]);
    case Op::log2: return std::log2(x[0]);
    case Op::sqrt: return std::sqrt(x[0]);
    case Op::rsqrt: return 1 / std::sqrt(x[0]);
    case Op::sin: return std::sin(x[0]);
    case Op::cos: return std::cos(x[0]);
    case Op::tan: return std::tan(x[0]);
    case Op::tanh: return std::tanh(x[0]);
    case Op::sigmoid: return 1 / (1 + std::exp(-x[0]));
    case Op::erf: return std::erf(x[0]);
    case Op::floor: return std::floor(x[0]);
    case Op::ceil: return std::ceil(x[0]);
    case Op::log1p: return std::log1p(x[0]);
    case Op::expm1: return std::expm1(x[0]);
    case Op::round: return std::round(x[0]);
    case Op::rint: return std::nearbyint(x[0]);
    case Op::trunc: return std::trunc(x[0]);
    case Op::pow: return std::pow(x[0], x[1]);
    case Op::fmod: return std::fmod(x[0], x[1]);
    case Op::atan2: return std::atan2(x[0], x[1]);
    case Op::isnan: return std::isnan(x[0]);
    case Op::isinf: return std::isinf(x[0]);
    case Op::isfinite: return std::isfinite(x[0]);
    default: return NAN;
  }
}

const Change* Beside::change_of(const LedgerStep& s, Change::Kind kind) const {
  return what_.change && what_.change->kind == kind && what_.change->place == place_of(s) ? &*what_.change : nullptr;
}

// What this op gave in all of its program's turns up to this one.
double Beside::added_up(const LedgerStep& s, std::size_t result, std::int64_t lane) const {
  double total = 0;
  for (const LedgerStep& turn : ledger_.steps) {
    if (place_of(turn) == place_of(s) && turn.op == s.op && turn.program == s.program && result < turn.results.size())
      if (const LedgerValue& v = ledger_.values[static_cast<std::size_t>(turn.results[result])]; lane < v.count())
        total += v.real(lane);
    if (&turn == &s) break;
  }
  return total;
}

double Beside::other_value(const LedgerStep& s, const std::vector<std::int64_t>& shape, std::int64_t lane) const {
  if (what_.change->maker.first == 0) return what_.change->number;
  const auto it = others_.find({s.program.x, s.program.y, s.program.z});
  if (it == others_.end()) return NAN;
  const LedgerValue& v = ledger_.values[static_cast<std::size_t>(it->second)];
  const std::int64_t own = broadcast_lane(v.shape, shape, lane);
  return slice_.holds(it->second, own) && has(it->second) ? at(it->second, own).is : v.real(own);
}

Lane Beside::by_lane(const LedgerStep& s, std::size_t result, std::int64_t lane, const Get& get) const {
  const LedgerValue& to = ledger_.values[static_cast<std::size_t>(s.results[result])];
  double x[3] = {};
  Lane made, from[3];
  const std::size_t n = std::min<std::size_t>(s.operands.size(), 3);
  for (std::size_t i = 0; i < n; ++i) {
    if (s.operands[i] < 0) {
      if (std::isnan(s.numbers[i])) return {to.real(lane)};
      from[i].is = s.numbers[i];
    } else {
      const auto& shape = ledger_.values[static_cast<std::size_t>(s.operands[i])].shape;
      from[i] = get(i, broadcast_lane(shape, to.shape, lane));
      if (shape != to.shape) from[i].read = false;
    }
    x[i] = from[i].is;
    made.masked |= from[i].masked;
    made.stray |= from[i].stray;
    made.read |= from[i].read;
  }
  const bool is_counted =
      change_of(s, Change::Kind::counted) || (what_.change && what_.change->kind == Change::Kind::counted_all);
  if (is_counted && (s.op == Op::mul || s.op == Op::div))
    for (std::size_t i = 0; i < n; ++i)
      if (x[i] == what_.change->was &&
          (s.operands[i] < 0 || ledger_.values[static_cast<std::size_t>(s.operands[i])].count() == 1))
        x[i] = what_.change->number;
  if (const Change* const c = change_of(s, Change::Kind::substituted); c && c->operand < n)
    from[c->operand].is = x[c->operand] = other_value(s, to.shape, lane);
  if (const Change* const c = change_of(s, Change::Kind::left_out); c && c->operand < n) return from[c->operand];
  const bool is_exchanged = change_of(s, Change::Kind::exchanged);
  if (s.op == Op::where) {
    if (n < 3) return {to.real(lane)};
    return from[(x[0] != 0) != is_exchanged ? 1 : 2];
  }
  if (is_exchanged) std::swap(x[0], x[1]);
  if (change_of(s, Change::Kind::preceded)) x[0] = applied(what_.change->op, to.dtype, x[0]);
  made.is = applied(op_of(s), to.dtype, x);
  if (std::isnan(made.is) && !std::isnan(to.is_pointer || is_integer(to.dtype) ? 0 : to.real(lane))) {
    const bool any = std::any_of(x, x + n, [](double v) { return std::isnan(v); });
    if (!any) made.is = to.real(lane);  // an op that is not known here
  }
  return made;
}

Lane Beside::reduced(const LedgerStep& s, std::size_t result, std::int64_t lane, const Get& get) const {
  const LedgerValue &to = ledger_.values[static_cast<std::size_t>(s.results[result])],
                    &from = ledger_.values[static_cast<std::size_t>(s.operands[0])];
  const int axis = change_of(s, Change::Kind::turned) ? 1 - s.axis() : s.axis();
  const AlongAxis a = along_axis(from.shape, to.shape, axis, lane);
  std::vector<std::pair<std::int64_t, double>> lanes;
  bool all_masked = true, any_read = false;
  for (std::int64_t k = 0; k < a.count; ++k) {
    const Lane l = get(0, a.first + k * a.step);
    all_masked &= l.masked;
    any_read |= l.read;
    if (is_skipped(l)) continue;
    lanes.emplace_back(k, change_of(s, Change::Kind::preceded) ? applied(what_.change->op, from.dtype, l.is) : l.is);
  }
  Lane made{to.real(lane), all_masked && a.count > 0, false, any_read};
  if (lanes.empty()) {
    if (s.op == Op::sum || s.op == Op::cumsum) made.is = 0;
    return made;
  }
  const std::int64_t place = a.step > 0 ? (lane - a.first) / a.step : 0;  // of a scan's lane
  const auto best = [&](bool largest) {
    return *std::max_element(lanes.begin(), lanes.end(), [&](const auto& p, const auto& q) {
      return largest ? p.second < q.second : p.second > q.second;
    });
  };
  double total = 0;
  switch (op_of(s)) {
    case Op::sum:
      for (const auto& [k, v] : lanes) total += v;
      made.is = total;
      break;
    case Op::cumsum:
      for (const auto& [k, v] : lanes)
        if (k <= place) total += v;
      made.is = total;
      break;
    case Op::max: made.is = best(true).second; break;
    case Op::min: made.is = best(false).second; break;
    case Op::argmax: made.is = static_cast<double>(best(true).first); break;
    case Op::argmin: made.is = static_cast<double>(best(false).first); break;
    case Op::max_with_index: made.is = result ? static_cast<double>(best(true).first) : best(true).second; break;
    case Op::min_with_index: made.is = result ? static_cast<double>(best(false).first) : best(false).second; break;
    case Op::softmax: {
      const double top = best(true).second;
      double mine = 0;
      for (const auto& [k, v] : lanes) {
        total += std::exp(v - top);
        if (k == place) mine = std::exp(v - top);
      }
      made.is = mine / total;
      break;
    }
    default: break;  // by a function: as it was
  }
  return made;
}

Lane Beside::multiplied(const LedgerStep& s, std::int64_t lane, const Get& get) const {
  const LedgerValue &to = ledger_.values[static_cast<std::size_t>(s.results[0])],
                    &a = ledger_.values[static_cast<std::size_t>(s.operands[0])];
  if (s.op != Op::dot || to.shape.size() != 2) return {to.real(lane)};
  const std::int64_t n = to.shape[1], terms = a.shape[1], row = lane / n, column = lane % n;
  double total = s.operands.size() > 2 && s.operands[2] >= 0 ? get(2, lane).is : 0;
  Lane made{0, terms > 0, terms > 0};  // where each product has such a factor
  for (std::int64_t k = 0; k < terms; ++k) {
    const Lane x = get(0, row * terms + k), y = get(1, k * n + column);
    made.masked &= x.masked || y.masked;
    made.stray &= x.stray || y.stray;
    made.read |= x.read && y.read;
    if (!is_skipped(x) && !is_skipped(y)) total += x.is * y.is;
  }
  made.is = total;
  return made;
}

Lane Beside::evaluated(const LedgerStep& s, std::size_t result, std::int64_t lane, const Get& get) const {
  const LedgerValue& to = ledger_.values[static_cast<std::size_t>(s.results[result])];
  if (to.is_pointer || to.dtype == DType::int1) {  // where it goes is not in question
    if (to.is_pointer) return {to.real(lane)};
  }
  switch (family_of(s.op)) {
    case OpFamily::cast:
      if (s.op != Op::cast) return {to.real(lane)};
      [[fallthrough]];
    case OpFamily::arithmetic:
    case OpFamily::bitwise:
    case OpFamily::logical:
    case OpFamily::comparison:
    case OpFamily::select:
    case OpFamily::math: return by_lane(s, result, lane, get);
    case OpFamily::hint: return get(0, lane);
    case OpFamily::view:
    case OpFamily::pieces: {
      Lane made{to.real(lane)};
      for_each_source(ledger_, s, result, lane, [&](std::size_t o, std::int64_t from) { made = get(o, from); });
      if (s.op == Op::broadcast_to) made.read = false;
      return made;
    }
    case OpFamily::reduction:
    case OpFamily::scan: return reduced(s, result, lane, get);
    case OpFamily::dot: return multiplied(s, lane, get);
    default: return {to.real(lane)};
  }
}

std::optional<Lane> Beside::masked_otherwise(const LedgerStep& s, std::int64_t lane) const {
  const std::vector<std::int64_t>& shape = ledger_.values[static_cast<std::size_t>(s.results[0])].shape;
  const auto value = [&](std::size_t o) -> const LedgerValue& {
    return ledger_.values[static_cast<std::size_t>(s.operands[o])];
  };
  double other = 0;
  std::optional<bool> is_on;
  for (std::size_t o = 0; o < s.operands.size(); ++o) {
    if (s.operands[o] < 0) other = s.numbers[o];
    else if (value(o).is_pointer) continue;
    else if (const std::int64_t own = broadcast_lane(value(o).shape, shape, lane); value(o).dtype != DType::int1)
      other = value(o).real(own);
    else if (has(s.operands[o]) && slice_.holds(s.operands[o], own)) is_on = at(s.operands[o], own).is != 0;
  }
  if (!is_on || *is_on == s.access->is_active(lane)) return {};
  if (!*is_on) return Lane{other, true};
  const std::int64_t e = s.access->offset(lane);
  if (e < 0 || e >= s.access->of->storage_elems) return Lane{NAN};
  if (const auto it = memory_.find({s.access->data, e}); it != memory_.end()) return it->second;
  const DType t = s.access->of->dtype;
  return Lane{trace::decode_element(t, s.access->data + e * size_in_bytes(t)), false, false, true};
}

Lane Beside::loaded(const LedgerStep& s, std::int64_t lane) const {
  const LedgerValue& to = ledger_.values[static_cast<std::size_t>(s.results[0])];
  if (what_.transposes && *what_.transposes == place_of(s) && is_square(to)) {
    const std::int64_t n = to.shape[0];
    return {to.real(lane % n * n + lane / n)};
  }
  if (what_.change)
    if (const std::optional<Lane> otherwise = masked_otherwise(s, lane)) return *otherwise;
  Lane made{to.real(lane)};
  if (is_masked_lane(s, lane)) {
    made.masked = true;
    if (what_.other) made.is = *what_.other;
    return made;
  }
  if (const auto it = memory_.find({s.access->data, s.access->offset(lane)}); it != memory_.end()) made = it->second;
  made.masked = false;
  made.read = true;
  made.stray = is_stray(*s.access, lane);
  return made;
}

void Beside::store(const LedgerStep& s) {
  const int value = stored_operand(ledger_, s);
  if (value < 0 || !slice_.holds(value)) {
    if (value < 0 && !memory_.empty())
      for_each_active_lane(*s.access, [&](std::int64_t, std::int64_t e) { memory_.erase({s.access->data, e}); });
    return;
  }
  const LedgerValue& v = ledger_.values[static_cast<std::size_t>(value)];
  const std::vector<std::int64_t> shape(s.access->shape.span().begin(), s.access->shape.span().end());
  for_each_active_lane(*s.access, [&](std::int64_t lane, std::int64_t e) {
    const std::int64_t own = broadcast_lane(v.shape, shape, lane);
    if (!slice_.holds(value, own)) return;
    Lane l = lanes_[static_cast<std::size_t>(value)][static_cast<std::size_t>(own)];
    l.is = cast(s.access->of->dtype, l.is);
    const auto key = std::pair(s.access->data, e);
    if (s.access->kind == trace::AccessKind::atomic && s.op != Op::atomic_xchg && s.op != Op::atomic_cas) {
      const auto before = memory_.find(key);
      double is = before != memory_.end() ? before->second.is
                  : s.results.empty()     ? NAN
                                          : ledger_.values[static_cast<std::size_t>(s.results[0])].real(lane);
      if (!is_skipped(l))
        is = s.op == Op::atomic_max ? greater(is, l.is) : s.op == Op::atomic_min ? lesser(is, l.is) : is + l.is;
      l = {is};
    }
    memory_[key] = l;
  });
}

double Beside::run(const WhatIf& what) {
  what_ = what;
  memory_.clear();
  others_.clear();
  lanes_.assign(ledger_.values.size(), {});
  for (const LedgerStep& s : ledger_.steps) {
    const Get beside = [&](std::size_t o, std::int64_t lane) {
      const int v = s.operands[o];
      return has(v) && slice_.holds(v, lane) ? at(v, lane)
                                             : Lane{ledger_.values[static_cast<std::size_t>(v)].real(lane)};
    };
    const Get as_it_was = [&](std::size_t o, std::int64_t lane) {
      return Lane{ledger_.values[static_cast<std::size_t>(s.operands[o])].real(lane)};
    };
    for (std::size_t r = 0; r < s.results.size(); ++r) {
      const int v = s.results[r];
      if (!slice_.holds(v)) continue;
      const std::vector<bool>& needed = slice_.lanes[static_cast<std::size_t>(v)];
      const LedgerValue& value = ledger_.values[static_cast<std::size_t>(v)];
      std::vector<Lane>& lanes = lanes_[static_cast<std::size_t>(v)];
      lanes.resize(needed.size());
      const bool errs = what.errs && *what.errs == place_of(s);
      for (std::size_t i = 0; i < needed.size(); ++i) {
        if (!needed[i]) continue;
        const auto lane = static_cast<std::int64_t>(i);
        lanes[i] = !s.access            ? evaluated(s, r, lane, beside)
                   : s.access->writes() ? Lane{value.real(lane)}
                                        : loaded(s, lane);
        if (change_of(s, Change::Kind::followed)) lanes[i].is = applied(what_.change->op, value.dtype, lanes[i].is);
        if (change_of(s, Change::Kind::joined)) {
          const double x[3] = {lanes[i].is, other_value(s, value.shape, lane), 0};
          lanes[i].is = applied(what_.change->op, value.dtype, x);
        }
        if (change_of(s, Change::Kind::accumulated)) lanes[i].is = added_up(s, r, lane);
        if (s.access) continue;
        if (!errs) continue;
        const double was = value.real(lane), exact = evaluated(s, r, lane, as_it_was).is;
        lanes[i].is = std::isfinite(was) && std::isfinite(exact) ? lanes[i].is + (was - exact) : was;
      }
    }
    if (s.access && s.access->writes()) store(s);
    if (what.change && what.change->maker == place_of(s) && !s.results.empty())
      others_[{s.program.x, s.program.y, s.program.z}] = s.results[0];
  }
  if (slice_.ends.empty()) return NAN;
  const auto& [step, lane] = slice_.ends.back();
  const LedgerStep& last = ledger_.steps[static_cast<std::size_t>(step)];
  const auto it = memory_.find({last.access->data, last.access->offset(lane)});
  return it == memory_.end() ? NAN : it->second.is;
}

}  // namespace tl::run
