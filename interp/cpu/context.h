// The executor `tl` on the interpreter: every op of interp/LANGUAGE.md. Ops are out of line, so that a kernel
// recompiles in a moment.
#pragma once

#include <tuple>
#include <utility>

#include "interp/cpu/block.h"
#include "interp/cpu/descriptor.h"
#include "interp/cpu/options.h"
#include "interp/cpu/range.h"
#include "interp/lang/libdevice.h"

namespace tl {
struct ProgramId;
struct TensorArgument;
struct DescriptorArgument;
struct IntArgument;
struct FloatArgument;
struct ConstantArgument;
struct RealConstantArgument;
struct DtypeConstantArgument;
struct TextConstantArgument;
}  // namespace tl

namespace tl::cpu {

struct State;  // of the thread that runs programs, interp/cpu/state.h

class Context;

// tl.libdevice.NAME: the functions of tl by libdevice's names, beside those that only libdevice has.
class Libdevice {
 public:
  explicit Libdevice(Context& tl) : tl_(tl) {}
#define TL_ONE(NAME) Block NAME(const Block&, Location = TL_LOCATION);
#define TL_TWO(NAME) Block NAME(Operand, Operand, Location = TL_LOCATION);
  TL_LIBDEVICE(TL_ONE, TL_TWO)
#undef TL_ONE
#undef TL_TWO

 private:
  Context& tl_;
};

struct BlockPair {
  Block first, second;
};

class Context {
 public:
  static constexpr ElementTypeOf<DType::int1> int1{};
  static constexpr ElementTypeOf<DType::int32> int32{};
  static constexpr ElementTypeOf<DType::int64> int64{};
  static constexpr ElementTypeOf<DType::int8> int8{};
  static constexpr ElementTypeOf<DType::int16> int16{};
  static constexpr ElementTypeOf<DType::uint8> uint8{};
  static constexpr ElementTypeOf<DType::uint16> uint16{};
  static constexpr ElementTypeOf<DType::uint64> uint64{};
  static constexpr ElementTypeOf<DType::uint32> uint32{};
  static constexpr ElementTypeOf<DType::float16> float16{};
  static constexpr ElementTypeOf<DType::bfloat16> bfloat16{};
  static constexpr ElementTypeOf<DType::float32> float32{};
  static constexpr ElementTypeOf<DType::float64> float64{};
  static constexpr ElementTypeOf<DType::float8e4nv> float8e4nv{};
  static constexpr ElementTypeOf<DType::float8e5> float8e5{};
  static constexpr double inf = __builtin_inf();
  static constexpr Precision ieee = Precision::ieee, tf32 = Precision::tf32, tf32x3 = Precision::tf32x3,
                             bf16x3 = Precision::bf16x3, bf16x6 = Precision::bf16x6;
  static constexpr Padding zero = Padding::zero, nan = Padding::nan;
  static constexpr KeepDims keep_dims{};
  static PointerType pointer_type(ElementType t) { return {t.value}; }
  static constexpr Bitcast bitcast{};
  static constexpr TowardZero rtz{};

  Libdevice libdevice{*this};

  // programs
  Block program_id(IntOption axis, Location = TL_LOCATION);
  Block num_programs(IntOption axis, Location = TL_LOCATION);

