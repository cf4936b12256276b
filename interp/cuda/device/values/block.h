// Blocks in registers, and how values of other kinds become blocks: broadcasting, casts, layouts.
#pragma once

#include "interp/cuda/device/values/mask.h"

namespace tl {

// Refused while the text is read: a compiler takes ten seconds for 512 elements a thread, four times as long for twice
// as many, and no thread has registers for them.
template <int Elements, int Most = 512>
struct ElementsOfThread {
  static_assert(Elements <= Most,
                "this block is too large for its program's threads: choose a smaller block or more num_warps");
  static constexpr int value = Elements;
};

// Elements of 16 bits, two a register, the first one low. As two values a pair would take two registers wherever it is
// carried around a loop, and be packed again in each turn.
template <class T, int N>
struct PackedElements {
  unsigned words[N / 2];

  struct Element {
    unsigned& word;
    int shift;
    __forceinline__ operator T() const { return {static_cast<unsigned short>(word >> shift)}; }
    __forceinline__ void operator=(T x) const { word = (word & 0xffff0000u >> shift) | unsigned(x.bits) << shift; }
    __forceinline__ void operator=(const Element& x) const { *this = T(x); }
  };
  __forceinline__ Element operator[](int i) { return {words[i / 2], i % 2 * 16}; }
  __forceinline__ T operator[](int i) const { return {static_cast<unsigned short>(words[i / 2] >> i % 2 * 16)}; }
};
// Of layouts whose registers hold neighbours in twos, as those of accumulators: tensor cores take such pairs as they
// are.
template <class L>
constexpr bool in_pairs() {
  if constexpr (L::register_count < 2) return false;
  else if constexpr (L::register_count == 2) return L::flats.at[1] == 1;
  else return L::flats.at[1] == 1 && L::flats.at[2] != 2;
}
template <class T, class L>
struct HeldElements {
  using type = T[L::register_count];
};
template <class T, class L>
  requires(sizeof(T) == 2 && is_narrow_storage<T> && in_pairs<L>())
struct HeldElements<T, L> {
  using type = PackedElements<T, L::register_count>;
};

template <class T, class S, class L>
struct Block {
  static_assert((is_power_of_two(S::size)),
                "a block's dimensions are powers of two: round the block size up and mask the lanes beyond");
  using element = T;
  using shape_type = S;
  using layout = L;
  static constexpr int count = ElementsOfThread<L::register_count>::value;
  static constexpr Dtype<dtype_of<T>> dtype{};
  static constexpr S shape{};

  typename HeldElements<T, L>::type v;

