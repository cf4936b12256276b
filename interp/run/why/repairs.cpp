// Causes in an op itself: another one in its place, or of its result, and the element would be right.
#include <set>
#include <tuple>

#include "interp/run/why/search.h"
#include "interp/trace/recorded.h"

namespace tl::run {

namespace {

using Kind = Change::Kind;

// What an op is mistaken for.
std::vector<Op> taken_for(Op op) {
  switch (op) {
    case Op::sum: return {Op::max, Op::min};
    case Op::max: return {Op::sum, Op::min};
    case Op::min: return {Op::sum, Op::max};
    case Op::argmax: return {Op::argmin};
    case Op::argmin: return {Op::argmax};
    case Op::add: return {Op::sub, Op::mul, Op::maximum};
    case Op::sub: return {Op::add};
    case Op::mul: return {Op::div, Op::add};
    case Op::div: return {Op::mul};
    case Op::maximum: return {Op::minimum};
    case Op::minimum: return {Op::maximum};
    case Op::exp: return {Op::exp2};
    case Op::exp2: return {Op::exp};
    case Op::log: return {Op::log2};
    case Op::log2: return {Op::log};
    case Op::sqrt: return {Op::rsqrt};
    case Op::rsqrt: return {Op::sqrt};
    case Op::floor: return {Op::ceil, Op::rint};
    case Op::ceil: return {Op::floor};
    case Op::sin: return {Op::cos};
    case Op::cos: return {Op::sin};
    case Op::lt: return {Op::le, Op::gt, Op::ge, Op::eq};
    case Op::le: return {Op::lt, Op::ge, Op::gt, Op::eq};
    case Op::gt: return {Op::ge, Op::lt, Op::le, Op::eq};
    case Op::ge: return {Op::gt, Op::le, Op::lt, Op::eq};
    case Op::eq: return {Op::ne, Op::ge, Op::le};
    case Op::ne: return {Op::eq};
    case Op::bit_and: return {Op::bit_or};
    case Op::bit_or: return {Op::bit_and};
    default: return {};
  }
}

constexpr Op forgotten[] = {Op::exp, Op::abs, Op::mul,  Op::sqrt,    Op::rsqrt,
                            Op::neg, Op::log, Op::exp2, Op::sigmoid, Op::tanh};

}  // namespace

// A factor or divisor that counts something, as the block's length in a mean: a tensor's extent may be meant, or how
// many lanes a load's mask lets through.
std::vector<Change> Search::counts_in(const LedgerStep& s) const {
  std::vector<Change> all;
  if (s.op != Op::div && s.op != Op::mul) return all;
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    if (s.operands[i] >= 0 && value(s.operands[i]).count() != 1) continue;
    const double is = s.operands[i] < 0 ? s.numbers[i] : value(s.operands[i]).real(0);
    if (!(is > 1) || is != std::round(is)) continue;
    const auto add = [&](std::int64_t n, std::string of) {
      if (static_cast<double>(n) != is)
        all.push_back({.place = Beside::place_of(s),
                       .kind = Kind::counted,
                       .op = s.op,
                       .was = is,
                       .number = static_cast<double>(n),
                       .of = std::move(of)});
    };
    // The last one is tried first: an extent.
    for (const bool of_masks : {true, false})
      for (const LedgerStep& load : ledger_.steps) {
        if (!load.access || load.results.empty() || !slice_.holds(load.results[0])) continue;
        const trace::TensorInfo& t = *load.access->of;
        if (!of_masks)
          for (std::size_t d = 0; d < t.shape.size(); ++d) add(t.shape[d], fmt::format("axis {} of {}", d, t.name));
        else if (load.access->lanes() > 1)
          add(load.access->active_lanes(), fmt::format("the mask of line {}'s load", load.site.line));
      }
  }
  return all;
}

// Of the ops of the slice, the most likely first.
std::vector<Change> Search::changes() const {
  std::vector<Change> likely, others, last;
  std::map<std::pair<int, int>, int> turns;
  for (const LedgerStep& s : ledger_.steps) {
    if (s.results.empty() || !slice_.holds(s.results[0])) {
      ++turns[Beside::place_of(s)];
      continue;
    }
    const LedgerValue& made = value(s.results[0]);
    if (made.is_pointer) continue;
    const std::pair<int, int> place = Beside::place_of(s);
    if (turns[place] > 0) likely.push_back({place, Kind::accumulated});
    turns[place] = -1;
    // A mask's & as an | would explain every lane that the mask keeps out.
    const bool may_be_another = s.op != Op::bit_and || made.dtype != DType::int1;
    if (may_be_another)
      for (const Op op : taken_for(s.op)) likely.push_back({place, Kind::replaced, op});
    for (Change& c : counts_in(s)) {
      likely.push_back(c);
      c.kind = Kind::counted_all;
      last.push_back(std::move(c));
    }
    if (s.op == Op::sub || s.op == Op::div || s.op == Op::where) likely.push_back({place, Kind::exchanged});
    add_values(s, likely, last);
    if (is_float(made.dtype) && family_of(s.op) != OpFamily::view &&
        s.op != Op::full)  // no function forgets a constant
      for (const Op op : forgotten) {
        others.push_back({place, Kind::followed, op});
        if (family_of(s.op) == OpFamily::reduction || family_of(s.op) == OpFamily::math)
          others.push_back({place, Kind::preceded, op});
      }
  }
  // What is nearer to the store comes first.
  std::ranges::reverse(likely);
  std::ranges::reverse(others);
  std::ranges::reverse(last);
  likely.insert(likely.end(), others.begin(), others.end());
  likely.insert(likely.end(), last.begin(), last.end());
  std::vector<Change> once;
  std::set<std::tuple<std::pair<int, int>, Kind, Op, std::size_t, double, double, std::pair<int, int>>> seen;
  for (const Change& c : likely)
    if (seen.emplace(c.place, c.kind, c.op, c.operand, c.was, c.number, c.maker).second) once.push_back(c);
  return once;
}

