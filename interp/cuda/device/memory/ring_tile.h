// Loads whose tiles go through shared memory: which, and how a thread's share is copied there.
#pragma once

#include "interp/cuda/device/dot/dot.h"
#include "interp/cuda/device/memory/block_pointer.h"

namespace tl {

template <class P>
struct TileOptions {
  MaskArgument<typename P::config, typename P::shape_type, typename detail::Access<P>::layout> mask{};
  Fill<typename P::pointee> other{};
  TL_LOAD_WORDS  // copies into shared memory have none
};

namespace cuda {

template <int Bytes>
__forceinline__ void copy_async(SharedAddress to, const void* from, int valid_bytes) {
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from), "r"(valid_bytes), "n"(Bytes)
                 : "memory");
}
template <int Pending>
__forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// The same for all threads.
template <class Cfg, class S, class L>
__forceinline__ bool covers_tile(const MaskArgument<Cfg, S, L>& mask) {
  bool covers = !mask.uses_lanes;
#pragma unroll
  for (int i = 0; i < S::rank; ++i) covers &= mask.box.lo[i] <= 0 && mask.box.hi[i] >= S::at(i);
  return covers;
}

constexpr bool is_turned(int element_bytes, int rows, int columns) {
  for (const rules::StoredTile& t : build.turned_tiles)
    if (element_bytes == 4 && t.rows == rows && t.columns == columns) return true;
  return false;
}

// Neighbours in memory lie in a stored column.
template <class Tile, class P>
constexpr bool turns_tile() {
  return tl::detail::Access<P>::axis == (Tile::transposed ? 1 : 0);
}
// Each element by itself, a warp 16 neighbours of 2 rows: the fastest of 8, 16, 32 on an H200. Through registers, 16
// bytes a load and a store, the copying warps waited for their own loads and were slower.
template <class Tile, class P>
__forceinline__ void copy_turned(const P& p, const TileOptions<P>& options, Tile to, bool covered) {
  using S = typename P::shape_type;
  using T = typename P::pointee;
  constexpr int along = Tile::transposed ? 1 : 0, across = 1 - along, width = 16, height = 32 / width;
  constexpr int warps = P::config::num_warps, side = S::at(along) / width;
  constexpr int warps_along = side < warps ? side : warps, warps_across = warps / warps_along;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % warps;
  Coordinates<2> first;
  first.at[along] = warp % warps_along * width + lane % width;
  first.at[across] = warp / warps_along * height + lane / width;
  T* const from = p.p + static_cast<long long>(p.offsets.at(first));
  const SharedAddress lane_to = shared_address(to.memory) + Tile::offset(first);
  const auto copy = [&](auto is_on) {
#pragma unroll 4
    for (int j = 0; j < S::at(across); j += height * warps_across)
#pragma unroll
      for (int i = 0; i < S::at(along); i += width * warps_along) {
        Coordinates<2> step;
        step.at[along] = i;
        step.at[across] = j;
        const T* address;
        if constexpr (is_formula_pointers<P>) address = p.p + static_cast<long long>(p.offsets.at(sum_of(first, step)));
        else address = tl::detail::address_of_access(p, from, 0, step);
        const bool on = is_on(step);
        copy_async<4>(joined(lane_to, Tile::offset(step)), on ? address : p.p, on ? 4 : 0);
      }
  };
  // Most tiles lie within the tensor.
  if (covered) {
    copy([](const auto&) { return true; });
  } else {
    copy([&](const Coordinates<2>& step) {
      Coordinates<2> at = first;
      at.at[0] += step.at[0];
      at.at[1] += step.at[1];
      return options.mask.box.at(at);
    });
  }
}

