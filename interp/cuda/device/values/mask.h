// Masks without a layout: a box of coordinates (one type a shape), and conditions that are no box, evaluated where a
// consumer wants them.
#pragma once

#include "interp/cuda/device/values/formula.h"

namespace tl {

inline constexpr int unbounded = 0x7fffffff;

// lo <= coordinate < hi on every axis. `aligned` divides both bounds of an axis; the compiler folds it. From
// `wrapped_lo` on, lanes whose offsets have wrapped below a bound are on, too; accesses leave these out, since no
// tensor reaches there.
template <class Cfg, class S>
struct Box {
  using element = bool;
  using config = Cfg;
  using shape_type = S;
  static constexpr Dtype<DType::int1> dtype{};
  static constexpr S shape{};

  int lo[S::rank], hi[S::rank], aligned[S::rank], wrapped_lo[S::rank];

  explicit operator bool() const {
    static_assert(S::rank == 0,
                  "an if, && or || takes one value, and this is a mask of them: join masks with & and |; choose lane "
                  "by lane with tl.where(mask, a, b); or reduce the mask to a scalar with tl.max");
    return false;
  }

  static __forceinline__ Box all() {
    Box box;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
      box.lo[i] = 0;
      box.hi[i] = unbounded;
      box.aligned[i] = most_divisible;
      box.wrapped_lo[i] = unbounded;
    }
    return box;
  }
  __forceinline__ bool at(const Coordinates<S::rank>& c) const {
    bool inside = true;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) inside &= (c.at[i] >= lo[i] && c.at[i] < hi[i]) || c.at[i] >= wrapped_lo[i];
    return inside;
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks...) const {
    using Slicing = detail::Sliced<S, Marks...>;
    auto out = Box<Cfg, typename Slicing::type>::all();
#pragma unroll
    for (int i = 0; i < out.shape.rank; ++i)
      if (!Slicing::none[i]) {
        out.lo[i] = lo[Slicing::source(i)];
        out.hi[i] = hi[Slicing::source(i)];
        out.aligned[i] = aligned[Slicing::source(i)];
        out.wrapped_lo[i] = wrapped_lo[Slicing::source(i)];
      }
    return out;
  }
  template <DType D>
  __forceinline__ auto to(Dtype<D>) const;

  Box& operator=(const Box&) = default;
  template <class U>
    requires(!same<U, Box>)
  __forceinline__ Box& operator=(const U& other);
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

  static constexpr rules::AxisInfo axes = F::axes;  // where it is constant

  F holds;
  Condition& operator=(const Condition&) = default;
  template <class U>
    requires(!same<U, Condition>)
  __forceinline__ Condition& operator=(const U& other);
  explicit operator bool() const {
    static_assert(S::rank == 0,
                  "an if, && or || takes one value, and this is a mask of them: join masks with & and |; choose lane "
                  "by lane with tl.where(mask, a, b); or reduce the mask to a scalar with tl.max");
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
inline constexpr bool is_lazy = is_index<T> || is_formula<T> || is_box<T> || is_condition<T>;

namespace detail {

template <class T>
  requires(is_box<T>)
struct AxesOf<T> {  // its bounds are not known
  static constexpr rules::AxisInfo of(const rules::Sizes&) { return rules::unknown_axis_info(T::shape_type::sizes); }
};
template <class T>
  requires(is_condition<T>)
struct AxesOf<T> {
  static constexpr rules::AxisInfo of(const rules::Sizes&) { return T::axes; }
};
template <class S, class A>
constexpr rules::AxisInfo stretched_axes() {
  return rules::stretched(AxesOf<A>::of(A::shape_type::sizes), S::sizes);
}
template <class S, class A, class B>
constexpr rules::AxisInfo axes_of_both() {
  return rules::constancy_of_both(stretched_axes<S, A>(), stretched_axes<S, B>());
}

template <class S, class A>
struct Stretched {
  static constexpr rules::AxisInfo axes = stretched_axes<S, A>();
  A a;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const {
    return a.at(broadcast_coordinates<S, typename A::shape_type>(c));
  }
};
template <class S, class Op, class A, class B>
struct Combined {
  static constexpr rules::AxisInfo axes = axes_of_both<S, A, B>();
  A a;
  B b;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const {
    return Op::apply(a.at(broadcast_coordinates<S, typename A::shape_type>(c)),
                     b.at(broadcast_coordinates<S, typename B::shape_type>(c)));
  }
};
template <class S, class A>
struct Negated {
  static constexpr rules::AxisInfo axes = stretched_axes<S, A>();
  A a;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const { return !a.at(c); }
};
template <class S, class A, class Slicing>
struct SlicedCondition {
  static constexpr rules::AxisInfo axes = rules::with_axes(A::axes, S::sizes, Slicing::sources());
  A a;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const {
    Coordinates<A::shape_type::rank> from{};
#pragma unroll
    for (int i = 0; i < S::rank; ++i)
      if (!Slicing::none[i]) from.at[Slicing::source(i)] = c.at[i];
    return a.at(from);
  }
};
// index Op index, or formulas
template <class S, class Op, class A, class B>
struct ComparedPair {
  static constexpr rules::AxisInfo axes = axes_of_both<S, A, B>();
  A a;
  B b;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const {
    using I = wider_int<typename A::element, typename B::element>;
    return Op::apply(static_cast<I>(a.at(broadcast_coordinates<S, typename A::shape_type>(c))),
                     static_cast<I>(b.at(broadcast_coordinates<S, typename B::shape_type>(c))));
  }
};
// index Op bound
template <class S, class Op, class A>
struct Compared {
  static constexpr rules::AxisInfo axes = stretched_axes<S, A>();
  A a;
  typename A::element bound;
  __forceinline__ bool operator()(const Coordinates<S::rank>& c) const { return Op::apply(a.at(c), bound); }
};

__forceinline__ int clamp_to_int(long long x) {
  return x > unbounded ? unbounded : x < -unbounded ? -unbounded : static_cast<int>(x);
}

// bound - base, where a coordinate can reach it: at least -1, and less than `unbounded`.
template <class I>
__forceinline__ int coordinate_of_bound(I bound, I base) {
  const auto distance = static_cast<ops::WrapAs<I>>(ops::wrapped_difference(bound, base));
  return bound < base ? -1 : static_cast<int>(distance < unbounded ? distance : unbounded - 1u);
}
// The first coordinate below `size` whose base + coordinate wraps; else `unbounded`.
template <class I>
__forceinline__ int first_wrapped(I base, int size) {
  using U = ops::WrapAs<I>;
  const U at = (U(1) << (sizeof(I) * 8 - 1)) - static_cast<U>(base);
  return at - 1 < static_cast<U>(size - 1) ? static_cast<int>(at) : unbounded;
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
        out.lo[to] = a.lo[i];
        out.hi[to] = a.hi[i];
        out.aligned[to] = a.aligned[i];
        out.wrapped_lo[to] = a.wrapped_lo[i];
      } else {  // one index, whose condition holds for the whole axis or for none of it
        const bool on = a.lo[i] <= 0 && a.hi[i] > 0;  // one lane does not wrap
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
    x.wrapped_lo[i] = x.wrapped_lo[i] > y.wrapped_lo[i] ? x.wrapped_lo[i] : y.wrapped_lo[i];
  }
  return x;
}

// index Op bound, bound an integer of the index's width. Along one axis by steps of 1 it is a box.
template <class Op, int BoundDivides, class A>
__forceinline__ auto compared_index(const A& a, typename A::element bound) {
  using Cfg = typename A::config;
  using S = typename A::shape_type;
  constexpr rules::Comparison how = [] {
    if constexpr (is_formula<A>) return rules::Comparison{};
    else return rules::compared(Op::code, A::form, BoundDivides);
  }();
  if constexpr (!how.is_box) {
    using F = detail::Compared<S, Op, A>;
    return Condition<Cfg, S, F>{F{a, bound}};
  } else if constexpr (how.axis == rules::uniform) {
    return uniform_box<Cfg, S>(Op::apply(a.base, bound));
  } else {
    constexpr int axis = how.axis;
    auto box = Box<Cfg, S>::all();
    const int at = detail::coordinate_of_bound(bound, a.base);  // coordinate Op at
    const int wrapped = detail::first_wrapped(a.base, S::at(axis));
    if constexpr (Op::is_less) {
      box.hi[axis] = Op::includes_equal ? at + 1 : at;
      box.wrapped_lo[axis] = wrapped;
    } else if constexpr (Op::is_greater) {
      box.lo[axis] = Op::includes_equal ? at : at + 1;
      box.hi[axis] = wrapped;
    } else {
      box.lo[axis] = at;
      box.hi[axis] = at + 1;
    }
    box.aligned[axis] = how.aligned;
    return box;
  }
}

// index Op index, lane by lane.
template <class Op, class A, class B>
__forceinline__ auto compared_indices(const A& a, const B& b) {
  using S = broadcast_shape<typename A::shape_type, typename B::shape_type>;
  using F = detail::ComparedPair<S, Op, A, B>;
  return Condition<typename A::config, S, F>{F{a, b}};
}

// What a box holds another box may replace; any other mask is another type.
template <class Cfg, class S>
template <class U>
  requires(!same<U, Box<Cfg, S>>)
__forceinline__ Box<Cfg, S>& Box<Cfg, S>::operator=(const U&) {
  static_assert(same<U, Box>, "assignment gives up what was known of this mask: give the result a name of its own");
  return *this;
}
template <class Cfg, class S, class F>
template <class U>
  requires(!same<U, Condition<Cfg, S, F>>)
__forceinline__ Condition<Cfg, S, F>& Condition<Cfg, S, F>::operator=(const U&) {
  static_assert(same<U, Condition>,
                "assignment gives up what was known of this mask: give the result a name of its own");
  return *this;
}

}  // namespace tl
