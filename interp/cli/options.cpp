#include "interp/cli/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>

#include "interp/lang/error.h"
#include "interp/machine/device.h"
#include "interp/tune/use_tuned.h"

namespace tl::cli {

using namespace run;

void add_kernel_options(CLI::App& command, KernelOptions& options) {
  command.add_option("kernel", options.kernel, "which kernel: one of `tilescope list`, or a file of your own, relu.h")
      ->required()
      ->type_name("KERNEL|FILE.h|FILE.py");
  command.add_option("settings", options.settings, "its settings: `tilescope list KERNEL` explains them")
      ->type_name("name=value");
  add_case_options(command, options.settings);
  add_seed_option(command, options.seed, "of the random inputs, and of --order shuffled");
}

void add_case_options(CLI::App& command, std::vector<std::string>& settings) {
  const auto add = [&](const std::string& name, const char* help, const char* type) {
    command
        .add_option_function<std::string>(
            "--" + name, [&settings, name](const std::string& value) { settings.push_back(name + "=" + value); }, help)
        ->type_name(type);
  };
  add("grid", "of a file's kernel: its programs, one to three expressions: 'cdiv(n, BLOCK)'", "EXPRESSIONS");
  add("expect", "of a file's kernel: what an output should be: 'y = maximum(x, 0)', y=y.npy", "OUTPUT=VALUE");
  add("like", "of a file's kernel: arguments, grid and reference of this one, whose settings it then takes", "KERNEL");
}

void add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  const auto is_seed = [](const std::string& text) {  // CLI11 would wrap -1 and cut 2^64
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? "" : "no seed";
  };
  command.add_option("--seed", seed, help)->check(CLI::Validator(is_seed, ""))->type_name("0..2^64-1");
}

void add_device_option(CLI::App& command, Device& device, const std::string& help) {
  command.add_option("--device", device, help)
      ->transform(
          CLI::Transformer(std::map<std::string, Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}).description(""))
      ->type_name("cpu|cuda");
}

void add_tuned_flag(CLI::App& command, bool& tuned) {
  command.add_flag("--tuned", tuned,
                   "with the config that `tilescope tune` found for these sizes, or the model finds now");
}

tune::Device tuned_for(Device device) { return device == Device::cuda ? tune::Device::cuda : tune::Device::cpu; }

std::vector<std::string> use_tuned(const KernelOptions& kernel, tune::Device device, const std::string& gpu) {
  const tune::TunedWords words = tune::tuned_words(kernel, device, gpu);
  std::fprintf(stderr, "%s\n", words.told.c_str());
  return words.settings;
}

void add_recording_options(CLI::App& command, RecordingOptions& options) {
  add_arithmetic_option(command, options.arithmetic);
  command
      .add_option("--programs", options.programs, "how many programs keep their values; the rest keep loads and stores")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""))
      ->type_name("1..2^40");
  command.add_option("--budget", options.budget_mb, "memory for the recording, in MB")
      ->check(CLI::Range(1, 1 << 20).description(""))
      ->type_name("1..1048576");
  command.add_option("--step-limit", options.step_limit, "ops a program may take before it is stopped")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""))
      ->type_name("1..2^40");
}

void add_gpu_option(CLI::App& command, std::string& gpu, const std::string& otherwise) {
  command
      .add_option("--gpu", gpu,
                  "one of " + machine::device_list() + ", or a JSON file that describes a device; default " + otherwise)
      ->type_name("NAME|FILE.json");
}
void add_placement_option(CLI::App& command, std::string& placement) {
  command
      .add_option(
          "--placement", placement,
          "how operands lie in shared memory, of dots by multiply-adds: their warps wait for conflicts; default "
          "xor, as our CUDA path places them")
      ->check(CLI::IsMember({"none", "padded", "xor"}).description(""))
      ->type_name("none|padded|xor");
}

void add_arithmetic_option(CLI::App& command, run::Arithmetic& arithmetic) {
  command
      .add_option_function<std::string>(
          "--arith", [&arithmetic](const std::string& name) { arithmetic = run::Arithmetic(name); },
          "what tl.dot computes on the interpreter: chip (default), an H200's sums bit by bit; fp32, plain ones; or "
          "those of another device: " +
              machine::device_list())
      ->type_name("chip|fp32|DEVICE");
}

void require_interpreter(Device device) {
  if (device == Device::cuda)
    throw Error("a GPU keeps no record of what it did",
                "leave --device out: the interpreter records the same kernel; `tilescope compare KERNEL` holds the "
                "GPU's result beside its");
}

}  // namespace tl::cli