template <class Tile, class P>
constexpr bool goes_by_words() {
  constexpr int axis = tl::detail::Access<P>::axis;
  if constexpr (sizeof(typename P::pointee) != 2 || axis < 0 || Tile::format::row_bytes < 16) return false;
  else if constexpr (is_formula_pointers<P>) return decltype(P::offsets)::axes.at[axis].contiguity >= 8;
  else return true;
}
// Elements of two bytes whose rows begin anywhere, or that are filled with anything but zeros: 16 bytes of the tile
// come from three words and two halves, since no access may reach beyond the tile.
template <class Tile, class P>
__forceinline__ void copy_by_words(const P& p, const TileOptions<P>& options, Tile to) {
  using T = typename P::pointee;
  using S = typename P::shape_type;
  constexpr int axis = tl::detail::Access<P>::axis, threads = 32 * P::config::num_warps;
  constexpr int chunks = S::size / 8, batch = chunks % (4 * threads) == 0 ? 4 : chunks % (2 * threads) == 0 ? 2 : 1;
#pragma unroll 1
  for (int first = threadIdx.x % threads; first < chunks; first += batch * threads) {
    unsigned words[batch][3], halves[batch][2];
    bool odd[batch], whole[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const auto c = Tile::stored_at(8 * (first + i * threads));
      auto last = c;
      last.at[axis] += 7;
      whole[i] = options.mask.box.at(c) && options.mask.box.at(last);
      const unsigned short* const from = reinterpret_cast<const unsigned short*>(p.p + p.offsets.at(c));
      odd[i] = reinterpret_cast<unsigned long long>(from) & 2;
      if (!whole[i]) continue;
      const auto* const middle = reinterpret_cast<const unsigned*>(from + odd[i]);
#pragma unroll
      for (int w = 0; w < 3; ++w) words[i][w] = middle[w];
      halves[i][0] = odd[i] ? from[0] : from[6];
      halves[i][1] = from[7];
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const auto c = Tile::stored_at(8 * (first + i * threads));
      Pack<T, 8> pack;
      if (whole[i]) {
        const unsigned *w = words[i], *h = halves[i];
        pack = __builtin_bit_cast(decltype(pack), odd[i] ? uint4{h[0] | w[0] << 16, w[0] >> 16 | w[1] << 16,
                                                                 w[1] >> 16 | w[2] << 16, w[2] >> 16 | h[1] << 16}
                                                         : uint4{w[0], w[1], w[2], h[0] | h[1] << 16});
      } else {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          auto at = c;
          at.at[axis] += e;
          pack.at[e] = options.mask.box.at(at) ? p.p[p.offsets.at(at)] : options.other.v;
        }
      }
      *reinterpret_cast<Pack<T, 8>*>(to.memory + Tile::offset(c)) = pack;
    }
  }
}

// Element by element, under any mask.
template <class Tile, class P>
__forceinline__ void copy_by_lanes(const P& p, const TileOptions<P>& options, Tile to) {
  using T = typename P::pointee;
  using L = typename tl::detail::Access<P>::layout;
  const auto thread = coordinates_of<typename P::shape_type>(L::of_thread());
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) {
    const auto c = sum_of(thread, coordinates_of<typename P::shape_type>(L::flats.at[r]));
    const bool on = options.mask.box.at(c) && options.mask.lane(r);
    *reinterpret_cast<T*>(to.memory + Tile::offset(c)) =
        on ? p.p[static_cast<long long>(p.offsets.at(c))] : options.other.v;
  }
}
// One access of such a tile, whose lanes are not all on: bytes that a copy of them takes. It cannot leave out lanes
// before others that are on: these go element by element, and -1 comes back.
template <class Tile, class P, class C>
__forceinline__ int copy_some_lanes(const P& p, const TileOptions<P>& options, Tile to, int r, const C& c,
                                    const C& step) {
  using A = tl::detail::Access<P>;
  using T = typename P::pointee;
  int first = 0, all = 0;
#pragma unroll
  for (int e = 0; e < A::elements; ++e) {
    const bool on = tl::detail::lane_is_on<P>(options.mask, r, e, c, step);
    first += on && first == e;
    all += on;
  }
  if (first == all) return first * static_cast<int>(sizeof(T));
#pragma unroll
  for (int e = 0; e < A::elements; ++e) {
    auto at = sum_of(c, step);
    if (A::axis >= 0) at.at[A::axis < 0 ? 0 : A::axis] += e;
    const bool on = tl::detail::lane_is_on<P>(options.mask, r, e, c, step);
    *reinterpret_cast<T*>(to.memory + Tile::offset(at)) = on ? p.p[static_cast<long long>(p.offsets.at(at))] : T{};
  }
  return -1;
}

