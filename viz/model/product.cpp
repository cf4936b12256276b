#include "viz/model/product.h"

#include <algorithm>
#include <map>

namespace tl::viz {

namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// An axis of a block in its tensor.
struct TensorAxis {
  std::int64_t stride = 1, size = 1;
  bool is_outermost = true;  // whose coordinate is not taken modulo the size
  std::int64_t coordinate(std::int64_t element) const {
    const std::int64_t at = floor_div(element, stride);
    return is_outermost ? at : at - floor_div(at, size) * size;
  }
};

// A block's axis has the size of the tensor's axis of the same stride. A tensor of one axis is a matrix as wide as the
// larger of the block's strides.
std::array<TensorAxis, 2> axes_of(const trace::RecordedAccess& access, const trace::RecordedTensor& tensor) {
  std::array<std::int64_t, 2> strides{};
  for (int i = 0; i < 2; ++i)
    strides[i] = access.shape[i] <= 1 ? 0
                 : access.is_tile     ? access.strides[i]
                                      : access.offset(i == 0 ? access.shape[1] : 1) - access.offset(0);
  std::array<int, 2> found{-1, -1};
  for (int i = 0; i < 2; ++i)
    for (std::size_t t = 0; t < tensor.strides.size() && found[i] < 0; ++t)
      if (strides[i] > 0 && tensor.strides[t] == strides[i] && static_cast<int>(t) != found[0])
        found[i] = static_cast<int>(t);
  for (int i = 0; i < 2; ++i)  // an axis of one element: the tensor's last one but the other's
    for (int t = static_cast<int>(tensor.strides.size()); t-- > 0 && found[i] < 0 && strides[i] == 0;)
      if (t != found[1 - i]) found[i] = t;
  std::array<TensorAxis, 2> axes;
  if (found[0] >= 0 && found[1] >= 0) {
    for (int i = 0; i < 2; ++i)
      axes[i] = {std::max<std::int64_t>(1, tensor.strides[found[i]]), tensor.shape[found[i]], found[i] == 0};
    return axes;
  }
  const int far = strides[1] > strides[0] ? 1 : 0;
  const std::int64_t width = std::max<std::int64_t>(1, strides[far]);
  axes[far] = {width, tensor.storage_elems / width, true};
  axes[1 - far] = {1, width, false};
  return axes;
}

// Follows values through a program: each comes from a load, is a sum of dots, or neither.
struct Follower {
  struct Origin {
    int load = -1, dot = -1;  // step; place in `dots`
    bool is_transposed = false;
  };
  struct Dot {
    std::uint32_t step = 0;
    Origin a, b;
    std::size_t sum = 0;  // the first dot of the sum
    std::int32_t mask = -1, masked = -1;
    std::uint32_t masked_at = 0;
  };
  debug::Session& session;
  const std::size_t program;
  const trace::RecordedProgram& p = session.trace().programs[program];
  const std::vector<trace::RecordedTensor>& tensors = session.trace().launches[p.launch].tensors;
  std::vector<Origin> origins = std::vector<Origin>(p.values.size());
  std::vector<Dot> dots = {};
  std::vector<std::int32_t> cast_of = std::vector<std::int32_t>(p.values.size(), -1);  // the value that a cast takes
  std::map<std::size_t, std::vector<std::pair<std::uint32_t, bool>>> stores = {};      // by sum: step, transposed

  const trace::RecordedAccess& access(int step) const { return p.accesses[p.steps[step].access]; }
  int tensor_of(const Origin& o) const { return o.load >= 0 ? access(o.load).tensor : -1; }
  bool is_same_product(const Dot& x, const Dot& y) const {
    const int a = tensor_of(x.a), b = tensor_of(x.b);
    if (a < 0 && b < 0 && p.steps[x.step].site.line != p.steps[y.step].site.line) return false;
    return a == tensor_of(y.a) && b == tensor_of(y.b);
  }
  bool is_block(std::int32_t value) const { return p.values[value].shape.rank >= 2; }

