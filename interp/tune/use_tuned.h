// --tuned: a kernel's settings with the winner's values behind them.
#pragma once

#include <string>
#include <vector>

#include "interp/tune/tuned.h"

namespace tl::tune {

struct TunedWords {
  std::vector<std::string> settings;  // name=value
  std::string told;                   // a sentence that says which winner this is
};

// A winner measured on the device comes first, then one that the model of `gpu`, else of modelled_gpu(), chose. If none
// is kept, the model chooses now.
TunedWords tuned_words(const run::KernelOptions& kernel, Device device, std::string gpu = "");

}  // namespace tl::tune