// This thread's share of a tile; covered: the mask is on in all of it. False where nothing of it is asynchronous.
template <class Tile, class P>
__forceinline__ bool issue_pointers(const P& p, const TileOptions<P>& options, Tile to, bool covered) {
  using A = tl::detail::Access<P>;
  using T = typename P::pointee;
  using L = typename A::layout;
  constexpr int bytes = A::elements * sizeof(T);
  using Bits = choice<sizeof(T) == 1, unsigned char,
                      choice<sizeof(T) == 2, unsigned short, choice<sizeof(T) == 4, unsigned, unsigned long long>>>;
  const bool zero_fill =
      __builtin_bit_cast(Bits, options.other.v) == 0;  // foldable, where a cast from fp16 would not be
  constexpr bool turns = turns_tile<Tile, P>(), can_copy = !turns && rules::can_copy_async(A::elements, sizeof(T));
  if constexpr (turns) {
    if (zero_fill && !options.mask.uses_lanes) {
      copy_turned(p, options, to, covered);
      return true;
    }
  }
  const bool contiguous = tl::detail::accesses_are_contiguous(p);
  if (options.mask.uses_lanes && !(can_copy && zero_fill && contiguous)) {
    copy_by_lanes(p, options, to);
    return false;
  }
  if (can_copy && zero_fill && contiguous) {
    const auto c = coordinates_of<typename P::shape_type>(L::of_thread());
    const SharedAddress lane = shared_address(to.memory) + Tile::offset(c);
    const bool mine = L::is_first_holder();
    const auto copy = [&](const T* address, const auto& step, int valid) {
      if constexpr (can_copy)
        if (mine) copy_async<bytes>(joined(lane, Tile::offset(step)), valid ? address : p.p, valid);
    };
    // Most tiles lie within the tensor, and few warps copy for all: they are spared the comparisons.
    if (covered) {
      tl::detail::for_each_access(
          p, tl::detail::NoMask{},
          [&](int, const T* address, bool, const auto&, const auto& step) { copy(address, step, bytes); });
    } else {
      bool by_elements = false;
      const auto copy_part = [&](int r, const T* address, bool whole, const auto& c, const auto& step) {
        int valid = whole ? bytes : 0;
        if (options.mask.uses_lanes && !whole && !tl::detail::accesses_are_uniform<P>(options.mask)) {
          valid = copy_some_lanes(p, options, to, r, c, step);
          by_elements |= valid < 0;
          if (valid < 0) return;
        } else if (!tl::detail::accesses_are_uniform<P>(options.mask) && !whole) {
          // The tail of a row: what lies inside comes first, since lower bounds only cut whole accesses off or are
          // checked below.
          constexpr int axis = A::axis < 0 ? 0 : A::axis;
          int inside = options.mask.box.hi[axis] - c.at[axis] - step.at[axis];
          inside = inside < 0 ? 0 : inside > A::elements ? A::elements : inside;
          const bool others = tl::detail::lane_is_on<P>(options.mask, 0, 0, c, step);
          valid = others ? inside * static_cast<int>(sizeof(T)) : 0;
        }
        copy(address, step, valid);
      };
      tl::detail::for_each_access(p, options.mask, copy_part);
      if (by_elements) {
        wait_copies<0>();
        return false;
      }
    }
    return true;
  }
  if constexpr (goes_by_words<Tile, P>()) {
    if (contiguous) {
      copy_by_words(p, options, to);
      return false;
    }
  }
  if constexpr (!goes_by_words<Tile, P>() || is_formula_pointers<P>) {
    // Element by element: copies of fewer than 4 bytes do not exist, nor do those that fill with anything but zeros.
#pragma unroll 4
    for (int flat = threadIdx.x % L::thread_count; flat < P::shape_type::size; flat += L::thread_count) {
      const auto c = Tile::stored_at(flat);
      const bool on = options.mask.box.at(c);
      *reinterpret_cast<T*>(to.memory + Tile::offset(c)) = on ? p.p[p.offsets.at(c)] : options.other.v;
    }
  }
  return false;
}

// The same of a tile of a strided tensor.
template <class Tile, class P>
__forceinline__ bool issue_block(const P& b, const CheckedAxes& checked, Padding padding, Tile to) {
  using T = typename P::pointee;
  using Wide = tl::detail::WideTile<P>;
  const Wide wide(b, checked);
  const T other = tl::detail::padding_value<T>(padding);
  if (wide.possible && padding == Padding::zero) {
    TileOptions<bare<decltype(wide.pointers)>> options;
    options.mask.box = wide.box;
    if (Wide::axis >= 0) options.mask.box.aligned[Wide::axis] = 16;
    return issue_pointers(wide.pointers, options, to, wide.covered);
  }
  if (wide.has_rows) {
    TileOptions<typename Wide::Unaligned> options;
    options.mask.box = wide.box;
    options.other.v = other;
    return issue_pointers(wide.unaligned(), options, to, wide.covered);
  }
  tl::detail::for_each_element(
      b, checked,
      [&](int, const auto& c, const T* address, bool inside) {
        *reinterpret_cast<T*>(to.memory + Tile::offset(c)) = inside ? *address : other;
      },
      threadIdx.x % (32 * P::config::num_warps));
  return false;
}

}  // namespace cuda

namespace detail {
// The axis along which a tile's elements are neighbours; -1: none.
template <class P>
constexpr int contiguous_axis_of() {
  if constexpr (is_block_ptr<P>) return WideTile<P>::axis;
  else return Access<P>::axis;
}
}  // namespace detail

namespace cuda {

template <class P>
inline constexpr bool is_ring_load = false;
template <class P>
  requires(is_ptr_block<P> || is_block_ptr<P>)
inline constexpr bool is_ring_load<P> = formulas && rules::is_ring_load(P::shape_type::sizes);

// What such a load gives: neighbours along a stored row, but for tiles that are turned.
template <class P>
constexpr bool is_transposed() {
  using S = typename P::shape_type;
  const bool along_columns = tl::detail::contiguous_axis_of<P>() == 0;
  const int rows = S::at(along_columns ? 1 : 0), columns = S::at(along_columns ? 0 : 1);
  return along_columns !=
         (tl::detail::contiguous_axis_of<P>() >= 0 && is_turned(sizeof(typename P::pointee), rows, columns));
}
template <class P, class Cfg>
using RingTile = SharedTile<typename P::pointee, typename P::shape_type, is_transposed<P>(), Cfg>;

}  // namespace cuda
}  // namespace tl
