// Block and Pointer: handles on values whose dtype and shape are known at run time, so that one instantiation of a
// kernel serves them all.
#pragma once

#include <initializer_list>
#include <type_traits>

#include "interp/cpu/constant.h"
#include "interp/cpu/location.h"
#include "interp/cpu/real_constant.h"
#include "interp/lang/dtype.h"
#include "interp/lang/promotion.h"

namespace tl::cpu {

class Block;
class Pointer;
class Context;
struct Bitcast;
struct TowardZero;
struct Value;  // a value, interp/cpu/value.h

// The part of a value that handles touch: how many there are, and whether an observer wants to hear of them.
struct Head {
  unsigned refs = 1;
  bool observed = false;
};

// x.dtype: what `to`, `zeros` and `full` take. tl.float32 and its like are types of their own, as on CUDA.
struct ElementType {
  DType value;
};
template <DType D>
struct ElementTypeOf {
  constexpr ElementTypeOf() = default;
  constexpr operator ElementType() const { return {D}; }

 private:
  constexpr ElementTypeOf(
      ElementType);  // makes `c ? p.dtype : tl.float32` ambiguous: CUDA, where both are types, refuses it too
};
constexpr Constant operator==(ElementType a, ElementType b) { return Constant(a.value == b.value, true); }
// A constant of the kernel that is a dtype.
template <class E>
struct DtypeConstantOf : ElementType {
  static constexpr bool is_no_size = true;
  constexpr explicit DtypeConstantOf(ElementType t) : ElementType(t) {}
};
template <class E>
constexpr auto constant_of(ElementType t) {
  return DtypeConstantOf<E>(t);
}
template <class T>
inline constexpr bool is_dtype_constant = false;
template <class E>
inline constexpr bool is_dtype_constant<DtypeConstantOf<E>> = true;

// x.shape[1_c]: a constant. The handle's only data member lives here, so that the word `shape` costs nothing.
class Extents {
 public:
  template <AnyConstant Axis>
  auto operator[](Axis axis) const {
    return ConstantOf<Expression<made_by::Size, Axis>>(size_of_axis(axis));
  }
  auto operator[](FixedInt axis) const { return ConstantOf<Expression<made_by::Size>>(size_of_axis(axis)); }
  auto rank() const { return ConstantOf<Expression<made_by::Rank>>(axes()); }
  Extents& operator=(const Extents&) = delete;

 private:
  friend class Handle;
  explicit Extents(Head* head) : head(head) {}
  long long size_of_axis(FixedInt axis) const;
  long long axes() const;
  Extents(const Extents&) = default;
  Head* head;
};

// What Block and Pointer share: counted ownership, and events when a variable takes or loses a value.
class Handle {
 public:
  Handle(const Handle& other) noexcept : shape(other.shape.head), dtype(other.dtype) {
    if (Head* h = head()) {
      ++h->refs;
      if (h->observed) [[unlikely]]
        assigned();
    }
  }
  Handle(Handle&& other) noexcept : shape(other.shape.head), dtype(other.dtype) {
    if (Head* h = head(); h && h->observed) [[unlikely]]
      moved_from(other);
    other.shape.head = nullptr;
  }
  ~Handle() {
    if (Head* h = head()) {
      if (h->observed) [[unlikely]]
        forgotten();
      if (--h->refs == 0) destroy(h);
    }
  }

  Extents shape;
  ElementType dtype;  // of a pointer: of the elements it points to

  Head* head() const { return shape.head; }

 protected:
  Handle(Head* taken, DType dtype) noexcept : shape(taken), dtype{dtype} {
    if (taken && taken->observed) [[unlikely]]
      assigned();
  }
  void assign(const Handle& other);  // a Fault when dtype or shape would change
  void assign_reference(const Handle& other, Location location);

 private:
  void assigned() noexcept;
  void forgotten() noexcept;
  void moved_from(Handle& other) noexcept;
  static void destroy(Head*) noexcept;
};

// A C++ literal or a constant: weak in promotion.
struct Literal {
  Literal(bool v) : kind(LiteralKind::boolean), dtype(DType::int1), integer(v), real(v) {}
  Literal(int v) : Literal(v, DType::int32) {}
  Literal(unsigned v) : Literal(v, DType::uint32) {}
  Literal(long v) : Literal(v, DType::int64) {}
  Literal(unsigned long v) : Literal(static_cast<long long>(v), DType::int64) {}
  Literal(unsigned long long v) : Literal(static_cast<long long>(v), DType::int64) {}
  Literal(long long v) : Literal(v, DType::int64) {}
  Literal(float v) : kind(LiteralKind::real), dtype(DType::float32), real(v) {}
  Literal(double v) : kind(LiteralKind::real), dtype(DType::float32), real(v) {}
  Literal(Constant c)
      : Literal(c.value, dtype_of_literal(c.is_bool ? LiteralKind::boolean : LiteralKind::integer, c.value)) {
    if (c.is_bool) kind = LiteralKind::boolean;
    is_constant = true;
  }
  Literal(RealConstant c) : Literal(c.value) { is_constant = true; }
  Literal(long long v, DType dtype)
      : kind(LiteralKind::integer), dtype(dtype), integer(v), real(static_cast<double>(v)) {}