Fault Search::repaired_fault(const LedgerStep& s, const Change& c, double v) const {
  const bool is_of_one = c.kind == Kind::followed || c.kind == Kind::preceded;
  const std::string op = is_of_one && c.op == Op::mul   ? "the square"
                         : is_of_one && c.op == Op::neg ? "the negative"
                                                        : notation(s).op(c.op);
  const std::string here = would_be(v);
  Fault f;
  switch (c.kind) {
    case Kind::replaced:
      f = fault(s, fmt::format("is {} meant?", op));
      f.detail = fmt::format("with {} {}", op, here);
      f.fix = fmt::format("write {} in its place", op);
      break;
    case Kind::exchanged:
      f = fault(s, "its two sides are exchanged");
      f.detail = "with them the other way round " + here;
      f.fix = "exchange them";
      break;
    case Kind::followed:
      f = fault(s, fmt::format("is {} of it meant?", op));
      f.detail = fmt::format("with {} of it {}", op, here);
      f.fix = fmt::format("take {} of it", op);
      break;
    case Kind::preceded:
      f = fault(s, fmt::format("is {} of what it takes meant?", op));
      f.detail = fmt::format("with {} of it {}", op, here);
      f.fix = fmt::format("take {} first", op);
      break;
    case Kind::counted:
    case Kind::counted_all:
      f = fault(s, fmt::format("is {} meant, as {} has it?", number(c.number), c.of));
      f.detail = fmt::format("with {} {}", number(c.number), here);
      f.fix = "take what counts, not the length of a block";
      break;
    case Kind::accumulated:
      f = fault(s, "of the loop's turns the last alone counts");
      f.detail = "added up " + here;
      f.fix = "add to what the turns before gave: +=";
      break;
    default: return fault_of_values(s, c, v);
  }
  return f;
}

std::optional<Fault> Search::repaired() {
  constexpr double affordable = 2e7;
  double done = 0;
  for (const Change& c : changes()) {
    if ((done += work()) > affordable) break;
    double v = 0;
    if (!explains({.change = c}, v)) continue;
    for (const LedgerStep& s : ledger_.steps)
      if (Beside::place_of(s) == c.place && !s.results.empty() && slice_.holds(s.results[0]) &&
          !value(s.results[0]).is_pointer)
        return repaired_fault(s, c, v);
  }
  return {};
}

// What an op gave, and no other op took, is a hint at a line that was meant to.
std::optional<Fault> Search::unused() {
  std::set<int> taken;
  for (const LedgerStep& s : ledger_.steps) taken.insert(s.operands.begin(), s.operands.end());
  const LedgerStep* found = nullptr;
  for (const LedgerStep& s : ledger_.steps) {
    const OpFamily family = family_of(s.op);
    const bool computes = family == OpFamily::reduction || family == OpFamily::math || family == OpFamily::dot ||
                          (s.access && !s.access->writes());
    if (computes && s.program == last_store().program && !s.results.empty() &&
        std::ranges::none_of(s.results, [&](int r) { return taken.contains(r) || slice_.holds(r); }))
      found = &s;
  }
  if (!found) return {};
  Fault f = fault(*found, "no op takes what it gives");
  f.detail = "nothing that is stored is made of it";
  f.fix = fmt::format("is it missing where {} is computed?", wrong_.name);
  return f;
}

std::optional<Fault> Search::nothing_loaded() {
  const LedgerStep* off = nullptr;  // the first load whose lanes are all masked off
  bool any_load = false, any_active = false;
  for (const LedgerStep& s : ledger_.steps) {
    if (!s.access || s.access->writes() || s.results.empty() || !slice_.holds(s.results[0])) continue;
    any_load = true;
    bool is_active = false;
    for_each_lane(s.results[0], [&](std::int64_t lane) { is_active |= s.access->is_active(lane); });
    any_active |= is_active;
    if (!is_active && !off) off = &s;
  }
  if (any_active || wrong_.expected == 0) return {};
  if (any_load) {
    Fault f = fault(*off, fmt::format("its mask is false wherever {} could come from", wrong_.name));
    f.tensor = off->access->of->name;
    f.detail = fmt::format("no lane of {} is read for it", f.tensor);
    f.fix = "look at the mask's comparison: does it hold in the first turn?";
    return f;
  }
  for (const LedgerStep& s : ledger_.steps) {
    if (s.results.empty() || !slice_.holds(s.results[0]) || value(s.results[0]).is_pointer ||
        value(s.results[0]).dtype == DType::int1)
      continue;
    if (value(s.results[0]).count() < 2 && is_integer(value(s.results[0]).dtype)) continue;
    Fault f = fault(s, fmt::format("nothing that was loaded goes into {}", wrong_.name));
    f.detail = "it is made of this alone";
    f.fix = "does a loop's update change it? acc += .., not a new variable";
    return f;
  }
  return {};
}

std::int64_t Search::element_that_is_right(const LedgerAccess& a) const {
  std::int64_t found = -1;
  for (std::int64_t e = 0; e < a.of->storage_elems && e < 1 << 20; ++e) {
    if (!is_right(trace::decode_element(a.of->dtype, a.data + e * size_in_bytes(a.of->dtype)))) continue;
    if (found >= 0) return -1;
    found = e;
  }
  return found;
}

}  // namespace tl::run
