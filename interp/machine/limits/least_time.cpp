#include "interp/machine/limits/least_time.h"

#include <algorithm>
#include <vector>

#include "interp/machine/access/rows.h"
#include "interp/machine/schedule/work.h"

namespace tl::machine {

namespace {

// For each pattern, by way of shared memory.
std::vector<double> copied_bytes(const trace::AccessRecord& record) {
  std::vector<double> bytes;
  for (const trace::AccessPattern& p : record.patterns) {
    const bool is_copied = p.kind == trace::AccessKind::load && p.route != trace::Route::registers;
    const Rows rows = is_copied ? rows_of(p) : Rows{};
    const auto in_rows = static_cast<std::int64_t>(rows.starts.size()) * rows.width;
    bytes.push_back(is_copied ? static_cast<double>(std::min(rows.elements, in_rows) *
                                                    size_in_bytes(record.tensors[p.tensor].dtype))
                              : 0);
  }
  return bytes;
}

}  // namespace

LeastTime least_time_of_starts(std::int64_t programs, const Device& d) {
  return {(static_cast<double>(programs) * d.cta_issue_ns + d.launch_ns) * 1e-6, "the start of its programs"};
}

LeastTime least_time_of(const trace::AccessRecord& record, const Device& d, const ScheduleOptions& options) {
  const auto sms = static_cast<double>(d.sms),
             held = static_cast<double>(std::max<std::int64_t>(options.ctas_per_sm, 1));
  const Work works(record, d, options);
  const std::vector<double> bytes = copied_bytes(record);
  double work_ns = 0, copied = 0;
  for (std::size_t s = 0; s < record.segments.size(); ++s) {
    const trace::Segment& segment = record.segments[s];
    const auto iterations = static_cast<double>(segment.iterations);
    work_ns += works.least_ns(segment, static_cast<std::uint32_t>(s), sms, held);
    for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a)
      copied += iterations * bytes[record.accesses[a].pattern];
  }
  const double sm_takes = std::max(d.sm_gb_per_s, d.tma_sm_gb_per_s);
  LeastTime least = least_time_of_starts(static_cast<std::int64_t>(record.programs.size()), d);
  const auto consider = [&](double ns, const char* why) {
    if (const double ms = (ns + d.launch_ns) * 1e-6; ms > least.ms) least = {ms, why};
  };
  consider(work_ns, "its dots and lanes");
  if (sm_takes > 0) consider(copied / sms / sm_takes, "what SMs take of L2");
  return least;
}

std::int64_t tiles_to_follow(const trace::AccessRecord& record) {
  auto tiles = static_cast<std::int64_t>(record.programs.size());
  for (const trace::Segment& s : record.segments) tiles += s.iterations * s.size;
  return tiles;
}

}  // namespace tl::machine
