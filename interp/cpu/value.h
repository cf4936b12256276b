// A value: dtype, shape, and its lanes in the cheapest form that holds them.
//   affine  ints and pointers   lane (i, j, ..) = base + strides[0] i + strides[1] j + ..     (a scalar: all strides 0)
//   box     bools               lane (i, j, ..) = lo[0] <= i < hi[0] && lo[1] <= j < hi[1] && ..
//   splat   floats              every lane the same
//   dense   all but affine pointers   elements in a buffer, by strides, so that broadcast, slice, transpose and split
//                                     only make views
//   absent  any                       lanes that an address run (interp/cpu/addresses.h) does not compute: an op that
//                                     needs them throws NeedsValues
// An affine lane always fits its dtype without wrapping, and an affine pointer's lanes are element offsets in its
// tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "interp/cpu/block.h"
#include "interp/cpu/descriptor.h"
#include "interp/trace/event.h"

namespace tl::cpu {

struct State;

enum class Form : unsigned char { affine, box, splat, dense, absent };

// Pooled storage of elements, 64-byte aligned behind its header.
struct alignas(64) Buffer {
  unsigned refs;
  unsigned size_class;
  State* owner;
  Buffer* next_free;
  std::byte* bytes() { return reinterpret_cast<std::byte*>(this + 1); }
};

// The first cache line holds what every op reads. Values come and go by the million, so a free one keeps null where
// most values have null.
struct alignas(64) Value : Head {
  Form form;
  DType dtype;  // of a pointer: of the elements it points to
  bool is_pointer;
  unsigned char rank;
  int tensor;  // of a pointer: index of the launch's tensors
  State* state;
  Location location;
  Value* next_free;
  trace::ValueId id = 0;
  Buffer* buffer = nullptr;    // dense: the elements
  Buffer* flat = nullptr;      // a row-major copy, made when somebody wants to look or compute
  Value* undefined = nullptr;  // under Checks::undefined_lane: bools, the lanes that no load defined; null: none
  std::int64_t shift = 0;      // dense pointers: added to every lane, so that moving all of them costs nothing; else 0
  std::int64_t count;
  std::int64_t
      base;  // affine: of lane 0; dense: index of lane 0's element in the buffer; absent: which load it comes from
  alignas(8) std::byte scalar[8];  // splat: one element
  std::int64_t dims[max_rank];
  std::int64_t strides[max_rank];  // affine: steps; dense: element strides; box: lo
  std::int64_t hi[max_rank];       // box

  std::int64_t* lo() { return strides; }
  const std::int64_t* lo() const { return strides; }
  DType element_dtype() const { return is_pointer ? DType::int64 : dtype; }  // of what its lanes hold
};

inline Block::Block(Value* taken) noexcept : Handle(taken, taken->dtype) {}
inline Pointer::Pointer(Value* taken) noexcept : Handle(taken, taken->dtype) {}
inline const Value* Block::data() const { return static_cast<const Value*>(head()); }
inline const Value* Pointer::data() const { return static_cast<const Value*>(head()); }

void free_value(Value*) noexcept;
void free_buffer(Buffer*) noexcept;

// f(rank), the rank a type where it is one of the usual ones: loops over axes are unrolled.
template <class F>
[[gnu::always_inline]] inline auto with_rank(int rank, F f) {
  switch (rank) {
    case 0: return f(std::integral_constant<int, 0>());
    case 1: return f(std::integral_constant<int, 1>());
    case 2: return f(std::integral_constant<int, 2>());
    default: return f(rank);
  }
}

// Counted ownership inside the library: no events.
class Ref {
 public:
  Ref() = default;
  static Ref take(Value* d) {
    Ref r;
    r.data_ = d;
    return r;
  }
  static Ref share(const Value* d) {
    Ref r;
    r.data_ = const_cast<Value*>(d);
    if (d) ++r.data_->refs;
    return r;
  }
  Ref(const Ref& o) : data_(o.data_) {
    if (data_) ++data_->refs;
  }
  Ref(Ref&& o) noexcept : data_(std::exchange(o.data_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(data_, o.data_);
    return *this;
  }
  ~Ref() {
    if (data_ && --data_->refs == 0) free_value(data_);
  }
  Value* operator->() const { return data_; }
  Value& operator*() const { return *data_; }
  Value* get() const { return data_; }
  Value* release() { return std::exchange(data_, nullptr); }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  Value* data_ = nullptr;
};

// Elements by strides; what loops read.
struct View {
  const std::byte* data;
  std::int64_t strides[max_rank];  // in elements, one a dimension
};

// One value for all lanes? A box of rank 0 keeps its one lane in `base`; any axis with lo >= hi makes a box empty.
inline bool is_uniform(const Value& d) {
  switch (d.form) {
    case Form::splat: return true;
    case Form::dense:
    case Form::absent: return false;
    case Form::affine:
      for (int i = 0; i < d.rank; ++i)
        if (d.strides[i] != 0 && d.dims[i] > 1) return false;
      return true;
    case Form::box: break;
  }
  bool all = true, none = false;
  for (int i = 0; i < d.rank; ++i) {
    all &= d.lo()[i] == 0 && d.hi[i] == d.dims[i];
    none |= d.lo()[i] >= d.hi[i];
  }
  return all || none;
}
// The integer of a uniform integer or bool, the double of a uniform float.
std::int64_t int_of(const Value&);
double double_of(const Value&);
// Row-major contiguous elements (a pointer's are int64 offsets); kept with the value.
const std::byte* flat(const Value&);
// The value as strided elements of `element_dtype`; symbolic forms are written out.
View view_of(const Value&);
inline bool is_contiguous(const Value& d) {
  std::int64_t expected = 1;
  for (int i = d.rank - 1; i >= 0; --i) {
    if (d.dims[i] != 1 && d.strides[i] != expected) return false;
    expected *= d.dims[i];
  }
  return true;
}
// For a dense value whose lanes lie side by side.
inline const std::byte* elements_of(const Value& d) {
  return d.buffer->bytes() + d.base * size_in_bytes(d.element_dtype());
}

// Smallest and largest lane of an affine value.
struct Bounds {
  std::int64_t min, max;
};
Bounds bounds_of(const Value&);

// Ints that may be affine, or a scalar's `base`: 64 signed bits hold them all.
inline bool has_closed_form(DType d) { return is_integer(d) && d != DType::uint64; }

inline bool fits(DType d, std::int64_t min, std::int64_t max) {
  switch (d) {
    case DType::int1: return min >= 0 && max <= 1;
    case DType::int32: return min >= INT32_MIN && max <= INT32_MAX;
    case DType::int8: return min >= INT8_MIN && max <= INT8_MAX;
    case DType::int16: return min >= INT16_MIN && max <= INT16_MAX;
    case DType::uint8: return min >= 0 && max <= UINT8_MAX;
    case DType::uint16: return min >= 0 && max <= UINT16_MAX;
    case DType::uint64: return min >= 0;
    case DType::uint32: return min >= 0 && max <= UINT32_MAX;
    default: return true;
  }
}

// An integer as the dtype holds it.
inline std::int64_t wrap(DType d, std::int64_t v) {
  switch (d) {
    case DType::int1: return v & 1;
    case DType::int32: return static_cast<std::int32_t>(v);
    case DType::int8: return static_cast<std::int8_t>(v);
    case DType::int16: return static_cast<std::int16_t>(v);
    case DType::uint8: return static_cast<std::uint8_t>(v);
    case DType::uint16: return static_cast<std::uint16_t>(v);
    case DType::uint32: return static_cast<std::uint32_t>(v);
    default: return v;
  }
}

}  // namespace tl::cpu
