// What the files of a call's ops share: the ops whose values need more than a line, and how results are put together.
#pragma once

#include "interp/cpu/arguments.h"

namespace tl::cpu::call_ops {

using BlockPtr = std::shared_ptr<const BlockPointer>;
using DescriptorPtr = std::shared_ptr<const Descriptor>;

inline AnyValue pair(const BlockPair& p) { return AnyValue(std::vector<AnyValue>{p.first, p.second}); }
inline AnyValue tuple_of(const std::vector<Block>& blocks) {
  return AnyValue(std::vector<AnyValue>(blocks.begin(), blocks.end()));
}
template <class... B>
AnyValue tuple_of(const std::tuple<B...>& all) {
  return std::apply([](const auto&... b) { return AnyValue(std::vector<AnyValue>{b...}); }, all);
}

// Same shape, with 1 in place of every axis.
inline Block with_ones(Call& c, const Block& scalar, int rank) {
  Shape ones;
  for (ones.rank = 0; ones.rank < rank; ++ones.rank) ones.dims[ones.rank] = 1;
  return c.tl.reshape(scalar, ones, c.place);
}

inline Coordinates coordinates_of(const std::vector<Operand>& at) {
  return Coordinates(at.data(), static_cast<int>(at.size()));
}

// The words of memory ops, for messages.
inline constexpr const char *policies = "\"evict_first\", \"evict_last\" or \"evict_normal\"",
                            *modifiers = "\".ca\", \".cg\", \".cs\", \".cv\", \".wb\" or \".wt\"",
                            *sems = "\"relaxed\", \"acquire\", \"release\" or \"acq_rel\"",
                            *scopes = "\"gpu\", \"cta\" or \"sys\"";

// call_reductions.cpp
AnyValue max(Call&);
AnyValue min(Call&);
AnyValue sum(Call&);
AnyValue argmax(Call&);
AnyValue argmin(Call&);
AnyValue xor_sum(Call&);
AnyValue reduce(Call&);
AnyValue associative_scan(Call&);
AnyValue map_elementwise(Call&);
AnyValue cumsum(Call&);
AnyValue cumprod(Call&);
AnyValue softmax(Call&);

// call_shapes.cpp
AnyValue full(Call&);
AnyValue cast(Call&);
AnyValue bitcast(Call&);
AnyValue expand_dims(Call&);
AnyValue squeeze(Call&);
AnyValue reshape(Call&);
AnyValue permute(Call&);
AnyValue trans(Call&);
AnyValue flip(Call&);
AnyValue sort(Call&);
AnyValue topk(Call&);
AnyValue cat(Call&);
AnyValue interleave(Call&);
AnyValue gather(Call&);
AnyValue histogram(Call&);

// call_memory.cpp
AnyValue load(Call&);
AnyValue store(Call&);
AnyValue atomic_cas(Call&);
AnyValue make_block_ptr(Call&);
AnyValue make_tensor_descriptor(Call&);
AnyValue advance(Call&);

}  // namespace tl::cpu::call_ops
