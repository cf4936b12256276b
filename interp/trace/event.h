// What an observer sees of a run: programs, ops with their values, memory accesses, variables. The executors call, the
// recorder and the machine model listen; neither knows the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/lang/dtype.h"
#include "interp/lang/error.h"
#include "interp/lang/op.h"
#include "interp/lang/site.h"
#include "interp/trace/access.h"

namespace tl::trace {

using tl::Op;
inline const char* text_of(Op op) { return info_of(op).text; }

using ValueId = std::uint64_t;  // unique within a program; 0: none

// A value as an observer may look at it, valid during the call.
struct Value {
  ValueId id = 0;
  DType dtype = DType::float32;  // of a pointer: int64
  int tensor = -1;               // of a pointer: which tensor it points into, an index of LaunchInfo::tensors
  std::span<const std::int64_t> shape;
  // Row-major elements; a pointer's are int64 element offsets. Computed on demand: an observer that does not look pays
  // nothing.
  const std::byte* data() const { return dense ? dense(object) : nullptr; }
  const std::byte* (*dense)(const void* object) = nullptr;
  const void* object = nullptr;
};

// An integer argument of an op that is no operand: a number in the text, at its place among the operands. For a
// range: its start (0) and step (2), with the ids of values. For a tile of a block pointer or descriptor, for axis i:
// the tensor's size (3 i), its stride (3 i + 1), the tile's offset (3 i + 2). For a reduction or scan: its axis. For a
// permutation: its axes.
struct LiteralOperand {
  unsigned char position = 0;
  bool is_constant =
      false;  // CUDA knows it at compile time: a `2_c`, a constexpr_ parameter. For a size: the axis is checked
  std::int64_t value = 0;
  ValueId id = 0;
};

struct OpEvent {
  Op op;
  Site site;
  std::span<const Value> operands;
  std::span<const Value> results;                 // most ops have one; split has two; store has none
  const Access* access = nullptr;                 // memory ops only
  std::string_view text;                          // print_if: the text as printed; a hint or an assertion: its sentence
  std::span<const LiteralOperand> literals = {};  // Keep::values only
};

struct TensorInfo {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape, strides;
  std::int64_t storage_elems;
  const std::byte* data;  // the live memory
};

struct LaunchInfo {
  std::string kernel, source;  // tl::kernels::softmax_kernel, kernels/softmax.h
  std::int64_t grid[3] = {1, 1, 1};
  std::vector<TensorInfo> tensors;
  std::vector<std::string> arguments;  // as text, in the functor's order: a tensor's name, a number
};

enum class Keep : unsigned char { nothing, accesses, values };  // what of a program an observer wants to be told

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const LaunchInfo&) {}
  virtual Keep program_begins(ProgramId) { return Keep::values; }
  virtual void before_write(const Access&) {}                  // a store or atomic that is about to touch memory
  virtual void op(const OpEvent&) {}                           // Keep::accesses: memory ops only
  virtual void assigned(const void* /*variable*/, ValueId) {}  // a block object now holds this value; Keep::values only
  virtual void forgotten(const void* /*variable*/) {}          // a block object is destroyed; Keep::values only
  // For a text that declares names (interp/text/declared.h); Keep::values only. What is named is an object that was
  // assigned to, null where no value of it is recorded. A name ends with the innermost scope under way.
  virtual void named(const char* /*name*/, const void* /*variable*/) {}
  virtual void number(const void* /*variable*/, const Value&) {}  // a C++ number now holds this
  // body: where the { of a function stands, line 0 for a mere block; call: where it is called, line 0 where not known
  virtual void scope_begins(const Site& /*body*/, const Site& /*call*/) {}
  virtual void scope_ends() {}
  virtual void fault(const Fault&) {}  // the program ends here unless the check only reports
  virtual void program_ends(ProgramId) {}
  virtual void launch_ends() {}
};

}  // namespace tl::trace