  void join(std::size_t x, std::size_t y) {
    if (x == y || !is_same_product(dots[x], dots[y])) return;
    for (Dot& d : dots)
      if (d.sum == std::max(x, y)) d.sum = std::min(x, y);
  }

  void follow() {
    for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
      const trace::Step& step = p.steps[s];
      const auto operands = p.operands(step), results = p.results(step);
      if (step.op == Op::cast && !operands.empty() && !results.empty()) cast_of[results[0]] = operands[0];
      if (step.access >= 0) touch(s);
      else if (step.op == Op::dot && step.operands >= 2) multiply(s);
      else if (results.empty()) continue;
      else if (const OpFamily f = info_of(step.op).family;
               f != OpFamily::reduction && f != OpFamily::scan && f != OpFamily::dot && f != OpFamily::memory)
        for (const std::int32_t r : results)
          if (is_block(r)) {
            origins[r] = merged(step, operands, p.values[r].shape.rank);
            if (step.op == Op::where && origins[r].dot >= 0 && !operands.empty()) {
              Dot& dot = dots[dots[origins[r].dot].sum];
              dot.mask = operands[0];
              dot.masked = r;
              dot.masked_at = s;
            }
          }
    }
  }

  void touch(std::uint32_t s) {
    const trace::Step& step = p.steps[s];
    const trace::RecordedAccess& a = p.accesses[step.access];
    if (a.tensor < 0 || a.shape.rank != 2) return;
    if (!a.writes()) {
      for (const std::int32_t r : p.results(step)) origins[r] = {static_cast<int>(s)};
      return;
    }
    for (const std::int32_t o : p.operands(step))
      if (origins[o].dot >= 0 && a.active > 0) {
        stores[dots[origins[o].dot].sum].push_back({s, origins[o].is_transposed});
        return;
      }
  }

  void multiply(std::uint32_t s) {
    const trace::Step& step = p.steps[s];
    const auto operands = p.operands(step);
    const auto loaded = [&](std::int32_t v) {  // else computed: of a row of scales, broadcast
      const bool is_whole = origins[v].load >= 0 && access(origins[v].load).lanes() == p.values[v].shape.product();
      return is_whole ? origins[v] : Origin();
    };
    dots.push_back({s, loaded(operands[0]), loaded(operands[1]), dots.size()});
    if (step.operands > 2 && origins[operands[2]].dot >= 0) join(dots[origins[operands[2]].dot].sum, dots.back().sum);
    for (const std::int32_t r : p.results(step)) origins[r] = {-1, static_cast<int>(dots.size()) - 1};
  }

  Origin merged(const trace::Step& step, std::span<const std::int32_t> operands, int rank) {
    Origin result;
    int loads = 0;
    for (const std::int32_t o : operands) {
      const Origin& from = origins[o];
      if (from.load >= 0) ++loads;
      if (from.dot >= 0 && result.dot >= 0 && (step.op == Op::add || step.op == Op::sub))
        join(dots[from.dot].sum, dots[result.dot].sum);
      if ((from.load >= 0 && result.load < 0 && result.dot < 0) || (from.dot >= 0 && result.dot < 0)) result = from;
    }
    if (result.dot < 0 && loads > 1) return {};  // of two tensors: computed
    if (step.op == Op::trans || (step.op == Op::permute && rank == 2)) result.is_transposed = !result.is_transposed;
    return result;
  }

  std::string name_of(std::int32_t value, std::uint32_t before) {
    std::string name = session.view(program).name_of(value, before);
    return name.empty() && cast_of[value] >= 0 ? name_of(cast_of[value], before) : name;
  }

