// Measured runs kept as JSON in kernels/recorded/, embedded in the program for those who have no GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "interp/run/measure.h"

namespace tl::run {

// Behind the name of a kernel that was measured with a winner of `tilescope tune`.
inline constexpr const char* tuned_suffix = " tuned";

struct RecordedRun {
  std::string device, driver, date, command, version;
  std::vector<Point> points;

  bool is_of_tuning() const { return command.starts_with("tilescope tune"); }
};

std::string recorded_json(const RecordedRun& run);
RecordedRun parse_recorded(const std::string& text);  // throws Error for a file of another kind

// Throws Error unless `folder` has kernels/, where runs are kept.
void require_kernels(const std::filesystem::path& folder);
// Writes kernels/recorded/NAME.json under `folder`; returns its path. Throws Error where that folder is not.
std::filesystem::path keep_recorded(const RecordedRun& run, const std::filesystem::path& folder);
// add_sweep_n-nvidia-h200: of the command's words and the device.
std::string recorded_name(const RecordedRun& run);

// Every run of `tilescope bench` that measured this kernel, its other kernels left out: those of the folder
// kernels/recorded/ here, and those built in (a file here replaces the one of its name).
std::vector<RecordedRun> recorded_runs(const std::string& kernel);
// The same of `tilescope tune`.
std::vector<RecordedRun> recorded_tunings(const std::string& kernel);

}  // namespace tl::run
