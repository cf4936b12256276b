// The CUDA type of a value of the interpreter, by the rules that make those types: interp/rules. The widths of memory
// accesses follow from these types alone.
#pragma once

#include <cstdint>
#include <span>

#include "interp/lang/promotion.h"
#include "interp/rules/access.h"
#include "interp/rules/ops.h"
#include "interp/trace/event.h"

namespace tl::machine {

using CudaConfig = rules::Config;
using rules::Sizes;
using ThreadLayout = rules::Layout;

struct CudaType {
  using Form = rules::Form;
  Form form = Form::scalar;
  DType dtype = DType::int32;  // a pointer's: the dtype of its elements
  // The shape of any form. For an index and an affine block of pointers, in elements: the coefficients. What divides
  // a scalar or an index's base; of pointers: their bytes.
  rules::Index index;
  int operators = 0;               // formula, formula_pointers: in it
  rules::AxisInfo axes;            // formula, formula_pointers: of the offsets, in elements
  bool is_literal = false;         // a number in the text, or a constant
  bool is_constant = false;        // scalar: CUDA's compiler knows its value
  std::int64_t value = 0;          // of a literal
  DType offset = DType::int32;     // pointer_block, formula_pointers: what offsets are computed in
  int aligned[rules::max_rank]{};  // box: divides both bounds of an axis
  bool transposed = false;         // tile: its rows are the stored columns
  ThreadLayout layout;             // block, gather
  std::uint64_t expression = 0;    // formula, formula_pointers, condition: equal for equal types

  const Sizes& shape() const { return index.shape; }
  int divisibility() const { return index.divisibility; }
  bool is_unit() const { return is_constant && !is_literal; }  // an int argument that is 1
  bool is_address() const { return form >= Form::pointer; }
};

CudaType scalar_type(DType, int divisibility);
CudaType literal_type(std::int64_t value, bool is_constant, const CudaConfig&);
CudaType unit_type(DType);
CudaType pointer_type(DType, int divisibility_bytes);
CudaType index_type(DType, const rules::Index&);
CudaType block_type(DType, const Sizes& shape, const ThreadLayout&);

// The layout a value has once it lies in registers, and the value there.
ThreadLayout layout_of(const CudaType&, const CudaConfig&);
CudaType in_registers(const CudaType&, const CudaConfig&);

// a op b, for infix operators, minimum and maximum; `result`: the result's dtype and shape.
CudaType binary_type(rules::Operator, const CudaType& a, const CudaType& b, DType result_dtype,
                     const Sizes& result_shape, const CudaConfig&);
// !x, of any dtype.
CudaType negated_type(const CudaType&, const CudaConfig&);
// mask[i] ? a[i] : b[i]
CudaType where_type(const CudaType& mask, const CudaType& a, const CudaType& b, DType, const Sizes& shape,
                    const CudaConfig&);
// A row of ints that is loaded, where Config::lookups.
CudaType looked_up_type(const CudaType& pointers, DType);
// tl.multiple_of, tl.max_contiguous, tl.max_constancy of a formula.
CudaType hinted_type(const CudaType&, rules::Hint, int divides);
// pointer + sign * offset
CudaType moved_pointer(const CudaType& pointer, const CudaType& offset, int sign, const Sizes& result_shape,
                       const CudaConfig&);
// x(_, None) and its like: the axes of `shape` that the value has, the others of size 1.
CudaType with_axes(const CudaType&, const Sizes& shape, const CudaConfig&);
// tl.broadcast_to, and masks at a load's shape.
CudaType stretched(const CudaType&, const Sizes& shape, const CudaConfig&);
CudaType cast_type(const CudaType&, DType to, const CudaConfig&);
// Whether a variable declared as one may be assigned the other; else the kernel is compiled with_fewer_formulas.
bool can_hold(const CudaType& declared, const CudaType& value, const CudaConfig&);

}  // namespace tl::machine
