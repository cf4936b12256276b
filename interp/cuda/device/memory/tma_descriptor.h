// A tensor cut in tiles that TMA moves. What a kernel holds is bound to its role: the producer loads, the consumers
// store.
#pragma once

#include "interp/cuda/device/memory/block_pointer.h"
#include "interp/cuda/device/memory/mbarrier.h"

namespace tl {

// As the entry receives it: without a role.
template <class T, class S>
struct Descriptor<T, S, Tma> {
  const cuda::TensorMap* map;
};

namespace cuda {

// {i, j}: the row and the column of a tile's first element.
struct TilePosition {
  int row, col;
  template <class I, class J>
  __forceinline__ TilePosition(const I& i, const J& j)
      : row(static_cast<int>(plain(i))), col(static_cast<int>(plain(j))) {}
};

// A tile of a tensor map.
template <class T, class S>
struct TileRequest {
  using element = T;
  using shape_type = S;
  static_assert(S::rank == 2, "a descriptor that TMA moves has two axes: load the others by pointers");
  static_assert(S::at(0) <= 256, "a descriptor's block has at most 256 rows: choose a smaller block");
  using format = SharedFormat<sizeof(T), S::at(0), S::at(1)>;
  static constexpr int bytes = format::bytes, boxes = S::at(1) / format::box_cols;

  const TensorMap* map;
  TilePosition position;

  __forceinline__ void load(SharedAddress to, SharedAddress bar) const {
#pragma unroll
    for (int box = 0; box < boxes; ++box)
      tma_load(to + box * format::box_bytes, map, position.col + box * format::box_cols, position.row, bar);
  }
  __forceinline__ void store(SharedAddress from) const {
#pragma unroll
    for (int box = 0; box < boxes; ++box)
      tma_store(map, position.col + box * format::box_cols, position.row, from + box * format::box_bytes);
  }
};
template <class Role, class T, class S>
struct TmaDescriptor {
  using element = T;
  using shape_type = S;
  static constexpr Dtype<dtype_of<T>> dtype{};
  Role* tl;
  const TensorMap* map;

  __forceinline__ auto load(TilePosition at) const { return tl->load_tile(TileRequest<T, S>{map, at}); }
  // A block narrower than the descriptor's may be stored, too: half an accumulator.
  template <class B>
  __forceinline__ void store(TilePosition at, const B& block) const {
    tl->template store_tile<T, S>(map, at, block);
  }
};

}  // namespace cuda

template <class Role, class T, class S>
inline constexpr bool is_descriptor<cuda::TmaDescriptor<Role, T, S>> = true;

}  // namespace tl
