// Shared memory: what a kernel takes of it, barriers, tiles as the copy engine and the tensor cores want them, layout
// conversion.
//
// From address 0 up lies what lives long (rings of stages: pipeline/ring.h), from the top down what lives for one
// op (scratch).
#pragma once

#include "interp/cuda/device/report.h"
#include "interp/cuda/device/values/elementwise.h"
#include "interp/rules/shared_tile.h"

namespace tl {
namespace cuda {

inline constexpr int available_shared_bytes = rules::most_shared_bytes(__CUDA_ARCH__ / 10);
// Refused while the text is read, before a minute of optimizing what cannot be launched.
template <int Wanted, int Available = available_shared_bytes>
struct SharedBytes {
  static_assert(Wanted <= Available,
                "these tiles do not fit into shared memory: choose smaller blocks or fewer num_stages");
  static constexpr int value = Wanted;
};

// 32 bits, as instructions on shared memory want them.
using SharedAddress = unsigned;
__forceinline__ SharedAddress shared_address(const void* p) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(p));
}

extern __shared__ __align__(1024) unsigned char dynamic_shared[];

__forceinline__ unsigned char* shared_pointer(SharedAddress at) {
  return dynamic_shared + (at - shared_address(dynamic_shared));
}

// The scratch of one op: all of them share the memory, so threads synchronize before they write to it.
template <int Bytes>
__forceinline__ unsigned char* scratch() {
  constexpr int rounded = (Bytes + 1023) / 1024 * 1024;
  report<Report::scratch_bytes, SharedBytes<rounded>::value>();
  // Known as it is compiled: a role's code stands behind a branch on this.
  if constexpr (build.working_threads > 0)
    if (threadIdx.x >= build.working_threads) report<Report::exchange>();
#if __CUDA_ARCH__ >= 900
  // The copy engine may still read what it was asked to store from here.
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
  unsigned size;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
  return dynamic_shared + (size - rounded);
}

// All threads that hold a layout of so many; where others have roles of their own, they stay out.
template <int Threads>
__forceinline__ void synchronize() {
  asm volatile("barrier.cta.sync.aligned 0, %0;" ::"n"(Threads) : "memory");
}

// A matrix of Rows x Cols elements as TMA leaves it.
template <int ElementBytes, int Rows, int Cols>
struct SharedFormat {
  static constexpr rules::SwizzledTile tile{ElementBytes, Rows, Cols};
  static constexpr int rows = Rows, cols = Cols;
  static constexpr int row_bytes = tile.row_bytes(), box_cols = tile.box_columns(), box_bytes = tile.box_bytes();
  static constexpr int bytes = tile.bytes(), chunk_mask = tile.chunk_mask();
  static constexpr int plain(int row, int col) { return tile.plain(row, col); }
  static constexpr int swizzled(int plain_offset) { return tile.swizzled(plain_offset); }
  static constexpr int offset(int row, int col) { return tile.offset(row, col); }
};

// Offsets in a SharedFormat are linear over xor: a lane's part and a constant part meet by xor below 1024, by a
// constant offset above.
__forceinline__ SharedAddress joined(SharedAddress lane, int constant) {
  return (lane ^ (constant & 1023)) + (constant & ~1023);
}

// `N` elements as one access.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};

}  // namespace cuda

