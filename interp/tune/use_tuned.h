// --tuned: a kernel's settings with the winner's values behind them.
#pragma once

#include <string>
#include <vector>

#include "interp/tune/tuned.h"

namespace tl::tune {

struct TunedWords {
  std::vector<std::string> settings;  // name=value
  std::string told;                   // which winner this is, in a sentence
};

// What was measured on the device comes first, then what the model chose, of `gpu` or else of modelled_gpu(); where
// nothing is kept it chooses now.
TunedWords tuned_words(const run::KernelOptions& kernel, Device device, std::string gpu = "");

}  // namespace tl::tune
