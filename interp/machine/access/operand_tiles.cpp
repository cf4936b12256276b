#include "interp/machine/access/operand_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/machine/access/type_tracker.h"

namespace tl::machine {

using trace::Op;

trace::Keep OperandTiles::program_begins(ProgramId) {
  const bool first = std::exchange(is_first_, false);
  return first ? trace::Keep::values : trace::Keep::nothing;
}

void OperandTiles::add(const trace::OpEvent& e, const std::string& what, Sizes stored, DType dtype, bool transposed,
                       Sizes mnk) {
  const std::string place = fmt::format("{}:{}", e.site.file, e.site.line);
  for (OperandTile& t : tiles_)
    if (t.place == place && t.what == what && t.rows == stored[0] && t.cols == stored[1]) {
      ++t.times;
      return;
    }
  OperandTile t{place, what, stored[0], stored[1], dtype, transposed, what == "dot's left side", 1, 0, 0, 0};
  if (mnk.rank == 3) {
    t.dot_m = mnk[0];
    t.dot_n = mnk[1];
    t.dot_k = mnk[2];
  }
  tiles_.push_back(t);
}

namespace {

// The axis along which lanes of a matrix touch neighbours in memory; -1: none.
int axis_of_neighbours(const trace::Access& a) {
  const std::int64_t rows = a.shape[0], cols = a.shape[1];
  if (rows < 2 || cols < 2 || (!a.is_tile && !a.offsets)) return -1;
  const auto step = [&](int axis) {
    return a.is_tile ? a.strides[axis] : a.offset(axis == 0 ? cols : 1) - a.offset(0);
  };
  return step(1) == 1 ? 1 : step(0) == 1 ? 0 : -1;
}

}  // namespace

// A warp loads and stores along neighbours. Where those of a store lie along the other axis than those of a load, the
// block goes from one layout to the other through shared memory: written along rows, read down columns.
void OperandTiles::add_exchange(const trace::OpEvent& e) {
  const trace::Access& a = *e.access;
  if (a.shape.rank != 2 || a.tensor < 0) return;
  const int axis = axis_of_neighbours(a);
  const Sizes shape = sizes_of(a.shape.span());
  if (axis < 0) return;
  if (!a.writes()) return loaded_.emplace_back(shape, axis), void();
  if (a.kind != trace::AccessKind::store || std::ranges::none_of(loaded_, [&](const auto& l) {
        return l.first[0] == shape[0] && l.first[1] == shape[1] && l.second == 1 - axis;
      }))
    return;
  const Sizes stored = axis == 0 ? shape : Sizes{shape[1], shape[0]};
  add(e, "block stored along its other axis", stored, launch_->tensors[static_cast<std::size_t>(a.tensor)].dtype, true,
      {});
}

void OperandTiles::op(const trace::OpEvent& e) {
  if (e.access) add_exchange(e);
  const auto shape = [](const trace::Value& v) { return sizes_of(v.shape); };
  const bool is_matrix = !e.operands.empty() && e.operands[0].shape.size() == 2;
  if ((e.op == Op::trans || e.op == Op::permute) && is_matrix && e.results[0].shape[0] == e.operands[0].shape[1]) {
    transposed_[e.results[0].id] = e.operands[0].id;
    add(e, "transposed block", shape(e.operands[0]), e.operands[0].dtype, true, {});
  } else if (e.op == Op::dot && is_matrix) {
    const Sizes a = shape(e.operands[0]), b = shape(e.operands[1]);
    const Sizes mnk{a[0], b[1], a[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      const bool turned = transposed_.contains(e.operands[i].id);
      Sizes stored = i == 0 ? a : b;
      if (turned) std::swap(stored.at[0], stored.at[1]);
      add(e, i == 0 ? "dot's left side" : "dot's right side", stored, e.operands[i].dtype, turned, mnk);
    }
  }
}

DotStep dot_step(const OperandTile& right, int num_warps, Placement placement, const Device& device) {
  // Read across its rows a tile is taken in the widest pieces that one lane can use: 16 bytes along k.
  const auto tile = [&](int rows, int cols, Placement p) {
    return BankedTile{rows, cols, size_in_bytes(right.dtype), p, 16};
  };
  const double lanes = device.f32_tflops * 1e3 / (2 * static_cast<double>(device.sms) * device.sm_clock_ghz);
  DotStep s{.placement = placement};
  s.cycles_a_wavefront = bank_count * bank_bytes / device.shared_bytes_a_clock;
  s.multiply_cycles = static_cast<double>(right.dot_m) * right.dot_n * right.dot_k / lanes;
  const BankedTile a = tile(right.dot_m, right.dot_k, Placement::xored), b = tile(right.rows, right.cols, placement);
  s.store_wavefronts = static_cast<double>(wavefronts_of(a, Direction::along_rows).wavefronts +
                                           wavefronts_of(b, Direction::along_rows).wavefronts);
  // Each warp multiplies its own rows of a by all of b.
  s.read_wavefronts =
      static_cast<double>(wavefronts_of(a, Direction::along_rows).wavefronts) +
      num_warps * static_cast<double>(
                      wavefronts_of(b, right.transposed ? Direction::down_columns : Direction::along_rows).wavefronts);
  return s;
}

double shared_cycles_a_flop(const std::vector<OperandTile>& tiles, int num_warps, Placement placement,
                            const Device& device) {
  double cycles = 0, flops = 0;
  for (const OperandTile& t : tiles) {
    if (!t.dot_m || t.is_left) continue;
    const double times = static_cast<double>(t.times);
    cycles += times * dot_step(t, num_warps, placement, device).shared_cycles();
    flops += times * 2 * t.dot_m * t.dot_n * t.dot_k;
  }
  return flops > 0 ? cycles / flops : 0;
}

}  // namespace tl::machine
