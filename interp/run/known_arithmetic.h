// The arithmetic of one kernel's launches, found once for those that are alike.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "interp/cuda/host/known_facts.h"
#include "interp/run/arithmetic.h"

namespace tl::run {

class KnownArithmetic {
 public:
  void apply(cpu::RunOptions&, const Launch&);
  bool may_break(const Launch&);  // at a tl.breakpoint_if

 private:
  Arithmetic arithmetic_;
  std::mutex mutex_;
  cuda::KnownFacts facts_;
  std::map<std::string, Arithmetic::Found> known_;  // by all of a launch but its data
};

}  // namespace tl::run
