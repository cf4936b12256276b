#include "lessons/runner/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/trace/access_builder.h"
#include "lessons/runner/line_plans.h"

namespace tl::lessons {

namespace {

// Each sector once, read or written, of whichever launch.
std::int64_t dram_bytes(const Observed& o) {
  std::set<std::tuple<bool, std::string_view, std::int64_t>> sectors;
  o.for_each_access("", [&](std::int64_t program, const trace::RecordedAccess& a, const Site&) {
    const auto& launch = o.trace().launches[static_cast<std::size_t>(o.trace().programs[program].launch)];
    const auto& tensor = launch.tensors[static_cast<std::size_t>(a.tensor)];
    trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e) {
      sectors.emplace(a.writes(), tensor.name, e * size_in_bytes(tensor.dtype) / machine::sector_bytes);
    });
  });
  return std::ssize(sectors) * machine::sector_bytes;
}

std::vector<machine::LineCoalescing> requests_of(const problems::Instance& instance, const Observed& o,
                                                 const trace::AccessRecord& record) {
  instance.reset();  // the launch runs once more, and what it waits for begins anew
  return machine::coalescing_of(record, plans_of(instance.launches.front(), record,
                                                 o.has_op(trace::Op::dot) ? rules::Dots::any : rules::Dots::none));
}

std::int64_t atomics_of(const Observed& o) {
  std::int64_t lanes = 0;
  o.for_each_access("", [&lanes](std::int64_t, const trace::RecordedAccess& a, const Site&) {
    lanes += a.kind == trace::AccessKind::atomic ? a.active : 0;
  });
  return lanes;
}

constexpr const char* scored[] = {"loads", "stores", "atomics", "multiplications in dots", "sectors", "bytes of DRAM"};

}  // namespace

std::vector<NamedCount> figures_of(const problems::Instance& instance, const Observed& o) {
  const auto c = o.count();
  const trace::AccessRecord record = trace::accesses_of(o.trace());
  std::int64_t multiplications = 0;
  for (const trace::ProgramAccesses& p : record.programs)
    multiplications += static_cast<std::int64_t>(record.dot_flops(p)) / 2;
  std::vector<NamedCount> figures{{"programs", o.programs()},         {"loads", c.loaded},
                                  {"masked loads", c.masked_loads},   {"stores", c.stored},
                                  {"masked stores", c.masked_stores}, {"multiplications in dots", multiplications},
                                  {"bytes of DRAM", dram_bytes(o)}};
  if (const std::int64_t atomics = atomics_of(o); atomics > 0) figures.emplace_back("atomics", atomics);
  if (instance.launches.size() != 1) return figures;
  try {
    std::int64_t sectors = 0;
    for (const machine::LineCoalescing& line : requests_of(instance, o, record)) sectors += line.cuda.sectors;
    figures.emplace_back("sectors", sectors);
  } catch (const Error&) {  // a place without a plan
  }
  return figures;
}

std::optional<Site> busiest_place(const problems::Instance& instance, const Observed& o) {
  try {
    std::optional<Site> place;
    std::int64_t most = 0;
    for (const machine::LineCoalescing& line : requests_of(instance, o, trace::accesses_of(o.trace())))
      if (line.cuda.sectors > most) most = line.cuda.sectors, place = Site{"", line.key.line, line.key.column};
    return place;
  } catch (const Error&) {  // a place without a plan
    return std::nullopt;
  }
}

Score score_of(const Trial& trial, const Observed& mine, const Trial& best_trial, const Observed& best) {
  if (trial.instance.launches.size() != 1) return {};
  Score score{.sizes = trial.text(), .figures = {}};
  const auto m = figures_of(trial.instance, mine), b = figures_of(best_trial.instance, best);
  const auto of = [](const std::vector<NamedCount>& all, const char* name) {
    const auto it = std::ranges::find(all, name, &NamedCount::first);
    return it == all.end() ? std::int64_t{-1} : it->second;
  };
  if (of(m, "sectors") < 0 || of(b, "sectors") < 0) return score;
  for (const char* name : scored) {
    const std::int64_t mine_has = std::max<std::int64_t>(0, of(m, name)),
                       best_has = std::max<std::int64_t>(0, of(b, name));
    if (mine_has + best_has > 0) score.figures.push_back({name, mine_has, best_has});
  }
  return score;
}

std::string score_text(const Score& score) {
  if (score.figures.empty()) return "";
  std::string text;
  bool is_best = true;
  for (const Score::Figure& f : score.figures) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", f.mine, f.name);
    if (f.mine != f.best) {
      text += fmt::format(" (best known {})", f.best);
      is_best = false;
    }
  }
  return fmt::format("score of {}: {}{}", score.sizes, text, is_best ? ": as the best known" : "");
}

}  // namespace tl::lessons
