// Moving elements: row copies where lanes are a tile, else one by one.
#include "interp/cpu/access.h"

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/checks.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/undefined.h"
#include "interp/cpu/walk.h"

namespace tl::cpu {

namespace {

// Elements of a tile, `extent` lanes an axis, by strides on both sides. Rows side by side in memory go by one call,
// whatever their number.
using CopyRows = void (*)(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t bytes,
                          std::int64_t rows);
template <class T>
void move_tile(int rank, const std::int64_t* extent, const T* from, const View& from_view, T* to, const View& to_view,
               CopyRows copy) {
  constexpr std::int64_t size = sizeof(T);
  const int last = rank - 1;
  if ((rank == 1 || rank == 2) && extent[last] > 1 && from_view.strides[last] == 1 && to_view.strides[last] == 1) {
    const std::int64_t n = extent[last];
    if (rank == 1) return copy(to, 0, from, 0, n * size, 1);
    if (from_view.strides[0] == n && to_view.strides[0] == n) return copy(to, 0, from, 0, extent[0] * n * size, 1);
    return copy(to, to_view.strides[0] * size, from, from_view.strides[0] * size, n * size, extent[0]);
  }
  const View views[2] = {from_view, to_view};
  walk<2>(rank, extent, views, [&](std::int64_t n, std::int64_t, const std::int64_t* offset, const std::int64_t* step) {
    const T* a = from + offset[0];
    T* b = to + offset[1];
    if (step[0] == 1 && step[1] == 1) copy(b, 0, a, 0, n * size, 1);
    else
      for (std::int64_t i = 0; i < n; ++i) b[i * step[1]] = a[i * step[0]];
  });
}

template <class T>
void copy_tile(const Lanes& l, const T* tensor, T* out) {
  constexpr std::int64_t size = sizeof(T);
  if (l.shape.rank == 1 && l.strides[0] == 1)
    return loops().fetch(out + l.lo[0], 0, tensor + l.base + l.lo[0], 0, (l.hi[0] - l.lo[0]) * size, 1);
  if (l.shape.rank == 2 && l.strides[1] == 1 && l.hi[1] - l.lo[1] > 1) {
    const std::int64_t n = l.hi[1] - l.lo[1], rows = l.hi[0] - l.lo[0], row = l.strides[0];
    const T* from = tensor + l.base + row * l.lo[0] + l.lo[1];
    T* to = out + l.lo[0] * l.shape[1] + l.lo[1];
    if (row == n && n == l.shape[1]) return loops().fetch(to, 0, from, 0, rows * n * size, 1);
    return loops().fetch(to, l.shape[1] * size, from, row * size, n * size, rows);
  }
  View from{}, to{};
  std::int64_t extent[max_rank], in = l.base, first = 0, stride = 1;
  for (int i = l.shape.rank - 1; i >= 0; --i) {
    extent[i] = l.hi[i] - l.lo[i];
    from.strides[i] = l.strides[i];
    to.strides[i] = stride;
    in += l.strides[i] * l.lo[i];
    first += stride * l.lo[i];
    stride *= l.shape[i];
  }
  move_tile(l.shape.rank, extent, tensor + in, from, out + first, to, loops().fetch);
}

template <class T>
void store_tile(const Lanes& l, T* tensor, const View& value) {
  constexpr std::int64_t size = sizeof(T);
  const T* lanes = reinterpret_cast<const T*>(value.data);
  if (l.shape.rank == 1 && l.strides[0] == 1 && value.strides[0] == 1)
    return loops().put(tensor + l.base + l.lo[0], 0, lanes + l.lo[0], 0, (l.hi[0] - l.lo[0]) * size, 1);
  if (l.shape.rank == 2 && l.strides[1] == 1 && value.strides[1] == 1) {
    const std::int64_t n = l.hi[1] - l.lo[1];
    return loops().put(tensor + l.base + l.strides[0] * l.lo[0] + l.lo[1], l.strides[0] * size,
                       lanes + value.strides[0] * l.lo[0] + l.lo[1], value.strides[0] * size, n * size,
                       l.hi[0] - l.lo[0]);
  }
  View to{};
  std::int64_t extent[max_rank], first = l.base, in = 0;
  for (int i = 0; i < l.shape.rank; ++i) {
    extent[i] = l.hi[i] - l.lo[i];
    to.strides[i] = l.strides[i];
    in += value.strides[i] * l.lo[i];
    first += l.strides[i] * l.lo[i];
  }
  move_tile(l.shape.rank, extent, reinterpret_cast<const T*>(value.data) + in, value, tensor + first, to, loops().put);
}

// Lanes outside the tile; those inside will be copied.
template <class T>
void fill_outside(const Lanes& l, T* out, T value) {
  const FillLoop fill = loops().fill(sizeof value);
  if (l.shape.rank == 1 && !l.none) {
    fill(out, &value, l.lo[0]);
    fill(out + l.hi[0], &value, l.count - l.hi[0]);
  } else {
    fill(out, &value, l.count);
  }
}

template <class F>
void with_size(DType d, const F& f) {
  switch (size_in_bytes(d)) {
    case 1: return f(static_cast<std::uint8_t*>(nullptr));
    case 2: return f(static_cast<std::uint16_t*>(nullptr));
    case 4: return f(static_cast<std::uint32_t*>(nullptr));
    default: return f(static_cast<std::uint64_t*>(nullptr));
  }
}

// One lane is read and written at once, so that a program that polls sees what another one wrote.
template <class T>
T read_one(const T* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}

// Active lanes' elements, the others from `fill` (one element), or untouched where `into` is already filled.
Ref read_lanes(State& s, const Lanes& l, const std::byte* fill, Ref into = {}) {
  const DType t = l.memory->dtype;
  const bool filled = static_cast<bool>(into);
  Ref r =
      filled ? std::move(into) : with_rank(l.shape.rank, [&](auto rank) { return make_dense(s, t, rank, l.dims()); });
  if (l.is_tile) {
    read_tile(l, filled ? nullptr : fill, r->buffer->bytes());
    return r;
  }
  with_size(t, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    T* out = reinterpret_cast<T*>(r->buffer->bytes());
    const T* tensor = l.memory->as<T>();
    T other;
    std::memcpy(&other, fill, sizeof other);
    for (std::int64_t i = 0; i < l.count; ++i)
      if (!l.mask || l.mask[i]) out[i] = tensor[l.offsets[i]];
      else if (!filled) out[i] = other;
  });
  return r;
}

// A value of the tensor's dtype, broadcast to the lanes.
void write_lanes(const Lanes& l, const Value& value) {
  if (l.none) return;
  if (l.is_tile) return write_tile(l, view_of(value));
  with_size(l.memory->dtype, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    T* tensor = l.memory->as<T>();
    const T* lanes = reinterpret_cast<const T*>(flat(value));
    for (std::int64_t i = 0; i < l.count; ++i)
      if (!l.mask || l.mask[i]) tensor[l.offsets[i]] = lanes[i];
  });
}

}  // namespace

