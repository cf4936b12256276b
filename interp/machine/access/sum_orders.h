// The order in which CUDA adds at each sum of a kernel's text, by the layout that its block has there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interp/machine/access/type_tracker.h"
#include "interp/rules/sum_order.h"

namespace tl::machine {

struct SumPlace {
  std::string file;
  int line = 0, column = 0;
  auto operator<=>(const SumPlace&) const = default;
};
using SumsByPlace = std::map<SumPlace, std::vector<rules::SumOrder>>;  // of each pass of one program

// Observes the first program of a launch.
class SumObserver : public TypeTracker {
 public:
  explicit SumObserver(const CudaConfig& config) : TypeTracker(config) {}
  void op(const trace::OpEvent& event) override;
  const SumsByPlace& sums() const { return sums_; }

 private:
  SumsByPlace sums_;
};

}  // namespace tl::machine
