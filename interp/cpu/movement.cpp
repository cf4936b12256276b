// Lanes to other places: cat, interleave, flip, gather, sort, topk; and histogram, which counts them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "interp/cpu/absent.h"
#include "interp/cpu/reduction.h"

namespace tl::cpu {

namespace {

// out[i] = x[from(i)] of row-major lanes; undefined ones move with the others.
template <class F>
Ref moved(const Where& w, const Value& x, int rank, const std::int64_t* dims, F from) {
  if (is_absent(x)) return absent_result(w, {&x}, x.dtype, rank, dims);
  const auto lanes = [&](const Value& d) {
    Ref r = make_dense(w.state, d.dtype, rank, dims);
    const auto size = static_cast<std::size_t>(size_in_bytes(d.dtype));
    const std::byte* in = flat(d);
    for (std::int64_t i = 0; i < r->count; ++i)
      std::memcpy(r->buffer->bytes() + static_cast<std::size_t>(i) * size,
                  in + static_cast<std::size_t>(from(i)) * size, size);
    return settle(std::move(r));
  };
  Ref r = lanes(x);
  if (x.undefined) r->undefined = lanes(*x.undefined).release();
  return r;
}

// Two blocks of one axis after each other, or lane by lane in turn.
Block both(State& s, Op op, Location location, const Block& a, const Block& b) {
  const Where w{s, op, location};
  const Value &x = *a.data(), &y = *b.data();
  if (x.rank == 0 || x.rank != y.rank || !std::equal(x.dims, x.dims + x.rank, y.dims) || (op == Op::cat && x.rank != 1))
    fail(w, FaultKind::shape,
         op == Op::cat ? "it takes two blocks of one axis and one size" : "it takes two blocks of one shape",
         text_of_shape(x.dims, x.rank) + " and " + text_of_shape(y.dims, y.rank), "reshape or broadcast one of them");
  const DType t = promote(x.dtype, y.dtype);
  std::int64_t dims[max_rank];
  std::copy_n(x.dims, x.rank, dims);
  dims[x.rank - 1] *= 2;
  const Ref p = cast(w, x, t), q = cast(w, y, t);
  if (any_absent(x, y)) return Block(finish(w, {&x, &y}, absent_result(w, {&x, &y}, t, x.rank, dims)).release());
  const auto joined = [&](const Value& left, const Value& right) {
    Ref r = make_dense(s, left.dtype, x.rank, dims);
    const int size = size_in_bytes(left.dtype);
    const std::byte* sides[2] = {flat(left), flat(right)};
    for (std::int64_t i = 0; i < r->count; ++i) {
      const bool second = op == Op::cat ? i >= left.count : i % 2;
      const std::int64_t from = op == Op::cat ? i % left.count : i / 2;
      std::memcpy(r->buffer->bytes() + i * size, sides[second] + from * size, static_cast<std::size_t>(size));
    }
    return r;
  };
  Ref r = joined(*p, *q);
  if (p->undefined || q->undefined) {
    const Ref none = make_bool(s, false, x.rank, x.dims);
    r->undefined = joined(p->undefined ? *p->undefined : *none, q->undefined ? *q->undefined : *none).release();
  }
  return Block(finish(w, {&x, &y}, std::move(r)).release());
}

// Lane numbers along the last axis, each row sorted by its values; NaN counts as the largest.
std::vector<std::int64_t> sorted_lanes(const Where& w, const Value& d, bool descending) {
  const DType t = is_float(d.dtype) ? DType::float64 : d.dtype == DType::uint64 ? DType::uint64 : DType::int64;
  const Ref keys = cast(w, d, t);
  const std::byte* at = flat(*keys);
  const std::int64_t row = d.dims[d.rank - 1];
  std::vector<std::int64_t> lanes(static_cast<std::size_t>(d.count));
  std::iota(lanes.begin(), lanes.end(), 0);
  const auto sort_as = [&](auto tag) {
    using T = decltype(tag);
    const T* key = reinterpret_cast<const T*>(at);
    const auto less = [&](std::int64_t a, std::int64_t b) {
      const T x = key[a], y = key[b];
      return x < y || (y != y && x == x);
    };
    for (std::int64_t o = 0; o < d.count; o += row)
      std::stable_sort(lanes.begin() + o, lanes.begin() + o + row,
                       [&](std::int64_t a, std::int64_t b) { return descending ? less(b, a) : less(a, b); });
  };
  if (t == DType::float64) sort_as(double{});
  else if (t == DType::uint64) sort_as(std::uint64_t{});
  else sort_as(std::int64_t{});
  return lanes;
}

Block ordered(State& s, Op op, Location location, const Block& x, bool descending, std::int64_t k) {
  const Where w{s, op, location};
  const Value& d = *x.data();
  if (d.rank == 0) fail(w, FaultKind::shape, "a scalar is in order already", "", "pass a block");
  const std::int64_t row = d.dims[d.rank - 1];
  if (op == Op::topk && (k < 1 || k > row || ((k & (k - 1)) && !s.takes_any_shape)))
    fail(w, FaultKind::shape, fmt::format("{} of {} lanes", k, row), "",
         fmt::format("ask for a power of two from 1 to {}", row));
  std::int64_t dims[max_rank];
  std::copy_n(d.dims, d.rank, dims);
  if (op == Op::topk) dims[d.rank - 1] = k;
  const std::int64_t kept = dims[d.rank - 1];
  std::vector<std::int64_t> lanes;
  if (!is_absent(d)) lanes = sorted_lanes(w, d, descending);
  return Block(finish(w, {&d},
                      moved(w, d, d.rank, dims,
                            [&](std::int64_t i) { return lanes[static_cast<std::size_t>(i / kept * row + i % kept)]; }))
                   .release());
}

}  // namespace

Block Context::cat(const Block& a, const Block& b, Location p) { return both(state_, Op::cat, p, a, b); }
Block Context::interleave(const Block& a, const Block& b, Location p) { return both(state_, Op::interleave, p, a, b); }
Block Context::sort(const Block& x, const SortOptions& options, Location p) {
  return ordered(state_, Op::sort, p, x, options.descending, 0);
}
Block Context::topk(const Block& x, FixedInt k, Location p) { return ordered(state_, Op::topk, p, x, true, k.value); }

Block Context::flip(const Block& x, Location location) { return flip(x, Constant(-1), location); }
Block Context::flip(const Block& x, FixedInt axis, Location location) {
  const Where w{state_, Op::flip, location};
  const Value& d = *x.data();
  const Parts p = parts_of(d, checked_axis(w, d, axis.value));
  return Block(finish(w, {&d},
                      moved(w, d, d.rank, d.dims,
                            [&](std::int64_t i) {
                              const std::int64_t at = i / p.inner % p.length;
                              return i + (p.length - 1 - 2 * at) * p.inner;
                            }))
                   .release());
}

// x[.., index[i], ..] along the axis
Block Context::gather(const Block& x, const Block& index, FixedInt axis, Location location) {
  const Where w{state_, Op::gather, location};
  const Value &d = *x.data(), &at = *index.data();
  const int along = checked_axis(w, d, axis.value);
  bool fits = at.rank == d.rank;
  for (int i = 0; i < d.rank && fits; ++i) fits = i == along || at.dims[i] == d.dims[i];
  if (!fits || is_float(at.dtype))
    fail(w, FaultKind::shape, "the indices are integers, of the block's shape but for the axis",
         fmt::format("the block is {}, they are {}{}", text_of_shape(d.dims, d.rank), name_of(at.dtype),
                     text_of_shape(at.dims, at.rank)),
         "tl.broadcast_to gives them the other axes");
  if (is_absent(at))
    return Block(finish(w, {&d, &at}, absent_result(w, {&d, &at}, d.dtype, at.rank, at.dims)).release());
  const Ref numbers = cpu::cast(w, at, DType::int64);
  const auto* number = reinterpret_cast<const std::int64_t*>(flat(*numbers));
  const std::int64_t length = d.dims[along], inner = parts_of(d, along).inner, own = at.dims[along];
  for (std::int64_t i = 0; i < at.count; ++i)
    if (number[i] < 0 || number[i] >= length)
      fail(w, FaultKind::out_of_bounds,
           fmt::format("lane {} of program {} asks for index {}", i, text_of(state_.program, state_.launch.launch.grid),
                       number[i]),
           fmt::format("axis {} of the block has {}", along, length), "clamp the indices, or mask what they choose");
  return Block(
      finish(w, {&d, &at},
             moved(w, d, at.rank, at.dims,
                   [&](std::int64_t i) { return (i / (own * inner) * length + number[i]) * inner + i % inner; }))
          .release());
}

namespace {

Block counted(State& s, Location location, const Block& x, std::int64_t bins, const Block* mask) {
  const Where w{s, Op::histogram, location};
  const Value& d = *x.data();
  if (is_float(d.dtype) || d.rank != 1)
    fail(w, FaultKind::shape, "it counts the integers of a block of one axis",
         fmt::format("this is {}{}", name_of(d.dtype), text_of_shape(d.dims, d.rank)), "cast or reshape it");
  if (bins <= 0 || ((bins & (bins - 1)) && !s.takes_any_shape))
    fail(w, FaultKind::shape, fmt::format("{} is not a power of two", bins), "every dimension of a block is one",
         "round the bins up: those beyond stay 0");
  const Value* on = mask ? mask->data() : nullptr;
  if (is_absent(d) || is_absent(on))
    return Block(finish(w, {&d, on}, absent_result(w, {&d, on}, DType::int32, 1, &bins)).release());
  const Ref wide = cast(w, d, DType::int64), lanes = on ? broadcast(w, *cast(w, *on, DType::int1), 1, d.dims) : Ref();
  const auto* value = reinterpret_cast<const std::int64_t*>(flat(*wide));
  Ref r = make_dense(s, DType::int32, 1, &bins);
  auto* count = reinterpret_cast<std::int32_t*>(r->buffer->bytes());
  std::fill_n(count, bins, 0);
  for (std::int64_t i = 0; i < d.count; ++i) {
    if (lanes && flat(*lanes)[i] == std::byte{0}) continue;
    if (value[i] < 0 || value[i] >= bins)
      fail(w, FaultKind::out_of_bounds,
           fmt::format("lane {} of program {} holds {}", i, text_of(s.program, s.launch.launch.grid), value[i]),
           fmt::format("there are {} bins", bins), "pass more bins, or a mask that leaves such lanes out");
    ++count[value[i]];
  }
  return Block(finish(w, {&d, on}, settle(std::move(r))).release());
}

}  // namespace

Block Context::histogram(const Block& x, FixedInt bins, Location p) {
  return counted(state_, p, x, bins.value, nullptr);
}
Block Context::histogram(const Block& x, FixedInt bins, const Block& mask, Location p) {
  return counted(state_, p, x, bins.value, &mask);
}

Block Context::ravel(const Block& x, Location location) {
  Shape s;
  s.rank = 1;
  s.dims[0] = x.data()->count;
  return reshape(x, s, location);
}

BlockPair Context::broadcast(const Block& a, const Block& b, Location location) {
  const Value &x = *a.data(), &y = *b.data();
  int rank;
  std::int64_t dims[max_rank];
  if (!broadcast_shape(x, y, rank, dims))
    fail({state_, Op::broadcast_to, location}, FaultKind::shape, "shapes do not broadcast",
         text_of_shape(x.dims, x.rank) + " and " + text_of_shape(y.dims, y.rank), "each axis must be equal or 1");
  Shape s;
  s.rank = rank;
  std::copy_n(dims, rank, s.dims);
  return {broadcast_to(a, s, location), broadcast_to(b, s, location)};
}

}  // namespace tl::cpu
