// A tensor cut in tiles of one shape, and block pointers: both know the tensor's bounds, so that tiles may stick out.
#pragma once

#include <cstdint>
#include <span>

#include "interp/cpu/block.h"

namespace tl::cpu {

inline constexpr int max_rank = 6;

// {i, j}: the tile's first row and column.
struct Coordinates {
  Coordinates(std::initializer_list<Operand> list) : Coordinates(list.begin(), static_cast<int>(list.size())) {}
  Coordinates(const Operand* first, int count) : first(first), count(count) {}
  const Operand* first;  // they live as long as the call that they are written in
  int count;
};

class Descriptor {
 public:
  Block load(Coordinates, Location = TL_LOCATION) const;                // lanes outside read 0, or NaN
  void store(Coordinates, const Block&, Location = TL_LOCATION) const;  // lanes outside are not stored
  // Rows at any places, of a tile of one row; from this column on.
  Block gather(const Block& rows, Operand column, Location = TL_LOCATION) const;
  void scatter(const Block&, const Block& rows, Operand column, Location = TL_LOCATION) const;
  void atomic_add(Coordinates, const Block&, Location = TL_LOCATION) const;
  void atomic_max(Coordinates, const Block&, Location = TL_LOCATION) const;
  void atomic_min(Coordinates, const Block&, Location = TL_LOCATION) const;
  void atomic_and(Coordinates, const Block&, Location = TL_LOCATION) const;
  void atomic_or(Coordinates, const Block&, Location = TL_LOCATION) const;
  void atomic_xor(Coordinates, const Block&, Location = TL_LOCATION) const;

  ElementType dtype;
  bool pads_with_nan = false;  // what lanes outside read; else 0
  std::uint64_t formula = 0;   // what Symbols know it by; 0: the whole of a tensor that is an argument
  std::span<const long long> sizes() const { return {shape, static_cast<std::size_t>(rank)}; }
  std::span<const long long> steps() const { return {strides, static_cast<std::size_t>(rank)}; }
  std::span<const long long> tile() const { return {block_shape, static_cast<std::size_t>(block_rank)}; }

 private:
  friend class Context;
  Descriptor(Context& context, int tensor, DType dtype) : dtype{dtype}, context(&context), tensor(tensor) {}
  Context* context;
  int tensor;  // index of the launch's tensors
  long long base = 0;
  int rank = 0, block_rank = 0;
  long long shape[max_rank] = {}, strides[max_rank] = {}, block_shape[max_rank] = {};

  friend struct DescriptorAccess;  // of descriptor.cpp
};

// Base, shape, strides and offsets of a tensor, and the shape of the block to be moved over it.
struct BlockPointer {
  BlockPointer(const Pointer& base, int rank) : base(base), dtype(base.dtype), rank(rank) {}
  BlockPointer(const BlockPointer&) = default;
  BlockPointer& operator=(const BlockPointer&);
  Pointer base;
  ElementType dtype;
  int rank;
  long long shape[max_rank] = {}, strides[max_rank] = {}, offsets[max_rank] = {}, block[max_rank] = {};
  std::uint64_t formula = 0;  // what Symbols know it by
};

}  // namespace tl::cpu
