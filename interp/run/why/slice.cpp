// Finds the lanes that an element is made of: backwards from the stores to it.
#include <algorithm>

#include "interp/run/why/beside.h"

namespace tl::run {

std::int64_t broadcast_lane(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                            std::int64_t lane) {
  if (from == to) return lane;
  std::int64_t result = 0, step = 1;
  std::size_t own = from.size();
  for (std::size_t d = to.size(); d-- > 0;) {
    const std::int64_t at = lane % to[d];
    lane /= to[d];
    if (own == 0) continue;
    --own;
    if (from[own] != 1) result += at * step;
    step *= from[own];
  }
  return result;
}

namespace {

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

}  // namespace

std::int64_t moved_lane(const LedgerStep& s, const std::vector<std::int64_t>& from, std::int64_t lane) {
  const std::size_t rank = from.size();
  std::vector<std::size_t> axes(rank);
  for (std::size_t i = 0; i < rank; ++i) axes[i] = i;
  if (!s.literals.empty())
    for (const trace::LiteralOperand& l : s.literals) axes[l.position - 1U] = static_cast<std::size_t>(l.value);
  else if (rank > 1) std::swap(axes[rank - 1], axes[rank - 2]);
  std::vector<std::int64_t> at(rank), steps(rank, 1);
  for (std::size_t i = rank; i-- > 0;) {
    at[i] = lane % from[axes[i]];
    lane /= from[axes[i]];
  }
  for (std::size_t i = rank; i-- > 1;) steps[i - 1] = steps[i] * from[i];
  std::int64_t result = 0;
  for (std::size_t i = 0; i < rank; ++i) result += at[i] * steps[axes[i]];
  return result;
}

AlongAxis along_axis(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, int axis,
                     std::int64_t lane) {
  if (product(to) == 1 || axis >= static_cast<int>(from.size())) return {0, 1, product(from)};
  AlongAxis a{0, 1, from[static_cast<std::size_t>(axis)]};
  for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < from.size(); ++i) a.step *= from[i];
  const std::int64_t inner = lane % a.step;
  const bool stays = to == from;
  const std::int64_t outer = stays ? lane / (a.step * a.count) : lane / a.step;
  a.first = outer * a.step * a.count + inner;
  return a;
}

int stored_operand(const Ledger& ledger, const LedgerStep& s) {
  int found = LedgerStep::literal, others = 0;
  for (const int o : s.operands) {
    if (o < 0 || ledger.values[static_cast<std::size_t>(o)].is_pointer) continue;
    if (others++ == 0) found = o;
  }
  if (others == 1 && ledger.values[static_cast<std::size_t>(found)].dtype == DType::int1 &&
      s.access->of->dtype != DType::int1)
    return LedgerStep::literal;  // a mask
  return found;
}

void for_each_source(const Ledger& ledger, const LedgerStep& s, std::size_t result, std::int64_t lane,
                     const std::function<void(std::size_t operand, std::int64_t lane)>& visit) {
  const auto shape_of = [&](int value) -> const std::vector<std::int64_t>& {
    return ledger.values[static_cast<std::size_t>(value)].shape;
  };
  const std::vector<std::int64_t>& to = shape_of(s.results[result]);
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    if (s.operands[i] < 0) continue;
    const std::vector<std::int64_t>& from = shape_of(s.operands[i]);
    const auto all = [&] {
      for (std::int64_t l = 0; l < product(from); ++l) visit(i, l);
    };
    switch (family_of(s.op)) {
      case OpFamily::view:
        if (s.op == Op::permute || s.op == Op::trans) visit(i, moved_lane(s, from, lane));
        else if (s.op == Op::broadcast_to) visit(i, broadcast_lane(from, to, lane));
        else visit(i, lane);
        break;
      case OpFamily::reduction:
      case OpFamily::scan: {
        const AlongAxis a = along_axis(from, to, s.axis(), lane);
        for (std::int64_t k = 0; k < a.count; ++k) visit(i, a.first + k * a.step);
        break;
      }
      case OpFamily::dot: {
        if (from.size() != 2 || s.op != Op::dot) {
          all();
          break;
        }
        const std::int64_t row = lane / to[1], column = lane % to[1];
        if (i == 0)
          for (std::int64_t k = 0; k < from[1]; ++k) visit(i, row * from[1] + k);
        else if (i == 1)
          for (std::int64_t k = 0; k < from[0]; ++k) visit(i, k * from[1] + column);
        else visit(i, lane);
        break;
      }
      case OpFamily::pieces:
        if (s.op == Op::split) visit(i, lane * 2 + static_cast<std::int64_t>(result));
        else if (lane % 2 == static_cast<std::int64_t>(i)) visit(i, lane / 2);
        break;
      case OpFamily::movement: all(); break;
      default: visit(i, broadcast_lane(from, to, lane));
    }
  }
}