  // creation
  Shape shape() { return {}; }  // of a scalar
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
  Block cast(const Block& x, ElementType t, Bitcast b, Location p = TL_LOCATION) { return x.to(t, b, p); }
  Block cast(const Block& x, ElementType t, TowardZero z, Location p = TL_LOCATION) { return x.to(t, z, p); }
  Block zeros_like(const Block&, Location = TL_LOCATION);
  Block full_like(const Block&, Operand value, Location = TL_LOCATION);
  Block scalar(Operand value, ElementType, Location = TL_LOCATION);

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
  Block ravel(const Block&, Location = TL_LOCATION);
  BlockPair broadcast(const Block&, const Block&, Location = TL_LOCATION);
  Block cat(const Block&, const Block&, Location = TL_LOCATION);
  Block interleave(const Block&, const Block&, Location = TL_LOCATION);
  Block flip(const Block&, Location = TL_LOCATION);
  Block flip(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block gather(const Block&, const Block& index, FixedInt axis, Location = TL_LOCATION);
  Block histogram(const Block&, FixedInt bins, Location = TL_LOCATION);
  Block histogram(const Block&, FixedInt bins, const Block& mask, Location = TL_LOCATION);
  Block sort(const Block&, const SortOptions& = {}, Location = TL_LOCATION);
  Block topk(const Block&, FixedInt k, Location = TL_LOCATION);

  // choice
  Block where(const Block& mask, Operand a, Operand b, Location = TL_LOCATION);
  Pointer where(const Block& mask, const Pointer& a, const Pointer& b, Location = TL_LOCATION);  // of one mask
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

  Block tanh(const Block&, Location = TL_LOCATION);
  Block log1p(const Block&, Location = TL_LOCATION);
  Block expm1(const Block&, Location = TL_LOCATION);
  Block tan(const Block&, Location = TL_LOCATION);
  Block asin(const Block&, Location = TL_LOCATION);
  Block acos(const Block&, Location = TL_LOCATION);
  Block atan(const Block&, Location = TL_LOCATION);
  Block sinh(const Block&, Location = TL_LOCATION);
  Block cosh(const Block&, Location = TL_LOCATION);
  Block asinh(const Block&, Location = TL_LOCATION);
  Block acosh(const Block&, Location = TL_LOCATION);
  Block atanh(const Block&, Location = TL_LOCATION);
  Block cbrt(const Block&, Location = TL_LOCATION);
  Block exp10(const Block&, Location = TL_LOCATION);
  Block log10(const Block&, Location = TL_LOCATION);
  Block erfc(const Block&, Location = TL_LOCATION);
  Block lgamma(const Block&, Location = TL_LOCATION);
  Block tgamma(const Block&, Location = TL_LOCATION);
  Block round(const Block&, Location = TL_LOCATION);
  Block rint(const Block&, Location = TL_LOCATION);
  Block trunc(const Block&, Location = TL_LOCATION);
  Block j0(const Block&, Location = TL_LOCATION);
  Block j1(const Block&, Location = TL_LOCATION);
  Block y0(const Block&, Location = TL_LOCATION);
  Block y1(const Block&, Location = TL_LOCATION);
  Block cyl_bessel_i0(const Block&, Location = TL_LOCATION);
  Block cyl_bessel_i1(const Block&, Location = TL_LOCATION);
  Block isnan(const Block&, Location = TL_LOCATION);
  Block isinf(const Block&, Location = TL_LOCATION);
  Block isfinite(const Block&, Location = TL_LOCATION);
  Block signbit(const Block&, Location = TL_LOCATION);
  Block pow(Operand, Operand, Location = TL_LOCATION);
  Block atan2(Operand, Operand, Location = TL_LOCATION);
  Block fmod(Operand, Operand, Location = TL_LOCATION);
  Block copysign(Operand, Operand, Location = TL_LOCATION);
  Block hypot(Operand, Operand, Location = TL_LOCATION);
  Block fdim(Operand, Operand, Location = TL_LOCATION);
  Block nextafter(Operand, Operand, Location = TL_LOCATION);
  Block fdiv(Operand a, Operand b, Location = TL_LOCATION);
  Block div_rn(Operand a, Operand b, Location = TL_LOCATION);
  Block sqrt_rn(const Block&, Location = TL_LOCATION);

  // reduction
  Block sum(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block sum(const Block&, Location = TL_LOCATION);  // over all axes
  Block sum(const Block&, FixedInt axis, KeepDims, Location = TL_LOCATION);
  Block max(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block max(const Block&, Location = TL_LOCATION);
  Block max(const Block&, FixedInt axis, KeepDims, Location = TL_LOCATION);
  Block min(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block min(const Block&, Location = TL_LOCATION);
  Block min(const Block&, FixedInt axis, KeepDims, Location = TL_LOCATION);
  Block argmax(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block argmax(const Block&, Location = TL_LOCATION);
  Block argmax(const Block&, FixedInt axis, KeepDims, Location = TL_LOCATION);
  Block argmin(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block argmin(const Block&, Location = TL_LOCATION);
  Block argmin(const Block&, FixedInt axis, KeepDims, Location = TL_LOCATION);
  Block xor_sum(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block xor_sum(const Block&, Location = TL_LOCATION);
  Block xor_sum(const Block&, FixedInt axis, KeepDims, Location = TL_LOCATION);
  BlockPair max_with_index(const Block&, FixedInt axis, Location = TL_LOCATION);
  BlockPair min_with_index(const Block&, FixedInt axis, Location = TL_LOCATION);
  Block cumsum(const Block&, FixedInt axis, const ScanOptions& = {}, Location = TL_LOCATION);
  Block cumprod(const Block&, FixedInt axis, const ScanOptions& = {}, Location = TL_LOCATION);
  Block softmax(const Block&, FixedInt axis = FixedInt(nullptr), Location = TL_LOCATION);
  // f(a, b) of scalars or blocks of them; of a tuple f(a0, a1, .., b0, b1, ..), which gives a tuple.
  template <class F>
  Block reduce(const Block& x, FixedInt axis, F combine, Location location = TL_LOCATION) {
    const Block* in[] = {&x};
    return std::get<0>(taken<Block>(reduce_by(in, 1, axis, location, Combined<F, Block>::of(combine))));
  }
  template <std::same_as<Block>... B, class F>
  std::tuple<B...> reduce(const std::tuple<B...>& x, FixedInt axis, F combine, Location location = TL_LOCATION) {
    return std::apply(
        [&](const auto&... each) {
          const Block* in[] = {&each...};
          return taken<B...>(reduce_by(in, sizeof...(B), axis, location, Combined<F, B...>::of(combine)));
        },
        x);
  }
  template <class F>
  Block associative_scan(const Block& x, FixedInt axis, F combine, const ScanOptions& options = {},
                         Location location = TL_LOCATION) {
    const Block* in[] = {&x};
    return std::get<0>(taken<Block>(scan_by(in, 1, axis, options, location, Combined<F, Block>::of(combine))));
  }
  template <std::same_as<Block>... B, class F>
  std::tuple<B...> associative_scan(const std::tuple<B...>& x, FixedInt axis, F combine,
                                    const ScanOptions& options = {}, Location location = TL_LOCATION) {
    return std::apply(
        [&](const auto&... each) {
          const Block* in[] = {&each...};
          return taken<B...>(scan_by(in, sizeof...(B), axis, options, location, Combined<F, B...>::of(combine)));
        },
        x);
  }

  // matrix
  Block dot(const Block& a, const Block& b, Location = TL_LOCATION);
  Block dot(const Block& a, const Block& b, const Block& acc, Location = TL_LOCATION);
  Block dot(const Block& a, const Block& b, const Block& acc, Precision, Location = TL_LOCATION);
  Block dot(const Block& a, const Block& b, ElementType out, Location = TL_LOCATION);
  Block dot_scaled(const Block& a, ScaleOperand a_scale, TextConstant a_format, const Block& b, ScaleOperand b_scale,
                   TextConstant b_format, Location = TL_LOCATION);
  Block dot_scaled(const Block& a, ScaleOperand a_scale, TextConstant a_format, const Block& b, ScaleOperand b_scale,
                   TextConstant b_format, const Block& acc, Location = TL_LOCATION);

  // memory
  Block load(const Pointer&, const LoadOptions& = {}, Location = TL_LOCATION);
  Block load(const BlockPointer&, const BlockLoadOptions& = {}, Location = TL_LOCATION);
  void store(const Pointer&, Operand, const StoreOptions& = {}, Location = TL_LOCATION);
  void store(const BlockPointer&, const Block&, const BlockStoreOptions& = {}, Location = TL_LOCATION);
  Block atomic_add(const Pointer&, Operand, const AtomicOptions& = {}, Location = TL_LOCATION);
  Block atomic_max(const Pointer&, Operand, const AtomicOptions& = {}, Location = TL_LOCATION);
  Block atomic_min(const Pointer&, Operand, const AtomicOptions& = {}, Location = TL_LOCATION);
  Block atomic_and(const Pointer&, Operand, const AtomicOptions& = {}, Location = TL_LOCATION);
  Block atomic_or(const Pointer&, Operand, const AtomicOptions& = {}, Location = TL_LOCATION);
  Block atomic_xor(const Pointer&, Operand, const AtomicOptions& = {}, Location = TL_LOCATION);
  Block atomic_xchg(const Pointer&, Operand, const AtomicOptions& = {}, Location = TL_LOCATION);
  Block atomic_cas(const Pointer&, Operand expected, Operand value, const SwapOptions& = {}, Location = TL_LOCATION);
  void debug_barrier(Location = TL_LOCATION);
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
  // A descriptor of the kernel's own: a tensor from `base` on, in tiles of `block`.
  template <class S, class T>
  Descriptor make_tensor_descriptor(const Pointer& base, const S& shape, const T& strides, const Shape& block,
                                    Location location = TL_LOCATION) {
    constexpr int n = static_cast<int>(std::tuple_size_v<S>);
    static_assert(std::tuple_size_v<T> == n, "shape and strides of a descriptor have one rank");
    return std::apply(
        [&](const auto&... s) {
          return std::apply(
              [&](const auto&... t) {
                const Operand all[] = {Operand(s)..., Operand(t)...};
                return make_descriptor(base, all, n, block, location);
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
    static_for(Constant(0), n, Constant(1), body);
  }
  template <class F>
  void static_for(FixedInt lo, FixedInt hi, F&& body) {
    static_for(lo, hi, Constant(1), body);
  }
  template <class F>
  void static_for(FixedInt lo, FixedInt hi, FixedInt step, F&& body) {
    check_static_step(step.value);
    for (long long i = lo.value; step.value > 0 ? i < hi.value : i > hi.value; i += step.value)
      body(ConstantOf<Expression<made_by::Turn, F>>(i));
  }
  // A fault of the launch where it does not hold; on CUDA the kernel does not compile.
  void static_check(Constant condition, const char* text = "", Location = TL_LOCATION);
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

  // Whether the argument is None: a constant.
  auto is_none(const Pointer& p) { return ConstantOf<Expression<made_by::Absence>>(points_nowhere(p), true); }

  // programs' order
  BlockPair swizzle2d(Operand i, Operand j, Operand size_i, Operand size_j, Operand group_size, Location = TL_LOCATION);

  // random
  Block rand(Operand seed, const Block& offsets, Location = TL_LOCATION);
  Block randint(Operand seed, const Block& offsets, Location = TL_LOCATION);
  Block randn(Operand seed, const Block& offsets, Location = TL_LOCATION);
  std::tuple<Block, Block, Block, Block> randint4x(Operand seed, const Block& offsets, Location = TL_LOCATION);
  std::tuple<Block, Block, Block, Block> rand4x(Operand seed, const Block& offsets, Location = TL_LOCATION);
  std::tuple<Block, Block, Block, Block> randn4x(Operand seed, const Block& offsets, Location = TL_LOCATION);
  std::tuple<Block, Block, Block, Block> philox(Operand seed, Operand c0, Operand c1, Operand c2, Operand c3,
                                                Location = TL_LOCATION);

  // hints
  Block multiple_of(const Block&, FixedInt, Location = TL_LOCATION);
  Pointer multiple_of(const Pointer&, FixedInt, Location = TL_LOCATION);
  Block max_contiguous(const Block&, FixedInt, Location = TL_LOCATION);
  Block max_constancy(const Block&, FixedInt, Location = TL_LOCATION);
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
  // A line of every program: pid (0, 0, 0) offs = [0 1 2]
  template <class... T>
  void device_print(Text prefix, const T&... values) {
    const Printed all[] = {Printed(values)..., Printed()};
    print_line(prefix, all, sizeof...(T));
  }
  // For constants, once: by the first program.
  template <class... T>
  void static_print(Text text, const T&... values) {
    static_assert(((!std::is_base_of_v<Handle, T>) && ...),
                  "tl.static_print knows constants alone: print a block by tl.print_if or tl.device_print");
    const Printed all[] = {Printed(values)..., Printed()};
    print(text, "=0,=0,=0", all, sizeof...(T), true);
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
  RealConstant bind(const RealConstantArgument&, int tensor);
  TextConstant bind(const TextConstantArgument&, int tensor);
  ElementType bind(const DtypeConstantArgument&, int tensor);

 private:
  friend struct AtRunTime;  // the templates' ranks and counts at run time, interp/cpu/call.h
  struct Printed {
    Printed() = default;
    Printed(const Handle& h) : head(h.head()) {}
    template <class T>
      requires std::is_constructible_v<Literal, T>
    Printed(T v) : literal(v) {}
    Printed(TextConstant t) : text(t.value) {}
    Head* head = nullptr;
    Literal literal = 0;
    const char* text = nullptr;
  };
  // A combine function without its type: `sides` are pointers to the blocks of a, then of b; what it gives is kept.
  struct Combine {
    void* function;
    void (*call)(void* function, const Block* const* sides, void (*keep)(void* to, int number, const Block&), void* to);
  };
  template <class F, class... B>
  struct Combined {
    static Combine of(F& f) {
      return {&f, [](void* function, const Block* const* sides, void (*keep)(void*, int, const Block&), void* to) {
                auto all = [&]<std::size_t... I>(std::index_sequence<I...>) {
                  return (*static_cast<F*>(function))(*sides[I]...);
                }(std::make_index_sequence<2 * sizeof...(B)>());
                if constexpr (std::is_same_v<decltype(all), Block>) keep(to, 0, all);
                else
                  std::apply(
                      [&](const auto&... each) {
                        int i = 0;
                        (keep(to, i++, each), ...);
                      },
                      all);
              }};
    }
  };
  static Block block_of(Value* taken);
  template <class... B>
  static std::tuple<B...> taken(Value** made) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<B...>(block_of(made[I])...);
    }(std::index_sequence_for<B...>());
  }
  // As many values as there are blocks, each with one reference; they stay valid until the next call.
  Value** reduce_by(const Block* const* x, int count, FixedInt axis, Location, Combine);
  Value** scan_by(const Block* const* x, int count, FixedInt axis, const ScanOptions&, Location, Combine);
  void check_static_step(long long step);
  bool points_nowhere(const Pointer&) const;
  BlockPointer make_block_pointer(const Pointer&, const Operand* shape_strides_offsets, int rank, const Shape&,
                                  const Axes& order, Location);
  BlockPointer advance_by(const BlockPointer&, const Operand* by, int rank, Location);
  Descriptor make_descriptor(const Pointer& base, const Operand* shape_strides, int rank, const Shape&, Location);
  void print(Text text, const char* condition, const Printed* values, int count, bool is_static = false);
  void print_line(Text prefix, const Printed* values, int count);
  State& state_;
};

}  // namespace tl::cpu
