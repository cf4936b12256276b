// Nsight Compute's command line: where it is, what to ask it for, its CSV, its errors as sentences.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tl::run {

using Metrics = std::map<std::string, double>;  // by ncu's name; in base units

struct Profile {
  std::vector<Metrics> launches;  // in the order they ran
  std::string version;            // 2025.3.1.0
};

// TILESCOPE_NCU where it is set, else the first on the PATH or in a toolkit. Throws Error without either.
std::string find_ncu();

// Runs `command` (a shell command of ours) under ncu with a cold L2 before each pass and the clocks left alone.
// `on_line` gets its lines. Throws Error: no rights to read counters, another profiler in the way, whatever else ncu
// complains about.
Profile profile(const std::string& ncu, const std::string& command, const std::vector<std::string>& metrics,
                const std::function<void(const std::string&)>& on_line);

// The log of `ncu --csv --print-units base`: one row a launch and metric, ncu's own lines between. A metric without a
// number is left out.
std::vector<Metrics> parse_ncu_csv(const std::string& log);
// Throws Error for a complaint in the log; without one it does nothing.
void check_ncu_log(const std::string& log);

}  // namespace tl::run
