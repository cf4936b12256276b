// Touching memory: one bounds check a tile, row copies, and the exact lane where something is wrong.
#include "interp/cpu/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/checks.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/walk.h"

namespace tl::cpu {

namespace {

// The active lanes of a tile: the mask's box at the pointers' coordinates; false where its shape does not broadcast to theirs.
template <class Rank>
bool read_tile(Lanes& l, Rank rank, const Data& p, const Data* mask) {
  bool fits_shape = !mask || mask->rank <= p.rank, off = mask && mask->rank == 0 && mask->base == 0, none = false, all = true;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t n = p.dims[i];
    std::int64_t lo = 0, hi = n;
    if (const int own = mask ? i - (rank - mask->rank) : -1; own >= 0) {
      lo = mask->lo()[own];
      hi = mask->hi[own];
      off |= lo >= hi;
      if (mask->dims[own] != n) {  // along a broadcast axis, all or nothing
        fits_shape &= mask->dims[own] == 1;
        lo = 0;
        hi = n;
      }
    }
    l.dims[i] = n;
    l.strides[i] = p.strides[i];
    l.lo[i] = lo;
    l.hi[i] = hi;
    all &= lo == 0 && hi == n;
    none |= lo >= hi;
  }
  if (off)
    for (int i = 0; i < rank; ++i) l.lo[i] = l.hi[i] = 0;
  l.none = none | off;
  l.all = all & !l.none;
  return fits_shape;
}

}  // namespace

Lanes lanes_of(const Where& w, const Data& p, const Data* mask) {
  Lanes l;
  l.index = p.tensor;
  l.tensor = &w.state.launch.tensors[static_cast<std::size_t>(p.tensor)];
  l.rank = p.rank;
  l.count = p.count;
  l.is_masked = mask != nullptr;
  l.offsets = nullptr;
  l.mask = nullptr;
  l.base = p.base;
  l.is_tile = p.form == Form::affine && (!mask || mask->form == Form::box);
  if (l.is_tile && with_rank(p.rank, [&](auto rank) { return read_tile(l, rank, p, mask); })) return l;
  if (mask && mask->dtype != DType::int1)
    fail(w, FaultKind::shape, std::string("a mask holds bools, this one ") + name_of(mask->dtype), "", "compare to make a mask, as in offsets < n");
  if (is_absent(p)) needs_values(w, p, "an address");
  if (is_absent(mask)) needs_values(w, *mask, "the mask");
  for (int i = 0; i < p.rank; ++i) l.dims[i] = p.dims[i];
  l.all = true;
  l.none = false;
  if (mask) l.keep_mask = broadcast(w, *mask, p.rank, p.dims);  // refuses a mask of another shape
  l.keep_offsets = Ref::share(&p);
  l.offsets = reinterpret_cast<const std::int64_t*>(flat(p));
  if (mask) {
    l.mask = reinterpret_cast<const unsigned char*>(flat(*l.keep_mask));
    l.all = false;
  }
  return l;
}

