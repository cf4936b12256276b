// The executor `tl` on the interpreter: every op of interp/LANGUAGE.md. Ops are out of line, so that a kernel
// recompiles in a moment.
#pragma once

#include <tuple>
#include <utility>

#include "interp/cpu/block.h"
#include "interp/cpu/descriptor.h"
#include "interp/cpu/options.h"
#include "interp/cpu/range.h"

namespace tl {
struct ProgramId;
struct TensorArgument;
struct DescriptorArgument;
struct IntArgument;
struct FloatArgument;
struct ConstantArgument;
}  // namespace tl

namespace tl::cpu {

struct State;  // of the thread that runs programs, interp/cpu/state.h

struct BlockPair {
  Block first, second;
};

class Context {
 public:
  static constexpr ElementTypeOf<DType::int1> int1{};
  static constexpr ElementTypeOf<DType::int32> int32{};
  static constexpr ElementTypeOf<DType::int64> int64{};
  static constexpr ElementTypeOf<DType::uint8> uint8{};
  static constexpr ElementTypeOf<DType::uint32> uint32{};
  static constexpr ElementTypeOf<DType::float16> float16{};
  static constexpr ElementTypeOf<DType::bfloat16> bfloat16{};
  static constexpr ElementTypeOf<DType::float32> float32{};
  static constexpr ElementTypeOf<DType::float64> float64{};
  static constexpr ElementTypeOf<DType::float8e4nv> float8e4nv{};
  static constexpr ElementTypeOf<DType::float8e5> float8e5{};
  static constexpr double inf = __builtin_inf();
  static constexpr Precision ieee = Precision::ieee, tf32 = Precision::tf32;
  static constexpr Padding zero = Padding::zero, nan = Padding::nan;

  // programs
  Block program_id(IntOption axis, Location = TL_LOCATION);
  Block num_programs(IntOption axis, Location = TL_LOCATION);

  // creation
  Shape shape(FixedInt a, FixedInt b = {}, FixedInt c = {}, FixedInt d = {}, FixedInt e = {}, FixedInt f = {});
  Axes axes(FixedInt a, FixedInt b = {}, FixedInt c = {}, FixedInt d = {}, FixedInt e = {}, FixedInt f = {});
  template <class... T>
  std::tuple<T...> tuple(T... values) {
    return std::tuple<T...>(std::move(values)...);
  }
  Block arange(FixedInt start, FixedInt end, Location = TL_LOCATION);
  Block zeros(const Shape&, ElementType, Location = TL_LOCATION);
  Block full(const Shape&, Operand value, ElementType, Location = TL_LOCATION);
  Block cast(const Block&, ElementType, Location = TL_LOCATION);

  // shape
  Block broadcast_to(const Block&, const Shape&, Location = TL_LOCATION);
  Block expand_dims(const Block&, FixedInt axis, Location = TL_LOCATION);
  Pointer expand_dims(const Pointer&, FixedInt axis, Location = TL_LOCATION);
  Block reshape(const Block&, const Shape&, Location = TL_LOCATION);
  Block permute(const Block&, const Axes&, Location = TL_LOCATION);
  Block trans(const Block&, Location = TL_LOCATION);
  BlockPair split(const Block&, Location = TL_LOCATION);
  Block join(const Block&, const Block&, Location = TL_LOCATION);
  Block convert_layout(const Block&, Location = TL_LOCATION);

  // choice
  Block where(const Block& mask, Operand a, Operand b, Location = TL_LOCATION);
  Block minimum(Operand, Operand, Location = TL_LOCATION);
  Block maximum(Operand, Operand, Location = TL_LOCATION);
  template <AnyConstant A, AnyConstant B>
  auto minimum(A a, B b) {
    return least(a, b);
  }
  template <AnyConstant A, AnyConstant B>
  auto maximum(A a, B b) {
    return greatest(a, b);
  }
  Block clamp(const Block&, Operand lo, Operand hi, Location = TL_LOCATION);

  // math
  Block exp(const Block&, Location = TL_LOCATION);
  Block exp2(const Block&, Location = TL_LOCATION);
  Block log(const Block&, Location = TL_LOCATION);
  Block log2(const Block&, Location = TL_LOCATION);
  Block sqrt(const Block&, Location = TL_LOCATION);
  Block rsqrt(const Block&, Location = TL_LOCATION);
  Block sin(const Block&, Location = TL_LOCATION);
  Block cos(const Block&, Location = TL_LOCATION);
  Block sigmoid(const Block&, Location = TL_LOCATION);
  Block erf(const Block&, Location = TL_LOCATION);
  Block floor(const Block&, Location = TL_LOCATION);
  Block ceil(const Block&, Location = TL_LOCATION);
  Block abs(const Block&, Location = TL_LOCATION);
  Block fma(const Block&, Operand, Operand, Location = TL_LOCATION);
  Block cdiv(const Block&, Operand, Location = TL_LOCATION);
  Block cdiv(Literal, const Block&, Location = TL_LOCATION);
  template <AnyConstant A, AnyConstant B>
  auto cdiv(A a, B b) {
    return (a + b - Constant(1)) / b;
  }
  Block umulhi(const Block&, Operand, Location = TL_LOCATION);

