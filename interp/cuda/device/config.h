// What a launch fixes for a whole kernel, and the layouts that follow from it.
#pragma once

#include "interp/cuda/device/values/layout.h"

namespace tl::cuda {

// How dots are multiplied; decides the layout of accumulators.
enum class Matrix { none, mma_sync, wgmma };

// VECTOR: elements of the narrowest tensor in 16 bytes. USES_DOT: the kernel calls tl.dot.
template <int NUM_WARPS, int NUM_STAGES, int VECTOR, bool USES_DOT = false>
struct Config {
  static constexpr int num_warps = NUM_WARPS, num_stages = NUM_STAGES, vector = VECTOR;
  static constexpr Matrix matrix = USES_DOT ? Matrix::mma_sync : Matrix::none;
};

template <int Rank>
struct RowMajor {
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    using type = Axes<(Rank - 1 - I)...>;
  };
  using type = typename Make<make_indices<Rank>>::type;
};
template <int Rank>
using row_major = typename RowMajor<Rank>::type;

// `First` before the other axes, which stay row-major.
template <int Rank, int First>
struct FirstOrder {
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    static constexpr int axis(int i) { return i == 0 ? First : i <= Rank - 1 - First ? Rank - i : Rank - 1 - i; }
    using type = Axes<axis(I)...>;
  };
  using type = typename Make<make_indices<Rank>>::type;
};

template <class Cfg, class S, Matrix M>
struct AccumulatorLayout;
template <class Cfg, class S>
struct AccumulatorLayout<Cfg, S, Matrix::mma_sync> {
  using type = MmaSync<S::at(0), S::at(1), Cfg::num_warps>;
};
// Whether whole warpgroups can share an M x N accumulator: 64 rows or more, and 8 columns for each that shares them.
template <class Cfg, class S>
inline constexpr bool fits_wgmma =
    S::at(0) >= 64 && S::at(1) * (S::at(0) / 64) >= 8 * Cfg::num_warps / 4 && S::at(1) >= 8;
template <class Cfg, class S>
requires fits_wgmma<Cfg, S>
struct AccumulatorLayout<Cfg, S, Matrix::wgmma> {
  using type = Wgmma64<S::at(0), S::at(1), Cfg::num_warps>;
};
template <class Cfg, class S>
requires(!fits_wgmma<Cfg, S>) struct AccumulatorLayout<Cfg, S, Matrix::wgmma> {
  using type = MmaSync<S::at(0), S::at(1), Cfg::num_warps>;
};
// The layout of a dot's result of shape S.
template <class Cfg, class S>
using accumulator_layout = typename AccumulatorLayout<Cfg, S, Cfg::matrix>::type;

// Where nothing else decides: row-major blocks of VECTOR elements; beside a dot its accumulator's layout, and row
// slices of it.
template <class Cfg, class S, bool DOT = Cfg::matrix != Matrix::none, int Rank = S::rank>
struct DefaultLayout {
  using type = Blocked<S, row_major<Rank>, Cfg::vector, Cfg::num_warps>;
};
template <class Cfg, class S>
struct DefaultLayout<Cfg, S, true, 2> {
  using type = accumulator_layout<Cfg, S>;
};
template <class Cfg, class S>
struct DefaultLayout<Cfg, S, true, 1> {
  // Any number of columns gives the same rows: as many as every warp left over by the rows can have some.
  using Accumulator = Shape<S::at(0), 8 * Cfg::num_warps>;
  using type = Slice<accumulator_layout<Cfg, Accumulator>, Accumulator, 1>;
};
template <class Cfg, class S>
using default_layout = typename DefaultLayout<Cfg, S>::type;

}  // namespace tl::cuda
