// One measured point: a kernel at one choice of settings, repetitions of it and of its peer taken in turn.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interp/report/numbers.h"
#include "interp/run/kernel_case.h"

namespace tl::run {

struct MeasureOptions {
  Device device = Device::cpu;
  int threads = 0;          // cpu; 0: all
  bool generic = false;     // cuda: nothing newer than sm_80
  bool recording = false;   // cpu: beside it no peer but the same run, all values of its first program recorded
  double measure_ms = 300;  // of each side
  std::uint64_t seed = 0;
};

struct Point {
  std::string kernel;
  nlohmann::ordered_json settings;
  double bytes = 0, flops = 0;
  report::Statistics own = {}, peer = {};  // milliseconds; peer.count is 0 without one
  std::string peer_name = "", method = "";
  bool is_right = true;      // the output agreed with the reference where it was looked at
  std::int64_t checked = 0;  // elements that were looked at; 0: not known
  std::int64_t elems = 0;    // of all outputs; 0: not known
  std::vector<std::string> notes = {};

  double gb_per_s() const { return bytes / own.median * 1e-6; }
  double tflop_per_s() const { return flops / own.median * 1e-9; }
  double ratio() const { return peer.median / own.median; }  // above 1: faster than the peer
  bool has_peer() const { return peer.count > 0; }
};

// Throws Error for a wrong setting, FaultError when the kernel fails. After Ctrl-C: what was measured so far.
Point measure(const problems::Problem& problem, const problems::Settings& settings, const MeasureOptions& options);

nlohmann::ordered_json point_json(const Point& point);
Point point_of_json(const nlohmann::json& json);

}  // namespace tl::run
