// Access records built by hand: products in row-major or grouped order, plain and persistent; streams that CTAs share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interp/lang/swizzle.h"
#include "interp/trace/access_record.h"

struct Product {
  std::int64_t m = 1152, n = 1152, k = 576, bm = 128, bn = 128, bk = 64;
  std::int64_t group = 1;       // swizzle2d's; 1: row-major
  std::int64_t persistent = 0;  // programs; 0: one a block
  bool axis0_is_rows = false;   // lecture_matmul's 2-D grid: program_id(0) walks the rows of blocks
  tl::trace::Route route = tl::trace::Route::staged;
};

inline tl::trace::Extents extents(std::vector<std::int64_t> v) { return tl::trace::Extents(v); }

inline tl::trace::AccessPattern tile(tl::trace::AccessKind kind, tl::trace::Route route, int tensor, std::int64_t rows,
                                     std::int64_t columns, std::int64_t pitch) {
  tl::trace::AccessPattern p;
  p.kind = kind;
  p.route = route;
  p.tensor = tensor;
  p.shape = p.hi = extents({rows, columns});
  p.lo = extents({0, 0});
  p.strides = extents({pitch, 1});
  return p;
}

inline tl::trace::AccessRecord product(const Product& o) {
  using namespace tl::trace;
  AccessRecord r;
  r.kernel = "product";
  r.dot_dtype = tl::DType::float16;
  const auto tensor = [&](const char* name, std::int64_t rows, std::int64_t columns) {
    r.tensors.push_back({name, tl::DType::float16, {rows, columns}, {columns, 1}, rows * columns, false, {}});
  };
  tensor("a", o.m, o.k);
  tensor("b", o.k, o.n);
  tensor("c", o.m, o.n);
  r.patterns = {tile(AccessKind::load, o.route, 0, o.bm, o.bk, o.k),
                tile(AccessKind::load, o.route, 1, o.bk, o.bn, o.n),
                tile(AccessKind::store, Route::registers, 2, o.bm, o.bn, o.n)};
  const std::int64_t blocks_m = o.m / o.bm, blocks_n = o.n / o.bn, blocks = blocks_m * blocks_n, steps = o.k / o.bk;
  const std::int64_t programs = o.persistent ? std::min(o.persistent, blocks) : blocks;
  r.grid[0] = programs;
  r.lane_works.push_back({{tl::Op::add, tl::DType::float32, static_cast<double>(o.bm * o.bn), 1}});
  for (std::int64_t p = 0; p < programs; ++p) {
    r.programs.push_back({{p, 0, 0}, static_cast<std::uint32_t>(r.segments.size()), 0});
    for (std::int64_t block = p; block < blocks; block += programs) {
      std::int64_t i = block / blocks_n, j = block % blocks_n;
      if (o.axis0_is_rows) {
        i = block % blocks_m;
        j = block / blocks_m;
      }
      const auto at = tl::swizzle2d(i, j, blocks_m, blocks_n, o.group);
      const auto first = static_cast<std::uint32_t>(r.accesses.size());
      r.accesses.push_back({0, at.i * o.bm * o.k, o.bk});
      r.accesses.push_back({1, at.j * o.bn, o.bk * o.n});
      r.accesses.push_back({2, at.i * o.bm * o.n + at.j * o.bn, 0});
      r.segments.push_back({first, 2, steps, 2.0 * static_cast<double>(o.bm * o.bn * o.bk), 0});
      r.segments.push_back({first + 2, 1, 1, 0, 1});
      r.programs.back().size += 2;
    }
  }
  return r;
}
