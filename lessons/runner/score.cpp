#include "lessons/runner/score.h"

#include <fmt/format.h>

#include <set>

#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/trace/access_builder.h"
#include "lessons/runner/line_plans.h"

namespace tl::lessons {

namespace {

struct Taken {
  std::int64_t loads = 0, stores = 0, multiplications = 0, sectors = 0, dram_bytes = 0;
};

Taken taken_by(const Trial& trial, const Observed& o) {
  Taken t;
  const auto c = o.count();
  t.loads = c.loaded, t.stores = c.stored;
  std::set<std::tuple<bool, int, std::int64_t>> sectors;  // each once, read or written
  o.for_each_access("", [&](std::int64_t, const trace::RecordedAccess& a, const Site&) {
    const auto& tensor = o.trace().launches.front().tensors[static_cast<std::size_t>(a.tensor)];
    trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e, std::int64_t) {
      sectors.emplace(a.writes(), a.tensor, e * size_in_bytes(tensor.dtype) / machine::sector_bytes);
    });
  });
  t.dram_bytes = std::ssize(sectors) * machine::sector_bytes;
  const trace::AccessRecord record = trace::accesses_of(o.trace());
  for (const trace::ProgramAccesses& p : record.programs)
    t.multiplications += static_cast<std::int64_t>(record.dot_flops(p)) / 2;
  for (const machine::LineCoalescing& line :
       machine::coalescing_of(record, plans_of(trial.instance.launches.front(), record, o.has_op(trace::Op::dot))))
    t.sectors += line.cuda.sectors;
  return t;
}

}  // namespace

Score score_of(const Trial& trial, const Observed& mine, const Trial& best_trial, const Observed& best) {
  if (trial.instance.launches.size() != 1) return {};
  Score score{.sizes = trial.text(), .figures = {}};
  try {
    const Taken m = taken_by(trial, mine), b = taken_by(best_trial, best);
    const auto add = [&](const char* name, std::int64_t mine_is, std::int64_t best_is) {
      if (mine_is + best_is > 0) score.figures.push_back({name, mine_is, best_is});
    };
    add("loads", m.loads, b.loads);
    add("stores", m.stores, b.stores);
    add("multiplications in dots", m.multiplications, b.multiplications);
    add("sectors", m.sectors, b.sectors);
    add("bytes of DRAM", m.dram_bytes, b.dram_bytes);
  } catch (const Error&) {  // a place without a plan
    score.figures.clear();
  }
  return score;
}

std::string score_text(const Score& score) {
  if (score.figures.empty()) return "";
  std::string text;
  bool is_best = true;
  for (const Score::Figure& f : score.figures) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", f.mine, f.name);
    if (f.mine != f.best) text += fmt::format(" (best known {})", f.best), is_best = false;
  }
  return fmt::format("score of {}: {}{}", score.sizes, text, is_best ? ": as the best known" : "");
}

}  // namespace tl::lessons
