// A kernel's configs, ranked by the model, for the drawing of them.
#pragma once

#include "interp/run/interrupt.h"
#include "interp/run/kernel_case.h"
#include "interp/tune/trial.h"
#include "viz/model/tuning_run.h"

namespace tl::viz {

// The last ranks are kept: a click on a config, which changes what configs set and nothing else, asks the model
// nothing.
class TuningRanks {
 public:
  // For the sizes that are given: what configs set is left open. With what `tilescope tune` kept here, and what was
  // recorded on a GPU at these sizes. Throws Error: the kernel declares no configs.
  TuningRun of(const run::KernelOptions& kernel, const std::string& gpu,
               const std::atomic<bool>& stop = run::stop_requested());

 private:
  struct Request {
    const problems::Problem* problem = nullptr;  // another one once a kernel's file was saved
    std::vector<std::string> settings = {};
    std::uint64_t seed = 0;
    std::string gpu = {};
    bool operator==(const Request&) const = default;
  };
  Request request_;
  std::vector<tune::Trial> trials_;
};

}  // namespace tl::viz
