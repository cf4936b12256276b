// tl.dot on any chip from sm_80 up: c[i, j] + sum over l of a[i, l] b[l, j], by mma.sync out of shared memory, or by
// multiply-adds.
#pragma once

#include "interp/cuda/device/dot/mma.h"
#include "interp/cuda/device/values/shape_ops.h"
#include "interp/rules/dot.h"

namespace tl {

struct Tf32 {};
struct Ieee {};
struct Tf32x3 {};
struct Bf16x3 {};
struct Bf16x6 {};

namespace detail {

// An operand as a tile: itself, or its registers written to `memory`.
template <class Cfg, class T, class X>
struct OperandTile {
  static constexpr bool written = true;
  using S = shape_of<X>;
  static constexpr bool transposed() {
    if constexpr (is_block<X>) {
      using L = typename X::layout;
      return S::at(0) > 1 && L::registers::list.has(S::stride(0)) && !L::registers::list.has(1);
    } else return false;
  }
  using type = SharedTile<T, S, transposed(), Cfg>;
};
template <class Cfg, class T, class S, bool X, class C>
struct OperandTile<Cfg, T, SharedTile<T, S, X, C>> {
  static constexpr bool written = false;
  using type = SharedTile<T, S, X, C>;
};

// The period of the swizzle.
constexpr int whole_kilobytes(int bytes) { return (bytes + 1023) / 1024 * 1024; }

template <class Cfg, class S, class A, class B>
__forceinline__ void mma_tiles(float* c, const A& a, const B& b) {
  using T = typename A::element;
  constexpr int K = A::shape_type::at(1), M = S::at(0), N = S::at(1);
  constexpr rules::MmaPlan plan(M, N, Cfg::num_warps);
  constexpr int rows = plan.rows / 16, cols = plan.cols / 8, step = cuda::MmaShape<T>::k;
  const int warp = threadIdx.x / 32;
  const int row = warp % plan.warps_m * plan.rows, col = warp / plan.warps_m % plan.warps_n * plan.cols;
  const cuda::FragmentLoader<A, true> load_a(a, row);
  const cuda::FragmentLoader<B, false, (cols > 1 ? 16 : 8)> load_b(b, col);
#pragma unroll
  for (int k = 0; k < K; k += step) {
    unsigned fa[rows][4], fb[(cols + 1) / 2][4];
#pragma unroll
    for (int i = 0; i < rows; ++i) load_a.load(fa[i], i * 16, k);
#pragma unroll
    for (int j = 0; j < (cols + 1) / 2; ++j) load_b.load(fb[j], j * 16, k);
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < cols; ++j) {
        float* const at = c + 2 * j + 4 * cols * i;
        cuda::mma<T>(at[0], at[1], at[2 * cols], at[2 * cols + 1], fa[i], fb[j / 2][j % 2], fb[j / 2][2 + j % 2]);
      }
  }
}

// A already lies in registers as the accumulator of an M x K dot does: its fragments are there.
template <class Cfg, class S, class A, class B>
__forceinline__ void mma_registers(float* c, const A& a, const B& b) {
  using T = typename A::element;
  constexpr int K = A::shape_type::at(1), M = S::at(0), N = S::at(1);
  constexpr rules::MmaPlan plan(M, N, Cfg::num_warps);
  constexpr int rows = plan.rows / 16, cols = plan.cols / 8;
  const cuda::FragmentLoader<B, false, (cols > 1 ? 16 : 8)> load_b(b, 0);
#pragma unroll
  for (int k = 0; k < K / 16; ++k) {
    unsigned fb[(cols + 1) / 2][4];
#pragma unroll
    for (int j = 0; j < (cols + 1) / 2; ++j) load_b.load(fb[j], j * 16, k * 16);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      unsigned fa[4];
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        const int r = 4 * k + 2 * (m >> 1) + K / 4 * (m & 1) + K / 2 * i;
        fa[m] = a.v.words[r / 2];
      }
#pragma unroll
      for (int j = 0; j < cols; ++j) {
        float* const at = c + 2 * j + 4 * cols * i;
        cuda::mma<T>(at[0], at[1], at[2 * cols], at[2 * cols + 1], fa, fb[j / 2][j % 2], fb[j / 2][2 + j % 2]);
      }
    }
  }
}

// What a thread reads of a tile at once: neighbours along a stored row, up to 16 bytes.
template <class Tile>
constexpr int most_read_at_once() {
  return Tile::format::row_bytes < 16 ? Tile::cols : 16 / static_cast<int>(sizeof(typename Tile::element));
}

