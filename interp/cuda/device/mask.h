// Masks without a layout: a box of coordinates (one type a shape), and conditions that are no box, evaluated where a consumer wants them.
#pragma once

#include "interp/cuda/device/index.h"

namespace tl {

inline constexpr int unbounded = 0x7fffffff;

// lo <= coordinate < hi on every axis. `aligned` divides both bounds of an axis; the compiler folds it.
template <class Cfg, class S>
struct Box {
  using element = bool;
  using config = Cfg;
  using shape_type = S;
  static constexpr Dtype<DType::int1> dtype{};
  static constexpr S shape{};

  int lo[S::rank], hi[S::rank], aligned[S::rank];

  explicit operator bool() const {
    static_assert(S::rank == 0, "an if takes one value, this is a mask of them: choose lane by lane with tl.where");
    return false;
  }

  static __forceinline__ Box all() {
    Box box;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) box.lo[i] = 0, box.hi[i] = unbounded, box.aligned[i] = most_divisible;
    return box;
  }
  __forceinline__ bool at(const Coordinates<S::rank>& c) const {
    bool inside = true;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) inside &= c.at[i] >= lo[i] && c.at[i] < hi[i];
    return inside;
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks...) const {
    using Slicing = detail::Sliced<S, Marks...>;
    auto out = Box<Cfg, typename Slicing::type>::all();
#pragma unroll
    for (int i = 0; i < out.shape.rank; ++i)
      if (!Slicing::none[i])
        out.lo[i] = lo[Slicing::source(i)], out.hi[i] = hi[Slicing::source(i)], out.aligned[i] = aligned[Slicing::source(i)];
    return out;
  }
  template <DType D>
  __forceinline__ auto to(Dtype<D>) const;
};

// A uniform condition, as a box: everything or nothing.
template <class Cfg, class S>
__forceinline__ Box<Cfg, S> uniform_box(bool on) {
  auto box = Box<Cfg, S>::all();
  box.hi[0] = on ? unbounded : 0;
  return box;
}

// Any function of the coordinates.
template <class Cfg, class S, class F>
struct Condition {
  using element = bool;
  using config = Cfg;
  using shape_type = S;
  static constexpr Dtype<DType::int1> dtype{};
  static constexpr S shape{};

  F holds;
  explicit operator bool() const {
    static_assert(S::rank == 0, "an if takes one value, this is a mask of them: choose lane by lane with tl.where");
    return false;
  }
  __forceinline__ bool at(const Coordinates<S::rank>& c) const { return holds(c); }
  template <class... Marks>
  __forceinline__ auto operator()(Marks...) const;
  template <DType D>
  __forceinline__ auto to(Dtype<D>) const;
};

template <class T>
inline constexpr bool is_box = false;
template <class Cfg, class S>
inline constexpr bool is_box<Box<Cfg, S>> = true;
template <class T>
inline constexpr bool is_condition = false;
template <class Cfg, class S, class F>
inline constexpr bool is_condition<Condition<Cfg, S, F>> = true;
// Values that have no layout.
template <class T>
inline constexpr bool is_lazy = is_index<T> || is_box<T> || is_condition<T>;

namespace detail {

template <class S, class Sub>
__forceinline__ Coordinates<Sub::rank> broadcast_coordinates(const Coordinates<S::rank>& c) {
  Coordinates<Sub::rank> to{};
#pragma unroll
  for (int i = 0; i < Sub::rank; ++i) to.at[i] = Sub::at(i) == 1 ? 0 : c.at[i + S::rank - Sub::rank];
  return to;
}

template <class S, class A>
struct Stretched {
  A a;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const { return a.at(broadcast_coordinates<S, typename A::shape_type>(c)); }
};
template <class S, class Op, class A, class B>
struct Combined {
  A a;
  B b;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const {
    return Op::apply(a.at(broadcast_coordinates<S, typename A::shape_type>(c)), b.at(broadcast_coordinates<S, typename B::shape_type>(c)));
  }
};
template <class S, class A>
struct Negated {
  A a;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const { return !a.at(c); }
};
template <class S, class A, class Slicing>
struct SlicedCondition {
  A a;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const {
    Coordinates<A::shape_type::rank> from{};
#pragma unroll
    for (int i = 0; i < S::rank; ++i)
      if (!Slicing::none[i]) from.at[Slicing::source(i)] = c.at[i];
    return a.at(from);
  }
};
// index Op 0
template <class S, class Op, class A>
struct Compared {
  A a;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const { return Op::apply(a.at(c), typename A::element(0)); }
};

__forceinline__ int clamp_to_int(long long x) { return x > unbounded ? unbounded : x < -unbounded ? -unbounded : static_cast<int>(x); }
__forceinline__ int clamp_to_int(int x) { return x; }

// The one axis an index moves along by steps of 1; -1: it is uniform; -2: none.
template <class A>
constexpr int unit_axis() {
  int axis = -1;
  for (int i = 0; i < A::shape_type::rank; ++i) {
    if (A::coefficients::at(i) == 0) continue;
    if (axis != -1 || A::coefficients::at(i) != 1) return -2;
    axis = i;
  }
  return axis;
}

}  // namespace detail

