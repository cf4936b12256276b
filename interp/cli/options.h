// Options that several commands have, those of the parts too.
#pragma once

#include "interp/run/record.h"
#include "interp/tune/tuned.h"

namespace CLI {
class App;
}

namespace tl::cli {

// KERNEL, name=value ... and --seed.
void add_kernel_options(CLI::App& command, run::KernelOptions& options);
// --grid, --expect and --like, which become words of a case among `settings`.
void add_case_options(CLI::App& command, std::vector<std::string>& settings);
void add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& help);
// --device cpu|cuda
void add_device_option(CLI::App& command, run::Device& device,
                       const std::string& help = "cpu: the interpreter (default); cuda: the GPU");
// For commands that record: throws Error on cuda, and says what to do.
void require_interpreter(run::Device device);
// --tuned, and the settings that it gives: the winner is told on stderr.
void add_tuned_flag(CLI::App& command, bool& tuned);
std::vector<std::string> use_tuned(const run::KernelOptions& kernel, tune::Device device, const std::string& gpu = "");
tune::Device tuned_for(run::Device device);
// --programs, --budget and --step-limit.
void add_recording_options(CLI::App& command, run::RecordingOptions& options);
// --arith, for runs on the interpreter.
void add_arithmetic_option(CLI::App& command, run::Arithmetic& arithmetic);
// --gpu of the model's commands, its help naming the devices.
void add_gpu_option(CLI::App& command, std::string& gpu, const std::string& otherwise = "h200");
void add_placement_option(CLI::App& command, std::string& placement);

}  // namespace tl::cli
