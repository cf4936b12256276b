// Replaying a program: the steps of its numbers, then the calls.
#include "interp/cpu/access.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/walk.h"

namespace tl::cpu {

namespace {
template <int K, class F>
void each_run(int rank, const std::int64_t* dims, const View* views, F f) {
  walk<K>(rank, dims, views, [&](std::int64_t n, std::int64_t, const std::int64_t* offset, const std::int64_t* step) {
    f(n, offset, step);
  });
}
}  // namespace

// Finds out whether one call of the loop does for all lanes.
void Replay::flatten(Call& w, const Geometry& g) {
  if (w.kind == Kind::dot) return;
  int runs = 0;
  const auto run = [&](std::int64_t n, const std::int64_t*, const std::int64_t* step) {
    if (++runs > 1) return;
    w.n = n;
    std::copy_n(step, w.kind == Kind::unary ? 2 : w.kind == Kind::binary ? 3 : 4, w.steps);
  };
  if (w.kind == Kind::unary) each_run<2>(g.rank, g.dims, g.views, run);
  else if (w.kind == Kind::binary) each_run<3>(g.rank, g.dims, g.views, run);
  else each_run<4>(g.rank, g.dims, g.views, run);
  w.flat = runs == 1;
}

void Replay::run(const Call& w) {
  const std::int64_t* numbers = numbers_.data();
  const auto at = [&](int i) { return w.at[i].in(numbers); };
  const auto geometry = [&]() -> const Geometry& { return geometries_[static_cast<std::size_t>(w.geometry)]; };
  switch (w.kind) {
    case Kind::unary:
      if (w.flat) return w.unary(at(0), at(1), w.steps[1], w.n);
      return each_run<2>(geometry().rank, geometry().dims, geometry().views, [&](auto n, auto* o, auto* step) {
        w.unary(at(0) + o[0] * w.at[0].size, at(1) + o[1] * w.at[1].size, step[1], n);
      });
    case Kind::binary:
      if (w.flat) return w.binary(at(0), at(1), w.steps[1], at(2), w.steps[2], w.n);
      return each_run<3>(geometry().rank, geometry().dims, geometry().views, [&](auto n, auto* o, auto* step) {
        w.binary(at(0) + o[0] * w.at[0].size, at(1) + o[1] * w.at[1].size, step[1], at(2) + o[2] * w.at[2].size,
                 step[2], n);
      });
    case Kind::select:
    case Kind::fma:
      return each_run<4>(geometry().rank, geometry().dims, geometry().views, [&](auto n, auto* o, auto* step) {
        std::byte *r = at(0) + o[0] * w.at[0].size, *a = at(1) + o[1] * w.at[1].size, *b = at(2) + o[2] * w.at[2].size,
                  *c = at(3) + o[3] * w.at[3].size;
        if (w.kind == Kind::fma) w.fma(r, a, step[1], b, step[2], c, step[3], n);
        else w.select(r, reinterpret_cast<const unsigned char*>(a), step[1], b, step[2], c, step[3], n);
      });
    case Kind::reduce: {
      const std::int64_t outer = w.steps[0], row = w.steps[1] * w.at[1].size;
      std::byte* out = at(0);
      const std::byte* in = at(1);
      for (std::int64_t o = 0; o < outer; ++o, out += row, in += w.n * row) {
        if (w.order) {
          w.ordered(out, in, w.steps[1], w.order->at.data(), w.order->registers, w.order->lanes, w.order->warps);
          continue;
        }
        if (w.steps[1] == 1) {
          w.reduce(out, in, w.n);
          continue;
        }
        std::memcpy(out, in, static_cast<std::size_t>(row));
        for (std::int64_t i = 1; i < w.n; ++i) w.binary(out, out, 1, in + i * row, 1, w.steps[1]);
      }
      return;
    }
    case Kind::dot: {
      const Geometry& g = geometry();
      if (g.chip.step.terms) {
        const auto floats = [&](int k) { return w.at[k].at ? reinterpret_cast<float*>(at(k)) : nullptr; };
        return loops().chip_dot(floats(0), g.views[0].strides[0], floats(3), g.views[3].strides[0], floats(1),
                                g.views[1].strides[0], floats(2), g.views[2].strides[0], g.dims[0], g.dims[1],
                                g.dims[2], g.chip);
      }
      return w.dot(at(0), g.views[0].strides[0], w.at[3].at ? at(3) : nullptr, g.views[3].strides[0], at(1),
                   g.views[1].strides[0], at(2), g.views[2].strides[0], g.dims[0], g.dims[1], g.dims[2]);
    }
    case Kind::transpose:
      return loops().transpose32(reinterpret_cast<std::uint32_t*>(at(0)), reinterpret_cast<const std::uint32_t*>(at(1)),
                                 w.steps[1], w.steps[2], w.n);
    case Kind::round: {
      auto* out = reinterpret_cast<float*>(at(0));
      const auto* in = reinterpret_cast<const float*>(at(1));
      if (w.steps[0] == w.steps[2]) return w.round(out, in, w.n * w.steps[2]);
      for (std::int64_t i = 0; i < w.n; ++i) w.round(out + i * w.steps[2], in + i * w.steps[0], w.steps[2]);
      return;
    }
    case Kind::load:
    case Kind::store: {
      Tile& t = tiles_[static_cast<std::size_t>(w.tile)];
      t.lanes.base = numbers[t.base];
      if (w.kind == Kind::load) return read_tile(t.lanes, t.fill, at(0));
      View v = t.view;
      v.data = at(1);
      return write_tile(t.lanes, v);
    }
  }
}

// The numbers of a program; false: it takes another way than the captured one.
bool Replay::take_steps(std::int64_t x, std::int64_t y, std::int64_t z) {
  if (!ready_) return false;
  const auto set = [&](Number n, std::int64_t v) {
    if (n != none) numbers_[static_cast<std::size_t>(n)] = v;
  };
  set(ids_[0], x);
  set(ids_[1], y);
  set(ids_[2], z);
  for (const Step& s : steps_)
    if (!compute(s, numbers_.data())) {
      ++misses_;
      return false;
    }
  misses_ = 0;
  return true;
}

bool Replay::run(std::int64_t x, std::int64_t y, std::int64_t z) {
  if (!take_steps(x, y, z)) return false;
  const Range *r = fetched_.data(), *const end = r + fetched_.size();
  for (const Call& c : calls_) {
    for (; r != end && r->call == &c - calls_.data(); ++r) {
      const std::byte* at = r->at.in(numbers_.data());
      if (r->is_written)
        for (std::int64_t i = 0; i < r->bytes; i += 64) __builtin_prefetch(at + i, 1);
      else
        for (std::int64_t i = 0; i < r->bytes; i += 64) __builtin_prefetch(at + i, 0);
    }
    run(c);
  }
  return true;
}

}  // namespace tl::cpu