namespace detail {

// Registers of consecutive elements, as many as one access takes.
template <class T, class L>
constexpr int contiguous_registers() {
  int n = 1, bit = 0;
  while (n * sizeof(T) < 16 && bit < L::registers::count && L::registers::list.at[bit] == n) {
    n *= 2;
    ++bit;
  }
  return n;
}

// Where an exchange through shared memory puts an element of the row-major index: rows 16 bytes apart in banks.
// The bits of the index in `Rounds` are left out: elements that differ in them take turns.
template <class T, class S, int Rounds = 0>
struct ScratchMap {
  static constexpr int compact(int flat) {
    int to = 0, place = 1;
    for (int bit = 1; bit < S::size; bit *= 2) {
      if (Rounds & bit) continue;
      if (flat & bit) to += place;
      place *= 2;
    }
    return to;
  }
  static constexpr int row = compact(S::at(S::rank - 1) - 1) + 1, elements = compact(S::size - 1) + 1;
  static constexpr int pad = row * sizeof(T) >= 64 ? 16 : 0;
  static constexpr int offset(int flat) {
    const int c = Rounds == 0 ? flat : compact(flat);
    return c * static_cast<int>(sizeof(T)) + c / row * pad;
  }
  static constexpr int bytes = elements * static_cast<int>(sizeof(T)) + elements / row * pad;
};

template <class Map, class T, class S, class L>
__forceinline__ void write_scratch(unsigned char* to, const Block<T, S, L>& x, int skip = 0, int round = 0) {
  constexpr int n = contiguous_registers<T, L>();
  unsigned char* const mine = to + Map::offset(L::of_thread());
  if (L::is_first_holder()) {
#pragma unroll
    for (int r = 0; r < x.count; r += n) {
      if ((L::flats.at[r] & skip) != round) continue;
      cuda::Pack<T, n> pack;
#pragma unroll
      for (int e = 0; e < n; ++e) pack.at[e] = x.v[r + e];
      *reinterpret_cast<cuda::Pack<T, n>*>(mine + Map::offset(L::flats.at[r])) = pack;
    }
  }
}

template <class Map, class T, class S, class L>
__forceinline__ void read_scratch(Block<T, S, L>& x, const unsigned char* from, int skip = 0, int round = 0) {
  constexpr int n = contiguous_registers<T, L>();
  const unsigned char* const mine = from + Map::offset(L::of_thread());
#pragma unroll
  for (int r = 0; r < x.count; r += n) {
    if ((L::flats.at[r] & skip) != round) continue;
    const auto pack = *reinterpret_cast<const cuda::Pack<T, n>*>(mine + Map::offset(L::flats.at[r]));
#pragma unroll
    for (int e = 0; e < n; ++e) x.v[r + e] = pack.at[e];
  }
}

constexpr int bits_in(int mask) { return mask == 0 ? 0 : 1 + bits_in(mask & (mask - 1)); }
// The low bits of `value` at the places of `mask`'s bits.
constexpr int deposit(int value, int mask) {
  int to = 0;
  for (int bit = 1; mask != 0; bit *= 2) {
    const int lowest = mask & -mask;
    if (value & bit) to |= lowest;
    mask ^= lowest;
  }
  return to;
}

// Index bits that are registers on both sides of a conversion, enough of the highest that one round's share is small.
template <class T, class S, class From, class To>
constexpr int conversion_rounds() {
  int rounds = 0, bytes = S::size * sizeof(T);
  for (int bit = S::size / 2; bytes > 12 * 1024 && bit * sizeof(T) >= 16; bit /= 2)
    if (From::registers::list.has(bit) && To::registers::list.has(bit)) {
      rounds |= bit;
      bytes /= 2;
    }
  return rounds;
}

}  // namespace detail

template <class To, class T, class S, class L>
__forceinline__ Block<T, S, To> convert_layout(const Block<T, S, L>& x) {
  if constexpr (same<To, L>) {
    return x;
  } else {
    static_assert(To::warp_count == L::warp_count, "blocks of programs of different sizes cannot meet");
    constexpr int skip = detail::conversion_rounds<T, S, L, To>();
    using Map = detail::ScratchMap<T, S, skip>;
    auto* const memory = cuda::scratch<Map::bytes>();
    Block<T, S, To> out;
    constexpr int rounds = 1 << detail::bits_in(skip);
#pragma unroll
    for (int turn = 0; turn < rounds; ++turn) {
      const int round = detail::deposit(turn, skip);
      cuda::synchronize<L::thread_count>();
      detail::write_scratch<Map>(memory, x, skip, round);
      cuda::synchronize<L::thread_count>();
      detail::read_scratch<Map>(out, memory, skip, round);
    }
    return out;
  }
}

