// A row of a table: what the load of a 1-D block of ints gives where warps have roles. It is a formula whose lanes are
// read where they are wanted, so that the warps that copy tiles know which rows the table names:
//
//   auto rows = tl.load(table_ptr + offs);                         // here nothing is read
//   auto a = tl.load(a_ptr + rows(_, None) * stride + k(None, _));   // each thread reads the rows that it copies
//
// Lanes read late are right only where the kernel does not store to the table: rules::Config::lookups.
#pragma once

#include "interp/cuda/device/memory/access_options.h"

namespace tl {

namespace detail {

template <class P>
struct LookupFormula {
  using T = typename P::pointee;
  using S = typename P::shape_type;
  static constexpr int operators = 1 + operators_in<bare<decltype(P::offsets)>>;
  static constexpr rules::AxisInfo axes = rules::unknown_axis_info(S::sizes);
  P p;
  Box<typename P::config, S> mask;
  T other;

  __forceinline__ T at(const Coordinates<1>& c) const {
    const bool on = c.at[0] >= mask.lo[0] && c.at[0] < mask.hi[0];
    return on ? __ldg(p.p + static_cast<long long>(p.offsets.at(c))) : other;
  }
  __forceinline__ bool is_nonnegative() const { return false; }
  __forceinline__ bool is_regular() const { return true; }
};

}  // namespace detail

// The mask of a table's load: a box, which can be asked about any lane.
template <class Cfg, class S>
struct LookupMask {
  Box<Cfg, S> box = Box<Cfg, S>::all();
  __forceinline__ LookupMask() {}
  template <class M>
    requires(is_value<M> || is_literal<M>)
  __forceinline__ LookupMask(const M& mask) {
    static_assert(is_box<M> || is_mask_scalar<M>,
                  "the mask of a table's load compares offsets with bounds: use tl.where on the row for any other");
    if constexpr (is_box<M>) box = stretched_mask<S>(mask);
    else if constexpr (is_mask_scalar<M>) box = uniform_box<Cfg, S>(convert<bool>(plain(mask)));
  }
};
template <class P>
struct LookupOptions {
  LookupMask<typename P::config, typename P::shape_type> mask{};
  Fill<typename P::pointee> other{};
  TL_LOAD_WORDS  // the table is read through the cache for constants
};

template <class P>
inline constexpr bool is_lookup = false;
template <class P>
  requires(is_ptr_block<P>)
inline constexpr bool is_lookup<P> = cuda::lookups && P::shape_type::rank == 1 &&
                                     (same<typename P::pointee, int> || same<typename P::pointee, long long>);

template <class P>
__forceinline__ auto looked_up(const P& p, const LookupOptions<P>& options) {
  using F = detail::LookupFormula<P>;
  return Formula<typename P::config, typename P::pointee, typename P::shape_type, F>{
      F{p, options.mask.box, options.other.v}};
}

}  // namespace tl
