// Sums and products of what comes before along one axis: cumsum, cumprod.
#include <cstring>
#include <vector>

#include "interp/cpu/absent.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/reduction.h"

namespace tl::cpu {

namespace {

// As the threads of a program do it: each its run of neighbours, then its lanes in doubling steps, then the warps.
template <class T, class F>
void scan_in_order(const rules::ScanOrder& order, T* out, const T* in, std::int64_t n, std::int64_t inner, bool reverse,
                   F f) {
  const auto at = [&](std::int64_t i) { return (reverse ? n - 1 - i : i) * inner; };
  std::vector<T> warps;
  for (std::int64_t w = 0; w < order.warps; ++w) {
    T total[32], before[32];
    const auto first = [&](int lane) { return (w * order.lanes + lane) * order.run; };
    for (int l = 0; l < order.lanes; ++l) {
      for (int e = 0; e < order.run; ++e) {
        const T x = in[at(first(l) + e)];
        out[at(first(l) + e)] = e ? f(out[at(first(l) + e - 1)], x) : x;
      }
      total[l] = out[at(first(l) + order.run - 1)];
    }
    for (int d = 1; d < order.lanes; d *= 2)
      for (int l = order.lanes - 1; l >= d; --l) total[l] = f(total[l - d], total[l]);
    for (int l = 1; l < order.lanes; ++l) before[l] = total[l - 1];
    T below{};
    for (std::size_t v = 0; v < warps.size(); ++v) below = v ? f(below, warps[v]) : warps[v];
    warps.push_back(total[order.lanes - 1]);
    for (int l = 0; l < order.lanes; ++l) {
      if (l == 0 && w == 0) continue;
      const T offset = l == 0 ? below : w == 0 ? before[l] : f(below, before[l]);
      for (int e = 0; e < order.run; ++e) out[at(first(l) + e)] = f(offset, out[at(first(l) + e)]);
    }
  }
}
template <class T>
void scan_all_in_order(const rules::ScanOrder& order, Op op, const Parts& p, bool reverse, std::byte* out,
                       const std::byte* in) {
  for (std::int64_t o = 0; o < p.outer; ++o)
    for (std::int64_t j = 0; j < p.inner; ++j) {
      const std::int64_t first = o * p.length * p.inner + j;
      const auto scan = [&](auto f) {
        scan_in_order(order, reinterpret_cast<T*>(out) + first, reinterpret_cast<const T*>(in) + first, p.length,
                      p.inner, reverse, f);
      };
      op == Op::add ? scan([](T a, T b) { return a + b; }) : scan([](T a, T b) { return a * b; });
    }
}

}  // namespace

Ref running(const Where& w, const Value& value, DType t, Op op, int along, bool reverse) {
  const Ref typed = cast(w, value, t);
  const Parts p = parts_of(*typed, along);
  const int size = size_in_bytes(t);
  Ref r = make_dense(w.state, t, typed->rank, typed->dims);
  const std::byte* in = flat(*typed);
  std::byte* out = r->buffer->bytes();
  if (is_float(t) && w.state.launch.options.dots.matrix != rules::Matrix::none) {
    rules::Sizes shape;
    for (int i = 0; i < typed->rank; ++i) shape.add(static_cast<int>(typed->dims[i]));
    const auto order = rules::scan_order(shape, along, w.state.launch.launch.options.num_warps);
    (t == DType::float64 ? scan_all_in_order<double> : scan_all_in_order<float>)(order, op, p, reverse, out, in);
    return settle(std::move(r));
  }
  const BinaryLoop loop = loops().binary(op, t);
  const std::int64_t row = p.inner * size;
  for (std::int64_t o = 0; o < p.outer; ++o, in += p.length * row, out += p.length * row) {
    const std::int64_t first = reverse ? p.length - 1 : 0, step = reverse ? -1 : 1;
    std::memcpy(out + first * row, in + first * row, static_cast<std::size_t>(row));
    for (std::int64_t n = 1, i = first + step; n < p.length; ++n, i += step)
      loop(out + i * row, out + (i - step) * row, 1, in + i * row, 1, p.inner);
  }
  return settle(std::move(r));
}

namespace {

Block accumulated(const Where& w, const Block& x, long long axis, bool reverse, Op op) {
  const Value& d = *x.data();
  const int along = checked_axis(w, d, axis);
  const DType t = cumsum_dtype(d.dtype);
  w.state.note({1, true, along, 0});
  if (is_absent(d)) return Block(finish(w, {&d}, absent_result(w, {&d}, t, d.rank, d.dims)).release());
  Ref r = cast(w, *running(w, d, accumulator_dtype(t), op, along, reverse), t);
  if (d.undefined) r->undefined = running(w, *d.undefined, DType::int1, Op::bit_or, along, reverse).release();
  return Block(finish(w, {&d}, std::move(r)).release());
}

}  // namespace

Block Context::cumsum(const Block& x, FixedInt axis, const ScanOptions& options, Location location) {
  return accumulated({state_, Op::cumsum, location}, x, axis.value, options.reverse, Op::add);
}
Block Context::cumprod(const Block& x, FixedInt axis, const ScanOptions& options, Location location) {
  return accumulated({state_, Op::cumprod, location}, x, axis.value, options.reverse, Op::mul);
}

}  // namespace tl::cpu