  LiteralKind kind;
  DType dtype;  // where no value lends it one: its C++ type's, a constant's the first that holds it
  long long integer = 0;
  double real = 0;
  bool is_constant = false;
};

// x(_, None): what stands between the parentheses.
struct Everything {};
struct NewAxis {};
struct Slice {
  Slice() = default;  // absent
  Slice(Everything) : is_given(true) {}
  Slice(NewAxis) : is_given(true), is_new_axis(true) {}
  bool is_given = false, is_new_axis = false;
};

// tl.pointer_type(tl.float16): what an address in memory becomes by `to`.
struct PointerType {
  DType element;
};

struct AtLiteral;

class Block : public Handle {
 public:
  Block(const Block&) = default;
  Block(Block&&) = default;
  Block& operator=(const Block& other) {
    assign(other);
    return *this;
  }
  Block& operator=(const AtLiteral&);  // of a scalar

  Block operator()(Slice, Location = TL_LOCATION) const;
  Block operator()(Slice, Slice, Location = TL_LOCATION) const;
  Block operator()(Slice, Slice, Slice, Slice = {}, Slice = {}, Slice = {}, Location = TL_LOCATION) const;
  Block to(ElementType, Location = TL_LOCATION) const;
  Block to(ElementType, Bitcast, Location = TL_LOCATION) const;     // the same bits
  Block to(ElementType, TowardZero, Location = TL_LOCATION) const;  // rounded towards zero
  Pointer to(PointerType, Location = TL_LOCATION) const;            // of one address
  explicit operator bool() const;                                   // a Fault unless it is one lane

  const Value* data() const;
  // Takes over one reference.
  explicit Block(Value* taken) noexcept;
};

class Pointer : public Handle {
 public:
  Pointer(const Pointer&) = default;
  Pointer(Pointer&&) = default;
  Pointer& operator=(const Pointer& other) {
    assign(other);
    return *this;
  }

  Pointer operator()(Slice, Location = TL_LOCATION) const;
  Pointer operator()(Slice, Slice, Location = TL_LOCATION) const;
  Pointer operator()(Slice, Slice, Slice, Slice = {}, Slice = {}, Slice = {}, Location = TL_LOCATION) const;

  const Value* data() const;
  explicit Pointer(Value* taken) noexcept;
};

// An op's argument: a block or a literal. It borrows the block.
struct Operand {
  Operand(const Block& b) : block(&b), literal(0) {}
  template <class T>
    requires std::is_constructible_v<Literal, T>
  Operand(T v) : literal(v) {}
  const Block* block = nullptr;
  Literal literal;
};

using AtBlock = At<Block>;
using AtPointer = At<Pointer>;
struct AtLiteral {
  template <class T>
    requires std::is_constructible_v<Literal, T>
  AtLiteral(T v, Location location = TL_LOCATION) : value(v), location(location) {}
  Literal value;
  Location location;
};

#define TL_INFIX(op)                            \
  Block operator op(AtBlock a, const Block& b); \
  Block operator op(AtBlock a, Literal b);      \
  Block operator op(Literal a, AtBlock b);
TL_INFIX(+)
TL_INFIX(-)
TL_INFIX(*)
TL_INFIX(/)
TL_INFIX(%)
TL_INFIX(&)
TL_INFIX(|)
TL_INFIX(^)
TL_INFIX(<<)
TL_INFIX(>>)
TL_INFIX(<)
TL_INFIX(<=)
TL_INFIX(>)
TL_INFIX(>=)
#undef TL_INFIX
// Both sides alike: C++20 tries == and != the other way round as well, and must find the same function.
#define TL_EQUALITY(op)                    \
  Block operator op(AtBlock a, AtBlock b); \
  Block operator op(AtBlock a, Literal b); \
  Block operator op(Literal a, AtBlock b);
TL_EQUALITY(==)
TL_EQUALITY(!=)
#undef TL_EQUALITY
Block operator-(AtBlock);
Block operator~(AtBlock);
Block logical_not(const Block&);
// A template, so that it is chosen before the language's own ! of a bool. Its place is that of its operand.
template <std::same_as<Block> B>
Block operator!(const B& b) {
  return logical_not(b);
}

#define TL_COMPOUND(op)                     \
  Block& operator op(Block & a, AtBlock b); \
  Block& operator op(Block & a, AtLiteral b);
TL_COMPOUND(+=)
TL_COMPOUND(-=)
TL_COMPOUND(*=)
TL_COMPOUND(/=)
TL_COMPOUND(%=)
TL_COMPOUND(&=)
TL_COMPOUND(|=)
TL_COMPOUND(^=)
TL_COMPOUND(<<=)
TL_COMPOUND(>>=)
#undef TL_COMPOUND

Pointer operator+(AtPointer p, const Block& offsets);
Pointer operator+(AtPointer p, Literal offsets);
Pointer operator-(AtPointer p, const Block& offsets);
Pointer operator-(AtPointer p, Literal offsets);
Pointer& operator+=(Pointer& p, AtBlock offsets);
Pointer& operator+=(Pointer& p, AtLiteral offsets);
Pointer& operator-=(Pointer& p, AtBlock offsets);
Pointer& operator-=(Pointer& p, AtLiteral offsets);

}  // namespace tl::cpu
