// The blocks of scores of an attention: which of them a sequence computes, masks and skips.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "viz/model/drawing.h"
#include "viz/model/product.h"

namespace tl::viz {

// scores = q k^T, never in memory; o = weights v.
struct AttentionProducts {
  Product scores, output;
};
// Nothing where a program makes no such products.
std::optional<AttentionProducts> attention_of(debug::Session& session, std::size_t program);

enum class BlockState : unsigned char { skipped, to_come, whole, masked };
Colour colour_of(BlockState);
const char* name_of(BlockState);

struct ScoreBlocks {
  std::map<std::pair<std::int64_t, std::int64_t>, BlockState> blocks;  // (query block, key block): those computed
  std::set<std::int64_t> queries, keys;                                // of the sequence at hand
};
// Those that any recorded program makes, of the queries that share keys with `here`'s.
ScoreBlocks score_blocks(debug::Session& session, const AttentionProducts& products, const Sum& here);

}  // namespace tl::viz
