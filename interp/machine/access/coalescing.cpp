#include "interp/machine/access/coalescing.h"

#include <algorithm>
#include <set>
#include <span>

#include "interp/lang/error.h"

namespace tl::machine {

namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// Distinct units of `unit` bytes that the lanes which ask touch.
std::int64_t distinct(const Request& r, std::int64_t unit) {
  std::array<std::int64_t, 32 * 16> found;
  std::size_t n = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (!(r.active >> lane & 1)) continue;
    const std::int64_t last = floor_div(r.address[lane] + r.bytes - 1, unit);
    for (std::int64_t at = floor_div(r.address[lane], unit); at <= last && n < found.size(); ++at) found[n++] = at;
  }
  std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
  return std::unique(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n)) - found.begin();
}

LineKey key_of(const Site& site, int tensor, trace::AccessKind kind) {
  return {site.file, site.line, site.column, tensor, kind};
}

}  // namespace

int sectors_of(const Request& r) { return static_cast<int>(distinct(r, sector_bytes)); }

std::int64_t useful_bytes_of(const Request& r) {
  // Lanes touch whole elements, which either coincide or are apart.
  std::array<std::int64_t, 32> starts;
  std::size_t n = 0;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (r.active >> lane & 1) starts[n++] = r.address[lane];
  std::sort(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(n));
  return (std::unique(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(n)) - starts.begin()) * r.bytes;
}

void Coalescing::add(const Request& r, std::int64_t times) {
  const int s = sectors_of(r);
  const std::int64_t useful = useful_bytes_of(r);
  const std::int64_t waste = s - ideal_sectors(useful);
  if (requests == 0 || waste > worst_waste) {
    worst = r;
    worst_waste = waste;
  }
  requests += times;
  sectors += s * times;
  ideal += ideal_sectors(useful) * times;
  useful_bytes += useful * times;
  lanes += __builtin_popcount(r.active) * times;
  requests_by_bytes[r.bytes] += times;
}

std::vector<std::int64_t> programs_of_every_line(const trace::AccessRecord& record) {
  std::vector<bool> seen(record.patterns.size());
  std::set<LineKey> lines;
  std::vector<std::int64_t> programs;
  for (std::size_t n = 0; n < record.programs.size(); ++n) {
    const trace::ProgramAccesses& program = record.programs[n];
    bool is_new = false;
    for (std::uint32_t s = program.first; s < program.first + program.size; ++s) {
      const trace::Segment& segment = record.segments[s];
      for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a) {
        const std::uint32_t number = record.accesses[a].pattern;
        if (seen[number]) continue;
        seen[number] = true;
        const trace::AccessPattern& p = record.patterns[number];
        is_new |= lines.insert(key_of(p.site, p.tensor, p.kind)).second;
      }
    }
    if (is_new) programs.push_back(static_cast<std::int64_t>(n));
  }
  return programs;
}

// More passes than these are not kept: a period shows long before.
constexpr std::size_t most_passes = 4096;

void keep_longer(std::map<LineKey, std::vector<std::uint8_t>>& longest,
                 const std::map<LineKey, std::vector<std::uint8_t>>& turns) {
  for (const auto& [key, those] : turns)
    if (auto& kept = longest[key]; those.size() > kept.size()) kept = those;
}

std::uint8_t number_of(LinePlan& line, AccessPlan plan) {
  std::size_t i = 0;
  while (i <= line.others.size() && !same_requests(line.numbered(i), plan)) ++i;
  if (i > line.others.size()) line.others.push_back(std::move(plan));
  return static_cast<std::uint8_t>(i);
}

// The shortest prefix whose repetition is the whole.
std::vector<std::uint8_t> period_of(std::vector<std::uint8_t> turns) {
  std::size_t period = 1;
  while (period < turns.size() &&
         !std::equal(turns.begin() + static_cast<std::ptrdiff_t>(period), turns.end(), turns.begin()))
    ++period;
  turns.resize(std::min(period, turns.size()));
  return turns;
}

trace::Keep PlanObserver::program_begins(ProgramId id) {
  keep_longer(longest_, turns_);
  turns_.clear();
  return TypeTracker::program_begins(id);
}

AccessPlan PlanObserver::plan_of(const trace::OpEvent& e) const {
  const DType dtype = dtype_of_tensor(e.access->tensor);
  const bool has_pointer = !e.operands.empty() && e.operands[0].tensor >= 0;
  const bool is_block_pointer = has_pointer && !e.literals.empty();
  if (!has_pointer || is_block_pointer) return plan_tile(e, dtype, !is_block_pointer, config());
  const CudaType pointer = type_of(e.operands[0]);
  // pointer, mask, other of a load; pointer, value, mask of a store: those that are literals are not here
  const bool is_load = e.access->kind == trace::AccessKind::load;
  const trace::Value& last =
      e.operands[is_load ? std::min<std::size_t>(1, e.operands.size() - 1) : e.operands.size() - 1];
  const bool is_mask =
      last.tensor < 0 && last.dtype == DType::int1 && (is_load || dtype != DType::int1 || e.operands.size() > 2);
  if (!is_mask) return plan_access(e, pointer, nullptr, config());
  const CudaType mask = type_of(last);
  return plan_access(e, pointer, &mask, config());
}

void PlanObserver::op(const trace::OpEvent& e) {
  if (e.access) {
    const LineKey key = key_of(e.site, e.access->tensor, e.access->kind);
    std::vector<std::uint8_t>& turns = turns_[key];
    if (turns.size() < most_passes) {
      const auto [at, is_new] = plans_.try_emplace(key);
      if (is_new)
        at->second = {plan_of(e),
                      plan_one_lane_an_element(e.access->kind, e.access->shape.span(),
                                               size_in_bytes(dtype_of_tensor(e.access->tensor))),
                      {},
                      {}};
      turns.push_back(number_of(at->second, plan_of(e)));
    }
  }
  TypeTracker::op(e);
}

