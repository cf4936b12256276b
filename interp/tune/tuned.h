// Winners kept on disk: for the key's settings, the arguments' types and divisibility, the device, the toolkit, the
// kernel's text with all that it includes, and the configs that there were to choose among.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/tune/space.h"

namespace tl::tune {

enum class Device : unsigned char { model, cpu, cuda };
std::string name_of(Device device);  // model

// The GPU whose model ranks what `device` is to time: of cuda the one at hand, where machine/devices knows it; else
// h200.
std::string modelled_gpu(Device device);

// The machine that times are of: the model of h200; AMD EPYC, 2 threads; NVIDIA H200, driver 580, CUDA 13.0.
std::string machine_text(Device device, const std::string& gpu, int threads);

struct Winner {
  std::string kernel, key, machine, date;
  Device device = Device::model;
  std::vector<std::string> key_names = {};
  problems::Config config = {};
  double ms = 0;                           // 0: it was the only one, and not timed
  std::int64_t configs = 0, measured = 0;  // how many there were, and how many of them were measured
  bool is_descended = false;               // from the best of the configs
};

// `machine`: as machine_text says.
std::optional<Winner> kept_winner(const Space& space, Device device, const std::string& machine);
// The latest of those whatever configs there were to choose among.
std::optional<Winner> latest_winner(const run::KernelOptions& kernel, Device device, const std::string& machine);
void keep_winner(const Space& space, const Winner& winner);

std::string winner_time(const Winner& winner);  // 12.9 us, or "not timed"

std::vector<Winner> kept_winners();  // all, by kernel
// Those of a kernel, "" all; returns how many there were.
std::int64_t forget_winners(const std::string& kernel);

}  // namespace tl::tune