  // Assignment converts the layout where that differs, and nothing else.
  template <class U>
    requires(!same<U, Block>)
  __forceinline__ Block& operator=(const U& other);
  explicit operator bool() const {
    static_assert(S::rank == 0,
                  "an if, && or || takes one value, and this is a block of them: choose lane by lane with tl.where, or "
                  "reduce the block");
    return false;
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks...) const;
  template <DType D>
  __forceinline__ auto to(Dtype<D>) const;
  template <DType D, cast_way W>
  __forceinline__ auto to(Dtype<D>, W) const;
  template <DType D>
  __forceinline__ auto to(PointerTo<D>) const {
    static_assert(D != D,
                  "tl.pointer_type makes a pointer of one address: load the address of one tensor as a scalar, and add "
                  "a block of offsets to the pointer");
  }
};

template <class T>
inline constexpr bool is_block = false;
template <class T, class S, class L>
inline constexpr bool is_block<Block<T, S, L>> = true;
template <class T>
inline constexpr bool is_tile = false;
// What acts as a block and has its values elsewhere until they are read: a tile in shared memory, or the result of a
// dot that still runs.
template <class T>
inline constexpr bool is_deferred = is_tile<T>;

template <class T>
inline constexpr bool is_value = is_scalar<T> || is_lazy<T> || is_block<T> || is_deferred<T>;
template <class A, class B>
concept operands = (is_value<A> && (is_value<B> || is_literal<B>)) || (is_literal<A> && is_value<B>);

// The same values in another layout, through shared memory where threads must exchange them (shared.h).
template <class To, class T, class S, class L>
__forceinline__ Block<T, S, To> convert_layout(const Block<T, S, L>& x);

// Deferred values in registers, others as they are.
template <class A>
__forceinline__ decltype(auto) as_block(const A& a) {
  if constexpr (is_deferred<A>) return a.to_block();
  else return (a);
}

namespace detail {

template <class S, class L, class Sub, class P>
struct BroadcastTable {
  int at[L::register_count];
  static constexpr BroadcastTable make() {
    BroadcastTable t{};
    for (int r = 0; r < L::register_count; ++r)
      t.at[r] = P::register_of(rules::projected_index(S::sizes, Sub::sizes, L::of_register(r)));
    return t;
  }
};
template <class S, class L, class Sub, class P>
inline constexpr BroadcastTable<S, L, Sub, P> broadcast_table = BroadcastTable<S, L, Sub, P>::make();

template <class A, class L>
inline constexpr bool has_layout = false;
template <class T, class S, class L>
inline constexpr bool has_layout<Block<T, S, L>, L> = true;

template <class T>
struct ShapeOf {
  using type = Shape<>;
};
template <class T>
  requires(is_lazy<T> || is_block<T> || is_deferred<T>)
struct ShapeOf<T> {
  using type = typename T::shape_type;
};

template <class A>
constexpr rules::Form form_of() {
  return is_index<A>       ? rules::Form::index
         : is_formula<A>   ? rules::Form::formula
         : is_box<A>       ? rules::Form::box
         : is_condition<A> ? rules::Form::condition
         : is_block<A>     ? rules::Form::block
         : is_deferred<A>  ? rules::Form::tile
                           : rules::Form::scalar;
}
template <class SA, class LA, class SB, class LB, class S>
struct MergedValue {
  static constexpr rules::Layout value = rules::merged(LA::value, SA::sizes, LB::value, SB::sizes, S::sizes);
};

// The layout two operands meet in.
template <class A, class B, class S>
struct MeetingLayout {
  static constexpr auto pick() {
    using rules::CommonLayout;
    constexpr CommonLayout meet =
        rules::common_layout(form_of<A>(), ShapeOf<A>::type::sizes, form_of<B>(), ShapeOf<B>::type::sizes, S::sizes);
    if constexpr (meet == CommonLayout::left) return Choice<true, typename A::layout, void>{};
    else if constexpr (meet == CommonLayout::right) return Choice<true, typename B::layout, void>{};
    else if constexpr (meet == CommonLayout::merged)
      return Choice<true,
                    to_layout<MergedValue<typename A::shape_type, typename A::layout, typename B::shape_type,
                                          typename B::layout, S>>,
                    void>{};
    else return Choice<true, cuda::default_layout<typename choice<is_lazy<A>, A, B>::config, S>, void>{};
  }
  using type = typename decltype(pick())::type;
};

}  // namespace detail

template <class T>
using shape_of = typename detail::ShapeOf<T>::type;

// Any value as a block of type T, shape S, layout L.
template <class T, class S, class L, class A>
__forceinline__ Block<T, S, L> spread(const A& a) {
  static_assert(same<broadcast_shape<shape_of<A>, S>, S>,
                "this block is larger than what it is to fill: give both one shape");
  if constexpr (is_deferred<A>) {
    return spread<T, S, L>(as_block(a));
  } else if constexpr (is_block<A> && same<shape_of<A>, S> && !detail::has_layout<A, L>) {
    return spread<T, S, L>(convert_layout<L>(a));
  } else {
    Block<T, S, L> out;
    if constexpr (is_block<A> && same<shape_of<A>, S>) {
#pragma unroll
      for (int r = 0; r < out.count; ++r) out.v[r] = convert<T>(a.v[r]);
    } else if constexpr (is_block<A>) {
      using Sub = typename A::shape_type;
      using P = Projected<L, S, Sub>;
      const auto from = convert_layout<P>(a);
      T converted[P::register_count];
#pragma unroll
      for (int r = 0; r < P::register_count; ++r) converted[r] = convert<T>(from.v[r]);
#pragma unroll
      for (int r = 0; r < out.count; ++r) out.v[r] = converted[detail::broadcast_table<S, L, Sub, P>.at[r]];
    } else if constexpr (is_lazy<A>) {
      const auto thread = coordinates_of<S>(L::of_thread());
#pragma unroll
      for (int r = 0; r < out.count; ++r) {
        // No bit of the index is both the thread's and the register's, so that their coordinates add up.
        auto c = coordinates_of<S>(L::flats.at[r]);
#pragma unroll
        for (int i = 0; i < S::rank; ++i) c.at[i] += thread.at[i];
        out.v[r] = convert<T>(a.at(detail::broadcast_coordinates<S, typename A::shape_type>(c)));
      }
    } else {
      const T x = convert<T>(plain(a));
#pragma unroll
      for (int r = 0; r < out.count; ++r) out.v[r] = x;
    }
    return out;
  }
}

// Lazy values in their default layout, deferred ones in registers; blocks and scalars as they are.
template <class A>
__forceinline__ auto materialize(const A& a) {
  if constexpr (is_lazy<A>)
    return spread<typename A::element, typename A::shape_type,
                  cuda::default_layout<typename A::config, typename A::shape_type>>(a);
  else if constexpr (is_deferred<A>) return a.to_block();
  else return a;
}

// f of every element, as elements of type T.
template <class T, class A, class F>
__forceinline__ auto map(const A& a, F f) {
  if constexpr (is_scalar<A>) {
    return Scalar<T>{f(a.v)};
  } else if constexpr (is_block<A>) {
    Block<T, typename A::shape_type, typename A::layout> out;
#pragma unroll
    for (int r = 0; r < out.count; ++r) out.v[r] = f(a.v[r]);
    return out;
  } else {
    return map<T>(materialize(a), f);
  }
}

}  // namespace tl