LinePlans PlanObserver::plans() const {
  auto longest = longest_;
  keep_longer(longest, turns_);
  LinePlans plans = plans_;
  for (auto& [key, plan] : plans)
    if (!plan.others.empty()) plan.turns = period_of(longest[key]);
  return plans;
}

namespace {

using Phases = std::array<std::int64_t, sector_bytes>;  // how often a pattern begins at each byte of a sector

// Accesses of one pattern and plan that differ by whole sectors make the same requests: counted by where they begin
// within a sector.
class PhaseCounts {
 public:
  PhaseCounts(const trace::AccessRecord& record, const LinePlans& plans)
      : record_(record),
        times_(record.patterns.size()),
        plan_of_(record.patterns.size()),
        passes_(record.patterns.size()) {
    std::map<LineKey, std::size_t> first;  // pattern of a place
    for (std::size_t n = 0; n < record.patterns.size(); ++n) {
      const trace::AccessPattern& p = record.patterns[n];
      const LineKey key = key_of(p.site, p.tensor, p.kind);
      const auto plan = plans.find(key);
      if (plan == plans.end())
        throw Error("line " + std::to_string(key.line) + " of " + key.file + " was not watched",
                    "watch programs_of_every_line");
      plan_of_[n] = &plan->second;
      times_[n].resize(1 + plan->second.others.size());
      passes_[n] = first.try_emplace(key, n).first->second;
      turns_ |= !plan->second.turns.empty();
    }
    std::vector<std::size_t> passed(record.patterns.size()),
        in_iteration(record.patterns.size());  // of a place, by its first pattern
    for (const trace::ProgramAccesses& program : record.programs) {
      if (turns_) std::ranges::fill(passed, 0);
      for (std::uint32_t s = program.first; s < program.first + program.size; ++s)
        count(record.segments[s], passed, in_iteration);
    }
  }
  const std::vector<Phases>& of(std::size_t pattern) const { return times_[pattern]; }
  const LinePlan& plan_of(std::size_t pattern) const { return *plan_of_[pattern]; }

 private:
  void count(const trace::Segment& segment, std::vector<std::size_t>& passed, std::vector<std::size_t>& in_iteration) {
    const auto accesses = std::span(record_.accesses).subspan(segment.first, segment.size);
    for (const trace::PlacedAccess& a : accesses) ++in_iteration[passes_[a.pattern]];
    for (const trace::PlacedAccess& a : accesses) {
      const std::size_t place = passes_[a.pattern], pass = passed[place]++;
      const std::int64_t bytes = size_in_bytes(record_.tensors[record_.patterns[a.pattern].tensor].dtype);
      const auto phase = [&](std::int64_t i) {
        return static_cast<std::size_t>(((a.base + i * a.step) * bytes) & (sector_bytes - 1));
      };
      const LinePlan& plan = *plan_of_[a.pattern];
      if (plan.turns.empty() && a.step * bytes % sector_bytes == 0)
        times_[a.pattern][0][phase(0)] += segment.iterations;
      else
        for (std::int64_t i = 0; i < segment.iterations; ++i)
          ++times_[a.pattern][plan.of_pass(pass + static_cast<std::size_t>(i) * in_iteration[place])][phase(i)];
    }
    for (const trace::PlacedAccess& a : accesses)
      if (std::size_t& n = in_iteration[passes_[a.pattern]]; n > 0) {
        passed[passes_[a.pattern]] += n * static_cast<std::size_t>(segment.iterations - 1);
        n = 0;
      }
  }

  const trace::AccessRecord& record_;
  std::vector<std::vector<Phases>> times_;  // by pattern and plan
  std::vector<const LinePlan*> plan_of_;
  std::vector<std::size_t> passes_;  // the first pattern of the same place
  bool turns_ = false;               // some place takes several plans
};

}  // namespace

std::vector<LineCoalescing> coalescing_of(const trace::AccessRecord& record, const LinePlans& plans) {
  const PhaseCounts counts(record, plans);
  std::map<LineKey, LineCoalescing> lines;
  for (std::size_t n = 0; n < record.patterns.size(); ++n) {
    const trace::AccessPattern& p = record.patterns[n];
    const LineKey key = key_of(p.site, p.tensor, p.kind);
    const LinePlan& plan = counts.plan_of(n);
    const trace::RecordedTensor& tensor = record.tensors[p.tensor];
    const auto [at, is_new] = lines.try_emplace(key);
    LineCoalescing& line = at->second;
    if (is_new) {
      line.key = key;
      line.tensor = tensor.name;
      line.dtype = tensor.dtype;
      line.plan = plan.cuda;
    }
    for (std::size_t i = 0; i < counts.of(n).size(); ++i)
      for (std::int64_t phase = 0; phase < sector_bytes; ++phase) {
        const std::int64_t count = counts.of(n)[i][phase];
        if (count == 0) continue;
        line.accesses += count;
        trace::Access access = p;
        access.base = phase / size_in_bytes(tensor.dtype);
        for_each_request(plan.numbered(i), access, [&](const Request& r) { line.cuda.add(r, count); });
        for_each_request(plan.simple, access, [&](const Request& r) { line.simple.add(r, count); });
      }
  }
  std::vector<LineCoalescing> all;
  for (auto& [key, line] : lines) all.push_back(std::move(line));
  return all;
}

}  // namespace tl::machine