namespace {

std::string text_of_tensor(const Tensor& t) {
  std::string s = std::to_string(t.storage_elems);
  if (t.shape.size() < 2) return s;
  s += " (";
  for (std::size_t i = 0; i < t.shape.size(); ++i) s += (i ? " x " : "") + std::to_string(t.shape[i]);
  return s + ")";
}

[[noreturn]] void fail_out_of_bounds(const Where& w, const Lanes& l) {
  std::int64_t lane = -1, element = -1;
  for_each_active(l, [&](std::int64_t i, std::int64_t e) {
    if (lane < 0 && (e < 0 || e >= l.tensor->storage_elems)) lane = i, element = e;
  });
  Fault f = make_fault(w, FaultKind::out_of_bounds, "", "", "");
  f.headline = l.count == 1 ? fmt::format("{}: program {} is out of bounds", trace::text_of(w.op), text_of(w.state.program, w.state.launch.launch.grid))
                            : fmt::format("{}: lane {} of program {} is out of bounds", trace::text_of(w.op), lane, text_of(w.state.program, w.state.launch.launch.grid));
  f.detail = fmt::format("element {} of \"{}\", which holds {}", element, l.tensor->name, text_of_tensor(*l.tensor));
  f.fix = l.is_masked ? fmt::format("the mask lets this lane through: make it false wherever the offset is {}", element < 0 ? "below 0" : fmt::format("{} or more", l.tensor->storage_elems))
                      : fmt::format("pass {{.mask = offsets < {}}}, or what says so for the offsets of this {}", l.tensor->storage_elems, w.op == Op::load ? "load" : "op");
  f.lane = lane;
  f.tensor = l.tensor->name;
  f.element = element;
  fail(std::move(f));
}

// Elements of a tile, `extent` lanes an axis, by strides on both sides. Rows side by side in memory go by one call, whatever their number.
using CopyRows = void (*)(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t bytes, std::int64_t rows);
template <class T>
void move_tile(int rank, const std::int64_t* extent, const T* from, const View& from_view, T* to, const View& to_view, CopyRows copy) {
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
    else for (std::int64_t i = 0; i < n; ++i) b[i * step[1]] = a[i * step[0]];
  });
}

template <class T>
void copy_tile(const Lanes& l, const T* tensor, T* out) {
  constexpr std::int64_t size = sizeof(T);
  if (l.rank == 1 && l.strides[0] == 1)
    return loops().fetch(out + l.lo[0], 0, tensor + l.base + l.lo[0], 0, (l.hi[0] - l.lo[0]) * size, 1);
  if (l.rank == 2 && l.strides[1] == 1 && l.hi[1] - l.lo[1] > 1) {
    const std::int64_t n = l.hi[1] - l.lo[1], rows = l.hi[0] - l.lo[0], row = l.strides[0];
    const T* from = tensor + l.base + row * l.lo[0] + l.lo[1];
    T* to = out + l.lo[0] * l.dims[1] + l.lo[1];
    if (row == n && n == l.dims[1]) return loops().fetch(to, 0, from, 0, rows * n * size, 1);
    return loops().fetch(to, l.dims[1] * size, from, row * size, n * size, rows);
  }
  View from{}, to{};
  std::int64_t extent[max_rank], in = l.base, first = 0, stride = 1;
  for (int i = l.rank - 1; i >= 0; --i) {
    extent[i] = l.hi[i] - l.lo[i];
    from.strides[i] = l.strides[i];
    to.strides[i] = stride;
    in += l.strides[i] * l.lo[i];
    first += stride * l.lo[i];
    stride *= l.dims[i];
  }
  move_tile(l.rank, extent, tensor + in, from, out + first, to, loops().fetch);
}

template <class T>
void store_tile(const Lanes& l, T* tensor, const View& value) {
  constexpr std::int64_t size = sizeof(T);
  const T* lanes = reinterpret_cast<const T*>(value.data);
  if (l.rank == 1 && l.strides[0] == 1 && value.strides[0] == 1)
    return loops().put(tensor + l.base + l.lo[0], 0, lanes + l.lo[0], 0, (l.hi[0] - l.lo[0]) * size, 1);
  if (l.rank == 2 && l.strides[1] == 1 && value.strides[1] == 1) {
    const std::int64_t n = l.hi[1] - l.lo[1];
    return loops().put(tensor + l.base + l.strides[0] * l.lo[0] + l.lo[1], l.strides[0] * size, lanes + value.strides[0] * l.lo[0] + l.lo[1],
                       value.strides[0] * size, n * size, l.hi[0] - l.lo[0]);
  }
  View to{};
  std::int64_t extent[max_rank], first = l.base, in = 0;
  for (int i = 0; i < l.rank; ++i) {
    extent[i] = l.hi[i] - l.lo[i];
    to.strides[i] = l.strides[i];
    in += value.strides[i] * l.lo[i];
    first += l.strides[i] * l.lo[i];
  }
  move_tile(l.rank, extent, reinterpret_cast<const T*>(value.data) + in, value, tensor + first, to, loops().put);
}