// The rows of A, or the columns of B, that a thread's share of the product needs, for `Steps` places along k.
// Lines: the layout of those rows or columns; the tile is asked for (line, k).
template <class Tile, class Lines, bool IsB, int Steps>
struct DotSide {
  using T = typename Tile::element;
  static constexpr bool along_k = Tile::transposed == IsB;  // neighbours in memory are neighbours along k
  static constexpr int lines = Lines::register_count;
  static constexpr int at_once = [] {
    int n = 1;
    if (along_k) return Steps < most_read_at_once<Tile>() ? Steps : most_read_at_once<Tile>();
    while (n < most_read_at_once<Tile>() && n < lines && Lines::flats.at[n] == n) n *= 2;
    return n;
  }();
  static constexpr int offset(int line, int k) { return IsB ? Tile::offset(k, line) : Tile::offset(line, k); }

  unsigned char* memory;
  cuda::SharedAddress lane;
  __forceinline__ explicit DotSide(const Tile& tile, int line)
      : memory(tile.memory), lane(static_cast<cuda::SharedAddress>(offset(line, 0))) {}

  // Line number `line` and, where they are neighbours, those behind it, from k + step on.
  __forceinline__ cuda::Pack<T, at_once> read(cuda::SharedAddress from, int line, int step) const {
    return *reinterpret_cast<const cuda::Pack<T, at_once>*>(memory +
                                                            cuda::joined(from, offset(Lines::flats.at[line], step)));
  }
  __forceinline__ cuda::SharedAddress from(int k) const { return cuda::joined(lane, offset(0, k)); }
};

// Any shape, exact products: each thread multiplies its rows with its columns, in the order of k.
template <class S, class L, class R, class A, class B>
__forceinline__ void multiply_tiles(Block<R, S, L>& c, const A& a, const B& b) {
  constexpr int K = A::shape_type::at(1);
  constexpr int steps = K < most_read_at_once<A>() ? K : most_read_at_once<A>();
  using Rows = DotSide<A, Slice<L, S, 1>, false, steps>;
  using Cols = DotSide<B, Slice<L, S, 0>, true, steps>;
  const Rows rows(a, Slice<L, S, 1>::of_thread());
  const Cols cols(b, Slice<L, S, 0>::of_thread());
#pragma unroll 2
  for (int k = 0; k < K; k += steps) {
    const cuda::SharedAddress row = rows.from(k), col = cols.from(k);
    R y[Cols::lines][steps];
#pragma unroll
    for (int s = 0; s < steps; s += Cols::along_k ? Cols::at_once : 1)
#pragma unroll
      for (int j = 0; j < Cols::lines; j += Cols::along_k ? 1 : Cols::at_once) {
        const auto pack = cols.read(col, j, s);
#pragma unroll
        for (int e = 0; e < Cols::at_once; ++e)
          y[Cols::along_k ? j : j + e][Cols::along_k ? s + e : s] = convert<R>(pack.at[e]);
      }
#pragma unroll
    for (int i = 0; i < Rows::lines; i += Rows::along_k ? 1 : Rows::at_once) {
      R x[Rows::along_k ? 1 : Rows::at_once][steps];
#pragma unroll
      for (int s = 0; s < steps; s += Rows::along_k ? Rows::at_once : 1) {
        const auto pack = rows.read(row, i, s);
#pragma unroll
        for (int e = 0; e < Rows::at_once; ++e)
          x[Rows::along_k ? 0 : e][Rows::along_k ? s + e : s] = convert<R>(pack.at[e]);
      }
#pragma unroll
      for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int e = 0; e < (Rows::along_k ? 1 : Rows::at_once); ++e)
#pragma unroll
          for (int j = 0; j < Cols::lines; ++j) {
            R& sum = c.v[L::register_of(Slice<L, S, 1>::flats.at[i + e] * S::stride(0) + Slice<L, S, 0>::flats.at[j])];
            if constexpr (same<R, float>) sum = fmaf(x[e][s], y[j][s], sum);  // fused, as the interpreter's, always
            else sum += x[e][s] * y[j][s];
          }
    }
  }
}

}  // namespace detail

// An accumulator of fp16, of fp16 inputs: added up in fp32, and rounded once.
template <class A, class C>
inline constexpr bool is_narrow = false;
template <class A, class C>
  requires(is_value<C> && !is_scalar<C>)
inline constexpr bool is_narrow<A, C> = same<typename A::element, __half> && same<typename C::element, __half>;

// What a dot adds to: a block of the dtype it accumulates in.
template <class R, class C>
constexpr void check_accumulator() {
  if constexpr (is_value<C> && !is_scalar<C>)
    static_assert(same<typename C::element, R>,
                  "tl.dot: the accumulator is fp32, fp16 too where the inputs are, fp64 where the inputs are, int32 "
                  "where they are int8: declare it with "
                  "tl.zeros(shape, tl.float32)");
}

