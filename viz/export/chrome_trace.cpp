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

// Which step fetched what others then found in L2: among steps that overlap in time, from the one with the most misses
// to those that hit.
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

// One thread per slot of an SM; returns the thread of each program.
std::vector<int> add_threads(Json& events, const Schedule& s) {
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
  for (const ProgramRun& p : s.programs) thread_of.push_back(threads[{p.sm, p.slot}]);
  return thread_of;
}

Json duration_event(const std::string& name, const char* category, int thread, double from, double to, Json args) {
  return {{"ph", "X"},     {"name", name}, {"cat", category},  {"pid", sm_process},
          {"tid", thread}, {"ts", from},   {"dur", to - from}, {"args", std::move(args)}};
}

void add_programs(Json& events, const Schedule& s, const std::vector<int>& thread_of) {
  for (std::size_t i = 0; i < s.programs.size(); ++i) {
    const ProgramRun& p = s.programs[i];
    Json args = reads_json(p.reads);
    args["wave"] = p.wave + 1;
    events.push_back(
        duration_event("program " + std::to_string(i), "program", thread_of[i], p.start_us, p.end_us, std::move(args)));
  }
}

void add_steps(Json& events, const Schedule& s, const std::vector<int>& thread_of) {
  for (const StepRun& step : s.steps) {
    // A step lies within its program: rounding to float must not make it stick out.
    const ProgramRun& p = s.programs[step.program];
    const double from = std::clamp<double>(step.start_us, p.start_us, p.end_us),
                 to = std::clamp<double>(step.end_us, from, p.end_us);
    Json args = reads_json(step.reads);
    if (step.written_bytes > 0) args["written_bytes"] = std::llround(step.written_bytes);
    const char* const name = step.reads.misses > 0 ? "load, misses" : step.reads.requested > 0 ? "load, hits" : "store";
    events.push_back(duration_event(name, "step", thread_of[step.program], from, to, std::move(args)));
  }
}

void add_counters(Json& events, const Schedule& s, const Device& device) {
  const auto add = [&](const char* name, double at, Json args) {
    events.push_back(
        {{"ph", "C"}, {"name", name}, {"pid", memory_process}, {"tid", 0}, {"ts", at}, {"args", std::move(args)}});
  };
  double read = 0;
  std::vector<TimeBin> bins = time_bins(s, 200);
  level_dram(bins, device.dram_gb_per_s * device.dram_reachable);
  for (const TimeBin& b : bins) {
    read += b.dram_read_bytes;
    add("DRAM bytes read", b.end_us, {{"bytes", std::llround(read)}});
    const double ns = std::max(1e-9, b.end_us - b.start_us) * 1e3;
    add("DRAM GB/s", b.start_us, {{"read", b.dram_read_bytes / ns}, {"write", b.dram_write_bytes / ns}});
    add("L2 hit rate", b.start_us, {{"percent", 100 * b.reads.logical_hit_rate()}});
  }
}

}  // namespace

std::string chrome_trace(const Schedule& s, const Device& device, const std::string& title) {
  Json events = Json::array();
  events.push_back(name_event("process_name", sm_process, 0, "SMs of " + s.gpu + " (model)"));
  events.push_back(name_event("process_name", memory_process, 0, "memory (model)"));
  const std::vector<int> thread_of = add_threads(events, s);
  add_programs(events, s, thread_of);
  add_steps(events, s, thread_of);
  add_flows(events, s, thread_of);
  add_counters(events, s, device);
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