// Lanes outside the tile; those inside will be copied.
template <class T>
void fill_outside(const Lanes& l, T* out, T value) {
  if (l.rank == 1 && !l.none) {
    std::fill(out, out + l.lo[0], value);
    std::fill(out + l.hi[0], out + l.count, value);
  } else {
    std::fill_n(out, l.count, value);
  }
}

template <class F>
void with_size(DType d, F f) {
  switch (size_in_bytes(d)) {
    case 1: return f(static_cast<std::uint8_t*>(nullptr));
    case 2: return f(static_cast<std::uint16_t*>(nullptr));
    case 4: return f(static_cast<std::uint32_t*>(nullptr));
    default: return f(static_cast<std::uint64_t*>(nullptr));
  }
}

// One lane is read and written at once, so that a program that polls sees what another one wrote.
template <class T>
T read_one(const T* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }

}  // namespace

void check_bounds(const Where& w, const Lanes& l) {
  const std::int64_t size = l.tensor->storage_elems;
  if (l.is_tile) {
    if (l.none) return;
    std::int64_t min = l.base, max = l.base;
    for (int i = 0; i < l.rank; ++i) {
      min += l.strides[i] * (l.strides[i] > 0 ? l.lo[i] : l.hi[i] - 1);
      max += l.strides[i] * (l.strides[i] > 0 ? l.hi[i] - 1 : l.lo[i]);
    }
    if (min < 0 || max >= size) [[unlikely]] fail_out_of_bounds(w, l);
    return;
  }
  bool inside = true;
  if (l.mask) for (std::int64_t i = 0; i < l.count; ++i) inside &= !l.mask[i] | (static_cast<std::uint64_t>(l.offsets[i]) < static_cast<std::uint64_t>(size));
  else for (std::int64_t i = 0; i < l.count; ++i) inside &= static_cast<std::uint64_t>(l.offsets[i]) < static_cast<std::uint64_t>(size);
  if (!inside) [[unlikely]] fail_out_of_bounds(w, l);
}

void check_history(const Where& w, const Lanes& l, trace::AccessKind kind) {
  if (Shadow* s = w.state.launch.shadow) [[unlikely]] s->check(w, l, kind);
}

Ref read_lanes(State& s, const Lanes& l, const std::byte* fill, Ref into) {
  const DType t = l.tensor->dtype;
  const bool filled = static_cast<bool>(into);
  Ref r = filled ? std::move(into) : with_rank(l.rank, [&](auto rank) { return make_dense(s, t, rank, l.dims); });
  with_size(t, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    T* out = reinterpret_cast<T*>(r->buffer->bytes());
    const T* tensor = l.tensor->as<T>();
    T other;
    std::memcpy(&other, fill, sizeof other);
    if (l.is_tile) {
      if (!l.all && !filled) fill_outside(l, out, other);
      if (l.none) return;
      if (l.count == 1) *out = read_one(tensor + l.base);
      else copy_tile(l, tensor, out);
      return;
    }
    for (std::int64_t i = 0; i < l.count; ++i)
      if (!l.mask || l.mask[i]) out[i] = tensor[l.offsets[i]];
      else if (!filled) out[i] = other;
  });
  return r;
}

void write_lanes(const Lanes& l, const Data& value) {
  if (l.none) return;
  with_size(l.tensor->dtype, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    T* tensor = l.tensor->as<T>();
    if (l.is_tile) {
      const View v = view_of(value);
      if (l.count == 1) __atomic_store_n(tensor + l.base, *reinterpret_cast<const T*>(v.data), __ATOMIC_RELAXED);
      else store_tile(l, tensor, v);
      return;
    }
    const T* lanes = reinterpret_cast<const T*>(flat(value));
    for (std::int64_t i = 0; i < l.count; ++i)
      if (!l.mask || l.mask[i]) tensor[l.offsets[i]] = lanes[i];
  });
}

