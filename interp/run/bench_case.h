// Kernels measured beside their peers, at one choice of settings or along sweeps.
#pragma once

#include <exception>
#include <set>

#include "interp/report/sweep.h"
#include "interp/run/measure.h"

namespace tl::run {

struct PlannedPoint {
  const problems::Problem* problem;
  problems::Settings settings;
  std::set<std::string> given = {};  // of them, by the user
  bool is_tuned = false;             // told as "softmax tuned"
};

struct BenchPlan {
  std::vector<const problems::Problem*> kernels;
  std::vector<PlannedPoint> points;
  std::vector<report::Sweep> sweeps;  // several: a grid of points, the first sweep outermost
};

// `words`: kernels, and settings for those that have them. Throws Error; every point is checked before the first is
// measured.
BenchPlan bench_plan(const std::vector<std::string>& words, const std::vector<std::string>& sweeps);

// On a Hopper GPU: what runs the sizes of each point fastest, where the user named none of it.
void take_fast_settings(BenchPlan& plan, const MeasureOptions& options);

struct Measured {
  std::vector<Point> points;
  std::exception_ptr failure = nullptr;  // of the point `failed`; what was measured before it is still reported
  std::string failed;
};

// Ends early after Ctrl-C.
Measured measure_all(const BenchPlan& plan, const MeasureOptions& options);

// The methods and notes of all points, each said once.
std::string footnotes(const std::vector<Point>& points, bool is_recording = false);
nlohmann::ordered_json points_json(const std::vector<Point>& points);

}  // namespace tl::run