  // The dots of one pair of tensors; of `first`'s. Empty sums: their places are not known.
  Product product(const Dot& first) {
    Product result;
    std::map<std::size_t, Sum> sums;
    for (const Dot& d : dots) {
      if (!is_same_product(d, first)) continue;
      const trace::Step& step = p.steps[d.step];
      const auto operands = p.operands(step);
      Sum& sum = sums[d.sum];
      Turn turn{d.step, {}, {}, operands[0], p.results(step).empty() ? -1 : p.results(step)[0]};
      const auto take = [&](Operand& o, Tile& tile, const Origin& from, std::int32_t value, const char* otherwise) {
        if (from.load >= 0) {
          std::tie(o, tile) = operand_of(access(from.load), tensors[access(from.load).tensor], from.is_transposed);
        } else {
          const trace::Extents& shape = p.values[value].shape;
          tile.rows = shape[shape.rank - 2];
          tile.columns = shape[shape.rank - 1];
          if (o.name.empty()) o.name = name_of(value, d.step);
          if (o.name.empty()) o.name = otherwise;
        }
      };
      const trace::Extents& left = p.values[operands[0]].shape;
      if (left.rank != 2 && left.rank != 3) return {};
      if (left.rank == 3) result.batch = left[0];
      take(result.a, turn.a, d.a, operands[0], "left");
      take(result.b, turn.b, d.b, operands[1], "right");
      if (result.c.name.empty() && !p.results(step).empty()) result.c.name = name_of(p.results(step)[0], d.step + 1);
      sum.turns.push_back(turn);
    }
    for (auto& [first_dot, sum] : sums) {
      const Dot& dot = dots[first_dot];
      sum.mask = dot.mask;
      sum.masked = dot.masked;
      sum.masked_at = dot.masked_at;
      place_block(result, sum, stores[first_dot]);
      result.sums.push_back(std::move(sum));
    }
    if (result.c.name.empty()) result.c.name = "product";
    return fits(result) ? result : along_the_loop(std::move(result));
  }

  // Tile after tile of A to the right, of B downwards; each sum is a matrix of its own.
  static Product along_the_loop(Product result) {
    result.is_by_loop = true;
    for (Operand* o : {&result.a, &result.b, &result.c}) {
      Operand unplaced;
      unplaced.name = std::move(o->name);
      *o = std::move(unplaced);
    }
    for (Sum& sum : result.sums) {
      std::int64_t k = 0;
      for (Turn& t : sum.turns) {
        t.a.row = t.b.column = 0;
        t.a.column = t.b.row = k;
        k += t.a.columns;
      }
      sum.c = {0, 0, sum.turns.front().a.rows, sum.turns.front().b.columns};
      result.a.rows = result.c.rows = std::max(result.a.rows, sum.c.rows);
      result.b.columns = result.c.columns = std::max(result.b.columns, sum.c.columns);
      result.a.columns = result.b.rows = std::max(result.a.columns, k);
    }
    return result;
  }

  // The block that a sum makes: where it is stored, else where its factors say.
  void place_block(Product& result, Sum& sum, const std::vector<std::pair<std::uint32_t, bool>>& to) {
    for (const auto& [s, is_transposed] : to) {
      const trace::RecordedAccess& a = access(static_cast<int>(s));
      const auto [c, tile] = operand_of(a, tensors[a.tensor], is_transposed);
      if (sum.stores.empty()) {
        sum.c = tile;
        result.c = c;
      } else if (a.tensor != result.c.tensor) continue;  // a second output
      const std::int64_t row = std::min(sum.c.row, tile.row), column = std::min(sum.c.column, tile.column);
      sum.c = {row, column, std::max(sum.c.row + sum.c.rows, tile.row + tile.rows) - row,
               std::max(sum.c.column + sum.c.columns, tile.column + tile.columns) - column};
      sum.stores.push_back(s);
    }
    Turn& first = sum.turns.front();
    if (!result.c.is_read()) {
      result.c.rows = result.a.rows;
      result.c.columns = result.b.columns;
    }
    if (sum.stores.empty()) sum.c = {first.a.row, first.b.column, first.a.rows, first.b.columns};
    if (!result.a.is_read()) {
      result.a.rows = result.c.rows;
      result.a.columns = result.b.rows;
    }
    if (!result.b.is_read()) {
      result.b.rows = result.a.columns;
      result.b.columns = result.c.columns;
    }
    for (Turn& t : sum.turns) {
      if (!result.a.is_read()) {
        t.a.row = sum.c.row;
        t.a.column = t.b.row;
      }
      if (!result.b.is_read()) {
        t.b.row = t.a.column;
        t.b.column = sum.c.column;
      }
    }
  }