template <class Cfg, class Precision, class A, class B, class C>
__forceinline__ auto multiply_add(const A& a, const B& b, const C& c) {
  using SA = shape_of<A>;
  using SB = shape_of<B>;
  static_assert(SA::rank == 2 && SB::rank == 2, "tl.dot multiplies blocks of two axes: insert one with x(_, None)");
  static_assert(SA::at(1) == SB::at(0), "tl.dot: a has as many columns as b has rows: tl.trans turns a block");
  static_assert(Cfg::matrix != cuda::Matrix::none, "the kernel was compiled without USES_DOT, yet it calls tl.dot");
  using S = Shape<SA::at(0), SB::at(1)>;
  constexpr int M = S::at(0), N = S::at(1), K = SA::at(1);
  constexpr DType d = promote(dtype_of<typename A::element>, dtype_of<typename B::element>);
  constexpr DType dtype_a = dtype_of<typename A::element>, dtype_b = dtype_of<typename B::element>;
  static_assert(is_float(d) || (dtype_a == DType::int8 && dtype_b == DType::int8),
                "tl.dot takes floats, or int8: cast with .to(tl.float16)");
  static_assert(dtype_a == dtype_b || (is_fp8(dtype_a) && is_fp8(dtype_b)),
                "tl.dot: both sides are floats of one dtype, or both fp8: cast one with .to");
  using R = storage_of<dot_dtype(d)>;
  check_accumulator<R, C>();
  using L = cuda::accumulator_layout<Cfg, S>;
  constexpr rules::DotKind kind{dtype_a, dtype_b, same<Precision, Ieee>, false};
  constexpr bool tensor_cores = rules::dot_unit(cuda::config_of<Cfg>, kind, M, N, K) == rules::DotUnit::mma_sync;
  using T = choice<tensor_cores, storage_of<rules::dot_input(rules::DotUnit::mma_sync, d)>, storage_of<d>>;
  auto acc = spread<R, S, L>(c);

  if constexpr (is_lazy<A> || is_lazy<B>) {
    return multiply_add<Cfg, Precision>(materialize(a), materialize(b), acc);
  } else if constexpr (!same<typename A::element, T> || !same<typename B::element, T>) {
    return multiply_add<Cfg, Precision>(cast<dtype_of<T>>(a), cast<dtype_of<T>>(b), acc);
  } else {
    constexpr bool a_in_registers = tensor_cores && sizeof(T) == 2 && is_block<A> &&
                                    rules::MmaPlan(M, K, Cfg::num_warps).warps_n == 1 &&
                                    rules::MmaPlan(M, N, Cfg::num_warps).warps_n == 1 && [] {
                                      if constexpr (is_block<A>)
                                        return same<typename A::layout, MmaSync<M, K, Cfg::num_warps>>;
                                      else return false;
                                    }();
    using TileA = detail::OperandTile<Cfg, T, A>;
    using TileB = detail::OperandTile<Cfg, T, B>;
    constexpr bool write_a = TileA::written && !a_in_registers, write_b = TileB::written;
    constexpr int bytes_a = write_a ? detail::whole_kilobytes(TileA::type::format::bytes) : 0;
    constexpr int bytes_b = write_b ? detail::whole_kilobytes(TileB::type::format::bytes) : 0;
    [[maybe_unused]] unsigned char* memory = nullptr;
    if constexpr (write_a || write_b) {
      memory = cuda::scratch<bytes_a + bytes_b>();
      cuda::synchronize<32 * Cfg::num_warps>();
      if constexpr (write_a) write_tile(typename TileA::type{memory}, a);
      if constexpr (write_b) write_tile(typename TileB::type{memory + bytes_a}, b);
      cuda::synchronize<32 * Cfg::num_warps>();
    }
    const auto tile_b = [&] {
      if constexpr (write_b) return typename TileB::type{memory + bytes_a};
      else return b;
    }();
    if constexpr (a_in_registers) {
      detail::mma_registers<Cfg, S>(acc.v, a, tile_b);
    } else {
      const auto tile_a = [&] {
        if constexpr (write_a) return typename TileA::type{memory};
        else return a;
      }();
      if constexpr (tensor_cores) detail::mma_tiles<Cfg, S>(acc.v, tile_a, tile_b);
      else detail::multiply_tiles<S, L>(acc, tile_a, tile_b);
    }
    return acc;
  }
}

template <class Cfg, class Precision, class A, class B>
__forceinline__ auto multiply(const A& a, const B& b) {
  return multiply_add<Cfg, Precision>(a, b, Scalar<float>{0.0f});
}

}  // namespace tl
