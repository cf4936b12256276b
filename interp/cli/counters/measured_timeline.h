// A measured timeline as JSON: what `tilescope schedule --measure` lays beside the model's.
#pragma once

#include <nlohmann/json.hpp>

#include "interp/cuda/host/timeline.h"

namespace tl::cli {

// {gpu, kernel, grid, programs_per_sm, total_us, tick_us, programs: [{program, sm, start_us, end_us}], loops: [{program, start_us, end_us}]}
nlohmann::ordered_json timeline_json(const cuda::MeasuredTimeline& t, const std::string& gpu);

}  // namespace tl::cli
