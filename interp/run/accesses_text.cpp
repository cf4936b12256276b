#include "interp/run/accesses_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "interp/lang/text.h"
#include "interp/report/access_text.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/run/text_locations.h"

namespace tl::run {

using namespace report;

namespace {

constexpr std::int64_t programs_shown = 4;  // where no condition chooses

const char* route_text(trace::Route r) { return r == trace::Route::descriptor ? "descriptor" : "pointer"; }

nlohmann::ordered_json pattern_json(const trace::AccessRecord& r, const trace::AccessPattern& p,
                                    const TextLocation& place) {
  const auto& t = r.tensors[p.tensor];
  nlohmann::ordered_json j{{"kind", trace::text_of(p.kind)}, {"route", route_text(p.route)}, {"tensor", t.name},
                           {"dtype", name_of(t.dtype)},      {"line", place.line},           {"column", place.column},
                           {"shape", p.shape.span()}};
  if (p.is_tile) {
    j["strides"] = p.strides.span();
    j["lo"] = p.lo.span();
    j["hi"] = p.hi.span();
  } else {
    const auto lanes = static_cast<std::size_t>(p.lanes());
    j["offsets"] = std::span(p.offsets, lanes);
    if (p.mask) j["mask"] = std::span(p.mask, lanes);
  }
  return j;
}

nlohmann::ordered_json program_json(const trace::AccessRecord& r, const trace::ProgramAccesses& p) {
  auto segments = nlohmann::ordered_json::array();
  for (std::uint32_t i = p.first; i < p.first + p.size; ++i) {
    const trace::Segment& s = r.segments[i];
    auto accesses = nlohmann::ordered_json::array();
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a)
      accesses.push_back(
          {{"pattern", r.accesses[a].pattern}, {"base", r.accesses[a].base}, {"step", r.accesses[a].step}});
    segments.push_back({{"iterations", s.iterations},
                        {"dot_flops", s.dot_flops},
                        {"lane_ops", r.lane_ops(s)},
                        {"accesses", std::move(accesses)}});
  }
  return {{"program", {p.id.x, p.id.y, p.id.z}}, {"segments", std::move(segments)}};
}

struct Totals {
  std::int64_t accesses = 0;
  double bytes_read = 0, bytes_written = 0, dot_flops = 0;
};

// A load's lanes are read, a store's written, an atomic's both.
Totals totals_of(const trace::AccessRecord& r) {
  std::vector<double> bytes;
  for (const auto& p : r.patterns)
    bytes.push_back(static_cast<double>(p.active_lanes() * size_in_bytes(r.tensors[p.tensor].dtype)));
  Totals t;
  for (const trace::Segment& s : r.segments) {
    const auto n = static_cast<double>(s.iterations);
    t.accesses += s.iterations * s.size;
    t.dot_flops += n * s.dot_flops;
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
      const std::uint32_t p = r.accesses[a].pattern;
      if (r.patterns[p].kind != trace::AccessKind::store) t.bytes_read += n * bytes[p];
      if (r.patterns[p].kind != trace::AccessKind::load) t.bytes_written += n * bytes[p];
    }
  }
  return t;
}

nlohmann::ordered_json record_json(const trace::AccessRecord& r, const PidCondition& chosen) {
  const Totals t = totals_of(r);
  nlohmann::ordered_json j{
      {"functor", r.kernel},
      {"grid", r.grid},
      {"warps", r.num_warps},
      {"stages", r.num_stages},
      {"needed_values", r.needed_values},
      {"accesses", t.accesses},
      {"requested_bytes", {{"read", std::llround(t.bytes_read)}, {"written", std::llround(t.bytes_written)}}},
      {"dot_flops", std::llround(t.dot_flops)}};
  j["patterns"] = nlohmann::ordered_json::array();
  std::vector<machine::LineKey> keys;
  for (const auto& p : r.patterns) keys.push_back({p.site.file, p.site.line, p.site.column, p.tensor, p.kind});
  const auto places = text_locations_of(keys, r);
  for (std::size_t i = 0; i < places.size(); ++i) j["patterns"].push_back(pattern_json(r, r.patterns[i], places[i]));
  j["programs"] = nlohmann::ordered_json::array();
  for (const auto& p : r.programs)
    if (chosen.matches(p.id)) j["programs"].push_back(program_json(r, p));
  return j;
}

std::string record_text(const trace::AccessRecord& r, const PidCondition& chosen, Paint paint) {
  const Totals t = totals_of(r);
  const int axes = r.grid[2] > 1 ? 3 : r.grid[1] > 1 ? 2 : 1;
  std::string text = fmt::format("\n{}: {}, {} tile accesses, {} requested for reading, {} for writing\n",
                                 paint.bold(short_name(r.kernel)), plural(std::ssize(r.programs), "program"),
                                 t.accesses, bytes_text(t.bytes_read), bytes_text(t.bytes_written));
  if (!r.needed_values.empty()) text += paint.dim("its data was computed: " + r.needed_values) + "\n";
  std::int64_t shown = 0, left = 0;
  for (const auto& p : r.programs) {
    if (!chosen.matches(p.id)) continue;
    if (chosen.always() && shown == programs_shown) {
      ++left;
      continue;
    }
    ++shown;
    text += fmt::format("program {}\n", program_text(p.id, axes));
    for (std::uint32_t s = p.first; s < p.first + p.size; ++s) text += segment_text(r, r.segments[s], "  ");
  }
  if (shown == 0) text += fmt::format("no program is {}\n", chosen.text());
  if (left)
    text +=
        paint.dim(fmt::format("and {} more: choose with --pid, as in --pid ={}", left, r.programs.back().id.x)) + "\n";
  return text;
}

}  // namespace

nlohmann::ordered_json accesses_json(const KernelOptions& kernel, const std::vector<trace::AccessRecord>& records,
                                     double ms, const PidCondition& chosen) {
  const problems::Problem& problem = problems::find(kernel.kernel);
  nlohmann::ordered_json j{{"kernel", problem.name},
                           {"settings", settings_json(problem, problems::parse(problem, kernel.settings))},
                           {"wall_ms", ms},
                           {"launches", nlohmann::ordered_json::array()}};
  for (const auto& r : records) j["launches"].push_back(record_json(r, chosen));
  return j;
}

std::string accesses_text(const KernelOptions& kernel, const std::vector<trace::AccessRecord>& records, double ms,
                          const PidCondition& chosen, Paint paint, int columns) {
  const bool by_descriptor = std::ranges::any_of(records, [](const auto& r) {
    return std::ranges::count(r.patterns, trace::Route::descriptor, &trace::AccessPattern::route) > 0;
  });
  std::string text = heading(
      kernel,
      fmt::format("addresses alone, in {}; {}i: the iteration; 4:8 of 16: elements 4 to 7, the part within the tensor "
                  "of a tile of 16",
                  time_text(ms), by_descriptor ? "tma: by a descriptor; " : ""),
      paint, columns);
  for (const auto& r : records) text += record_text(r, chosen, paint);
  return text;
}

}  // namespace tl::run