void read_tile(const Lanes& l, const std::byte* fill, std::byte* to) {
  with_size(l.memory->dtype, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    T* out = reinterpret_cast<T*>(to);
    const T* tensor = l.memory->as<T>();
    if (!l.all && fill) {
      T other;
      std::memcpy(&other, fill, sizeof other);
      fill_outside(l, out, other);
    }
    if (l.none) return;
    if (l.count == 1) *out = read_one(tensor + l.base);
    else copy_tile(l, tensor, out);
  });
}

void write_tile(const Lanes& l, const View& value) {
  if (l.none) return;
  with_size(l.memory->dtype, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    T* tensor = l.memory->as<T>();
    if (l.count == 1) __atomic_store_n(tensor + l.base, *reinterpret_cast<const T*>(value.data), __ATOMIC_RELAXED);
    else store_tile(l, tensor, value);
  });
}

void check_history(const Where& w, const Lanes& l) {
  if (Shadow* s = w.state.launch.shadow) [[unlikely]]
    s->check(w, l);
}

void tell_before_write(State& s, const Lanes& l) {
  if (s.next_is_due() && s.keeps_accesses && !s.quiet && s.launch.options.observer) [[unlikely]]
    s.launch.options.observer->before_write(l);
}

Ref load_lanes(const Where& w, Lanes& l, const Value* other, const std::byte* padding,
               std::initializer_list<const Value*> operands) {
  check_bounds(w, l);
  check_history(w, l);
  State& s = w.state;
  constexpr std::byte zero[8] = {};
  Ref r;
  if (!s.has_data) [[unlikely]]
    r = absent_source(w, l.tensor, l.memory->dtype, l.shape.rank, l.dims());
  else if (other && !is_uniform(*other) && !l.all) {
    // `other` first, then the active lanes over it.
    Ref filled = make_dense(s, l.memory->dtype, l.shape.rank, l.dims());
    std::memcpy(filled->buffer->bytes(), flat(*other),
                static_cast<std::size_t>(l.count * size_in_bytes(l.memory->dtype)));
    r = read_lanes(s, l, zero, std::move(filled));
  } else {
    r = read_lanes(s, l, other ? view_of(*other).data : padding ? padding : zero);
  }
  r = settle(std::move(r));
  r->location = w.location;
  if (s.tracks_undefined && !other && !padding && !l.all) {
    const Ref active = mask_of(s, l);
    r->undefined = unary({s, Op::logical_not, w.location}, *active).release();
    note_undefined(w, l.is_block_pointer ? UndefinedBy::Kind::tile : UndefinedBy::Kind::load);
  }
  if (s.due(w.op, w.location)) [[unlikely]] {
    const Value* result = r.get();
    s.on_op(w.op, w.location, operands.begin(), static_cast<int>(operands.size()), &result, 1, &l, {});
  }
  if (l.is_tile && !l.none && s.has_data) s.read(w, l.tensor, l.base, l.count > 1);
  return r;
}

void store_lanes(const Where& w, Lanes& l, const Value& value, std::initializer_list<const Value*> operands) {
  l.kind = trace::AccessKind::store;
  check_bounds(w, l);
  check_history(w, l);
  State& s = w.state;
  s.progressed();
  if (s.launch.shadow && s.has_data) [[unlikely]]
    s.launch.shadow->check_lanes(w, l, value);
  if (value.undefined) [[unlikely]]
    check_undefined(w, l, value);
  tell_before_write(s, l);
  if (s.has_data) [[likely]]
    write_lanes(l, value);
  if (s.due(w.op, w.location)) [[unlikely]] {
    s.on_op(w.op, w.location, operands.begin(), static_cast<int>(operands.size()), nullptr, 0, &l, {});
  }
}

}  // namespace tl::cpu
