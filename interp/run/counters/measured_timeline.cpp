#include "interp/run/counters/measured_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/lang/unavailable.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/counters/predicted.h"
#include "interp/run/model.h"

namespace tl::run {

using namespace report;

namespace {

using machine::ProgramRun;

// Nanoseconds, as the GPU's clock counts them.
double rounded(double us) { return std::round(us * 1e3) / 1e3; }

nlohmann::ordered_json runs_json(const std::vector<ProgramRun>& runs) {
  auto all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ProgramRun& r = runs[i];
    all.push_back({{"program", i},
                   {"sm", r.sm},
                   {"slot", r.slot},
                   {"wave", r.wave},
                   {"start_us", rounded(r.start_us)},
                   {"end_us", rounded(r.end_us)}});
  }
  return all;
}

// The figures in which two timelines are compared.
struct Summary {
  double total_us = 0, program_us = 0, fastest_us = 0, slowest_us = 0, first_idle_us = 0;
  int sms = 0, waves = 0;
};

Summary summary_of(const std::vector<ProgramRun>& runs) {
  Summary s;
  std::vector<double> durations;
  std::map<int, double> last_end;
  for (const ProgramRun& r : runs) {
    durations.push_back(r.end_us - r.start_us);
    s.total_us = std::max(s.total_us, r.end_us);
    s.waves = std::max(s.waves, r.wave + 1);
    last_end[r.sm] = std::max(last_end[r.sm], r.end_us);
  }
  s.program_us = quantile(durations, 0.5);
  s.fastest_us = quantile(durations, 0.1);
  s.slowest_us = quantile(durations, 0.9);
  s.sms = static_cast<int>(last_end.size());
  s.first_idle_us = std::ranges::min_element(last_end, {}, [](const auto& e) { return e.second; })->second;
  return s;
}

std::string comparison_table(const Summary& measured, const std::optional<Summary>& model) {
  Table table{.header = {"", "measured"}, .left = {0}};
  if (model) table.header.emplace_back("model");
  const auto add = [&](const char* what, auto text) {
    std::vector<std::string> row{what, text(measured)};
    if (model) row.push_back(text(*model));
    table.rows.push_back(std::move(row));
  };
  const auto time = [](double us) { return time_text(us * 1e-3); };
  add("from the first start to the last end", [&](const Summary& s) { return time(s.total_us); });
  add("a program, in the median", [&](const Summary& s) { return time(s.program_us); });
  add("the fastest tenth takes at most", [&](const Summary& s) { return time(s.fastest_us); });
  add("the slowest tenth takes at least", [&](const Summary& s) { return time(s.slowest_us); });
  add("the tail: the first SM has nothing left",
      [&](const Summary& s) { return time(s.total_us - s.first_idle_us) + " before the end"; });
  add("SMs in use", [](const Summary& s) { return std::to_string(s.sms); });
  add("programs one after the other in a slot", [](const Summary& s) { return std::to_string(s.waves); });
  return table.text();
}

}  // namespace