// A block that lies in shared memory, as SharedFormat says. Transposed: its rows are the stored columns.
template <class T, class S, bool Transposed, class Cfg>
struct SharedTile {
  using element = T;
  using shape_type = S;
  using config = Cfg;
  static constexpr bool transposed = Transposed;
  static constexpr int rows = Transposed ? S::at(1) : S::at(0), cols = Transposed ? S::at(0) : S::at(1);
  using format = cuda::SharedFormat<sizeof(T), rows, cols>;
  static constexpr Dtype<dtype_of<T>> dtype{};
  static constexpr S shape{};

  unsigned char* memory;

  // A tile lasts as long as its loop's turn: a variable that outlives it cannot take it.
  SharedTile& operator=(const SharedTile&) = delete;
  template <class U>
  SharedTile& operator=(const U&) {
    static_assert(same<U, SharedTile>,
                  "a loaded tile stays in shared memory, and its variable takes no other value: give the result a name "
                  "of its own");
    return *this;
  }

  static constexpr int offset(int i, int j) { return Transposed ? format::offset(j, i) : format::offset(i, j); }
  static constexpr int offset(const Coordinates<2>& c) { return offset(c.at[0], c.at[1]); }
  // Element number `n` as it is stored, row by row.
  static constexpr Coordinates<2> stored_at(int n) {
    return coordinates_of<S>(Transposed ? n % S::at(0) * S::at(1) + n / S::at(0) : n);
  }

  struct RegisterLayout {
    static constexpr rules::Layout value = rules::tile_layout(S::sizes, Transposed, sizeof(T), Cfg::num_warps);
  };
  __forceinline__ auto to_block() const {
    using L = detail::to_layout<RegisterLayout>;
    Block<T, S, L> x;
    const auto thread = coordinates_of<S>(L::of_thread());
    const int lane = offset(thread.at[0], thread.at[1]);
#pragma unroll
    for (int r = 0; r < x.count; ++r) {
      const auto c = coordinates_of<S>(L::flats.at[r]);
      x.v[r] = *reinterpret_cast<const T*>(memory + cuda::joined(lane, offset(c.at[0], c.at[1])));
    }
    return x;
  }
  template <DType D>
  __forceinline__ auto to(Dtype<D> d) const {
    return to_block().to(d);
  }
  template <DType D, cast_way W>
  __forceinline__ auto to(Dtype<D> d, W way) const {
    return to_block().to(d, way);
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks... marks) const {
    return to_block()(marks...);
  }
};
template <class T, class S, bool X, class Cfg>
inline constexpr bool is_tile<SharedTile<T, S, X, Cfg>> = true;

// A block's values as a tile in the given memory. Threads synchronize before others read it.
template <class Tile, class T, class S, class L>
__forceinline__ void write_tile(Tile to, const Block<T, S, L>& x) {
  constexpr int along = Tile::transposed ? S::stride(0) : S::stride(1);  // flat distance of neighbours in a stored row
  constexpr int first = [] {
    int n = 1;
    while (n * sizeof(T) < 16 && n < Tile::cols && L::registers::list.has(along * n)) n *= 2;
    return n;
  }();
  constexpr int vector_bits = L::register_of(along * (first - 1));
  const auto thread = coordinates_of<S>(L::of_thread());
  const int lane = Tile::offset(thread.at[0], thread.at[1]);
  if (L::is_first_holder()) {
#pragma unroll
    for (int r = 0; r < x.count; ++r) {
      if (r & vector_bits) continue;
      cuda::Pack<T, first> pack;
#pragma unroll
      for (int e = 0; e < first; ++e) pack.at[e] = x.v[r | L::register_of(along * e)];
      const auto c = coordinates_of<S>(L::flats.at[r]);
      *reinterpret_cast<cuda::Pack<T, first>*>(to.memory + cuda::joined(lane, Tile::offset(c.at[0], c.at[1]))) = pack;
    }
  }
}

}  // namespace tl
