// While one lives, the problems that this thread makes share the inputs they have in common: a sweep makes them once.
// The last one of each name is kept.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "interp/lang/tensor.h"

namespace tl::problems {

class SharedInputs {
 public:
  SharedInputs();
  ~SharedInputs();
  SharedInputs(const SharedInputs&) = delete;
  SharedInputs& operator=(const SharedInputs&) = delete;

  std::map<std::string, std::pair<std::string, Tensor>> kept;  // by name: what they hold, in words, and they themselves

 private:
  SharedInputs* before_;
};

// What `make` gives; or the input of that name that holds just this. `values` says what it holds, seed and all.
Tensor shared_input(const std::string& name, const std::string& values, const std::function<Tensor()>& make);

}  // namespace tl::problems
