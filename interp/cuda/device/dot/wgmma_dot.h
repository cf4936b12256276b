// tl.dot on Hopper: which operands wgmma takes where they lie, and which must first move to shared memory.
#pragma once

#include "interp/cuda/device/dot/warpgroup_dot.h"
#include "interp/cuda/device/memory/ring_tile.h"

namespace tl::cuda {

// How an operand reaches wgmma. A: in shared memory with K along its rows, or (16 bits) along its columns; or, 16 bits,
// in registers as an accumulator of its shape lies. B: in shared memory alone. Anything else is written to scratch with
// K along its rows.
template <class Cfg, class X, bool IsA>
struct DotOperand {
  using T = typename X::element;
  using S = typename X::shape_type;
  using Copy = SharedTile<T, S, !IsA, Cfg>;  // in scratch, K along its rows

  static constexpr bool in_place() {
    if constexpr (is_tile<X>)
      return X::format::row_bytes >= 32 && X::format::rows >= 8 && (!mn_major() || sizeof(T) == 2);
    else return false;
  }
  static constexpr bool mn_major() {  // the contiguous axis is not K
    if constexpr (is_tile<X>) return X::transposed == IsA;
    else return false;
  }
  static constexpr bool in_registers() {
    if constexpr (IsA && is_block<X>)
      return sizeof(T) == 2 && same<typename X::layout, accumulator_layout<Cfg, S>> &&
             rules::is_first_operand(S::at(0), S::at(1), Cfg::num_warps);
    else return false;
  }
  static constexpr int scratch_bytes = in_place() || in_registers() ? 0 : (Copy::format::bytes + 1023) / 1024 * 1024;

  static __forceinline__ auto make(const X& x, unsigned char* scratch) {
    if constexpr (in_place()) {
      return SharedOperand<dtype_of<T>, typename X::format, mn_major()>{shared_address(x.memory)};
    } else if constexpr (in_registers()) {
      RegisterOperand<dtype_of<T>, X::count / 2> a;
#pragma unroll
      for (int i = 0; i < X::count / 2; ++i) a.words[i] = x.v.words[i];
      return a;
    } else {
      write_tile(Copy{scratch}, materialize(x));
      return SharedOperand<dtype_of<T>, typename Copy::format, false>{shared_address(scratch)};
    }
  }
};

// Never defined: the compiler's refusal names the tile, and the host has it turned as it is copied.
template <int Rows, int Columns>
struct TileToTurn;

// What is copied ahead is read where it lies. TMA turns nothing: such tiles go by pointers, or else through scratch.
template <class X, class Operand, bool WithTma>
constexpr void require_in_place() {
  if constexpr (is_tile<X> && Operand::scratch_bytes > 0) {
    if constexpr (sizeof(typename X::element) == 4 && build.asks_for_turned_tiles)
      static_assert(sizeof(TileToTurn<X::format::rows, X::format::cols>) > 0);
    else
      static_assert(WithTma,
                    "the tensor cores read tiles of this dtype along k alone: store the matrix so that k is "
                    "contiguous, and turn its tile with tl.trans");
  }
}

}  // namespace tl::cuda
