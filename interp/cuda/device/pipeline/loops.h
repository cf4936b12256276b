// An executor's loops and compile-time branches; `Self` is the executor itself.
#pragma once

#include "interp/cuda/device/debug.h"
#include "interp/cuda/device/pipeline/range.h"

namespace tl::cuda {

template <class Self>
struct Loops {
  // An executor that acts on each turn wraps the range.
  __forceinline__ const Self& self() const { return *static_cast<const Self*>(this); }
  template <class R>
  __forceinline__ auto loop(R r, RangeOptions) const {
    return r;
  }
  template <auto N, class F>
  __forceinline__ void static_for(constant<N>, F f) const {
    unrolled<0, 1>(f, make_indices<static_cast<int>(N)>{});
  }
  template <auto Lo, auto Hi, class F>
  __forceinline__ void static_for(constant<Lo>, constant<Hi>, F f) const {
    static_for(constant<Lo>{}, constant<Hi>{}, constant<1>{}, f);
  }
  template <auto Hi, class F>
  __forceinline__ void static_for(Zero, constant<Hi>, F f) const {
    static_for(constant<0>{}, constant<Hi>{}, constant<1>{}, f);
  }
  template <auto Lo, auto Hi, auto Step, class F>
  __forceinline__ void static_for(constant<Lo>, constant<Hi>, constant<Step>, F f) const {
    static_assert(Step != 0, "tl.static_for: a step of 0 never ends: pass a step above or below 0");
    constexpr long long distance = Step > 0 ? Hi - Lo : Lo - Hi, step = Step > 0 ? Step : -Step;
    constexpr int turns = distance <= 0 ? 0 : static_cast<int>((distance + step - 1) / (step == 0 ? 1 : step));
    unrolled<static_cast<int>(Lo), static_cast<int>(Step)>(f, make_indices<turns>{});
  }
  template <auto Hi, auto Step, class F>
  __forceinline__ void static_for(Zero, constant<Hi>, constant<Step>, F f) const {
    static_for(constant<0>{}, constant<Hi>{}, constant<Step>{}, f);
  }
  template <auto Lo, auto Step, class F>
  __forceinline__ void static_for(constant<Lo>, Zero, constant<Step>, F f) const {
    static_for(constant<Lo>{}, constant<0>{}, constant<Step>{}, f);
  }
  template <class H>
  __forceinline__ auto range(const H& hi, RangeOptions options = {}) const {
    return self().loop(make_range(ZeroLiteral{}, hi, constant<1>{}), options);
  }
  template <class L, class H>
    requires(!same<L, int>)
  __forceinline__ auto range(const L& lo, const H& hi, RangeOptions options = {}) const {
    return self().loop(make_range(lo, hi, constant<1>{}), options);
  }
  template <class H>
  __forceinline__ auto range(Zero, const H& hi, RangeOptions options = {}) const {
    return self().loop(make_range(ZeroLiteral{}, hi, constant<1>{}), options);
  }
  template <class H>
  __forceinline__ auto range(AnyInt lo, const H& hi, RangeOptions options = {}) const {
    return self().loop(make_range(lo.v, hi, constant<1>{}), options);
  }
  template <class L, class H, class S>
    requires(!same<L, int> && !same<S, RangeOptions>)
  __forceinline__ auto range(const L& lo, const H& hi, const S& step, RangeOptions options = {}) const {
    return self().loop(checked(make_range(lo, hi, step)), options);
  }
  template <class H, class S>
    requires(!same<S, RangeOptions>)
  __forceinline__ auto range(Zero, const H& hi, const S& step, RangeOptions options = {}) const {
    return self().loop(checked(make_range(ZeroLiteral{}, hi, step)), options);
  }
  template <class H, class S>
    requires(!same<S, RangeOptions>)
  __forceinline__ auto range(AnyInt lo, const H& hi, const S& step, RangeOptions options = {}) const {
    return self().loop(checked(make_range(lo.v, hi, step)), options);
  }

  // compile time. A lambda that takes the executor, [&](auto& tl), is compiled where it is taken alone.
  template <auto C, class F, class G>
  __forceinline__ decltype(auto) static_if(constant<C>, F f, G g) {
    if constexpr (static_cast<bool>(C)) return taken(f);
    else return taken(g);
  }

 private:
  template <class F>
  __forceinline__ decltype(auto) taken(F& f) {
    if constexpr (requires { f(); }) return f();
    else return f(*static_cast<Self*>(this));
  }
  template <class R>
  static __forceinline__ R checked(const R& range) {
    if (range.step == 0)
      fail_assertion<Assertions>(-1, "pass a step above or below 0", "tl.range: a range with step 0 never ends", 0);
    return range;
  }
  template <int Lo, int Step, class F, int... I>
  static __forceinline__ void unrolled(F& f, Indices<I...>) {
    (f(constant<Lo + Step * I>{}), ...);
  }
};

}  // namespace tl::cuda
