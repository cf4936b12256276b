// What a kernel may be tuned by: the configs that are worth a try and the rules around them, as Triton's autotune has
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tl::problems {

class Settings;

using NamedValue = std::pair<std::string, std::string>;  // bm, 128
// Values of settings, warps, stages and registers among them: bm=128 bn=64 warps=4.
using Config = std::vector<NamedValue>;

struct Tuning {
  // For these sizes. Empty: nothing was declared.
  std::function<std::vector<Config>(const Settings&)> configs = {};
  // Settings whose change asks for another winner. Empty: all that no config sets.
  std::vector<std::string> key = {};
  // Settings that a rule computes from the others, where a config leaves them open: block = next_power_of_2(cols).
  std::vector<std::pair<std::string, std::function<std::string(const Settings&)>>> heuristics = {};
  // Why a config is not worth a try; "": it is.
  std::function<std::string(const Settings&)> refuse = {};
  // How long it should take, in milliseconds. Empty, or NAN: as the machine model says.
  std::function<double(const Settings&)> model_ms = {};
  // How many of the ranked configs are checked and measured; below 1: which share of them. 0: the usual number.
  double top_k = 0;
  // Whether each timed repetition begins from outputs as `reset` leaves them: what a kernel adds to.
  bool resets_outputs = false;
};

// Every combination of the values: bm=64,128 with warps=4,8 is four configs.
std::vector<Config> product(const std::vector<std::pair<std::string, std::vector<std::string>>>& choices);
// Without those that stand there before, in whatever order their values are named.
std::vector<Config> without_duplicates(const std::vector<Config>& configs);
std::string config_text(const Config& config);  // bm=128 bn=64 warps=4

}  // namespace tl::problems
