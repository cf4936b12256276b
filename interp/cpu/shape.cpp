// Ops that only move lanes: most make a view on the same elements.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/walk.h"

namespace tl::cpu {

namespace {

// New dimension i is old dimension from[i], or, where from[i] is -1, a new one of extent 1.
template <class Rank>
Ref rearranged(const Value& d, Rank rank, const int* from) {
  std::int64_t dims[max_rank];
  for (int i = 0; i < rank; ++i) dims[i] = from[i] < 0 ? 1 : d.dims[from[i]];
  Ref r = same_lanes(d, rank, dims);
  if (d.form != Form::box) {
    for (int i = 0; i < rank; ++i) r->strides[i] = from[i] < 0 ? 0 : d.strides[from[i]];
  } else {
    // A bool scalar becomes a block of one lane, whose box must say what the scalar's `base` said.
    const bool none = is_uniform(d) && int_of(d) == 0;
    const std::int64_t new_axis = d.rank == 0 ? d.base : !none;
    for (int i = 0; i < rank; ++i) {
      r->lo()[i] = from[i] < 0 ? 0 : d.lo()[from[i]];
      r->hi[i] = from[i] < 0 ? new_axis : d.hi[from[i]];
    }
  }
  if (d.undefined) [[unlikely]]
    r->undefined = rearranged(*d.undefined, static_cast<int>(rank), from).release();
  return r;
}

// x(_, None) and x(None, _) of a row of lanes.
Ref column_or_row(const Value& d, bool is_row) {
  const int own = is_row, other = !is_row;
  std::int64_t dims[2];
  dims[own] = d.dims[0];
  dims[other] = 1;
  Ref r = same_lanes(d, std::integral_constant<int, 2>(), dims);
  r->strides[own] = d.strides[0];
  r->strides[other] = 0;
  if (d.form == Form::box) {
    r->hi[own] = d.hi[0];
    r->hi[other] = d.lo()[0] < d.hi[0];
  }
  if (d.undefined) [[unlikely]]
    r->undefined = column_or_row(*d.undefined, is_row).release();
  return r;
}

Ref sliced(const Where& w, const Value& d, std::initializer_list<Slice> slices) {
  if (d.rank == 0)
    fail(w, FaultKind::shape, "one value has no axes to slice", "",
         fmt::format("it joins a block of any shape as it is; tl.full({}, x, x.dtype) makes a block of it",
                     notation_of(w).shape({"1"})));
  int from[max_rank], rank = 0, next = 0;
  for (const Slice& s : slices) {
    if (!s.is_given) break;
    if (!s.is_new_axis && next >= d.rank) next = d.rank + 1;  // one _ too many
    if (next > d.rank || rank == max_rank) break;
    from[rank++] = s.is_new_axis ? -1 : next++;
  }
  if (next != d.rank)
    fail(w, FaultKind::shape, "a None-slice keeps each axis of the block",
         "its shape is " + text_of_shape(d.dims, d.rank),
         fmt::format("write one {} for each of its axes, and None for each new one",
                     notation_of(w).is_python() ? ':' : '_'));
  return with_rank(rank, [&](auto r) { return rearranged(d, r, from); });
}

Block slice_block(const Block& x, Location location, std::initializer_list<Slice> s) {
  const Where w{state_of(x), Op::slice, location};
  return Block(finish(w, {x.data()}, sliced(w, *x.data(), s)).release());
}
Pointer slice_pointer(const Pointer& x, Location location, std::initializer_list<Slice> s) {
  const Where w{state_of(x), Op::slice, location};
  return Pointer(finish(w, {x.data()}, sliced(w, *x.data(), s)).release());
}

// A negative axis counts from the end.
int checked_axis(const Where& w, const Value& d, long long axis, int rank) {
  if (axis < -rank || axis >= rank)
    fail(w, FaultKind::shape, fmt::format("a block of shape {} has no axis {}", text_of_shape(d.dims, d.rank), axis),
         "", fmt::format("use 0 to {}, or {} to -1 from the end", rank - 1, -rank));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Ref expanded(const Where& w, const Value& d, long long written_axis) {
  const int axis = checked_axis(w, d, written_axis, d.rank + 1);
  if (d.rank == max_rank)
    fail(w, FaultKind::shape, fmt::format("a block has at most {} axes", max_rank), "", "reshape first");
  int from[max_rank];
  for (int i = 0; i <= d.rank; ++i) from[i] = i == axis ? -1 : i < axis ? i : i - 1;
  return rearranged(d, d.rank + 1, from);
}

Ref reshaped(const Value& d, int rank, const std::int64_t* dims) {
  if (is_absent(d)) return absent_result({*d.state, Op::reshape, d.location}, {&d}, d.dtype, rank, dims);
  if (is_uniform(d)) {
    Ref r = same_lanes(d, rank, dims);
    for (int i = 0; i < rank; ++i) {
      r->strides[i] = 0;
      r->hi[i] = d.form == Form::box && int_of(d) ? dims[i] : 0;
    }
    if (d.form == Form::box) r->base = int_of(d);
    return r;
  }
  Ref r = Ref::take(d.state->make(Form::dense, d.element_dtype(), rank, dims));
  if (d.form == Form::dense && is_contiguous(d)) {
    r->buffer = d.buffer;
    r->base = d.base;
  } else {
    flat(d);
    r->buffer = d.flat;
  }
  ++r->buffer->refs;
  r->dtype = d.dtype;
  std::int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    r->strides[i] = stride;
    stride *= dims[i];
  }
  return r;
}

}  // namespace

Block Block::operator()(Slice a, Location p) const { return slice_block(*this, p, {a}); }
Block Block::operator()(Slice a, Slice b, Location p) const {
  const Value& d = value_of(*this);
  if (d.rank != 1 || a.is_new_axis == b.is_new_axis) return slice_block(*this, p, {a, b});
  return Block(finish({*d.state, Op::slice, p}, {&d}, column_or_row(d, a.is_new_axis)).release());
}
Block Block::operator()(Slice a, Slice b, Slice c, Slice d, Slice e, Slice f, Location p) const {
  return slice_block(*this, p, {a, b, c, d, e, f});
}
Pointer Pointer::operator()(Slice a, Location p) const { return slice_pointer(*this, p, {a}); }
Pointer Pointer::operator()(Slice a, Slice b, Location p) const { return slice_pointer(*this, p, {a, b}); }
Pointer Pointer::operator()(Slice a, Slice b, Slice c, Slice d, Slice e, Slice f, Location p) const {
  return slice_pointer(*this, p, {a, b, c, d, e, f});
}

Block Context::broadcast_to(const Block& x, const Shape& s, Location location) {
  const Where w{state_, Op::broadcast_to, location};
  std::int64_t dims[max_rank] = {};
  std::copy_n(s.dims, s.rank, dims);
  Ref r = cpu::broadcast(w, *x.data(), s.rank, dims);
  if (r.get() == x.data()) return x;
  return Block(finish(w, {x.data()}, std::move(r)).release());
}

Block Context::expand_dims(const Block& x, FixedInt axis, Location location) {
  const Where w{state_, Op::expand_dims, location};
  return Block(finish(w, {x.data()}, expanded(w, *x.data(), axis.value)).release());
}
Pointer Context::expand_dims(const Pointer& x, FixedInt axis, Location location) {
  const Where w{state_, Op::expand_dims, location};
  return Pointer(finish(w, {x.data()}, expanded(w, *x.data(), axis.value)).release());
}

Block Context::reshape(const Block& x, const Shape& s, Location location) {
  const Where w{state_, Op::reshape, location};
  const Value& d = *x.data();
  std::int64_t dims[max_rank], count = 1;
  for (int i = 0; i < s.rank; ++i) count *= dims[i] = s.dims[i];
  if (count != d.count)
    fail(w, FaultKind::shape, fmt::format("{} lanes do not fill {}", d.count, text_of_shape(dims, s.rank)),
         "the block is " + text_of_shape(d.dims, d.rank), "the product of the new shape must be the old one's");
  Ref r = reshaped(d, s.rank, dims);
  if (d.undefined) r->undefined = reshaped(*d.undefined, s.rank, dims).release();
  return Block(finish(w, {&d}, std::move(r)).release());
}

Block Context::permute(const Block& x, const Axes& axes, Location location) {
  const Where w{state_, Op::permute, location};
  const Value& d = *x.data();
  unsigned seen = 0;
  for (int i = 0; i < axes.count; ++i)
    if (axes.axis[i] >= 0 && axes.axis[i] < d.rank) seen |= 1u << axes.axis[i];
  if (axes.count != d.rank || seen != (1u << d.rank) - 1)
    fail(w, FaultKind::shape, "the axes are not a permutation", "the block is " + text_of_shape(d.dims, d.rank),
         "name each of its axes once");
  for (int i = 0; i < d.rank; ++i) state_.note({static_cast<unsigned char>(1 + i), true, axes.axis[i], 0});
  return Block(finish(w, {&d}, rearranged(d, d.rank, axes.axis)).release());
}

Block Context::trans(const Block& x, Location location) {
  const Where w{state_, Op::trans, location};
  const Value& d = *x.data();
  if (d.rank < 2)
    fail(w, FaultKind::shape, "a block of shape " + text_of_shape(d.dims, d.rank) + " has no rows and columns to swap",
         "", "give it two axes with " + notation_of(w).column());
  int from[max_rank];
  for (int i = 0; i < d.rank; ++i) from[i] = i;
  std::swap(from[d.rank - 1], from[d.rank - 2]);
  return Block(finish(w, {&d}, rearranged(d, d.rank, from)).release());
}

namespace {

// The block without its last axis, at coordinate `at` of it.
Ref part(const Value& d, int at) {
  if (is_absent(d)) return absent_result({*d.state, Op::split, d.location}, {&d}, d.dtype, d.rank - 1, d.dims);
  if (is_uniform(d)) {
    Ref r = same_lanes(d, d.rank - 1, d.dims);
    for (int i = 0; i < r->rank; ++i) {
      r->strides[i] = 0;
      r->hi[i] = d.form == Form::box && int_of(d) ? d.dims[i] : 0;
    }
    if (d.form == Form::box) r->base = int_of(d);
    return r;
  }
  if (d.form == Form::box) {  // written out: part of a box may be empty
    Ref dense = reshaped(d, d.rank, d.dims);
    return part(*dense, at);
  }
  Ref r = same_lanes(d, d.rank - 1, d.dims);
  for (int i = 0; i < r->rank; ++i) r->strides[i] = d.strides[i];
  r->base += at * d.strides[d.rank - 1];
  return settle(std::move(r));
}

}  // namespace

BlockPair Context::split(const Block& x, Location location) {
  const Where w{state_, Op::split, location};
  const Value& d = *x.data();
  if (d.rank == 0 || d.dims[d.rank - 1] != 2)
    fail(w, FaultKind::shape, "the last axis must have extent 2", "the block is " + text_of_shape(d.dims, d.rank),
         "reshape and permute so that the last axis holds the two halves");
  Ref parts[2] = {part(d, 0), part(d, 1)};
  for (int i = 0; i < 2; ++i) {
    parts[i]->location = location;
    if (d.undefined && !parts[i]->undefined) parts[i]->undefined = part(*d.undefined, i).release();
  }
  if (state_.due(Op::split, location)) {
    const Value* in = &d;
    const Value* out[2] = {parts[0].get(), parts[1].get()};
    state_.on_op(Op::split, location, &in, 1, out, 2, nullptr, {});
  }
  return {Block(parts[0].release()), Block(parts[1].release())};
}

Block Context::join(const Block& a, const Block& b, Location location) {
  const Where w{state_, Op::join, location};
  const DType t = promote(a.data()->dtype, b.data()->dtype);
  int rank;
  std::int64_t dims[max_rank] = {};
  if (!broadcast_shape(*a.data(), *b.data(), rank, dims) || rank == max_rank)
    fail(w, FaultKind::shape, "shapes do not broadcast",
         text_of_shape(a.data()->dims, a.data()->rank) + " and " + text_of_shape(b.data()->dims, b.data()->rank),
         "join blocks of one shape");
  const auto joined = [&](const Value& x, const Value& y, DType dtype) {
    const Ref p = cpu::broadcast(w, x, rank, dims), q = cpu::broadcast(w, y, rank, dims);
    std::int64_t out_dims[max_rank];
    std::copy_n(dims, rank, out_dims);
    out_dims[rank] = 2;
    if (any_absent(x, y)) return absent_result(w, {&x, &y}, dtype, rank + 1, out_dims);
    Ref r = make_dense(state_, dtype, rank + 1, out_dims);
    const auto bytes = static_cast<std::size_t>(size_in_bytes(dtype));
    std::byte* out = r->buffer->bytes();
    const std::byte *x_lanes = flat(*p), *y_lanes = flat(*q);
    for (std::size_t i = 0; i < static_cast<std::size_t>(p->count); ++i) {
      std::memcpy(out + 2 * i * bytes, x_lanes + i * bytes, bytes);
      std::memcpy(out + (2 * i + 1) * bytes, y_lanes + i * bytes, bytes);
    }
    return r;
  };
  const Ref x = cpu::cast(w, *a.data(), t), y = cpu::cast(w, *b.data(), t);
  Ref r = joined(*x, *y, t);
  if (x->undefined || y->undefined) {
    const Ref none = make_bool(state_, false, 0, nullptr);
    r->undefined =
        joined(x->undefined ? *x->undefined : *none, y->undefined ? *y->undefined : *none, DType::int1).release();
  }
  return Block(finish(w, {a.data(), b.data()}, std::move(r)).release());
}

Block Context::convert_layout(const Block& x, Location location) {
  const Where w{state_, Op::convert_layout, location};
  int from[max_rank];
  for (int i = 0; i < max_rank; ++i) from[i] = i;
  return Block(finish(w, {x.data()}, rearranged(*x.data(), x.data()->rank, from)).release());
}

}  // namespace tl::cpu
