// What a value of the interpreter is as a type on CUDA: an index in affine form with what is known to divide it, a mask
// as a box, a block with its layout, a pointer with its divisibility. The widths of memory accesses follow from these
// types and from nothing else, so the rules of interp/cuda/device (index.h, mask.h, block.h, elementwise.h, pointer.h)
// stand here once more as run-time values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/machine/access/cuda_layout.h"
#include "interp/trace/event.h"

namespace tl::machine {

// Divisibilities are powers of two, at most this; 0 has all of it.
inline constexpr int most_divisible = 1 << 16;
int divisibility_of(std::int64_t value);
int divisibility_of_product(int a, int b);

// What an index grows by along an axis: a number of the type, or a run-time value of which the type knows a divisor.
struct Coefficient {
  bool run_time = false;
  int value = 0;  // the number; of a run-time one: its divisor
  int divisibility() const { return run_time ? value : divisibility_of(value); }
  bool is_zero() const { return !run_time && value == 0; }
  friend bool operator==(const Coefficient&, const Coefficient&) = default;
};

struct CudaType {
  enum class Form : unsigned char {
    unknown,
    scalar,         // divisibility; a literal or constant too
    index,          // coefficients, divisibility of the base
    box,            // a mask: aligned
    condition,      // any other mask without a layout
    block,          // layout
    tile,           // in shared memory
    pointer,        // divisibility in bytes
    pointer_block,  // affine: coefficients, divisibility in bytes of the address at coordinate 0
    gather,         // one address a lane: layout
  };
  Form form = Form::unknown;
  DType dtype = DType::int32;  // of a pointer: of what it points to
  Sizes shape;
  int divisibility = 1;
  bool is_static = false;  // scalar: CUDA's compiler knows its value
  std::int64_t value = 0;  // of a static or literal scalar
  bool is_literal = false;
  std::vector<Coefficient> coefficients;
  std::vector<int> aligned;  // box: divides both bounds of an axis
  bool transposed = false;   // tile: its rows are the stored columns
  ThreadLayout layout;

  bool is_lazy() const { return form == Form::index || form == Form::box || form == Form::condition; }
  bool is_mask() const { return form == Form::box || form == Form::condition; }
  bool is_address() const { return form >= Form::pointer; }
};

CudaType scalar_type(DType, int divisibility);
CudaType literal_type(std::int64_t value, bool is_constant);
CudaType pointer_type(DType, int divisibility_bytes);

// The layout a value has once it lies in registers.
ThreadLayout layout_of(const CudaType&, const CudaConfig&);
CudaType block_type(DType, const Sizes& shape, const ThreadLayout&);

// a Op b, for infix operators and minimum, maximum; `result`: dtype and shape of what came out.
CudaType binary_type(trace::Op, const CudaType& a, const CudaType& b, DType result_dtype, const Sizes& result_shape,
                     const CudaConfig&);
// pointer + Sign * offset
CudaType moved_pointer(const CudaType& pointer, const CudaType& offset, int sign, const Sizes& result_shape,
                       const CudaConfig&);
// x(_, None) and its like: the axes of `shape` that the value has, the others of size 1.
CudaType with_axes(const CudaType&, const Sizes& shape);
CudaType stretched(const CudaType&, const Sizes& shape,
                   const CudaConfig&);  // tl.broadcast_to, and masks at a load's shape
CudaType cast_type(const CudaType&, DType to, const CudaConfig&);

}  // namespace tl::machine