Slice slice_of(const Ledger& ledger, const std::byte* tensor, std::int64_t element) {
  Slice slice;
  slice.lanes.resize(ledger.values.size());
  std::map<const std::byte*, std::set<std::int64_t>> wanted{{tensor, {element}}};
  const auto need = [&](int value, std::int64_t lane) {
    if (value < 0) return;
    std::vector<bool>& lanes = slice.lanes[static_cast<std::size_t>(value)];
    if (lanes.empty()) lanes.resize(static_cast<std::size_t>(ledger.values[static_cast<std::size_t>(value)].count()));
    if (static_cast<std::size_t>(lane) < lanes.size()) lanes[static_cast<std::size_t>(lane)] = true;
  };
  for (int i = static_cast<int>(ledger.steps.size()) - 1; i >= 0; --i) {
    const LedgerStep& s = ledger.steps[static_cast<std::size_t>(i)];
    if (s.access && s.access->writes() && !wanted[s.access->data].empty()) {
      std::set<std::int64_t>& elements = wanted[s.access->data];
      const int value = stored_operand(ledger, s);
      const std::vector<std::int64_t> shape(s.access->shape.span().begin(), s.access->shape.span().end());
      const bool stays = s.access->kind == trace::AccessKind::atomic;
      std::map<std::int64_t, std::vector<std::int64_t>> hits;  // of each element, the lanes
      for_each_active_lane(*s.access, [&](std::int64_t lane, std::int64_t e) {
        if (elements.contains(e)) hits[e].push_back(lane);
      });
      for (auto& [e, lanes] : hits) {
        if (!stays) {
          lanes.erase(lanes.begin(), lanes.end() - 1);
          elements.erase(e);
        }
        for (const std::int64_t lane : lanes) {
          for (const int o : s.operands)
            if (o >= 0) need(o, broadcast_lane(ledger.values[static_cast<std::size_t>(o)].shape, shape, lane));
          (void)value;
          if (s.access->data == tensor && e == element) slice.ends.emplace_back(i, lane);
        }
      }
    }
    for (std::size_t r = 0; r < s.results.size(); ++r) {
      if (!slice.holds(s.results[r])) continue;
      const std::vector<bool> lanes = slice.lanes[static_cast<std::size_t>(s.results[r])];
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (!lanes[lane]) continue;
        const auto at = static_cast<std::int64_t>(lane);
        for_each_source(ledger, s, r, at, [&](std::size_t o, std::int64_t source) { need(s.operands[o], source); });
        if (s.access && !s.access->writes() && s.access->is_active(at))
          wanted[s.access->data].insert(s.access->offset(at));
      }
    }
  }
  std::ranges::reverse(slice.ends);
  return slice;
}

bool is_stray(const LedgerAccess& a, std::int64_t lane) {
  const trace::TensorInfo& t = *a.of;
  if (t.shape.size() < 2 || t.strides.back() != 1 || a.shape.rank == 0 || !a.is_active(lane)) return false;
  const std::int64_t row = t.strides[t.strides.size() - 2], columns = t.shape.back(), n = a.shape[a.shape.rank - 1];
  if (row < columns || n < 2) return false;
  const std::int64_t begin = lane / n * n;
  // The row of the first active lane that others go on from.
  std::int64_t home = -1, most = 0;
  std::map<std::int64_t, std::int64_t> counts;
  for (std::int64_t l = begin; l < begin + n; ++l) {
    if (!a.is_active(l)) continue;
    const std::int64_t e = a.offset(l);
    if (l + 1 < begin + n && a.offset(l + 1) - e != 1) return false;
    if (e >= 0 && e % row < columns && ++counts[e / row] > most) {
      most = counts[e / row];
      home = e / row;
    }
  }
  // A load that begins in a row means that row, unless its start is before it.
  std::int64_t first = begin;
  while (!a.is_active(first)) ++first;
  const std::int64_t start = a.offset(first);
  if (start >= 0 && counts.size() == 2 && start % row + most >= columns && counts.contains(start / row) &&
      start % row == 0)
    home = start / row;
  const std::int64_t e = a.offset(lane);
  return e / row != home || e % row >= columns;
}

}  // namespace tl::run
