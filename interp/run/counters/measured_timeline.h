// When and where a GPU ran a launch's programs, laid beside what the machine model says: `tilescope schedule KERNEL
// --measure`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "interp/cuda/host/timeline.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/report/terminal.h"
#include "interp/run/kernel_case.h"

namespace tl::run {

// {gpu, kernel, grid, programs_per_sm, total_us, tick_us, programs: [{program, sm, slot, wave, start_us, end_us}],
// loops: [{program, start_us, end_us}]}
nlohmann::ordered_json timeline_json(const cuda::MeasuredTimeline& t, const std::string& gpu);

// The measured programs in the model's terms: a slot is the place on its SM that was free, a wave how many ran in it
// before.
std::vector<machine::ProgramRun> program_runs(const cuda::MeasuredTimeline& t);

// One line an SM, time to the right, for so many SMs spread over all: a letter a program of the
// SM's first slot, by its wave; a dot is idle.
std::string sm_rows_text(const std::vector<machine::ProgramRun>& programs, double total_us, int rows, int columns);

// Measures the instance's first launch, simulates it with as many programs an SM as CUDA gave it, returns both as text,
// or as one JSON object with "measured" and "model". Throws Error without a GPU.
std::string measured_schedule(const Case& c, bool json, report::Paint paint);

}  // namespace tl::run
