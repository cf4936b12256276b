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

TextLocation location_of(const Key& key, const std::vector<Key>& used, const debug::SourceModel& model) {
  const auto is_at = [&](trace::Op op) { return model.is_op(op, model.op_token(op, key.line, key.column)); };
  const auto before = std::count_if(used.begin(), std::ranges::find(used, key), [&](const Key& k) {
    return k.file == key.file && k.line == key.line && k.column == key.column;
  });
  const int at = model.token_at(key.line, key.column);
  if (at < 0 || key.kind != trace::AccessKind::load || is_at(trace::Op::load)) return {key.line, key.column};
  const int load = model.nth_token(trace::Op::load, model.statement_of(at), before);
  if (load < 0) return {key.line, key.column};
  return {model.token(load).line, model.token(load).column};
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
