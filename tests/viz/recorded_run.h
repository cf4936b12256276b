// A kernel's run, recorded, at a moment: what the tests draw.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "interp/run/record.h"
#include "viz/model/panel.h"

namespace tl::viz {

inline debug::Session recorded_run(const std::string& kernel, const std::vector<std::string>& settings) {
  return debug::Session(run::record(run::make_case({.kernel = kernel, .settings = settings}), {}));
}

inline void go_to_end(debug::Session& session, std::size_t program) {
  session.go({program, static_cast<std::uint32_t>(session.trace().programs[program].steps.size())});
}

// Two waves on two of five SMs.
inline machine::Schedule small_schedule() {
  machine::Schedule s;
  s.gpu = "h200";
  s.kernel = "k";
  s.sms = 5;
  s.resident_programs_per_sm = 1;
  s.waves = 0.8;
  for (int p = 0; p < 4; ++p) {
    machine::ProgramRun run;
    run.sm = p % 2 * 4;
    run.slot = 0;
    run.wave = p / 2;
    run.start_us = p / 2;
    run.end_us = p / 2 + 1;
    s.programs.push_back(run);
  }
  return s;
}

inline std::string golden(const std::string& name) {
  std::ifstream in(std::string(GOLDEN_DIR) + "/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace tl::viz
