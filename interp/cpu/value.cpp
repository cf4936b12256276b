// Values: their pools, and writing symbolic forms out as elements.
#include "interp/cpu/value.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <span>

#include "interp/cpu/absent.h"
#include "interp/lang/narrow.h"

namespace tl::cpu {

namespace {

// What a thread keeps from launch to launch, so that a short one need not ask the system for memory. Large buffers go
// back.
constexpr unsigned largest_kept = 16;  // of 2^16 bytes
struct FreeLists {
  Value* values = nullptr;
  Buffer* buffers[largest_kept + 1] = {};
  ~FreeLists() { free_all(values, buffers); }

  static void free_all(Value*& values, std::span<Buffer*> buffers) {
    while (values) delete std::exchange(values, values->next_free);
    for (Buffer*& list : buffers)
      while (list) std::free(std::exchange(list, list->next_free));
  }
};
thread_local FreeLists free_lists;

}  // namespace

State::State(LaunchState& launch)
    : launch(launch), context(*this), free_values(std::exchange(free_lists.values, nullptr)) {
  may_crash_here();
  for (Value* d = free_values; d; d = d->next_free) d->state = this;
  for (unsigned c = 0; c <= largest_kept; ++c) {
    free_buffers[c] = std::exchange(free_lists.buffers[c], nullptr);
    for (Buffer* b = free_buffers[c]; b; b = b->next_free) b->owner = this;
  }
}

State::~State() {
  earlier.begin_program();
  listen_for_names(false);
  if (!free_lists.values) std::swap(free_values, free_lists.values);  // else of a run within a run
  for (unsigned c = 0; c <= largest_kept; ++c)
    if (!free_lists.buffers[c]) std::swap(free_buffers[c], free_lists.buffers[c]);
  FreeLists::free_all(free_values, free_buffers);
}

Value* State::new_value() {
  Value* d = new Value;
  d->state = this;
  return d;
}

namespace {
void to_free_values(Value* d) noexcept {
  d->next_free = d->state->free_values;
  d->state->free_values = d;
}
// Leaves null what `make` takes for null.
[[gnu::noinline]] void clear_and_free(Value* d) noexcept {
  if (d->buffer) free_buffer(std::exchange(d->buffer, nullptr));
  if (d->flat) free_buffer(std::exchange(d->flat, nullptr));
  if (d->undefined && --d->undefined->refs == 0) free_value(d->undefined);
  d->undefined = nullptr;
  d->shift = 0;
  if (d->state->earlier.are_followed()) d->state->earlier.forget(d->id);
  d->id = 0;
  to_free_values(d);
}
}  // namespace

void free_value(Value* d) noexcept {
  if (d->buffer || d->flat || d->undefined || d->id) return clear_and_free(d);
  to_free_values(d);
}

Buffer* State::make_buffer(std::int64_t bytes) {
  const unsigned size_class =
      bytes <= 64 ? 6 : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(bytes - 1)));
  Buffer*& list = free_buffers[size_class];
  Buffer* b = list;
  if (b) {
    list = b->next_free;
  } else {
    // Whole pages apart, blocks would stand in each other's way: a load waits for a recent store to the same place of
    // another page.
    const std::size_t stagger = size_class >= 12 ? 1152 : 0;
    void* p = std::aligned_alloc(64, sizeof(Buffer) + (std::size_t{1} << size_class) + stagger);
    if (!p) throw std::bad_alloc();
    b = static_cast<Buffer*>(p);
    b->size_class = size_class;
    b->owner = this;
  }
  b->refs = 1;
  return b;
}

void free_buffer(Buffer* b) noexcept {
  if (--b->refs) return;
  Buffer*& list = b->owner->free_buffers[b->size_class];
  b->next_free = list;
  list = b;
}

Bounds bounds_of(const Value& d) {
  Bounds b{d.base, d.base};
  for (int i = 0; i < d.rank; ++i) (d.strides[i] > 0 ? b.max : b.min) += d.strides[i] * (d.dims[i] - 1);
  return b;
}

