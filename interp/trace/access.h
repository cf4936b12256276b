// The elements that a load, store or atomic touches, and the walk over them: one form for the executor, for observers,
// for recordings and for the model.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tl::trace {

inline constexpr int max_rank = 6;

// Extents, strides or bounds of up to six axes, without an allocation.
struct Extents {
  int rank = 0;
  std::array<std::int64_t, max_rank> at{};

  Extents() = default;
  explicit Extents(std::span<const std::int64_t> from);  // throws Error for more than six axes
  std::int64_t operator[](int axis) const { return at[axis]; }
  std::int64_t& operator[](int axis) { return at[axis]; }
  std::span<const std::int64_t> span() const { return {at.data(), static_cast<std::size_t>(rank)}; }
  std::int64_t product() const {
    std::int64_t result = 1;
    for (int d = 0; d < rank; ++d) result *= at[d];
    return result;
  }
  friend bool operator==(const Extents&, const Extents&) = default;
};

enum class AccessKind : unsigned char { load, store, atomic };

constexpr const char* text_of(AccessKind kind) {
  return kind == AccessKind::load ? "load" : kind == AccessKind::store ? "store" : "atomic";
}

// A tile where the addresses are affine and the mask is a box: lane (i, j, ..) is element base + strides . (i, j, ..),
// active where lo <= coordinate < hi. Else a list: lane i is element base + offsets[i], active where mask[i] is 1.
struct Access {
  AccessKind kind = AccessKind::load;
  bool is_tile = true;
  int tensor = -1;  // index of LaunchInfo::tensors
  Extents shape;    // of the block
  std::int64_t base = 0;
  Extents strides, lo, hi;                // tile
  const std::int64_t* offsets = nullptr;  // list: row-major, one a lane
  const unsigned char* mask = nullptr;    // list: 0 or 1 a lane; null: all active

  bool writes() const { return kind != AccessKind::load; }
  std::int64_t lanes() const { return shape.product(); }
  std::int64_t active_lanes() const;
  std::int64_t first_offset() const { return is_tile ? base : base + offsets[0]; }  // of lane 0's element
  bool is_active(std::int64_t lane) const;
  std::int64_t offset(std::int64_t lane) const;  // of its element; of a masked lane, too
};

// Whether the accesses differ in place alone.
bool same_but_for_place(const Access&, const Access&);

// Active lanes in row-major order, by runs along the last axis: visit(lane, element, stride, length). A list's runs are
// single lanes.
template <class Visit>
void for_each_active_run(const Access& a, Visit visit) {
  if (!a.is_tile) {
    const std::int64_t lanes = a.lanes();
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      if (!a.mask || a.mask[lane]) visit(lane, a.base + a.offsets[lane], std::int64_t{1}, std::int64_t{1});
    return;
  }
  const int rank = a.shape.rank, inner = rank - 1;
  for (int d = 0; d < rank; ++d)
    if (a.lo[d] >= a.hi[d]) return;
  const std::int64_t length = rank == 0 ? 1 : a.hi[inner] - a.lo[inner], stride = rank == 0 ? 1 : a.strides[inner];
  Extents at = a.lo;
  while (true) {
    std::int64_t lane = 0, element = a.base;
    for (int d = 0; d < rank; ++d) {
      lane = lane * a.shape[d] + at[d];
      element += a.strides[d] * at[d];
    }
    visit(lane, element, stride, length);
    int d = inner - 1;
    for (; d >= 0 && ++at[d] == a.hi[d]; --d) at[d] = a.lo[d];
    if (d < 0) return;
  }
}

// Active lanes in row-major order: visit(lane, element).
template <class Visit>
void for_each_active_lane(const Access& access, Visit visit) {
  for_each_active_run(access, [&](std::int64_t lane, std::int64_t element, std::int64_t stride, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) visit(lane + i, element + i * stride);
  });
}

}  // namespace tl::trace
