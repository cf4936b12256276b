#include "interp/machine/coalescing.h"

#include <algorithm>

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

void merge(Coalescing& to, const Coalescing& from) {
  if (from.requests && (to.requests == 0 || from.worst_waste > to.worst_waste)) to.worst = from.worst, to.worst_waste = from.worst_waste;
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.ideal += from.ideal;
  to.useful_bytes += from.useful_bytes;
  to.fetched_bytes += from.fetched_bytes;
  to.lanes += from.lanes;
  for (const auto& [bytes, n] : from.requests_by_bytes) to.requests_by_bytes[bytes] += n;
}

Coalescing coalescing_of(const AccessPlan& plan, const trace::Access& access) {
  Coalescing all;
  for_each_request(plan, access, [&](const Request& r) { all.add(r); });
  return all;
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
  if (requests == 0 || waste > worst_waste) worst = r, worst_waste = waste;
  requests += times;
  sectors += s * times;
  ideal += ideal_sectors(useful) * times;
  useful_bytes += useful * times;
  fetched_bytes += std::int64_t{sector_bytes} * s * times;
  lanes += __builtin_popcount(r.active) * times;
  requests_by_bytes[r.bytes] += times;
}

void CoalescingObserver::launch_begins(const trace::LaunchInfo& launch) {
  tensors_ = launch.tensors;
  std::vector<DType> dtypes;
  for (const trace::TensorInfo& t : tensors_) dtypes.push_back(t.dtype);
  types_.begin_launch(std::move(dtypes));
  cache_.clear();
}

trace::Keep CoalescingObserver::program_begins(ProgramId) {
  ++programs_;
  types_.begin_program();
  return trace::Keep::values;
}

AccessPlan CoalescingObserver::plan_of(const trace::OpEvent& e) const {
  const DType dtype = tensors_[static_cast<std::size_t>(e.access->tensor)].dtype;
  const bool has_pointer = !e.operands.empty() && e.operands[0].tensor >= 0;
  const bool is_block_pointer = has_pointer && !e.literals.empty();
  if (!has_pointer || is_block_pointer) return plan_tile(e, dtype, !is_block_pointer, types_.config());
  const CudaType pointer = types_.type_of(e.operands[0]);
  // The mask: the only block of bools, unless bools are what is stored.
  for (std::size_t i = e.operands.size(); i-- > 1;)
    if (e.operands[i].dtype == DType::int1 && (e.access->kind == trace::AccessKind::load || i == e.operands.size() - 1) &&
        !(dtype == DType::int1 && i == 1 && e.access->kind != trace::AccessKind::load)) {
      const CudaType mask = types_.type_of(e.operands[i]);
      return plan_access(e, pointer, &mask, types_.config());
    }
  return plan_access(e, pointer, nullptr, types_.config());
}

void CoalescingObserver::op(const trace::OpEvent& e) {
  if (e.access) {
    const trace::Access& a = *e.access;
    const DType dtype = tensors_[static_cast<std::size_t>(a.tensor)].dtype;
    const LineKey key{e.site.file, e.site.line, e.site.column, a.tensor, a.kind};
    const AccessPlan plan = plan_of(e);
    auto [at, is_new] = lines_.try_emplace(key);
    LineCoalescing& line = at->second;
    if (is_new) {
      line.key = key;
      line.tensor = tensors_[static_cast<std::size_t>(a.tensor)].name;
      line.dtype = dtype;
      line.plan = plan;
    }
    ++line.accesses;
    if (a.is_tile) {
      const std::int64_t bytes = a.base * size_in_bytes(dtype), phase = bytes - floor_div(bytes, sector_bytes) * sector_bytes;
      std::vector<std::int64_t> rest{phase, plan.elements, plan.is_uniform, static_cast<std::int64_t>(plan.path), plan.layout.registers.count};
      for (const auto& list : {a.strides, a.lo, a.hi}) rest.insert(rest.end(), list.begin(), list.end());
      auto [cached, is_first] = cache_.try_emplace(Shape{key, plan.shape, std::move(rest)});
      if (is_first) cached->second = {coalescing_of(plan, a), coalescing_of(plan_one_lane_an_element(e, dtype), a)};
      merge(line.cuda, cached->second.cuda);
      merge(line.simple, cached->second.simple);
    } else {
      merge(line.cuda, coalescing_of(plan, a));
      merge(line.simple, coalescing_of(plan_one_lane_an_element(e, dtype), a));
    }
  }
  types_.op(e);
}

std::vector<LineCoalescing> CoalescingObserver::lines() const {
  std::vector<LineCoalescing> all;
  for (const auto& [key, line] : lines_) all.push_back(line);
  return all;
}

}  // namespace tl::machine
