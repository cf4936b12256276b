// What Triton refuses in a text that this interpreter takes: told as a walk comes to what Triton would compile.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "interp/cpu/location.h"
#include "interp/lang/launch.h"
#include "interp/lang/site.h"

namespace tl::triton {

struct Refusal {
  Site site;
  std::string fact, fix;
};

// Once a place; threads share it.
class Refusals {
 public:
  void add(const cpu::Place* place, const std::string& fact, const std::string& fix);
  std::vector<Refusal> all() const;  // by their places

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, int, int>, Refusal> all_;
};

// Whether the launch is of a Python text; if so, its runs note from now on what Triton refuses.
bool note_refusals(const Launch&);
// What they have noted.
std::vector<Refusal> refusals_of(const Launch&);

}  // namespace tl::triton
