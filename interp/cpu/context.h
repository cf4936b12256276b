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
  Block program_id(IntOption axis, Place = TL_PLACE);
  Block num_programs(IntOption axis, Place = TL_PLACE);

  // creation
  Shape shape(FixedInt a, FixedInt b = {}, FixedInt c = {}, FixedInt d = {}, FixedInt e = {}, FixedInt f = {});
  Axes axes(FixedInt a, FixedInt b = {}, FixedInt c = {}, FixedInt d = {}, FixedInt e = {}, FixedInt f = {});
  template <class... T>
  std::tuple<T...> tuple(T... values) {
    return std::tuple<T...>(std::move(values)...);
  }
  Block arange(FixedInt start, FixedInt end, Place = TL_PLACE);
  Block zeros(const Shape&, ElementType, Place = TL_PLACE);
  Block full(const Shape&, Operand value, ElementType, Place = TL_PLACE);
  Block cast(const Block&, ElementType, Place = TL_PLACE);

  // shape
  Block broadcast_to(const Block&, const Shape&, Place = TL_PLACE);
  Block expand_dims(const Block&, FixedInt axis, Place = TL_PLACE);
  Pointer expand_dims(const Pointer&, FixedInt axis, Place = TL_PLACE);
  Block reshape(const Block&, const Shape&, Place = TL_PLACE);
  Block permute(const Block&, const Axes&, Place = TL_PLACE);
  Block trans(const Block&, Place = TL_PLACE);
  BlockPair split(const Block&, Place = TL_PLACE);
  Block join(const Block&, const Block&, Place = TL_PLACE);
  Block convert_layout(const Block&, Place = TL_PLACE);

  // choice
  Block where(const Block& mask, Operand a, Operand b, Place = TL_PLACE);
  Block minimum(Operand, Operand, Place = TL_PLACE);
  Block maximum(Operand, Operand, Place = TL_PLACE);
  template <AnyConstant A, AnyConstant B>
  auto minimum(A a, B b) {
    return least(a, b);
  }
  template <AnyConstant A, AnyConstant B>
  auto maximum(A a, B b) {
    return greatest(a, b);
  }
  Block clamp(const Block&, Operand lo, Operand hi, Place = TL_PLACE);

  // math
  Block exp(const Block&, Place = TL_PLACE);
  Block exp2(const Block&, Place = TL_PLACE);
  Block log(const Block&, Place = TL_PLACE);
  Block log2(const Block&, Place = TL_PLACE);
  Block sqrt(const Block&, Place = TL_PLACE);
  Block rsqrt(const Block&, Place = TL_PLACE);
  Block sin(const Block&, Place = TL_PLACE);
  Block cos(const Block&, Place = TL_PLACE);
  Block sigmoid(const Block&, Place = TL_PLACE);
  Block erf(const Block&, Place = TL_PLACE);
  Block floor(const Block&, Place = TL_PLACE);
  Block ceil(const Block&, Place = TL_PLACE);
  Block abs(const Block&, Place = TL_PLACE);
  Block fma(const Block&, Operand, Operand, Place = TL_PLACE);
  Block cdiv(const Block&, Operand, Place = TL_PLACE);
  Block cdiv(Literal, const Block&, Place = TL_PLACE);
  template <AnyConstant A, AnyConstant B>
  auto cdiv(A a, B b) {
    return (a + b - Constant(1)) / b;
  }
  Block umulhi(const Block&, Operand, Place = TL_PLACE);

  // reduction
  Block sum(const Block&, FixedInt axis, Place = TL_PLACE);
  Block max(const Block&, FixedInt axis, Place = TL_PLACE);
  Block min(const Block&, FixedInt axis, Place = TL_PLACE);
  Block argmax(const Block&, FixedInt axis, Place = TL_PLACE);
  Block argmin(const Block&, FixedInt axis, Place = TL_PLACE);
  Block cumsum(const Block&, FixedInt axis, Place = TL_PLACE);
  template <class F>
  Block reduce(const Block& x, FixedInt axis, F combine, Place place = TL_PLACE) {
    return reduce_by(x, axis, place, &combine,
                     [](void* f, const Block& a, const Block& b) -> Block { return (*static_cast<F*>(f))(a, b); });
  }

  // matrix
  Block dot(const Block& a, const Block& b, Place = TL_PLACE);
  Block dot(const Block& a, const Block& b, const Block& acc, Place = TL_PLACE);
  Block dot(const Block& a, const Block& b, const Block& acc, Precision, Place = TL_PLACE);

  // memory
  Block load(const Pointer&, const LoadOptions& = {}, Place = TL_PLACE);
  Block load(const BlockPointer&, const BlockLoadOptions& = {}, Place = TL_PLACE);
  void store(const Pointer&, Operand, const StoreOptions& = {}, Place = TL_PLACE);
  void store(const BlockPointer&, const Block&, const BlockStoreOptions& = {}, Place = TL_PLACE);
  Block atomic_add(const Pointer&, Operand, const StoreOptions& = {}, Place = TL_PLACE);
  template <class S, class T, class O>
  BlockPointer make_block_ptr(const Pointer& base, const S& shape, const T& strides, const O& offsets,
                              const Shape& block, const Axes& order, Place place = TL_PLACE) {
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
                      return make_block_pointer(base, all, n, block, order, place);
                    },
                    offsets);
              },
              strides);
        },
        shape);
  }
  template <class... I>
  BlockPointer advance(const BlockPointer& p, const std::tuple<I...>& by, Place place = TL_PLACE) {
    return std::apply(
        [&](const auto&... i) {
          const Operand all[] = {Operand(i)...};
          return advance_by(p, all, sizeof...(I), place);
        },
        by);
  }

  // loops
  Range range(Operand hi, RangeOptions = {}, Place = TL_PLACE);
  Range range(Operand lo, Operand hi, RangeOptions = {}, Place = TL_PLACE);
  Range range(Operand lo, Operand hi, Operand step, RangeOptions = {}, Place = TL_PLACE);
  template <class F>
  void static_for(FixedInt n, F&& body) {
    for (long long i = 0; i < n.value; ++i) body(ConstantOf<Expression<made_by::Turn, F>>(i));
  }
  template <class F, class G>
  auto static_if(Constant condition, F&& then, G&& otherwise) {
    using A = decltype(then());
    using B = decltype(otherwise());
    if constexpr (AnyConstant<A> && AnyConstant<B>)
      return ConstantOf<Expression<made_by::Choice, A, B>>(condition ? Constant(then()) : Constant(otherwise()));
    else return condition ? then() : otherwise();
  }

  // pipelines: eager here; an observer hears which stage a GPU would use
  Block tile(const Pointer&, const LoadOptions& = {}, Place = TL_PLACE);
  template <class A>
  auto stage(A a, Place place = TL_PLACE) {
    return staged_at(place, std::move(a));
  }
  template <class A, class B>
  auto stage(A a, B b, Place place = TL_PLACE) {
    return staged_at(place, std::move(a), std::move(b));
  }
  template <class A, class B, class C>
  auto stage(A a, B b, C c, Place place = TL_PLACE) {
    return staged_at(place, std::move(a), std::move(b), std::move(c));
  }
  template <class A, class B, class C, class D>
  auto stage(A a, B b, C c, D d, Place place = TL_PLACE) {
    return staged_at(place, std::move(a), std::move(b), std::move(c), std::move(d));
  }
  template <class A, class B, class C, class D, class E>
  auto stage(A a, B b, C c, D d, E e, Place place = TL_PLACE) {
    return staged_at(place, std::move(a), std::move(b), std::move(c), std::move(d), std::move(e));
  }
  template <class A, class B, class C, class D, class E, class F>
  auto stage(A a, B b, C c, D d, E e, F f, Place place = TL_PLACE) {
    return staged_at(place, std::move(a), std::move(b), std::move(c), std::move(d), std::move(e), std::move(f));
  }
  template <class Load, class Compute>
  void pipelined(const Range& range, Load&& load, Compute&& compute, Place place = TL_PLACE) {
    long long iteration = 0;
    for (auto i : range) {
      const PipelineStep step = ring_.now = {&range, iteration++, ring_.turns++};
      auto staged = load(i);
      std::apply([&](const auto&... tiles) { tell_stage(Consumed::yes, step, place, tiles...); }, staged);
      std::apply(compute, std::move(staged));
    }
  }

  // programs' order
  BlockPair swizzle2d(Operand i, Operand j, Operand size_i, Operand size_j, Operand group_size, Place = TL_PLACE);

  // random
  Block rand(Operand seed, const Block& offsets, Place = TL_PLACE);
  Block randint(Operand seed, const Block& offsets, Place = TL_PLACE);
  Block randn(Operand seed, const Block& offsets, Place = TL_PLACE);

  // hints
  Block multiple_of(const Block&, FixedInt, Place = TL_PLACE);
  Pointer multiple_of(const Pointer&, FixedInt, Place = TL_PLACE);
  void assume(const Block& condition, Place = TL_PLACE);
  void assume(Constant condition, Place = TL_PLACE);
  void assume(bool condition, Place place = TL_PLACE) { assume(Constant(condition, true), place); }

  // debugging
  struct Text {
    Text(const char* text, Place place = TL_PLACE) : text(text), place(place) {}
    const char* text;
    Place place;
  };
  template <class... T>
  void print_if(Text text, const char* condition, const T&... values) {
    const Printed all[] = {Printed(values)..., Printed()};
    print(text, condition, all, sizeof...(T));
  }
  void breakpoint_if(const char* condition, Place = TL_PLACE);
  void device_assert(const Block& condition, const char* text = "", Place = TL_PLACE);
  void device_assert(Constant condition, const char* text = "", Place = TL_PLACE);

  // For those who launch: a program's parameters.
  explicit Context(State& state) : state_(state) {}
  Context(const Context&) = delete;
  State& state() const { return state_; }
  void begin_program() { ring_ = {}; }
  // `tensor` counts the tensor and descriptor arguments before this one.
  Pointer bind(const TensorArgument&, int tensor);
  Descriptor bind(const DescriptorArgument&, int tensor);
  Block bind(const IntArgument&, int tensor);
  Block bind(const FloatArgument&, int tensor);
  Constant bind(const tl::ConstantArgument&, int tensor);

 private:
  // Where a pipelined loop stands, and how many turns the ring has taken: they go on from loop to loop, as on a GPU.
  struct PipelineStep {
    const Range* range = nullptr;
    long long iteration = 0, turn = 0;
  };
  struct Ring {
    long long turns = 0;
    PipelineStep now;
  };
  enum class Consumed : bool { no, yes };
  void tell_stage(Consumed, const PipelineStep&, Place, Head* const* tiles, int count);
  template <class... T>
  void tell_stage(Consumed consumed, const PipelineStep& step, Place place, const T&... staged) {
    Head* const tiles[] = {head_of(staged)..., nullptr};
    tell_stage(consumed, step, place, tiles, static_cast<int>(sizeof...(T)));
  }
  template <class... T>
  std::tuple<T...> staged_at(Place place, T... staged) {
    tell_stage(Consumed::no, ring_.now, place, staged...);
    return std::tuple<T...>(std::move(staged)...);
  }
  template <class T>
  static Head* head_of(const T& staged) {
    if constexpr (std::is_base_of_v<Handle, T>) return staged.head();
    else return nullptr;  // a constant, a number
  }

  struct Printed {
    Printed() = default;
    Printed(const Handle& h) : head(h.head()) {}
    template <class T>
    requires std::is_constructible_v<Literal, T> Printed(T v) : literal(v) {}
    Head* head = nullptr;
    Literal literal = 0;
  };
  Block reduce_by(const Block&, FixedInt axis, Place, void* f, Block (*combine)(void*, const Block&, const Block&));
  BlockPointer make_block_pointer(const Pointer&, const Operand* shape_strides_offsets, int rank, const Shape&,
                                  const Axes& order, Place);
  BlockPointer advance_by(const BlockPointer&, const Operand* by, int rank, Place);
  void print(Text text, const char* condition, const Printed* values, int count);
  State& state_;
  Ring ring_;
};

}  // namespace tl::cpu
