#include "interp/run/counters/counters_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "interp/report/numbers.h"
#include "interp/report/table.h"

namespace tl::run {

using namespace report;

namespace {

std::string value_text(const std::string& key, double value) {
  if (key.ends_with("_bytes")) return bytes_text(value);
  if (key.ends_with("_ns")) return time_text(value * 1e-6);
  if (key.ends_with("_percent")) return fmt::format("{:.1f} %", value);
  if (key.ends_with("_rate")) return fmt::format("{:.1f} %", 100 * value);
  return count_text(std::llround(value));
}

// +3.1 %, or points where both are per cent already.
std::string difference_text(const std::string& key, double measured, double model) {
  if (key.ends_with("_percent")) return fmt::format("{:+.1f} points", model - measured);
  if (key.ends_with("_rate")) return fmt::format("{:+.1f} points", 100 * (model - measured));
  return measured == 0 ? "" : fmt::format("{:+.1f} %", 100 * (model / measured - 1));
}

// The model's figures are dim as well as named, so that nobody takes them for measured ones.
std::string launch_text(const MeasuredLaunch& l, const Prediction* model, Paint paint) {
  Table table{.header = {"", "measured"}, .left = {0}};
  if (model) table.header.insert(table.header.end(), {"model", "model - measured"});
  table.header.push_back("");
  table.left.push_back(table.header.size() - 1);
  const auto add = [&](const std::string& key, std::optional<double> measured, const char* meaning) {
    if (!measured) return;
    std::vector<std::string> row{key, value_text(key, *measured)};
    if (model) {
      const auto value = model->get(key);
      row.push_back(value ? value_text(key, *value) : "");
      row.push_back(value ? difference_text(key, *measured, *value) : "");
    }
    row.push_back(meaning);
    table.rows.push_back(std::move(row));
  };
  for (const Counter& c : counters()) add(c.key, l.get(c.key), c.meaning);
  add("logical_hit_rate", l.logical_hit_rate(), "reads that found their data in L2, near or far: (H + Fh) / T");
  std::string text =
      fmt::format("{}: {} x {} x {} programs of {} threads, {} registers, {} of shared memory, {} on an SM\n{}",
                  l.kernel, l.grid[0], l.grid[1], l.grid[2], l.threads, l.registers,
                  bytes_text(l.static_shared_bytes + l.dynamic_shared_bytes), l.programs_per_sm, table.text());
  if (model && model->dram_read_high > model->dram_read_low)
    text += paint.dim(fmt::format("  the model states {} to {} for what is read from DRAM\n",
                                  bytes_text(model->dram_read_low), bytes_text(model->dram_read_high)));
  if (l.get("duration_ns").value_or(1e9) < 20e3)
    text += paint.hint("  under 20 us: too short to be measured well; choose larger sizes\n");
  return text;
}

}  // namespace

std::string measured_text(const Measurements& m, const std::vector<ModelOfRun>& models, Paint paint) {
  std::string text =
      fmt::format("{} (driver {}), ncu {}: each kernel once, with a cold L2\n", paint.bold(m.device), m.driver, m.ncu);
  for (std::size_t i = 0; i < m.runs.size(); ++i) {
    const MeasuredRun& r = m.runs[i];
    text += "\n" + paint.bold(r.run) + "\n";
    for (std::size_t l = 0; l < r.launches.size(); ++l)
      text += launch_text(r.launches[l], l < models[i].launches.size() ? &models[i].launches[l] : nullptr, paint);
    if (!models[i].why_not.empty()) text += paint.hint("no model:") + " " + models[i].why_not + "\n";
    if (!r.error.empty()) text += paint.bad("not measured:") + " " + r.error + "\n";
  }
  return text;
}

nlohmann::ordered_json predicted_json(const std::vector<PredictedRun>& runs, const machine::Device& device) {
  nlohmann::ordered_json j{{"model_of", device.title}, {"runs", nlohmann::ordered_json::array()}};
  for (const PredictedRun& r : runs) {
    j["runs"].push_back({{"run", r.run}, {"set", r.set}, {"launches", nlohmann::ordered_json::array()}});
    for (const PredictedLaunch& l : r.launches)
      j["runs"].back()["launches"].push_back({{"kernel", l.kernel},
                                              {"programs_per_sm", l.programs_per_sm},
                                              {"resources", l.resources},
                                              {"model", json_of(fields_of(l.model))}});
  }
  return j;
}

std::string predicted_text(const std::vector<PredictedRun>& runs, const machine::Device& device) {
  std::vector<Fields> rows;
  std::set<std::string> estimates;
  for (const PredictedRun& r : runs)
    for (const PredictedLaunch& l : r.launches) {
      rows.push_back({{"run", "model of " + device.title, Value::word(r.run)}});
      rows.back() += fields_of(l.model);
      if (l.resources.starts_with("an estimate")) estimates.insert(l.resources);
    }
  std::string text = table_of(rows).text();
  for (const std::string& how : estimates) text += fmt::format("what a program takes of its SM: {}\n", how);
  return text;
}

}  // namespace tl::run
