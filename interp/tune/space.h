// What `tune` chooses among: a kernel's sizes, and the configs that its problem declares or the command line gives.
#pragma once

#include <string>
#include <vector>

#include "interp/run/kernel_case.h"

namespace tl::tune {

struct SpaceRequest {
  run::KernelOptions kernel;
  std::string configs, refuse;  // in words; "": as the problem declares
  std::vector<std::string> key;
};

struct Space {
  const problems::Problem* problem = nullptr;
  std::vector<std::string> given;  // name=value: they hold for every config
  std::uint64_t seed = 0;
  problems::Settings sizes;  // those that are given, over the defaults
  std::vector<problems::Config> configs;
  std::vector<std::string> key;
  problems::Tuning tuning;
};

// Throws Error: no configs, a config or a key that names no setting, a value out of range.
Space space_of(const SpaceRequest& request);
Space space_of(const problems::Problem& problem, const SpaceRequest& request);  // of one that has no name

// name=value: the given ones, a config's, and those that the heuristics derive from both.
std::vector<std::string> words_of(const Space& space, const problems::Config& config);
// The sizes with a config's values, and what the heuristics derive from both.
problems::Settings settings_of(const Space& space, const problems::Config& config);

// The settings that the kernel's own configs set.
std::vector<std::string> names_of_configs(const problems::Problem& problem);

bool is_whole_number(const std::string& text);

// m=512 n=512 k=512 dtype=f16: a winner holds for these.
std::string key_text(const Space& space);

}  // namespace tl::tune
