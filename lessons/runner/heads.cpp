#include "lessons/runner/heads.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "lessons/runner/numbering.h"

namespace tl::lessons {

namespace {

struct Head {
  trace::RecordedSite site;
  std::int64_t times = 0;
};

// In the order in which they ran first.
std::vector<Head> heads_of(const trace::RecordedProgram& p) {
  std::vector<bool> is_taken(p.values.size());
  const std::size_t steps = std::min(p.steps.size(), most_steps);
  for (std::size_t s = 0; s < steps; ++s)
    for (const std::int32_t o : p.operands(p.steps[s])) is_taken[static_cast<std::size_t>(o)] = true;
  std::vector<Head> heads;
  std::map<std::tuple<int, int, int>, std::size_t> known;
  for (std::size_t s = 0; s < steps; ++s) {
    const trace::Step& step = p.steps[s];
    const auto decides = [&] {
      if (step.results != 1 || !is_comparison(step.op)) return false;
      const auto v = static_cast<std::size_t>(p.results(step)[0]);
      return p.values[v].shape.product() == 1 && !is_taken[v];
    };
    if (step.op != trace::Op::range && !decides()) continue;
    const auto [at, is_new] = known.try_emplace({step.site.file, step.site.line, step.site.column}, heads.size());
    if (is_new) heads.push_back({step.site});
    ++heads[at->second].times;
  }
  return heads;
}

}  // namespace

std::optional<trace::RecordedSite> other_head(const trace::RecordedProgram& mine, const trace::RecordedProgram& other) {
  std::set<std::int64_t> times;
  for (const Head& h : heads_of(other)) times.insert(h.times);
  for (const Head& h : heads_of(mine))
    if (!times.contains(h.times)) return h.site;
  return std::nullopt;
}

}  // namespace tl::lessons
