// What a GPU's counters and the model say of some runs, as a terminal shows it.
#pragma once

#include "interp/report/terminal.h"
#include "interp/run/counters/predicted.h"

namespace tl::run {

// `models`: one a measured run, without launches if the model failed.
std::string measured_text(const Measurements& measured, const std::vector<ModelOfRun>& models, report::Paint paint);
// The model's figures alone.
std::string predicted_text(const std::vector<PredictedRun>& runs, const machine::Device& device);
nlohmann::ordered_json predicted_json(const std::vector<PredictedRun>& runs, const machine::Device& device);

}  // namespace tl::run