std::vector<ProgramRun> program_runs(const cuda::MeasuredTimeline& t) {
  struct Slot {
    double free_us = 0;
    int programs = 0;
  };
  std::vector<std::size_t> by_start(t.programs.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::ranges::stable_sort(by_start, {}, [&](std::size_t i) { return t.programs[i].start_us; });
  std::map<int, std::vector<Slot>> places;
  std::vector<ProgramRun> runs(t.programs.size());
  for (const std::size_t i : by_start) {
    const auto& p = t.programs[i];
    auto& slots = places[p.sm];
    auto slot = std::ranges::find_if(slots, [&](const Slot& place) { return place.free_us <= p.start_us; });
    if (slot == slots.end()) slot = slots.insert(slots.end(), Slot{});
    runs[i].sm = p.sm;
    runs[i].slot = static_cast<int>(slot - slots.begin());
    runs[i].wave = slot->programs;
    runs[i].start_us = p.start_us;
    runs[i].end_us = p.end_us;
    *slot = {p.end_us, slot->programs + 1};
  }
  return runs;
}

std::string sm_rows_text(const std::vector<ProgramRun>& programs, double total_us, int rows, int columns) {
  std::map<int, std::vector<const ProgramRun*>> of_sm;
  for (const ProgramRun& p : programs)
    if (p.slot == 0) of_sm[p.sm].push_back(&p);
  std::vector<int> sms;
  for (const auto& [sm, runs] : of_sm) sms.push_back(sm);
  const int shown = std::min<int>(rows, static_cast<int>(sms.size()));
  std::string text;
  for (int r = 0; r < shown; ++r) {
    const int sm = sms[static_cast<std::size_t>(r) * sms.size() / static_cast<std::size_t>(shown)];
    std::string line(static_cast<std::size_t>(columns), '.');
    for (const ProgramRun* p : of_sm[sm])
      for (int c = 0; c < columns; ++c)
        if (const double at = (c + 0.5) * total_us / columns; at >= p->start_us && at < p->end_us)
          line[c] = static_cast<char>('a' + p->wave % 26);
    text += fmt::format("  SM {:>3}  {}\n", sm, line);
  }
  return text;
}

nlohmann::ordered_json timeline_json(const cuda::MeasuredTimeline& t, const std::string& gpu) {
  const Grid& g = t.facts.grid;
  nlohmann::ordered_json j{{"gpu", gpu},
                           {"kernel", t.facts.kernel},
                           {"grid", {g.x, g.y, g.z}},
                           {"resident_programs_per_sm", t.facts.programs_per_sm},
                           {"total_us", rounded(t.total_us)},
                           {"tick_us", rounded(t.tick_us)},
                           {"programs", runs_json(program_runs(t))},
                           {"loops", nlohmann::ordered_json::array()}};
  for (const auto& s : t.stretches)
    j["loops"].push_back({{"program", s.program}, {"start_us", rounded(s.start_us)}, {"end_us", rounded(s.end_us)}});
  if (t.stretches_cut) j["loops_cut"] = true;
  return j;
}

std::string measured_schedule(const Case& c, bool json, Paint paint) {
  if (std::string why_not; !cuda::available(&why_not))
    throw Unavailable("--measure runs the kernel on a GPU: " + why_not,
                      "leave out --measure for the model alone, or run it where an NVIDIA GPU is");
  const std::string gpu = cuda::device_info().name;
  const Launch& launch = c.instance.launches.front();
  const auto t = cuda::measure_timeline(launch, cpu::facts_of(launch));
  const auto measured = program_runs(t);
  std::optional<machine::Schedule> model;
  std::string why_not = fmt::format("the model knows no {}", gpu);
  if (const auto device = device_like(gpu)) {
    try {
      model = figures_of(model_of(launch, *device, {.ctas_per_sm = t.facts.programs_per_sm}), *device).schedule;
    } catch (const Error& e) {
      why_not = e.what();
    }
  }
  if (json) {
    nlohmann::ordered_json j{{"measured", timeline_json(t, gpu)}};
    if (model)
      j["model"] = {
          {"gpu", model->gpu}, {"total_us", rounded(model->model_ms * 1e3)}, {"programs", runs_json(model->programs)}};
    else j["no_model"] = why_not;
    return j.dump() + "\n";
  }
  const double longest = std::max(t.total_us, model ? model->model_ms * 1e3 : 0);
  std::string text = fmt::format(
      "{} {}\n{}: {}, {} on an SM, {} to the right edge; a letter a program by its wave, of each SM's first slot; a "
      "dot is idle\n\n",
      paint.bold(c.problem->name), settings_text(*c.problem, c.settings), gpu,
      plural(launch.grid.programs(), "program"), t.facts.programs_per_sm, time_text(longest * 1e-3));
  text += fmt::format("{}\n{}\n", paint.bold("measured"), sm_rows_text(measured, longest, 12, 72));
  if (model) text += fmt::format("{}\n{}\n", paint.hint("model"), sm_rows_text(model->programs, longest, 12, 72));
  else text += fmt::format("{} {}\n\n", paint.hint("no model:"), why_not);
  text += fmt::format(
      "{}", comparison_table(summary_of(measured), model ? std::optional(summary_of(model->programs)) : std::nullopt));
  if (t.stretches.size() > t.programs.size())
    text +=
        fmt::format("  {} ran {}: --json lists when\n", plural(static_cast<std::int64_t>(t.programs.size()), "program"),
                    plural(static_cast<std::int64_t>(t.stretches.size()), "loop"));
  text += fmt::format("  the clock ticks every {}; recording costs a few instructions a program\n",
                      time_text(t.tick_us * 1e-3));
  return text;
}

}  // namespace tl::run
