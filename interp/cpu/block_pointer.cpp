// Block pointers: tiles that know the bounds of their tensor.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/access.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/symbols.h"
#include "interp/cpu/tile.h"
#include "interp/lang/narrow.h"

namespace tl::cpu {

std::int64_t int_operand(const Where& w, const Operand& o) {
  if (!o.block) {
    if (o.literal.kind == LiteralKind::real)
      fail(w, FaultKind::shape, "a shape, stride or offset must be an integer", "", "cast it with .to(tl.int32)");
    return o.literal.integer;
  }
  const Value& d = *o.block->data();
  if (d.count != 1 || is_float(d.dtype))
    fail(w, FaultKind::shape, "a shape, stride or offset must be one integer",
         fmt::format("it is {}{}", name_of(d.dtype), text_of_shape(d.dims, d.rank)), "pass a scalar");
  if (is_absent(d) && goes_on_without(w)) return 1;  // any place
  if (is_absent(d)) needs_values(w, d, "an address");
  w.state.goes_by(d);
  if (w.state.recording) w.state.recording->reads_address(d);
  if (w.state.replay) w.state.replay->decides(d);
  return int_of(d);
}

Lanes tile_lanes(const Where& w, int tensor, std::int64_t base, int rank, const long long* block,
                 const long long* shape, const long long* strides, const long long* offsets, unsigned checked) {
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    count *= block[i];
    base += offsets[i] * strides[i];
  }
  Lanes l = make_tile(w, tensor, rank, count, base, checked != 0);
  for (int i = 0; i < rank; ++i) {
    const bool cut = checked >> i & 1;
    const std::int64_t lo = cut ? std::clamp<std::int64_t>(-offsets[i], 0, block[i]) : 0;
    l.set_axis(i, block[i], strides[i], lo,
               cut ? std::clamp<std::int64_t>(shape[i] - offsets[i], lo, block[i]) : block[i]);
  }
  return l;
}

void note_tile(State& s, int rank, const long long* shape, const long long* strides, const long long* offsets,
               unsigned checked) {
  for (int i = 0; i < rank; ++i) {
    const auto position = static_cast<unsigned char>(3 * i);
    s.note({position, (checked >> i & 1) != 0, shape[i], 0});
    s.note({static_cast<unsigned char>(position + 1), false, strides[i], 0});
    s.note({static_cast<unsigned char>(position + 2), false, offsets[i], 0});
  }
}

namespace {

Lanes lanes_of(const Where& w, const BlockPointer& p, const Axes& check) {
  unsigned checked = 0;
  for (int i = 0; i < check.count; ++i) {
    if (check.axis[i] < 0 || check.axis[i] >= p.rank)
      fail(w, FaultKind::shape, fmt::format("boundary_check names axis {}", check.axis[i]),
           fmt::format("the block pointer has {} axes", p.rank), "axes count from 0");
    checked |= 1u << check.axis[i];
  }
  note_tile(w.state, p.rank, p.shape, p.strides, p.offsets, checked);
  if (Symbols* s = w.state.launch.options.symbols) s->goes_through(p.formula, {}, checked);
  Lanes l = tile_lanes(w, p.base.data()->tensor, p.base.data()->base, p.rank, p.block, p.shape, p.strides, p.offsets,
                       checked);
  l.is_block_pointer = true;
  l.is_masked = checked + 1 == 1u << p.rank;
  return l;
}

// The dtype's NaN or zero, for padded lanes.
struct Fill {
  std::byte bytes[8] = {};
  Fill(State& s, const Where& w, DType t, Padding p) {
    if (p != Padding::nan) return;
    if (!is_float(t))
      fail(w, FaultKind::shape, fmt::format("{} has no NaN to pad with", name_of(t)), "",
           notation_of(w).is_python() ? "pass padding_option=\"zero\"" : "pass .padding = tl.zero");
    std::memcpy(bytes, make_float(s, t, __builtin_nan(""))->scalar, 8);
  }
};

}  // namespace

