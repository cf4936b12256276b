#include "interp/run/limits_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "interp/report/fields.h"
#include "interp/report/numbers.h"
#include "interp/run/schedule_text.h"

namespace tl::run {

using namespace report;

namespace {

std::string bar(double part, int width = 24) {
  const int full = static_cast<int>(part * width + 0.5);
  return std::string(static_cast<std::size_t>(std::min(full, width)), '#') +
         std::string(static_cast<std::size_t>(width - std::min(full, width)), '.');
}

std::vector<Fields> limits_of(const machine::Occupancy& o) {
  std::vector<Fields> all;
  for (const machine::OccupancyLimit& l : o.limits) {
    const bool is_used = l.ctas < machine::unlimited_ctas;
    const double part = l.available > 0 ? static_cast<double>(l.used * o.ctas) / static_cast<double>(l.available) : 0;
    const std::string taken = is_used ? fmt::format("{} {:.0f} %", bar(part), 100 * part) : "";
    all.push_back({{"resource", "resource", {l.resource, (l.ctas == o.ctas ? "> " : "  ") + l.resource}},
                   {"ctas", "", {nullptr, ""}},
                   {"used_by_a_cta", "a CTA takes", Value::count(l.used)},
                   {"available", "an SM has", {l.available, fmt::format("{} {}", count_text(l.available), l.unit)}},
                   {"unit", "", Value::word(l.unit)},
                   {"", "allows", {nullptr, is_used ? std::to_string(l.ctas) : "any"}},
                   {"", "taken", Value::word(taken)}});
    if (is_used) all.back()[1].value.data = l.ctas;
  }
  return all;
}

nlohmann::ordered_json occupancy_json(const LaunchOccupancy& e) {
  nlohmann::ordered_json j{{"kernel", e.name},
                           {"threads", e.resources.cta.threads},
                           {"registers", e.resources.cta.registers_per_thread},
                           {"shared_bytes", e.resources.cta.shared_bytes},
                           {"resources", e.resources.how},
                           {"ctas_per_sm", e.occupancy.ctas},
                           {"warps_per_sm", e.occupancy.warps},
                           {"max_warps", e.occupancy.max_warps},
                           {"occupancy", e.occupancy.fraction()},
                           {"limited_by", e.occupancy.limited_by},
                           {"limits", json_of(limits_of(e.occupancy))}};
  if (!e.occupancy.why_none.empty()) j["why_none"] = e.occupancy.why_none;
  if (!e.resources.spills.empty()) j["spills"] = e.resources.spills;
  return j;
}

std::string occupancy_text(const LaunchOccupancy& e, Paint paint, int columns) {
  const auto& cta = e.resources.cta;
  const std::string takes =
      fmt::format("{}: {} threads, {} registers a thread, {} of shared memory ({})", e.name, cta.threads,
                  cta.registers_per_thread, bytes_text(static_cast<double>(cta.shared_bytes)), e.resources.how);
  std::string text = "\n" + wrapped(takes, columns) + "\n";
  if (!e.resources.spills.empty()) text += wrapped(e.resources.spills, columns) + "\n";
  if (e.occupancy.ctas == 0) return text + fmt::format("  {} {}\n", paint.bad("no CTA fits:"), e.occupancy.why_none);
  return text + fmt::format("{}  {} an SM, {} of {} warps ({:.0f} %), limited by {}\n",
                            table_of(limits_of(e.occupancy)).text(), paint.bold(plural(e.occupancy.ctas, "CTA")),
                            e.occupancy.warps, e.occupancy.max_warps, 100 * e.occupancy.fraction(),
                            paint.bold(e.occupancy.limited_by));
}

std::string rate_of(const machine::ResourceTime& t) {
  if (t.unit == "instruction") return fmt::format("{:.4g} T/s", t.rate * 1e-12);
  if (t.unit == "flop") return fmt::format("{:.4g} TFLOP/s", t.rate * 1e-12);
  return t.rate < 1e13 ? fmt::format("{:.4g} GB/s", t.rate * 1e-9) : fmt::format("{:.4g} TB/s", t.rate * 1e-12);
}
std::string work_of(const machine::ResourceTime& t) {
  if (t.unit == "instruction") {
    const bool many = t.work >= 1e9;
    return fmt::format("{:.4g} {} instr.", t.work * (many ? 1e-9 : 1e-6), many ? "G" : "M");
  }
  return t.unit == "flop" ? fmt::format("{:.4g} GFLOP", t.work * 1e-9) : bytes_text(t.work);
}

std::vector<Fields> resources_of(const machine::Roofline& r) {
  std::vector<Fields> all;
  for (const machine::ResourceTime& t : r.resources) {
    const double part = t.ms / r.resources.front().ms;  // of the longest
    all.push_back({{"resource", "resource", Value::word(t.resource)},
                   {"work", "work", {std::int64_t{std::llround(t.work)}, work_of(t)}},
                   {"unit", "", Value::word(t.unit)},
                   {"rate_per_s", "rate", {t.rate, rate_of(t)}},
                   {"ms", "time", Value::time(t.ms)},
                   {"", " ", Value::word(std::string(static_cast<std::size_t>(std::max(1.0, 13 * part)), '#'))}});
  }
  return all;
}

std::string sentences_of(const machine::Cause& c, double ms) {
  if (c.busiest.empty()) return "";
  const std::string busiest =
      fmt::format("{} for {}{}", c.busiest, percent_text(c.share),
                  c.next.empty() ? "" : fmt::format(", then {} for {}", c.next, percent_text(c.next_share)));
  const std::string what =
      c.limit == c.busiest
          ? fmt::format("{} sets it: at work are {}", c.limit, busiest)
          : fmt::format("latency sets it, what programs wait for: no resource is at work for three fifths of it, {}",
                        busiest);
  return fmt::format("Of the {} of `tilescope schedule` {}. In {} of the cycles a scheduler has no eligible warp.",
                     time_text(ms), what, percent_text(c.no_eligible));
}

// The roof, both axes logarithmic: flops a second over flops a byte; o is the launch as it is scheduled, + the ridge.
std::string roof_text(const machine::Roofline& r, const machine::Device& d, double scheduled_ms) {
  if (r.intensity() <= 0) return "";
  constexpr int width = 56, height = 9;
  const double ridge = r.ridge(d), bandwidth = d.dram_gb_per_s * d.dram_reachable * 1e9, at = r.intensity();
  const double low = std::min(at, ridge) / 4, high = std::max(at, ridge) * 4;
  const double reached = r.flops / ((scheduled_ms > 0 ? scheduled_ms : r.estimate_ms) * 1e-3);
  const double bottom = std::min(low * bandwidth, reached), top = r.peak_flops;
  const auto column = [&](double x) {
    return static_cast<int>(std::lround(std::log(x / low) / std::log(high / low) * (width - 1)));
  };
  const auto row = [&](double y) {
    return static_cast<int>(std::lround(std::log(y / bottom) / std::log(top / bottom) * (height - 1)));
  };
  std::vector<std::string> lines(height, std::string(width, ' '));
  for (int c = 0; c < width; ++c) {
    const double x = low * std::pow(high / low, static_cast<double>(c) / (width - 1)), y = std::min(top, x * bandwidth);
    lines[std::clamp(row(y), 0, height - 1)][c] = x < ridge ? '/' : '-';
  }
  lines[height - 1][std::clamp(column(ridge), 0, width - 1)] = '+';
  lines[std::clamp(row(reached), 0, height - 1)][std::clamp(column(at), 0, width - 1)] = 'o';
  std::string text;
  for (int i = height - 1; i >= 0; --i)
    text += fmt::format("  {:>10} |{}\n",
                        i == height - 1 ? fmt::format("{:.3g} T/s", top * 1e-12)
                        : i == 0        ? fmt::format("{:.3g} T/s", bottom * 1e-12)
                                        : "",
                        lines[i]);
  text += fmt::format(
      "  {:>10} +{}\n  {:>10}  o this launch, {:.3g} flop a byte, {:.3g} TFLOP/s\n"
      "  {:>10}  + the ridge, {:.3g}: left of it DRAM is the roof\n",
      "", std::string(width, '-'), "", at, reached * 1e-12, "", ridge);
  return text;
}

nlohmann::ordered_json roofline_json(const LaunchRoofline& e, const machine::Device& d) {
  const auto& r = e.roofline;
  nlohmann::ordered_json j{{"kernel", e.kernel},
                           {"flops", std::llround(r.flops)},
                           {"dram_bytes", std::llround(r.dram_bytes)},
                           {"l2_read_bytes", std::llround(e.schedule.reads.tex() * 32)},
                           {"shared_bytes", std::llround(e.shared_bytes)},
                           {"intensity", r.intensity()},
                           {"ridge", r.ridge(d)},
                           {"peak_flops_per_s", r.peak_flops},
                           {"waves", e.schedule.waves},
                           {"tail_factor", r.tail_factor},
                           {"estimate_ms", r.estimate_ms},
                           {"limited_by", r.limit},
                           {"schedule_model_ms", e.schedule.model_ms},
                           {"schedule", cause_json(e.cause)},
                           {"why_they_differ", e.other_estimate},
                           {"resources", json_of(resources_of(r))}};
  return j;
}

std::string roofline_text(const LaunchRoofline& e, const machine::Device& d, Paint paint, int columns) {
  const auto& r = e.roofline;
  std::string text = fmt::format("\n{}: about {}, limited by {}\n\n", e.kernel, paint.bold(time_text(r.estimate_ms)),
                                 paint.bold(r.limit));
  text += table_of(resources_of(r)).text();
  const auto programs = static_cast<std::int64_t>(e.schedule.programs.size());
  if (programs < d.sms)
    text += fmt::format("  {} at work on {} of {} SMs: what SMs do takes {:.3g} times as long\n",
                        plural(programs, "program"), programs, d.sms, r.tail_factor);
  else if (r.tail_factor > 1.005)
    text += fmt::format("  {} leave some of {} SMs idle at the end: what SMs do takes {:.3g} times\n  as long\n",
                        plural(programs, "program"), d.sms, r.tail_factor);
  text += "\n" + wrapped(sentences_of(e.cause, e.schedule.model_ms), columns) + "\n";
  const std::string roof = roof_text(r, d, e.schedule.model_ms);
  if (!roof.empty()) text += "\n" + roof;
  return text + "\n" + wrapped(e.other_estimate, columns) + "\n";
}

}  // namespace

std::string cause_text(const machine::Cause& c) {
  const std::string busiest = c.busiest + " " + percent_text(c.share);
  return c.limit == c.busiest ? busiest : c.busiest.empty() ? c.limit : fmt::format("{} ({})", c.limit, busiest);
}

nlohmann::ordered_json cause_json(const machine::Cause& c) {
  return {{"limited_by", c.limit}, {"busiest", c.busiest},       {"share", c.share},
          {"next", c.next},        {"next_share", c.next_share}, {"no_eligible_warp", c.no_eligible}};
}

std::string occupancies_text(const std::vector<LaunchOccupancy>& launches, const machine::Device& device, Paint paint,
                             int columns) {
  std::string text = paint.dim(described(device)) + "\n";
  for (const LaunchOccupancy& e : launches) text += occupancy_text(e, paint, columns);
  return text;
}

nlohmann::ordered_json occupancies_json(const std::vector<LaunchOccupancy>& launches, const machine::Device& device) {
  nlohmann::ordered_json j{{"gpu", device.name},
                           {"figures", device.figures},
                           {"source", "model"},
                           {"launches", nlohmann::ordered_json::array()}};
  for (const LaunchOccupancy& e : launches) j["launches"].push_back(occupancy_json(e));
  return j;
}

std::string rooflines_text(const KernelOptions& kernel, const std::vector<LaunchRoofline>& launches,
                           const machine::Device& device, Paint paint, int columns) {
  std::string text =
      heading(kernel, described(device) + ", model: what the work takes at the chip's published rates", paint, columns);
  if (const std::string assumed = assumed_text(device); !assumed.empty())
    text += paint.dim(wrapped(assumed, columns)) + "\n";
  for (const LaunchRoofline& e : launches) text += roofline_text(e, device, paint, columns);
  return text;
}

nlohmann::ordered_json rooflines_json(const KernelOptions& kernel, const std::vector<LaunchRoofline>& launches,
                                      const machine::Device& device) {
  auto j = model_json(kernel, device.name);
  j["launches"] = nlohmann::ordered_json::array();
  for (const LaunchRoofline& e : launches) j["launches"].push_back(roofline_json(e, device));
  return j;
}

}  // namespace tl::run
