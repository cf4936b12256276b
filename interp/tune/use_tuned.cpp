#include "interp/tune/use_tuned.h"

#include <fmt/format.h>

#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/tune/tune_case.h"

namespace tl::tune {

namespace {

TunedWords words_with(const run::KernelOptions& kernel, const problems::Config& config, const std::string& time,
                      const std::string& where) {
  const Space space = space_of({.kernel = kernel, .configs = problems::config_text(config), .refuse = "", .key = {}});
  return {words_of(space, config), fmt::format("tuned: {}, {} {}", problems::config_text(config), time, where)};
}

}  // namespace

TunedWords tuned_words(const run::KernelOptions& kernel, Device device, std::string gpu) {
  if (gpu.empty()) gpu = modelled_gpu(device);
  if (device == Device::cpu || (device == Device::cuda && cuda::available()))
    if (const auto w = latest_winner(kernel, device, machine_text(device, gpu, 0)))
      return words_with(kernel, w->config, winner_time(*w), "on " + w->machine);
  TuneOptions by_model;
  by_model.gpu = gpu;
  const std::string model = machine_text(Device::model, gpu, 0);
  if (const auto w = latest_winner(kernel, Device::model, model))
    return words_with(kernel, w->config, winner_time(*w), "by " + model);
  const Tuned tuned = tune({.kernel = kernel, .configs = "", .refuse = "", .key = {}}, by_model);
  if (tuned.config().empty())
    throw Error(fmt::format("no config of {} is right at these sizes", kernel.kernel),
                "`tilescope tune` with the same words says why; leave out --tuned");
  return words_with(kernel, tuned.config(),
                    tuned.kept ? winner_time(*tuned.kept) : report::time_text(time_of(*tuned.winner())), "by " + model);
}

}  // namespace tl::tune
