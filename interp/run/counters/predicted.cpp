#include "interp/run/counters/predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include "interp/cpu/addresses.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/model.h"

namespace tl::run {

using namespace report;

namespace {

std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::optional<double> Prediction::get(const std::string& key) const {
  if (key == "dram_read_bytes") return dram_read_bytes;
  if (key == "dram_write_bytes") return dram_write_bytes;
  if (key == "requested_sectors") return requested_sectors;
  if (key == "tex_sectors") return tex_sectors;
  if (key == "logical_hit_rate") return logical_hit_rate;
  if (key == "raw_hit_percent") return 100 * raw_hit_rate;
  if (key == "duration_ns") return duration_ns;
  return std::nullopt;
}

Prediction prediction_of(const machine::Schedule& s) {
  Prediction p;
  p.dram_read_bytes = s.dram_read_bytes;
  p.dram_read_low = s.dram_read_low;
  p.dram_read_high = s.dram_read_high;
  p.dram_write_bytes = s.dram_write_bytes;
  p.wave_count_read_bytes = s.wave_count_read_bytes;
  p.requested_sectors = s.reads.requested - s.reads.l1_hits;  // the counter sees what leaves L1
  p.tex_sectors = s.reads.tex();
  p.logical_hit_rate = s.reads.logical_hit_rate();
  p.raw_hit_rate = s.raw_hit_rate();
  p.duration_ns = s.model_ms * 1e6;
  return p;
}

namespace {

std::vector<PredictedLaunch> predict_case(const MeasuredCase& c, const machine::Device& device) {
  const problems::LaidOutFor chip(chip_of(device));
  return cpu::without_data_if_possible([&] {
    const Case made = make_case(c.kernel);
    std::vector<PredictedLaunch> all;
    for (const Launch& launch : made.instance.launches) {
      const Model m = model_of(launch, device, {.generic = c.generic});
      all.push_back(
          {launch.kernel, m.options.ctas_per_sm, m.resources.how, prediction_of(figures_of(m, device).schedule)});
    }
    return all;
  });
}

}  // namespace

std::vector<PredictedRun> predict_cases(const std::vector<MeasuredCase>& cases, const machine::Device& device) {
  Progress progress;
  std::vector<PredictedRun> runs;
  for (const MeasuredCase& c : cases) {
    progress.show("modelling " + c.run);
    runs.push_back({c.run, c.set, predict_case(c, device)});
  }
  return runs;
}

ModelOfRun model_of(const MeasuredCase& c, const MeasuredRun& run, const std::string& gpu) {
  const auto device = device_like(gpu);
  if (!device) return {{}, fmt::format("the model knows no {}", gpu)};
  ModelOfRun model;
  try {
    model.launches = cpu::without_data_if_possible([&] {
      const Case made = make_case(c.kernel);
      std::vector<Prediction> all;
      for (std::size_t i = 0; i < run.launches.size(); ++i) {
        Model m = model_of(made.instance.launches.at(i), *device,
                           {.generic = c.generic, .ctas_per_sm = run.launches[i].programs_per_sm});
        m.options.threads_per_cta = run.launches[i].threads;
        all.push_back(prediction_of(figures_of(m, *device).schedule));
      }
      return all;
    });
  } catch (const Error& e) {
    return {{}, e.what()};
  }
  return model;
}

Fields fields_of(const Prediction& p) {
  return {{"dram_read_bytes", "DRAM read", Value::bytes(p.dram_read_bytes)},
          {"dram_read_low", "", Value::bytes(p.dram_read_low)},
          {"dram_read_high", "", Value::bytes(p.dram_read_high)},
          {"dram_write_bytes", "DRAM written", Value::bytes(p.dram_write_bytes)},
          {"requested_sectors", "", Value::count(p.requested_sectors)},
          {"tex_sectors", "sectors into L2", Value::count(p.tex_sectors)},
          {"logical_hit_rate", "hit rate", Value::share(p.logical_hit_rate, 1)},
          {"raw_hit_percent", "", {100 * p.raw_hit_rate, ""}},
          {"duration_ns", "time", {p.duration_ns, time_text(p.duration_ns * 1e-6)}}};
}

std::optional<machine::Device> device_like(const std::string& cuda_name) {
  const std::string wanted = squeezed(cuda_name);
  for (const std::string& name : machine::device_names()) {
    std::istringstream parts(name);  // a100_80: "NVIDIA A100-SXM4-80GB" has both
    bool fits = true;
    for (std::string part; std::getline(parts, part, '_');) fits = fits && wanted.find(part) != std::string::npos;
    if (fits) return machine::find_device(name);
  }
  return std::nullopt;
}

}  // namespace tl::run
