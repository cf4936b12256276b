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
class SumObserver : public trace::Observer {
 public:
  explicit SumObserver(const CudaConfig& config) : types_(config) {}

  void launch_begins(const trace::LaunchInfo& launch) override;
  trace::Keep program_begins(ProgramId) override;
  void op(const trace::OpEvent& event) override;
  void assigned(const void* variable, trace::ValueId id) override { types_.assigned(variable, id); }
  void forgotten(const void* variable) override { types_.forgotten(variable); }

  const SumsByPlace& sums() const { return sums_; }
  bool gives_up_formulas() const { return types_.gives_up_formulas(); }

 private:
  TypeTracker types_;
  SumsByPlace sums_;
  bool is_first_ = true;
};

}  // namespace tl::machine