  static bool fits(const Product& r) {
    return r.a.rows > 0 && r.b.columns > 0 && r.a.columns > 0 && r.a.columns == r.b.rows && r.c.rows == r.a.rows &&
           r.c.columns == r.b.columns;
  }
};

}  // namespace

std::pair<Operand, Tile> operand_of(const trace::RecordedAccess& access, const trace::RecordedTensor& tensor,
                                    bool is_transposed) {
  const auto axes = axes_of(access, tensor);
  const int row = is_transposed ? 1 : 0, column = 1 - row;
  Operand o{access.tensor,    tensor.name,         axes[row].size, axes[column].size, 0,
            axes[row].stride, axes[column].stride, is_transposed};
  const std::int64_t base = access.offset(0);
  const Tile tile{axes[row].coordinate(base), axes[column].coordinate(base), access.shape[row], access.shape[column]};
  o.origin = base - tile.row * o.row_stride - tile.column * o.column_stride;
  return {o, tile};
}

Tile without_padding(const trace::RecordedAccess& access, Tile tile) {
  std::int64_t rows = 0, columns = 0;
  for (std::int64_t lane = 0; lane < access.lanes(); ++lane)
    if (access.is_active(lane)) {
      rows = lane / access.shape[1] + 1;
      columns = std::max(columns, lane % access.shape[1] + 1);
    }
  tile.rows = rows;
  tile.columns = columns;
  return tile;
}

bool place_tile(const trace::RecordedAccess& access, const Operand& operand, Tile& tile) {
  const std::int64_t base = access.offset(0) - operand.origin;
  if (access.shape.rank != 2 || base < 0) return false;
  const bool by_rows = operand.row_stride >= operand.column_stride;
  const std::int64_t far = by_rows ? operand.row_stride : operand.column_stride,
                     near = by_rows ? operand.column_stride : operand.row_stride;
  const std::int64_t major = base / far, minor = base % far / near;
  tile = {by_rows ? major : minor, by_rows ? minor : major, access.shape[operand.is_transposed ? 1 : 0],
          access.shape[operand.is_transposed ? 0 : 1]};
  return tile.row < operand.rows && tile.column < operand.columns;
}

std::vector<Product> products_of(debug::Session& session, std::size_t program) {
  Follower follower{session, program};
  if (follower.p.keep != trace::Keep::values) return {};
  follower.follow();
  std::vector<Product> products;
  std::vector<const Follower::Dot*> seen;
  for (const Follower::Dot& d : follower.dots) {
    if (std::ranges::any_of(seen, [&](const auto* s) { return follower.is_same_product(*s, d); })) continue;
    seen.push_back(&d);
    if (Product product = follower.product(d); !product.sums.empty()) products.push_back(std::move(product));
  }
  return products;
}

std::vector<About> factors_of(const Product& p, std::int64_t element) {
  const bool by_rows = p.c.row_stride >= p.c.column_stride;
  const std::int64_t far = std::max<std::int64_t>(1, by_rows ? p.c.row_stride : p.c.column_stride),
                     near = std::max<std::int64_t>(1, by_rows ? p.c.column_stride : p.c.row_stride);
  const std::int64_t at = element - p.c.origin;
  const std::int64_t row = by_rows ? at / far : at % far / near, column = by_rows ? at % far / near : at / far;
  if (at < 0 || row >= p.c.rows || column >= p.c.columns) return {};
  std::vector<About> strips;
  const auto add = [&](const Operand& o, std::int64_t first, std::int64_t count, std::int64_t stride) {
    if (!o.is_read()) return;
    About about;
    about.tensor = o.tensor;
    about.first = o.origin + first;
    about.last = about.first + (count - 1) * stride;
    about.stride = std::max<std::int64_t>(1, stride);
    strips.push_back(about);
  };
  add(p.a, row * p.a.row_stride, p.a.columns, p.a.column_stride);
  add(p.b, column * p.b.column_stride, p.b.rows, p.b.row_stride);
  return strips;
}

}  // namespace tl::viz
