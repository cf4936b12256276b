// The cost of using another size's winner: every size's winner at every size.
#pragma once

#include <string>
#include <vector>

#include "interp/tune/tune_case.h"

namespace tl::tune {

struct Regret {
  std::vector<std::string> sizes;         // m=512 n=512 k=512
  std::vector<problems::Config> winners;  // each once
  std::vector<std::vector<double>> ms;    // [winner][size]; NAN: it cannot be taken there
  std::vector<double> best_ms;            // of a size

  double factor(std::size_t winner, std::size_t size) const { return ms[winner][size] / best_ms[size]; }
  double worst_factor(std::size_t winner) const;  // over all sizes; infinite where it cannot be taken at one
  std::size_t for_all() const;                    // the winner whose worst factor is least
};

// `tuned`: a kernel at several sizes. Times the combinations that are missing.
Regret regret_of(const std::vector<Tuned>& tuned, const TuneOptions& options);

}  // namespace tl::tune
