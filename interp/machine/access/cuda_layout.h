// Which thread of a program holds which element of a block on CUDA: interp/cuda/device/values/layout.h once more, as
// run-time values, since here shapes are known only when the command is given. A test compares the two.
#pragma once

#include <array>
#include <vector>

namespace tl::machine {

using Sizes = std::vector<int>;  // of a block, powers of two

int size_of(const Sizes&);
int stride_of(const Sizes&, int axis);  // elements from one index of the axis to the next, row-major
int coordinate(const Sizes&, int flat, int axis);

// Basis vectors: what each bit of a register's, lane's or warp's number adds to the row-major index.
struct Bases {
  int count = 0;
  std::array<int, 20> at{};
  void add(int basis) { at[static_cast<std::size_t>(count++)] = basis; }
  void sort();
  bool has(int basis) const;
  int of(int number) const;  // the sum of the bases of its bits
  friend bool operator==(const Bases&, const Bases&) = default;
};

// An element's row-major index is of_register + of_thread. A lane's or warp's basis of 0: the element is held twice.
struct ThreadLayout {
  Bases registers, lanes, warps;

  int register_count() const { return 1 << registers.count; }
  int warp_count() const { return 1 << warps.count; }
  int of_register(int r) const { return registers.of(r); }
  int register_of(int flat) const;
  int of_thread(int thread) const { return lanes.of(thread & 31) | warps.of(thread >> 5); }
  bool is_first_holder(int thread) const;  // of the threads that hold an element, the one that writes it
  friend bool operator==(const ThreadLayout&, const ThreadLayout&) = default;
};

enum class Matrix : unsigned char { none, mma_sync, wgmma };

// What a launch fixes for a whole kernel: interp/cuda/device/config.h.
struct CudaConfig {
  int num_warps = 4;
  int num_stages = 3;
  int vector = 4;                // elements of the narrowest tensor in 16 bytes
  Matrix matrix = Matrix::none;  // how the kernel's dots are multiplied; none: it has no dot
  bool tensor_maps = false;      // descriptors go through TMA: warps have roles, loads of tiles are the copy engine's
};

Sizes row_major(int rank);               // axes, the fastest first
Sizes first_order(int rank, int first);  // `first` before the others
ThreadLayout blocked(const Sizes& shape, const Sizes& order, int vector, int num_warps);
ThreadLayout mma_sync(int m, int n, int num_warps);
ThreadLayout wgmma(int m, int n, int num_warps);
ThreadLayout accumulator_layout(const CudaConfig&, const Sizes& shape);  // of a dot's result
// How often a dot's m x n result has each operand's tile read from shared memory: warps side by side along m share b,
// along n share a.
struct DotReaders {
  int a = 1, b = 1;
};
DotReaders dot_readers(const CudaConfig&, int m, int n);
ThreadLayout default_layout(const CudaConfig&, const Sizes& shape);  // where nothing else decides
ThreadLayout projected(const ThreadLayout&, const Sizes& shape,
                       const Sizes& sub);                                // seen by a block with sizes of 1 on some axes
ThreadLayout sliced(const ThreadLayout&, const Sizes& shape, int axis);  // what a reduction leaves
ThreadLayout permuted(const ThreadLayout&, const Sizes& shape, const Sizes& order);
// Of (M, 1) and (1, N) together, where they are slices of one; else row-major.
ThreadLayout merged(const ThreadLayout& a, const Sizes& shape_a, const ThreadLayout& b, const Sizes& shape_b,
                    const Sizes& shape);
ThreadLayout halved(const ThreadLayout&);   // of split's results
ThreadLayout doubled(const ThreadLayout&);  // of join's
ThreadLayout paired(const Sizes& shape, int num_warps);

}  // namespace tl::machine