template <class Cfg, class S, class F>
template <class... Marks>
__forceinline__ auto Condition<Cfg, S, F>::operator()(Marks...) const {
  using To = sliced_shape<S, Marks...>;
  using G = detail::SlicedCondition<To, Condition, detail::Sliced<S, Marks...>>;
  return Condition<Cfg, To, G>{G{*this}};
}

template <class To, class A>
__forceinline__ auto stretched_mask(const A& a) {
  using S = typename A::shape_type;
  if constexpr (same<To, S>) {
    return a;
  } else if constexpr (is_box<A>) {
    auto out = Box<typename A::config, To>::all();
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
      const int to = i + To::rank - S::rank;
      if (S::at(i) == To::at(to)) {
        out.lo[to] = a.lo[i], out.hi[to] = a.hi[i], out.aligned[to] = a.aligned[i];
      } else {  // one index, whose condition holds for the whole axis or for none of it
        const bool on = a.lo[i] <= 0 && a.hi[i] > 0;
        out.hi[to] = on ? unbounded : 0;
      }
    }
    return out;
  } else {
    using G = detail::Stretched<To, A>;
    return Condition<typename A::config, To, G>{G{a}};
  }
}

template <class A, class B>
__forceinline__ auto both(const A& a, const B& b) {
  using S = broadcast_shape<typename A::shape_type, typename B::shape_type>;
  auto x = stretched_mask<S>(a), y = stretched_mask<S>(b);
#pragma unroll
  for (int i = 0; i < S::rank; ++i) {
    x.lo[i] = x.lo[i] > y.lo[i] ? x.lo[i] : y.lo[i];
    x.hi[i] = x.hi[i] < y.hi[i] ? x.hi[i] : y.hi[i];
    x.aligned[i] = least(x.aligned[i], y.aligned[i]);
  }
  return x;
}

// index Op bound, bound an integer scalar, constant or literal. Along one axis by steps of 1 it is a box.
template <class Op, class A, class B>
__forceinline__ auto compared_index(const A& a, const B& b) {
  using Cfg = typename A::config;
  using S = typename A::shape_type;
  const auto difference = shifted_index<-1>(a, b);  // b - a, whose coefficients are negated
  using I = typename decltype(difference)::element;
  constexpr int axis = detail::unit_axis<A>();
  if constexpr (axis == -2 || Op::is_not_equal) {
    const auto d = shifted_index<1>(a, Scalar<I>{static_cast<I>(-static_cast<I>(plain(b)))});
    using F = detail::Compared<S, Op, bare<decltype(d)>>;
    return Condition<Cfg, S, F>{F{d}};
  } else if constexpr (axis == -1) {
    return uniform_box<Cfg, S>(Op::apply(I(0), difference.base));
  } else {
    auto box = Box<Cfg, S>::all();
    const int bound = detail::clamp_to_int(difference.base);  // coordinate Op bound
    constexpr int divides = least(A::divisibility, divisibility<B>);
    if constexpr (Op::is_less) box.hi[axis] = Op::includes_equal ? bound + 1 : bound;
    else if constexpr (Op::is_greater) box.lo[axis] = Op::includes_equal ? bound : bound + 1;
    else box.lo[axis] = bound, box.hi[axis] = bound + 1;
    box.aligned[axis] = (Op::is_less && !Op::includes_equal) || (Op::is_greater && Op::includes_equal) ? divides : 1;
    return box;
  }
}

}  // namespace tl
