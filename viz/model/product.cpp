#include "viz/model/product.h"

#include <algorithm>

namespace tl::viz {

Tile tile_of(const trace::RecordedAccess& a, std::int64_t storage, std::int64_t& rows, std::int64_t& columns) {
  const std::int64_t s0 = a.shape[0] > 1 ? a.offset(a.shape[1]) - a.offset(0) : 0,
                     s1 = a.shape[1] > 1 ? a.offset(1) - a.offset(0) : 0;
  const std::int64_t origin = a.offset(0);
  Tile t{0, 0, a.shape[0], a.shape[1], 0};
  if (s0 >= s1) {  // stored by rows
    const std::int64_t width = std::max<std::int64_t>(1, s0);
    t.row = origin / width, t.column = origin % width;
    rows = storage / width, columns = width;
  } else {
    const std::int64_t width = std::max<std::int64_t>(1, s1);
    t.column = origin / width, t.row = origin % width;
    columns = storage / width, rows = width;
  }
  return t;
}

std::optional<Product> product_of(debug::Session& session, std::size_t program) {
  const trace::RecordedProgram& p = session.trace().programs[program];
  if (std::none_of(p.steps.begin(), p.steps.end(), [](const trace::Step& s) { return s.op == trace::Op::dot; })) {
    if (!(p.keep == trace::Keep::accesses)) return std::nullopt;  // their ops are not known
  }
  // Compilers load the two in either order: dot's own first operand tells which is A, else the order of the parameters.
  int left_tensor = -1;
  const auto accesses = accesses_of(session.trace(), program);
  for (const AccessStep& a : accesses)
    if (!a.access->writes() && a.access->shape.rank == 2 && (left_tensor < 0 || a.access->tensor < left_tensor))
      left_tensor = a.access->tensor;
  const auto dot = std::find_if(p.steps.begin(), p.steps.end(),
                                [](const trace::Step& s) { return s.op == trace::Op::dot && s.operands >= 2; });
  for (const AccessStep& a : accesses)
    for (const std::int32_t made : p.results(p.steps[a.step]))
      if (dot != p.steps.end() && made == p.operands(*dot)[0]) left_tensor = a.access->tensor;
  Product result;
  for (const AccessStep& a : accesses) {
    if (a.access->shape.rank != 2) continue;
    Operand* const o = a.access->writes() ? &result.c : a.access->tensor == left_tensor ? &result.a : &result.b;
    if (o->tensor >= 0 && o->tensor != a.access->tensor) return std::nullopt;
    o->tensor = a.access->tensor;
    Tile t = tile_of(*a.access, a.tensor->storage_elems, o->rows, o->columns);
    t.step = a.step;
    if (o->rows > 0 && o->columns > 0) {
      const trace::RecordedAccess& access = *a.access;
      o->row_stride = access.shape[0] > 1 ? access.offset(access.shape[1]) - access.offset(0) : o->columns;
      o->column_stride = access.shape[1] > 1 ? access.offset(1) - access.offset(0) : 1;
    }
    o->tiles.push_back(t);
  }
  if (result.a.tensor < 0 || result.b.tensor < 0 || result.c.tensor < 0 || result.a.tensor == result.b.tensor)
    return std::nullopt;
  if (result.a.columns != result.b.rows || result.c.rows != result.a.rows || result.c.columns != result.b.columns)
    return std::nullopt;
  return result;
}

std::vector<About> factors_of(const Product& p, std::int64_t element) {
  const bool by_rows = p.c.row_stride >= p.c.column_stride;
  const std::int64_t far = std::max<std::int64_t>(1, by_rows ? p.c.row_stride : p.c.column_stride);
  const std::int64_t row = by_rows ? element / far : element % far, column = by_rows ? element % far : element / far;
  const auto strip = [](const Operand& o, std::int64_t first, std::int64_t count, std::int64_t stride) {
    About about;
    about.tensor = o.tensor;
    about.first = first, about.last = first + (count - 1) * stride, about.stride = std::max<std::int64_t>(1, stride);
    return about;
  };
  return {strip(p.a, row * p.a.row_stride, p.a.columns, p.a.column_stride),
          strip(p.b, column * p.b.column_stride, p.b.rows, p.b.row_stride)};
}

}  // namespace tl::viz
