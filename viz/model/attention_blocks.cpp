#include "viz/model/attention_blocks.h"

#include <algorithm>

#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

// Whether a mask leaves lanes of a block out.
bool is_masked(const trace::RecordedProgram& program, const Sum& sum) {
  if (sum.mask < 0 || !program.values[sum.mask].is_kept()) return false;
  const trace::RecordedValue& mask = program.values[sum.mask];
  const std::int64_t lanes = mask.shape.product();
  for (std::int64_t i = 0; i < lanes; ++i)
    if (trace::element_as_double(mask, i) == 0) return true;
  return false;
}

}  // namespace

std::optional<AttentionProducts> attention_of(debug::Session& session, std::size_t program) {
  std::vector<Product> products = products_of(session, program);
  const auto first =
      std::ranges::find_if(products, [](const Product& p) { return p.a.is_read() && p.b.is_read() && !p.c.is_read(); });
  const auto second =
      std::ranges::find_if(products, [](const Product& p) { return !p.a.is_read() && p.b.is_read() && p.c.is_read(); });
  if (first == products.end() || second == products.end() || first->b.columns != second->b.rows) return std::nullopt;
  return AttentionProducts{*first, *second};
}

Colour colour_of(BlockState state) {
  switch (state) {
    case BlockState::skipped: return {};
    case BlockState::to_come: return {Role::surface};
    case BlockState::whole: return category(2);
    case BlockState::masked: return category(1);
  }
  return {};
}
const char* name_of(BlockState state) {
  switch (state) {
    case BlockState::skipped: return "skipped: no query of it sees a key of it";
    case BlockState::to_come: return "to come";
    case BlockState::whole: return "computed";
    case BlockState::masked: return "computed under a mask: -inf where a query must not look";
  }
  return "";
}

ScoreBlocks score_blocks(debug::Session& session, const AttentionProducts& products, const Sum& here) {
  const std::int64_t bm = here.c.rows, bn = here.c.columns;
  ScoreBlocks found;
  std::map<std::int64_t, std::set<std::int64_t>> keys_of;
  const auto add = [&](std::int64_t q, std::int64_t k, BlockState state) {
    keys_of[q / bm].insert(k / bn);
    BlockState& known = found.blocks.try_emplace({q / bm, k / bn}, state).first->second;
    known = std::max(known, state);
  };
  const auto& programs = session.trace().programs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (programs[i].launch != session.program().launch) continue;
    Tile q, k;
    for (const trace::RecordedAccess& access : programs[i].accesses)
      if (access.tensor == products.scores.a.tensor && !access.writes()) place_tile(access, products.scores.a, q);
      else if (access.tensor == products.scores.b.tensor && !access.writes() &&
               place_tile(access, products.scores.b, k))
        add(q.row, k.column, i < session.now().program ? BlockState::whole : BlockState::to_come);
    if (i != session.now().program && i >= 64) continue;  // the masks of so many are told
    const auto own = i == session.now().program ? std::optional(products) : attention_of(session, i);
    if (!own) continue;
    for (const Sum& sum : own->scores.sums)
      if (const bool is_mine = i == session.now().program;
          is_mine ? sum.turns.back().step < session.now().step : i < session.now().program)
        add(sum.c.row, sum.c.column, is_masked(programs[i], sum) ? BlockState::masked : BlockState::whole);
  }
  found.queries = {here.c.row / bm};
  found.keys = keys_of[here.c.row / bm];
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [q, of] : keys_of)
      if (!found.queries.contains(q) &&
          std::ranges::any_of(of, [&](std::int64_t k) { return found.keys.contains(k); })) {
        found.queries.insert(q);
        found.keys.insert(of.begin(), of.end());
        grows = true;
      }
  }
  return found;
}

}  // namespace tl::viz