  // reduction
  Block sum(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block max(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block min(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block argmax(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block argmin(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block cumsum(const Block&, FixedInt axis, Location = TL_LOCATION);
  template <class F>
  Block reduce(const Block& x, FixedInt axis, F combine, Location location = TL_LOCATION) {
    return reduce_by(x, axis, location, &combine,
                     [](void* f, const Block& a, const Block& b) -> Block { return (*static_cast<F*>(f))(a, b); });
  }

  // matrix
  Block dot(const Block& a, const Block& b, Location = TL_LOCATION);
  Block dot(const Block& a, const Block& b, const Block& acc, Location = TL_LOCATION);
  Block dot(const Block& a, const Block& b, const Block& acc, Precision, Location = TL_LOCATION);

  // memory
  Block load(const Pointer&, const LoadOptions& = {}, Location = TL_LOCATION);
  Block load(const BlockPointer&, const BlockLoadOptions& = {}, Location = TL_LOCATION);
  void store(const Pointer&, Operand, const StoreOptions& = {}, Location = TL_LOCATION);
  void store(const BlockPointer&, const Block&, const BlockStoreOptions& = {}, Location = TL_LOCATION);
  Block atomic_add(const Pointer&, Operand, const StoreOptions& = {}, Location = TL_LOCATION);
  template <class S, class T, class O>
  BlockPointer make_block_ptr(const Pointer& base, const S& shape, const T& strides, const O& offsets,
                              const Shape& block, const Axes& order, Location location = TL_LOCATION) {
    constexpr int n = static_cast<int>(std::tuple_size_v<S>);
    static_assert(std::tuple_size_v<T> == n && std::tuple_size_v<O> == n,
                  "shape, strides and offsets of a block pointer have one rank");
    return std::apply(
        [&](const auto&... s) {
          return std::apply(
              [&](const auto&... t) {
                return std::apply(
                    [&](const auto&... o) {
                      const Operand all[] = {Operand(s)..., Operand(t)..., Operand(o)...};
                      return make_block_pointer(base, all, n, block, order, location);
                    },
                    offsets);
              },
              strides);
        },
        shape);
  }
  template <class... I>
  BlockPointer advance(const BlockPointer& p, const std::tuple<I...>& by, Location location = TL_LOCATION) {
    return std::apply(
        [&](const auto&... i) {
          const Operand all[] = {Operand(i)...};
          return advance_by(p, all, sizeof...(I), location);
        },
        by);
  }

  // loops
  Range range(Operand hi, RangeOptions = {}, Location = TL_LOCATION);
  Range range(Operand lo, Operand hi, RangeOptions = {}, Location = TL_LOCATION);
  Range range(Operand lo, Operand hi, Operand step, RangeOptions = {}, Location = TL_LOCATION);
  template <class F>
  void static_for(FixedInt n, F&& body) {
    for (long long i = 0; i < n.value; ++i) body(ConstantOf<Expression<made_by::Turn, F>>(i));
  }
  template <class F, class G>
  auto static_if(Constant condition, F&& then, G&& otherwise) {
    const auto taken = [this](auto& f) {
      if constexpr (std::is_invocable_v<decltype(f)>) return f();
      else return f(*this);
    };
    using A = decltype(taken(then));
    using B = decltype(taken(otherwise));
    if constexpr (AnyConstant<A> && AnyConstant<B>)
      return ConstantOf<Expression<made_by::Choice, A, B>>(condition ? Constant(taken(then))
                                                                     : Constant(taken(otherwise)));
    else return condition ? taken(then) : taken(otherwise);
  }

  // programs' order
  BlockPair swizzle2d(Operand i, Operand j, Operand size_i, Operand size_j, Operand group_size, Location = TL_LOCATION);

  // random
  Block rand(Operand seed, const Block& offsets, Location = TL_LOCATION);
  Block randint(Operand seed, const Block& offsets, Location = TL_LOCATION);
  Block randn(Operand seed, const Block& offsets, Location = TL_LOCATION);

  // hints
  Block multiple_of(const Block&, FixedInt, Location = TL_LOCATION);
  Pointer multiple_of(const Pointer&, FixedInt, Location = TL_LOCATION);
  void assume(const Block& condition, Location = TL_LOCATION);
  void assume(Constant condition, Location = TL_LOCATION);
  void assume(bool condition, Location location = TL_LOCATION) { assume(Constant(condition, true), location); }

  // debugging
  struct Text {
    Text(const char* text, Location location = TL_LOCATION) : text(text), location(location) {}
    const char* text;
    Location location;
  };
  template <class... T>
  void print_if(Text text, const char* condition, const T&... values) {
    const Printed all[] = {Printed(values)..., Printed()};
    print(text, condition, all, sizeof...(T));
  }
  void breakpoint_if(const char* condition, Location = TL_LOCATION);
  void device_assert(const Block& condition, const char* text = "", Location = TL_LOCATION);
  void device_assert(Constant condition, const char* text = "", Location = TL_LOCATION);

  // For those who launch: a program's parameters.
  explicit Context(State& state) : state_(state) {}
  Context(const Context&) = delete;
  State& state() const { return state_; }
  // `tensor` counts the tensor and descriptor arguments before this one.
  Pointer bind(const TensorArgument&, int tensor);
  Descriptor bind(const DescriptorArgument&, int tensor);
  Block bind(const IntArgument&, int tensor);
  Block bind(const FloatArgument&, int tensor);
  Constant bind(const tl::ConstantArgument&, int tensor);

 private:
  struct Printed {
    Printed() = default;
    Printed(const Handle& h) : head(h.head()) {}
    template <class T>
    requires std::is_constructible_v<Literal, T> Printed(T v) : literal(v) {}
    Head* head = nullptr;
    Literal literal = 0;
  };
  Block reduce_by(const Block&, FixedInt axis, Location, void* f, Block (*combine)(void*, const Block&, const Block&));
  BlockPointer make_block_pointer(const Pointer&, const Operand* shape_strides_offsets, int rank, const Shape&,
                                  const Axes& order, Location);
  BlockPointer advance_by(const BlockPointer&, const Operand* by, int rank, Location);
  void print(Text text, const char* condition, const Printed* values, int count);
  State& state_;
};

}  // namespace tl::cpu
