#include "interp/run/counters/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "interp/lang/error.h"

namespace tl::run {

const std::vector<Counter>& counters() {
  static const std::vector<Counter> all = {
      {"dram_read_bytes", "dram__bytes_read.sum", "read from DRAM"},
      {"dram_write_bytes", "dram__bytes_write.sum", "written to DRAM; what L2 still holds at the end is not counted"},
      {"requested_sectors", "l1tex__m_xbar2l1tex_read_sectors.sum", "sectors that the SMs asked for and got"},
      {"tex_sectors", "lts__t_sectors_srcunit_tex_op_read.sum",
       "sectors read in L2 after neighbours' requests were merged: T"},
      {"tex_hit_sectors", "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
       "of these, found in the near partition: H"},
      {"tex_write_sectors", "lts__t_sectors_srcunit_tex_op_write.sum", "sectors that the SMs wrote"},
      {"fabric_sectors", "lts__t_sectors_srcunit_ltcfabric_op_read.sum",
       "sectors read through the fabric, looked up in the far partition: F"},
      {"fabric_hit_sectors", "lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum", "of these, found there: Fh"},
      {"miss_sectors", "lts__t_sectors_op_read_lookup_miss.sum", "read lookups that missed, near and far"},
      {"fill_sectors", "lts__d_sectors_fill_device.sum", "sectors that DRAM filled"},
      {"raw_hit_percent", "lts__t_sector_op_read_hit_rate.pct", "hits of all read lookups, near and far"},
      {"load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "warps' loads"},
      {"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors of these"},
      {"store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "warps' stores"},
      {"store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors of these"},
      {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "of shared memory loads"},
      {"shared_load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
       "of these, for conflicts between banks"},
      {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "of shared memory stores"},
      {"shared_store_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
       "of these, for conflicts between banks"},
      {"duration_ns", "gpu__time_duration.sum", "of the kernel, with a cold L2"},
  };
  return all;
}

std::vector<std::string> metrics_of_all_counters() {
  std::vector<std::string> names;
  for (const Counter& c : counters()) names.emplace_back(c.metric);
  return names;
}

std::optional<double> MeasuredLaunch::get(const std::string& key) const {
  const auto it = counters.find(key);
  if (it == counters.end() || it->second.empty()) return std::nullopt;
  return std::accumulate(it->second.begin(), it->second.end(), 0.0) / static_cast<double>(it->second.size());
}

double MeasuredLaunch::spread(const std::string& key) const {
  const auto mean = get(key);
  if (!mean || *mean == 0) return 0;
  const auto [low, high] = std::ranges::minmax(counters.at(key));
  return (high - low) / *mean;
}

std::optional<double> MeasuredLaunch::logical_hit_rate() const {
  const auto all = get("tex_sectors"), near = get("tex_hit_sectors");
  if (!all || !near || *all == 0) return std::nullopt;
  return (*near + get("fabric_hit_sectors").value_or(0)) / *all;  // a chip with one partition has no fabric
}

void MeasuredRun::add_round(MeasuredRun&& other) {
  if (error.empty()) error = std::move(other.error);
  for (std::size_t i = 0; i < std::min(launches.size(), other.launches.size()); ++i)
    for (const auto& [key, values] : other.launches[i].counters) {
      auto& mine = launches[i].counters[key];
      mine.insert(mine.end(), values.begin(), values.end());
    }
}

namespace {

MeasuredLaunch launch_of(const nlohmann::json& j) {
  MeasuredLaunch l;
  l.kernel = j.at("kernel");
  for (std::size_t i = 0; i < 3; ++i) l.grid[i] = j.at("grid").at(i);
  l.threads = j.at("threads");
  l.registers = j.at("registers");
  l.static_shared_bytes = j.at("static_shared_bytes");
  l.dynamic_shared_bytes = j.at("dynamic_shared_bytes");
  l.programs_per_sm = j.at("programs_per_sm");
  if (j.contains("counters")) l.counters = j.at("counters").get<std::map<std::string, std::vector<double>>>();
  return l;
}

// Counts without a point, rates with one.
nlohmann::ordered_json number(double value) {
  if (value == static_cast<double>(static_cast<std::int64_t>(value))) return static_cast<std::int64_t>(value);
  return value;
}

nlohmann::ordered_json launch_json(const MeasuredLaunch& l) {
  nlohmann::ordered_json j{{"kernel", l.kernel},
                           {"grid", {l.grid[0], l.grid[1], l.grid[2]}},
                           {"threads", l.threads},
                           {"registers", l.registers},
                           {"static_shared_bytes", l.static_shared_bytes},
                           {"dynamic_shared_bytes", l.dynamic_shared_bytes},
                           {"programs_per_sm", l.programs_per_sm}};
  auto values = nlohmann::ordered_json::object();
  for (const Counter& c : counters())
    if (const auto it = l.counters.find(c.key); it != l.counters.end()) {
      values[c.key] = nlohmann::ordered_json::array();
      for (const double value : it->second) values[c.key].push_back(number(value));
    }
  j["counters"] = std::move(values);
  return j;
}

}  // namespace

MeasuredRun measured_run(const nlohmann::json& facts, const Profile& profile, std::size_t& taken) {
  MeasuredRun run;
  if (facts.contains("error")) return run.error = facts.at("error"), run;
  for (const auto& fact : facts.at("launches")) {
    MeasuredLaunch launch = launch_of(fact);
    if (taken >= profile.launches.size())
      throw Error(fmt::format("ncu profiled {} launches, fewer than ran", profile.launches.size()),
                  "run it again; if it stays so, try another ncu");
    const Metrics& metrics = profile.launches[taken++];
    for (const Counter& c : counters())
      if (const auto it = metrics.find(c.metric); it != metrics.end()) launch.counters[c.key] = {it->second};
    run.launches.push_back(std::move(launch));
  }
  return run;
}

nlohmann::ordered_json measurements_json(const Measurements& m) {
  nlohmann::ordered_json j{
      {"device", m.device}, {"driver", m.driver}, {"ncu", m.ncu}, {"date", m.date}, {"command", m.command}};
  if (!m.sm_group.empty()) j["sm_group"] = m.sm_group;
  if (!m.sm_partition.empty()) j["sm_partition"] = m.sm_partition;
  if (!m.group_pace_ppm.empty()) j["group_pace_ppm"] = m.group_pace_ppm;
  j["runs"] = nlohmann::ordered_json::array();
  for (const MeasuredRun& r : m.runs) {
    nlohmann::ordered_json one{{"run", r.run}};
    if (!r.set.empty()) one["set"] = r.set;
    if (!r.error.empty()) one["error"] = r.error;
    one["launches"] = nlohmann::ordered_json::array();
    for (const MeasuredLaunch& l : r.launches) one["launches"].push_back(launch_json(l));
    j["runs"].push_back(std::move(one));
  }
  return j;
}

Measurements parse_measurements(const std::string& text) {
  try {
    const auto j = nlohmann::json::parse(text);
    const auto list = [&](const char* name) { return j.value(name, std::vector<std::int64_t>()); };
    Measurements m{j.at("device"),       j.at("driver"),         j.at("ncu"),
                   j.at("date"),         j.at("command"),        list("sm_group"),
                   list("sm_partition"), list("group_pace_ppm"), {}};
    for (const auto& r : j.at("runs")) {
      MeasuredRun run{r.at("run"), r.value("set", ""), {}, r.value("error", "")};
      for (const auto& l : r.at("launches")) run.launches.push_back(launch_of(l));
      m.runs.push_back(std::move(run));
    }
    return m;
  } catch (const nlohmann::json::exception& e) {
    throw Error(std::string("these are not recorded counters: ") + e.what(),
                "record them with `tilescope counters --cases FILE --json`");
  }
}

}  // namespace tl::run
