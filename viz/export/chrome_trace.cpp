// The Trace Event Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#include "viz/export/chrome_trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "interp/machine/schedule/schedule_series.h"

namespace tl::viz {

namespace {

using namespace machine;

using Json = nlohmann::ordered_json;
constexpr int sm_process = 1, memory_process = 2;

Json reads_json(const Sectors& r) {
  return {{"requested_sectors", std::llround(r.requested)},
          {"merged_sectors", std::llround(r.merged)},
          {"near_hits", std::llround(r.near_hits)},
          {"far_hits", std::llround(r.far_hits)},
          {"misses", std::llround(r.misses)},
          {"logical_hit_rate", r.logical_hit_rate()}};
}

Json name_event(const char* what, int process, int thread, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

// Who brought what others then found: of the steps that overlap in time, from the one that missed most to those that
// hit.
void add_flows(Json& events, const Schedule& s, const std::vector<int>& thread_of) {
  int id = 0;
  const StepRun* leader = nullptr;
  for (const StepRun& step : s.steps) {
    if (!leader || step.start_us > leader->end_us) {
      leader = step.reads.misses > 0 ? &step : nullptr;
      continue;
    }
    if (step.reads.misses > 0 || step.reads.tex() + step.reads.merged == 0 || step.end_us < leader->end_us) continue;
    const int from = thread_of[leader->program], to = thread_of[step.program];
    if (from == to) continue;
    events.push_back({{"ph", "s"},
                      {"name", "fetched for"},
                      {"cat", "load"},
                      {"id", ++id},
                      {"pid", sm_process},
                      {"tid", from},
                      {"ts", leader->start_us}});
    events.push_back({{"ph", "f"},
                      {"bp", "e"},
                      {"name", "fetched for"},
                      {"cat", "load"},
                      {"id", id},
                      {"pid", sm_process},
                      {"tid", to},
                      {"ts", step.start_us}});
  }
}

// Names first, then by time; what begins at one moment stays as it is: a program before its first step.
Json in_order_of_time(Json events) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < events.size(); ++i) order.push_back({events[i].value("ts", -1.0), i});
  std::ranges::sort(order);
  Json sorted = Json::array();
  for (const auto& [ts, i] : order) sorted.push_back(std::move(events[i]));
  return sorted;
}

}  // namespace

std::string chrome_trace(const Schedule& s, const Device& device, const std::string& title) {
  Json events = Json::array();
  events.push_back(name_event("process_name", sm_process, 0, "SMs of " + s.gpu + " (model)"));
  events.push_back(name_event("process_name", memory_process, 0, "memory (model)"));
  std::map<std::pair<int, int>, int> threads;
  for (const ProgramRun& p : s.programs) threads.try_emplace({p.sm, p.slot}, 0);
  int number = 0;
  for (auto& [slot, thread] : threads) {
    thread = ++number;
    events.push_back(name_event("thread_name", sm_process, thread,
                                "SM " + std::to_string(slot.first) +
                                    (s.resident_programs_per_sm > 1 ? ", slot " + std::to_string(slot.second) : "")));
    events.push_back({{"ph", "M"},
                      {"name", "thread_sort_index"},
                      {"pid", sm_process},
                      {"tid", thread},
                      {"args", {{"sort_index", thread}}}});
  }
  std::vector<int> thread_of;
  for (std::size_t i = 0; i < s.programs.size(); ++i) {
    const ProgramRun& p = s.programs[i];
    thread_of.push_back(threads[{p.sm, p.slot}]);
    Json args = reads_json(p.reads);
    args["wave"] = p.wave + 1;
    events.push_back({{"ph", "X"},
                      {"name", "program " + std::to_string(i)},
                      {"cat", "program"},
                      {"pid", sm_process},
                      {"tid", thread_of.back()},
                      {"ts", p.start_us},
                      {"dur", p.end_us - p.start_us},
                      {"args", args}});
  }
  for (const StepRun& step : s.steps) {
    // A step lies within its program: rounding to float must not make it stick out.
    const ProgramRun& p = s.programs[step.program];
    const double from = std::clamp<double>(step.start_us, p.start_us, p.end_us),
                 to = std::clamp<double>(step.end_us, from, p.end_us);
    Json args = reads_json(step.reads);
    if (step.written_bytes > 0) args["written_bytes"] = std::llround(step.written_bytes);
    events.push_back({{"ph", "X"},
                      {"name", step.reads.misses > 0      ? "load, misses"
                               : step.reads.requested > 0 ? "load, hits"
                                                          : "store"},
                      {"cat", "step"},
                      {"pid", sm_process},
                      {"tid", thread_of[step.program]},
                      {"ts", from},
                      {"dur", to - from},
                      {"args", args}});
  }
  add_flows(events, s, thread_of);
  double read = 0;
  std::vector<TimeBin> bins = time_bins(s, 200);
  level_dram(bins, device.dram_gb_per_s * device.dram_reachable);
  for (const TimeBin& b : bins) {
    read += b.dram_read_bytes;
    events.push_back({{"ph", "C"},
                      {"name", "DRAM bytes read"},
                      {"pid", memory_process},
                      {"tid", 0},
                      {"ts", b.end_us},
                      {"args", {{"bytes", std::llround(read)}}}});
    events.push_back({{"ph", "C"},
                      {"name", "DRAM GB/s"},
                      {"pid", memory_process},
                      {"tid", 0},
                      {"ts", b.start_us},
                      {"args", {{"read", b.dram_read_bytes * 1e-3 / std::max(1e-9, b.end_us - b.start_us)}}}});
    events.push_back({{"ph", "C"},
                      {"name", "L2 hit rate"},
                      {"pid", memory_process},
                      {"tid", 0},
                      {"ts", b.start_us},
                      {"args", {{"percent", 100 * b.reads.logical_hit_rate()}}}});
  }
  return Json{{"displayTimeUnit", "ns"},
              {"otherData",
               {{"title", title},
                {"gpu", s.gpu},
                {"source", "tilescope's model, not a measurement"},
                {"model_ms", s.model_ms}}},
              {"traceEvents", in_order_of_time(std::move(events))}}
      .dump();
}

}  // namespace tl::viz