void check_value_shape(const Where& w, const Value& v, int rank, const long long* block) {
  bool same = v.rank == rank;
  std::int64_t dims[max_rank];
  for (int i = 0; i < rank; ++i) dims[i] = block[i];
  for (int i = 0; i < rank && same; ++i) same = v.dims[i] == dims[i];
  if (!same)
    fail(w, FaultKind::shape, "the value does not have the tile's shape",
         fmt::format("it is {}, the tile {}", text_of_shape(v.dims, v.rank), text_of_shape(dims, rank)),
         "make the tile's block shape the value's, or reshape the value");
}

BlockPointer& BlockPointer::operator=(const BlockPointer& from) {
  if (Recording* r = state_of(base).recording) r->assigning(*this);
  if (Symbols* s = state_of(base).launch.options.symbols) s->assigned(this, formula, from.formula);
  formula = from.formula;
  base = from.base;
  dtype = from.dtype;
  rank = from.rank;
  std::copy_n(from.shape, max_rank, shape);
  std::copy_n(from.strides, max_rank, strides);
  std::copy_n(from.offsets, max_rank, offsets);
  std::copy_n(from.block, max_rank, block);
  return *this;
}

BlockPointer Context::make_block_pointer(const Pointer& base, const Operand* all, int rank, const Shape& block,
                                         const Axes& order, Location location) {
  const Where w{state_, Op::make_block_ptr, location};
  if (base.data()->count != 1)
    fail(w, FaultKind::shape, "the base must be one pointer", "it is a block of them",
         "pass the tensor's first element");
  if (block.rank != rank || order.count != rank)
    fail(w, FaultKind::shape,
         fmt::format("a block pointer of rank {} has a block of rank {} and {} axes in its order", rank, block.rank,
                     order.count),
         "", "give one entry an axis");
  BlockPointer p(base, rank);
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    p.shape[i] = int_operand(w, all[i]);
    p.strides[i] = int_operand(w, all[rank + i]);
    p.offsets[i] = int_operand(w, all[2 * rank + i]);
    p.block[i] = block.dims[i];
    count *= p.block[i];
    if (p.block[i] <= 0 || (p.block[i] & (p.block[i] - 1)) || count > 1048576)
      fail(w, FaultKind::shape, fmt::format("{} is not a power of two", p.block[i]),
           "every dimension of a block is one, up to 1048576 lanes together",
           "round the block size up and check the boundary");
  }
  if (Symbols* s = state_.launch.options.symbols)
    p.formula = s->tile(*base.data(), {all, static_cast<std::size_t>(3 * rank)}, rank);
  finish(w, {base.data()}, {});
  return p;
}

BlockPointer Context::advance_by(const BlockPointer& from, const Operand* by, int rank, Location location) {
  const Where w{state_, Op::advance, location};
  if (rank != from.rank)
    fail(w, FaultKind::shape, fmt::format("{} offsets for a block pointer of rank {}", rank, from.rank), "",
         "give one offset an axis");
  BlockPointer p = from;
  for (int i = 0; i < rank; ++i) p.offsets[i] += int_operand(w, by[i]);
  if (Symbols* s = state_.launch.options.symbols)
    p.formula = s->advanced(from.formula, {by, static_cast<std::size_t>(rank)});
  finish(w, {from.base.data()}, {});
  return p;
}

Block Context::load(const BlockPointer& p, const BlockLoadOptions& options, Location location) {
  const Where w{state_, Op::load, location};
  Lanes l = lanes_of(w, p, options.boundary_check);
  const Fill fill(state_, w, p.dtype.value, options.padding.value);
  const bool is_filled = options.padding.value != Padding::none;
  return Block(load_lanes(w, l, nullptr, is_filled ? fill.bytes : nullptr, {p.base.data()}).release());
}

void Context::store(const BlockPointer& p, const Block& value, const BlockStoreOptions& options, Location location) {
  const Where w{state_, Op::store, location};
  check_value_shape(w, *value.data(), p.rank, p.block);
  Lanes l = lanes_of(w, p, options.boundary_check);
  const Ref typed = cpu::cast(w, *value.data(), p.dtype.value);
  store_lanes(w, l, *typed, {p.base.data(), value.data()});
}

}  // namespace tl::cpu
