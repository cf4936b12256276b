// How long the window takes to open and to answer: what `view --screenshot F --timings` prints. Wall time, and the
// processor time of all threads.
#pragma once

#include <string>
#include <vector>

#include "viz/app/app.h"

namespace tl::viz {

struct Spent {
  double wall_ms = 0, cpu_ms = 0;
};
Spent spent();  // since the program began

// From a step's key to its frame: `count` steps forwards, then as many back. One entry a step.
std::vector<Spent> time_steps(App& app, GlfwWindow& window, int count);
// median and largest: "12.3 ms (largest 20.1), 9.8 ms of processor time"
// Frames of the chip while it plays; none where it is not shown.
std::vector<Spent> time_playing(App& app, GlfwWindow& window, int count);
std::string summary_of(std::vector<Spent> times);

}  // namespace tl::viz