namespace {

template <class T>
T load_as(const std::byte* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
void write_affine(const Value& d, T* out) {
  if (d.rank == 0) {
    *out = static_cast<T>(d.base);
    return;
  }
  std::int64_t at[max_rank] = {};
  const int last = d.rank - 1;
  const std::int64_t n = d.dims[last], step = d.strides[last];
  for (std::int64_t done = 0; done < d.count; done += n, out += n) {
    std::int64_t v = d.base;
    for (int i = 0; i < last; ++i) v += d.strides[i] * at[i];
    // In the lanes' own width, which vectorizes; an affine lane never wraps.
    using U = std::make_unsigned_t<T>;
    U lane = static_cast<U>(v);
    for (std::int64_t j = 0; j < n; ++j, lane = static_cast<U>(lane + static_cast<U>(step)))
      out[j] = static_cast<T>(lane);
    for (int i = last - 1; i >= 0 && ++at[i] == d.dims[i]; --i) at[i] = 0;
  }
}

void write_box(const Value& d, unsigned char* out) {
  if (d.rank == 0) {
    *out = static_cast<unsigned char>(d.base);
    return;
  }
  std::int64_t at[max_rank] = {};
  const int last = d.rank - 1;
  const std::int64_t n = d.dims[last], lo = std::min(d.lo()[last], n), hi = std::max(lo, d.hi[last]);
  for (std::int64_t done = 0; done < d.count; done += n, out += n) {
    bool inside = true;
    for (int i = 0; i < last; ++i) inside &= d.lo()[i] <= at[i] && at[i] < d.hi[i];
    std::memset(out, 0, static_cast<std::size_t>(n));
    if (inside) std::memset(out + lo, 1, static_cast<std::size_t>(hi - lo));
    for (int i = last - 1; i >= 0 && ++at[i] == d.dims[i]; --i) at[i] = 0;
  }
}

template <class T>
void write_splat(const Value& d, T* out) {
  std::fill_n(out, d.count, load_as<T>(d.scalar));
}

template <class T>
void write_dense(const Value& d, T* out) {
  const T* in = reinterpret_cast<const T*>(d.buffer->bytes()) + d.base;
  if (d.rank == 0) {
    *out = *in;
    return;
  }
  std::int64_t at[max_rank] = {};
  const int last = d.rank - 1;
  const std::int64_t n = d.dims[last], step = d.strides[last];
  for (std::int64_t done = 0; done < d.count; done += n, out += n) {
    std::int64_t first = 0;
    for (int i = 0; i < last; ++i) first += d.strides[i] * at[i];
    if (step == 1) std::memcpy(out, in + first, static_cast<std::size_t>(n) * sizeof(T));
    else
      for (std::int64_t j = 0; j < n; ++j) out[j] = in[first + step * j];
    for (int i = last - 1; i >= 0 && ++at[i] == d.dims[i]; --i) at[i] = 0;
  }
}

// Calls f with a null pointer of an unsigned type of that size.
template <class F>
void with_size(int bytes, F f) {
  switch (bytes) {
    case 1: f(static_cast<std::uint8_t*>(nullptr)); break;
    case 2: f(static_cast<std::uint16_t*>(nullptr)); break;
    case 4: f(static_cast<std::uint32_t*>(nullptr)); break;
    default: f(static_cast<std::uint64_t*>(nullptr)); break;
  }
}

}  // namespace

const std::byte* flat(const Value& d) {
  const int bytes = size_in_bytes(d.element_dtype());
  if (d.form == Form::dense && d.shift == 0 && is_contiguous(d)) return elements_of(d);
  if (d.flat) return d.flat->bytes();
  if (d.form == Form::absent)
    needs_values({*d.state, Op::load, d.location}, d, "a value that decides what the program does");
  Value& own = const_cast<Value&>(d);
  own.flat = d.state->make_buffer(d.count * bytes);
  std::byte* out = own.flat->bytes();
  with_size(bytes, [&](auto* t) {
    using T = std::remove_pointer_t<decltype(t)>;
    switch (d.form) {
      case Form::affine: write_affine(d, reinterpret_cast<std::make_signed_t<T>*>(out)); break;
      case Form::box: write_box(d, reinterpret_cast<unsigned char*>(out)); break;
      case Form::splat: write_splat(d, reinterpret_cast<T*>(out)); break;
      case Form::dense: write_dense(d, reinterpret_cast<T*>(out)); break;
      case Form::absent: break;
    }
  });
  if (d.shift) [[unlikely]] {
    auto* lanes = reinterpret_cast<std::int64_t*>(out);
    for (std::int64_t k = 0; k < d.count; ++k) lanes[k] += d.shift;
  }
  return out;
}

View view_of(const Value& d) {
  View v{};
  if (d.form == Form::dense && d.shift == 0) {
    v.data = d.buffer->bytes() + d.base * size_in_bytes(d.element_dtype());
    for (int i = 0; i < d.rank; ++i) v.strides[i] = d.strides[i];
    return v;
  }
  if (is_uniform(d)) {  // strides 0: one element serves all lanes
    if (d.form != Form::splat) {
      const std::int64_t lane = int_of(d);
      std::memcpy(const_cast<Value&>(d).scalar, &lane, sizeof lane);  // little-endian: narrower ints are its low bytes
    }
    v.data = d.scalar;
    return v;
  }
  v.data = flat(d);
  std::int64_t stride = 1;
  for (int i = d.rank - 1; i >= 0; --i) {
    v.strides[i] = stride;
    stride *= d.dims[i];
  }
  return v;
}

std::int64_t int_of(const Value& d) {
  if (d.form == Form::affine) return d.base;
  if (d.form == Form::box) {
    if (d.rank == 0) return d.base;
    for (int i = 0; i < d.rank; ++i)
      if (d.lo()[i] >= d.hi[i]) return 0;
    return 1;
  }
  if (d.form == Form::splat)
    return d.dtype == DType::uint64 ? load_as<std::int64_t>(d.scalar) : static_cast<std::int64_t>(double_of(d));
  const std::byte* p = flat(d);
  switch (d.dtype) {
    case DType::int1:
    case DType::uint8: return load_as<std::uint8_t>(p);
    case DType::int8: return load_as<std::int8_t>(p);
    case DType::int16: return load_as<std::int16_t>(p);
    case DType::uint16: return load_as<std::uint16_t>(p);
    case DType::int32: return load_as<std::int32_t>(p);
    case DType::uint32: return load_as<std::uint32_t>(p);
    default: return load_as<std::int64_t>(p);
  }
}

double double_of(const Value& d) {
  if (d.dtype == DType::uint64) return static_cast<double>(static_cast<std::uint64_t>(int_of(d)));
  if (!is_float(d.dtype)) return static_cast<double>(int_of(d));
  const std::byte* p = d.form == Form::splat ? d.scalar : flat(d);
  switch (d.dtype) {
    case DType::float32: return load_as<float>(p);
    case DType::float64: return load_as<double>(p);
    case DType::float16:
    case DType::bfloat16: return decode_narrow(d.dtype, load_as<std::uint16_t>(p));
    default: return decode_narrow(d.dtype, load_as<std::uint8_t>(p));
  }
}

Ref make_int(State& s, DType dtype, std::int64_t v, int rank, const std::int64_t* dims) {
  if (!has_closed_form(dtype)) {
    Value* d = s.make(Form::splat, dtype, rank, dims);
    std::memcpy(d->scalar, &v, sizeof v);
    return Ref::take(d);
  }
  if (rank == 0) return make_scalar(s, dtype, v);
  Value* d = s.make(Form::affine, dtype, rank, dims);
  d->base = wrap(dtype, v);
  for (int i = 0; i < rank; ++i) d->strides[i] = 0;
  return Ref::take(d);
}

Ref make_bool(State& s, bool v, int rank, const std::int64_t* dims) {
  return with_rank(rank, [&](auto r) { return make_mask(s, v, r, dims); });
}

Ref make_float(State& s, DType dtype, double v, int rank, const std::int64_t* dims) {
  Value* d = s.make(Form::splat, dtype, rank, dims);
  if (dtype == DType::float32) {
    const float f = static_cast<float>(v);
    std::memcpy(d->scalar, &f, sizeof f);
  } else if (dtype == DType::float64) {
    std::memcpy(d->scalar, &v, sizeof v);
  } else {
    const std::uint16_t bits = encode_narrow(dtype, v);
    std::memcpy(d->scalar, &bits, sizeof bits);  // little-endian: fp8's byte comes first
  }
  return Ref::take(d);
}

Ref make_number(State& s, DType dtype, double real, std::int64_t integer, int rank, const std::int64_t* dims) {
  if (is_float(dtype)) return make_float(s, dtype, real, rank, dims);
  if (dtype == DType::int1) return make_bool(s, integer != 0, rank, dims);
  return make_int(s, dtype, integer, rank, dims);
}

Ref settled(Ref r) {
  Value& d = *r;
  const std::byte* element = d.buffer->bytes() + d.base * size_in_bytes(d.dtype);
  if (!has_closed_form(d.dtype)) {
    std::memcpy(d.scalar, element, static_cast<std::size_t>(size_in_bytes(d.dtype)));
    d.form = Form::splat;
  } else {
    const std::int64_t v = int_of(d);
    if (d.dtype == DType::int1) {
      d.form = Form::box;
      for (int i = 0; i < d.rank; ++i) {
        d.lo()[i] = 0;
        d.hi[i] = v;
      }
    } else {
      d.form = Form::affine;
      for (int i = 0; i < d.rank; ++i) d.strides[i] = 0;
    }
    d.base = v;
  }
  free_buffer(std::exchange(d.buffer, nullptr));
  return r;
}

}  // namespace tl::cpu
