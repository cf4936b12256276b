// tl.map_elementwise: a function of scalars, called for the lanes of blocks, one after the other; it may branch.
#include <fmt/format.h>

#include <cstring>

#include "interp/cpu/absent.h"
#include "interp/cpu/call.h"

namespace tl::cpu {

namespace {

Block lane_of(State& s, const Value& d, std::int64_t lane) {
  Ref r = make_dense(s, d.dtype, 0, nullptr);
  const auto size = static_cast<std::size_t>(size_in_bytes(d.dtype));
  std::memcpy(r->buffer->bytes(), flat(d) + static_cast<std::size_t>(lane) * size, size);
  if (d.undefined) r->undefined = Ref::share(lane_of(s, *d.undefined, lane).data()).release();
  return Block(settle(std::move(r)).release());
}

// What the calls gave, lane after lane.
struct Result {
  Ref lanes, undefined;
  bool has_undefined = false;

  Result(State& s, DType dtype, const Value& like)
      : lanes(make_dense(s, dtype, like.rank, like.dims)), undefined(make_dense(s, DType::int1, like.rank, like.dims)) {
    std::memset(undefined->buffer->bytes(), 0, static_cast<std::size_t>(like.count));
  }
  void put(std::int64_t lane, const Value& scalar) {
    const auto size = static_cast<std::size_t>(size_in_bytes(lanes->dtype));
    std::memcpy(lanes->buffer->bytes() + static_cast<std::size_t>(lane) * size, flat(scalar), size);
    if (!scalar.undefined) return;
    has_undefined = true;
    undefined->buffer->bytes()[lane] = *flat(*scalar.undefined);
  }
  Block block() {
    if (has_undefined) lanes->undefined = undefined.release();
    return Block(settle(std::move(lanes)).release());
  }
};

// All have one shape.
std::vector<Block> broadcast(Context& tl, std::span<const Block> blocks, Location p) {
  std::vector<Block> all(blocks.begin(), blocks.end());
  Block widest = all[0];
  for (const Block& b : all) widest = tl.broadcast(widest, b, p).first;
  for (Block& b : all) b = Block(tl.broadcast(b, widest, p).first);
  return all;
}

}  // namespace

std::vector<Block> AtRunTime::map_elementwise(Context& tl, const CombineFunction& f, std::span<const Block> blocks,
                                              int pack, Location p) {
  State& s = tl.state();
  const Where w{s, Op::where, p};
  std::vector<Block> x;
  for (const Block& b : broadcast(tl, blocks, p)) x.push_back(b);
  const Value& first = *x[0].data();
  for (const Block& b : x)
    if (is_absent(*b.data())) needs_values(w, *b.data(), "tl.map_elementwise");
  if (pack < 1 || first.count % pack)
    fail(w, FaultKind::shape, fmt::format("tl.map_elementwise of {} lanes, {} a call", first.count, pack), "",
         "pack divides the lanes");
  std::vector<Result> results;
  for (std::int64_t lane = 0; lane < first.count; lane += pack) {
    std::vector<Block> scalars;
    for (const Block& b : x)
      for (int i = 0; i < pack; ++i) scalars.push_back(lane_of(s, *b.data(), lane + i));
    const std::vector<Block> made = (*f)(scalars);
    const std::size_t count = made.size() / static_cast<std::size_t>(pack);
    for (std::size_t i = results.size(); i < count; ++i)
      results.emplace_back(s, made[i * static_cast<std::size_t>(pack)].dtype.value, first);
    for (std::size_t i = 0; i < count * static_cast<std::size_t>(pack); ++i) {
      const Value& scalar = *made[i].data();
      Result& to = results[i / static_cast<std::size_t>(pack)];
      if (scalar.rank != 0 || scalar.dtype != to.lanes->dtype)
        fail(w, FaultKind::shape,
             fmt::format("the function of tl.map_elementwise gives {}{} for one lane and {} for another",
                         name_of(scalar.dtype), text_of_shape(scalar.dims, scalar.rank), name_of(to.lanes->dtype)),
             "", "give a scalar of one dtype on every path");
      to.put(lane + static_cast<std::int64_t>(i) % pack, scalar);
    }
  }
  std::vector<Block> all;
  for (Result& r : results) all.push_back(r.block());
  return all;
}

}  // namespace tl::cpu
