#include "interp/cli/machine/coalesce_case.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "interp/cli/interrupt.h"
#include "interp/cli/machine/cuda_config.h"
#include "interp/cli/terminal.h"
#include "interp/cpu/addresses.h"
#include "interp/debug/source_model.h"
#include "interp/sources/sources.h"

namespace tl::cli {

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

// As the debugger does: g++ evaluates arguments from the last to the first, so the first of several ops with one place is the last in the text.
CoalescedLaunch::Place place_of(const Key& key, const std::vector<Key>& used, const debug::SourceModel& model) {
  const CoalescedLaunch::Place told{key.line, key.column};
  const trace::Op op = trace::Op::tile;  // what stages are made of
  const int token = model.token_at(key.line, key.column);
  if (token < 0 || key.kind != trace::AccessKind::load || model.is_op(op, model.op_token(op, key.line, key.column)) || model.is_op(trace::Op::load, model.op_token(trace::Op::load, key.line, key.column))) return told;
  const std::vector<int> candidates = model.op_tokens(op, model.statement_of(token));
  std::size_t before = 0;
  for (const Key& k : used) {
    if (k == key) break;
    before += k.file == key.file && k.line == key.line && k.column == key.column;
  }
  if (before >= candidates.size()) return told;
  const debug::Token& t = model.tokens()[static_cast<std::size_t>(candidates[candidates.size() - 1 - before])];
  return {t.line, t.column};
}

std::vector<CoalescedLaunch::Place> places_of(const std::vector<machine::LineCoalescing>& lines, const trace::AccessRecord& record) {
  const std::vector<Key> used = in_order_of_use(record);
  std::map<std::string, debug::SourceModel> models;
  std::vector<CoalescedLaunch::Place> places;
  for (const auto& l : lines) places.push_back(place_of(l.key, used, models.try_emplace(l.key.file, l.key.file, std::string(sources::source(l.key.file))).first->second));
  return places;
}

CoalescedLaunch coalesced(const Launch& launch, const machine::Device& device, bool generic) {
  const Progress progress("following the loads and stores of " + launch.kernel);
  const cpu::AddressOptions options{.stop = &stop_requested()};
  const trace::AccessRecord record = cpu::record_accesses(launch, options);
  machine::PlanObserver observer(cuda_config_of(launch, device, generic), machine::programs_of_every_line(record));
  cpu::watch_addresses(launch, observer, options);
  CoalescedLaunch found{launch.kernel, launch.options.num_warps, static_cast<std::int64_t>(record.programs.size()), record.needed_values, {}, {}};
  const auto lines = machine::coalescing_of(record, observer.plans());
  const auto places = places_of(lines, record);
  std::vector<std::size_t> order(lines.size());  // as they stand in the text
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::tuple(lines[i].key.file, places[i].line, places[i].column); });
  for (const std::size_t i : order) found.lines.push_back(lines[i]), found.places.push_back(places[i]);
  return found;
}

}  // namespace

std::vector<CoalescedLaunch> coalesced_launches(const KernelOptions& kernel, const machine::Device& device, bool generic) {
  return cpu::without_data_if_possible([&] {
    std::vector<CoalescedLaunch> found;
    for (const Launch& launch : make_case(kernel).instance.launches) found.push_back(coalesced(launch, device, generic));
    return found;
  });
}

}  // namespace tl::cli
