// A kernel's run, recorded, at a moment: what the tests draw.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "interp/cli/record.h"
#include "viz/model/panel.h"

namespace tl::viz {

inline debug::Session recorded_run(const std::string& kernel, const std::vector<std::string>& settings) {
  return debug::Session(cli::record(cli::make_case({.kernel = kernel, .settings = settings}), {}));
}

inline void go_to_end(debug::Session& session, std::size_t program) { session.go({program, static_cast<std::uint32_t>(session.trace().programs[program].steps.size())}); }

inline std::string golden(const std::string& name) {
  std::ifstream in(std::string(GOLDEN_DIR) + "/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace tl::viz
