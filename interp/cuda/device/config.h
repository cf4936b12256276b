// What a launch fixes for a whole kernel, and the layouts that follow from it.
#pragma once

#include "interp/cuda/device/build.h"
#include "interp/cuda/device/values/layout.h"
#include "interp/rules/config.h"

namespace tl::cuda {

using Matrix = rules::Matrix;

inline constexpr bool formulas = build.formulas, affine_only = build.affine_only, lookups = build.lookups;

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
inline constexpr bool has_wgmma = !build.generic;
#else
inline constexpr bool has_wgmma = false;
#endif

// VECTOR: elements of the narrowest tensor in 16 bytes. USES_DOT: the kernel calls tl.dot. EXACT: rules::Dots::exact.
template <int NUM_WARPS, int NUM_STAGES, int VECTOR, bool USES_DOT = false, bool EXACT = false>
struct Config {
  static constexpr int num_warps = NUM_WARPS, num_stages = NUM_STAGES, vector = VECTOR;
  static constexpr bool uses_dot = USES_DOT;
  static constexpr rules::Dots dots = EXACT ? rules::Dots::exact : USES_DOT ? rules::Dots::any : rules::Dots::none;
  static constexpr Matrix matrix = rules::matrix_of(dots, false, NUM_WARPS);
  static constexpr bool tensor_maps = false, copies_ahead = false, copies = false;
};
template <class Cfg>
inline constexpr rules::Config config_of = {.num_warps = Cfg::num_warps,
                                            .num_stages = Cfg::num_stages,
                                            .vector = Cfg::vector,
                                            .matrix = Cfg::matrix,
                                            .tensor_maps = Cfg::tensor_maps,
                                            .copies_ahead = Cfg::copies_ahead,
                                            .formulas = formulas,
                                            .affine_only = affine_only,
                                            .lookups = lookups,
                                            .copies = Cfg::copies,
                                            .programs_per_sm = build.programs_per_sm};

template <class Cfg, class S>
inline constexpr bool fits_wgmma = rules::fits_wgmma(S::at(0), S::at(1), Cfg::num_warps);

template <class Cfg, class S>
struct AccumulatorValue {
  static constexpr rules::Layout value = rules::accumulator_layout(config_of<Cfg>, S::at(0), S::at(1));
};
// The layout of a dot's result of shape S.
template <class Cfg, class S>
using accumulator_layout = tl::detail::to_layout<AccumulatorValue<Cfg, S>>;

template <class Cfg, class S>
struct DefaultValue {
  static constexpr rules::Layout value = rules::default_layout(config_of<Cfg>, S::sizes);
};
// Where nothing else decides.
template <class Cfg, class S>
using default_layout = tl::detail::to_layout<DefaultValue<Cfg, S>>;

}  // namespace tl::cuda
