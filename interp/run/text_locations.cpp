#include "interp/run/text_locations.h"

#include <algorithm>
#include <map>
#include <string>

#include "interp/debug/source_model.h"
#include "interp/sources/sources.h"

namespace tl::run {

namespace {

using Key = machine::LineKey;

// The lines' keys in the order in which their accesses were first made.
std::vector<Key> in_order_of_use(const trace::AccessRecord& record) {
  std::vector<Key> keys;
  for (const trace::ProgramAccesses& program : record.programs)
    for (std::uint32_t s = program.first; s < program.first + program.size; ++s)
      for (std::uint32_t a = record.segments[s].first; a < record.segments[s].first + record.segments[s].size; ++a) {
        const trace::AccessPattern& p = record.patterns[record.accesses[a].pattern];
        const Key key{p.site.file, p.site.line, p.site.column, p.tensor, p.kind};
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
      }
  return keys;
}

// As the debugger does: g++ evaluates arguments from the last to the first, so the first of several ops with one
// location is the last in the text.
TextLocation location_of(const Key& key, const std::vector<Key>& used, const debug::SourceModel& model) {
  const TextLocation named{key.line, key.column};
  const trace::Op op = trace::Op::tile;  // what stages are made of
  const int token = model.token_at(key.line, key.column);
  if (token < 0 || key.kind != trace::AccessKind::load || model.is_op(op, model.op_token(op, key.line, key.column)) ||
      model.is_op(trace::Op::load, model.op_token(trace::Op::load, key.line, key.column)))
    return named;
  const std::vector<int> candidates = model.op_tokens(op, model.statement_of(token));
  std::size_t before = 0;
  for (const Key& k : used) {
    if (k == key) break;
    before += k.file == key.file && k.line == key.line && k.column == key.column;
  }
  if (before >= candidates.size()) return named;
  const debug::Token& t = model.token(candidates[candidates.size() - 1 - before]);
  return {t.line, t.column};
}

}  // namespace

std::vector<TextLocation> text_locations_of(const std::vector<Key>& keys, const trace::AccessRecord& record) {
  const std::vector<Key> used = in_order_of_use(record);
  std::map<std::string, debug::SourceModel> models;
  std::vector<TextLocation> locations;
  for (const Key& k : keys)
    locations.push_back(
        location_of(k, used, models.try_emplace(k.file, k.file, std::string(sources::source(k.file))).first->second));
  return locations;
}

}  // namespace tl::run
