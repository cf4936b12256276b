// What the machine model says of the same counters: always called "model", never shown as measured.
#pragma once

#include <optional>
#include <string>

#include "interp/lang/launch.h"
#include "interp/machine/device.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/report/fields.h"
#include "interp/run/counters/case_list.h"
#include "interp/run/counters/measured.h"

namespace tl::run {

struct Prediction {
  double dram_read_bytes = 0, dram_read_low = 0, dram_read_high = 0;  // low, high: the interval that the model states
  double dram_write_bytes = 0;
  double wave_count_read_bytes = 0;  // what the closed-form wave count says of dram_read_bytes instead
  double requested_sectors = 0, tex_sectors = 0;
  double logical_hit_rate = 0, raw_hit_rate = 0;
  double duration_ns = 0;

  // The model's value of a counter by its key; none where the model has no opinion.
  std::optional<double> get(const std::string& key) const;
};

Prediction prediction_of(const machine::Schedule& schedule);

struct PredictedLaunch {
  std::string kernel;
  std::int64_t programs_per_sm = 0;
  std::string resources;  // how they are known: "compiled for sm_90a", or an estimate and why
  Prediction model;
};
struct PredictedRun {
  std::string run, set;
  std::vector<PredictedLaunch> launches;
};
// Every launch of each case without a GPU.
std::vector<PredictedRun> predict_cases(const std::vector<MeasuredCase>& cases, const machine::Device& device);

// The model of each launch that was measured; a launch it cannot follow leaves its reason.
struct ModelOfRun {
  std::vector<Prediction> launches;
  std::string why_not;
};

ModelOfRun model_of(const MeasuredCase& c, const MeasuredRun& run, const std::string& gpu);

report::Fields fields_of(const Prediction& p);

// The model's device for a GPU by CUDA's name ("NVIDIA H200"); none when the program knows no such device.
std::optional<machine::Device> device_like(const std::string& cuda_name);

}  // namespace tl::run