Ref mask_of(State& s, const Lanes& l) {
  if (!l.is_tile) return l.keep_mask ? l.keep_mask : make_bool(s, true, l.rank, l.dims);
  if (l.none || l.all) return make_bool(s, l.all, l.rank, l.dims);
  Ref r = Ref::take(s.make(Form::box, DType::int1, l.rank, l.dims));
  r->base = 1;
  for (int i = 0; i < l.rank; ++i) {
    r->lo()[i] = l.lo[i];
    r->hi[i] = l.hi[i];
  }
  return r;
}

trace::Access event_of(const Lanes& l, trace::AccessKind kind) {
  trace::Access a;
  const auto rank = static_cast<std::size_t>(l.rank);
  a.kind = kind;
  a.tensor = l.index;
  a.shape = {l.dims, rank};
  a.is_tile = l.is_tile;
  if (l.is_tile) {
    a.base = l.base;
    a.strides = {l.strides, rank};
    a.lo = {l.lo, rank};
    a.hi = {l.hi, rank};
    // A scalar has no axis to say "masked off" with: then it is a list of one lane.
    static constexpr unsigned char off = 0;
    if (l.rank == 0 && l.none) {
      a.is_tile = false;
      a.offsets = {&l.base, 1};
      a.mask = {&off, 1};
    }
  } else {
    a.offsets = {l.offsets, static_cast<std::size_t>(l.count)};
    if (l.mask) a.mask = {l.mask, static_cast<std::size_t>(l.count)};
  }
  return a;
}

void tell_before_write(State& s, const Lanes& l, trace::AccessKind kind) {
  if (s.next_is_due() && s.keeps_accesses && !s.quiet && s.launch.options.observer) [[unlikely]] s.launch.options.observer->before_write(event_of(l, kind));
}

Ref load_lanes(const Where& w, Lanes& l, const Data* other, const std::byte* padding, std::initializer_list<const Data*> operands) {
  check_bounds(w, l);
  check_history(w, l, trace::AccessKind::load);
  State& s = w.state;
  constexpr std::byte zero[8] = {};
  Ref r;
  if (!s.has_data) [[unlikely]] r = absent_source(w, l.index, l.tensor->dtype, l.rank, l.dims);
  else if (other && !is_uniform(*other) && !l.all) {
    // `other` first, then the active lanes over it.
    Ref filled = make_dense(s, l.tensor->dtype, l.rank, l.dims);
    std::memcpy(filled->buffer->bytes(), flat(*other), static_cast<std::size_t>(l.count * size_in_bytes(l.tensor->dtype)));
    r = read_lanes(s, l, zero, std::move(filled));
  } else {
    r = read_lanes(s, l, other ? view_of(*other).data : padding ? padding : zero);
  }
  r = settle(std::move(r));
  r->place = w.place;
  if (s.tracks_undefined && !other && !padding && !l.all) {
    const Ref active = mask_of(s, l);
    r->undefined = unary({s, Op::logical_not, w.place}, *active).release();
  }
  if (l.count == 1 && l.is_tile && !l.none && s.has_data) s.polled(w, l.index, l.base);
  if (s.due()) [[unlikely]] {
    const trace::Access access = event_of(l, trace::AccessKind::load);
    const Data* result = r.get();
    s.look(w.op, w.place, operands.begin(), static_cast<int>(operands.size()), &result, 1, &access, {});
  }
  return r;
}

void store_lanes(const Where& w, Lanes& l, const Data& value, std::initializer_list<const Data*> operands) {
  check_bounds(w, l);
  check_history(w, l, trace::AccessKind::store);
  State& s = w.state;
  s.progressed();
  if (value.undefined) [[unlikely]] check_undefined(w, l, value);
  tell_before_write(s, l, trace::AccessKind::store);
  if (s.has_data) [[likely]] write_lanes(l, value);
  if (s.due()) [[unlikely]] {
    const trace::Access access = event_of(l, trace::AccessKind::store);
    s.look(w.op, w.place, operands.begin(), static_cast<int>(operands.size()), nullptr, 0, &access, {});
  }
}

}  // namespace tl::cpu
