#include "interp/machine/access/product_loads.h"

#include <algorithm>

namespace tl::machine {

using trace::AccessKind;
using trace::AccessPattern;

namespace {

bool is_matrix_tile(const AccessPattern& p) { return p.is_tile && p.shape.rank == 2; }

template <class Visit>
void for_each_segment(const trace::AccessRecord& r, Visit visit) {
  for (std::size_t p = 0; p < r.programs.size(); ++p)
    for (std::uint32_t s = r.programs[p].first; s < r.programs[p].first + r.programs[p].size; ++s)
      visit(static_cast<std::uint32_t>(p), r.segments[s]);
}

}  // namespace

ProductLoads product_loads_of(const trace::AccessRecord& r) {
  ProductLoads out;
  // Two matrices loaded by tiles in iterations that multiply, one matrix stored: C = A B.
  std::vector<int> loaded;
  int stored = -1;
  bool multiplies = false;
  for (const AccessPattern& p : r.patterns) {
    if (!is_matrix_tile(p) || r.tensors[p.tensor].shape.size() != 2) return out;
    if (p.kind == AccessKind::store) stored = p.tensor;
    else if (std::find(loaded.begin(), loaded.end(), p.tensor) == loaded.end()) loaded.push_back(p.tensor);
  }
  for_each_segment(r, [&](std::uint32_t, const trace::Segment& s) {
    multiplies |= s.dot_flops > 0;
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
      const AccessPattern& p = r.patterns[r.accesses[a].pattern];
      if (p.kind != AccessKind::load) continue;
      std::int64_t lanes = 1;
      for (int d = 0; d < p.shape.rank; ++d) lanes *= std::max<std::int64_t>(0, p.hi[d] - p.lo[d]);
      out.tile_bytes += static_cast<double>(s.iterations * lanes * size_in_bytes(r.tensors[p.tensor].dtype));
    }
  });
  if (!multiplies || stored < 0 || loaded.size() != 2) return out;
  const auto& c = r.tensors[stored].shape;
  const auto dtype = r.tensors[loaded[0]].dtype;
  // The record does not say which of them is A, nor which is stored transposed: A has C's rows, B its columns, and they
  // share their other side.
  for (const auto& [left, right] : {std::pair(loaded[0], loaded[1]), std::pair(loaded[1], loaded[0])}) {
    const auto &a = r.tensors[left].shape, &b = r.tensors[right].shape;
    for (const std::size_t i : {0U, 1U})
      for (const std::size_t j : {0U, 1U}) {
        if (out.rows > 0 || a[i] != c[0] || b[j] != c[1] || a[1 - i] != b[1 - j]) continue;
        out.rows = c[0];
        out.columns = c[1];
        out.length = a[1 - i];
      }
  }
  out.vectors = out.rows * (out.columns + 1);
  const auto vector_bytes = static_cast<double>(out.length * size_in_bytes(dtype));
  out.bytes = static_cast<double>(out.vectors) * vector_bytes;
  out.element_bytes = static_cast<double>(2 * out.rows * out.columns) * vector_bytes;
  return out;
}

std::vector<OutputBlock> output_blocks(const trace::AccessRecord& r) {
  int tensor = -1;
  std::int64_t rows = 0, columns = 0, pitch = 0;
  for (const AccessPattern& p : r.patterns)
    if (p.kind == AccessKind::store && is_matrix_tile(p) && p.strides[1] == 1 && p.strides[0] > 0) {
      tensor = p.tensor;
      rows = p.shape[0];
      columns = p.shape[1];
      pitch = p.strides[0];
    }
  std::vector<OutputBlock> out;
  if (tensor < 0) return out;
  for_each_segment(r, [&](std::uint32_t program, const trace::Segment& s) {
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
      const AccessPattern& p = r.patterns[r.accesses[a].pattern];
      if (p.kind != AccessKind::store || p.tensor != tensor || !is_matrix_tile(p)) continue;
      for (std::int64_t i = 0; i < s.iterations; ++i) {
        const std::int64_t at = r.accesses[a].base + i * r.accesses[a].step;
        out.push_back({tensor, at / pitch / rows, at % pitch / columns, program});
      }
    }
  });
  return out;
}

}  // namespace tl::machine
