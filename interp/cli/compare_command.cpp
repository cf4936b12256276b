// tilescope compare KERNEL: interpreter, GPU and reference side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/report/terminal.h"
#include "interp/run/compare_case.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct CompareOptions {
  KernelOptions kernel;
  int threads = 0;
  Arithmetic arithmetic = Arithmetic();
  std::optional<Device> device;  // none: both
  bool json = false;
};

int compare(const CompareOptions& o) {
  const Case c = make_case(o.kernel);
  const Comparison all = compare_case(c, o.device, o.threads, o.arithmetic);
  if (c.instance.finish && !o.json)
    fmt::print("note: nothing is written to a file here: `tilescope run {}` does\n", c.problem->name);
  if (o.json) fmt::print("{}\n", comparison_json(c, all).dump());
  else fmt::print("{}", comparison_text(c, all, paint_of(stdout)));
  return all.ok() ? exit_ok : exit_failed;
}

}  // namespace

void add_compare_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand("compare", "interpreter, GPU and reference side by side");
  add_kernel_options(*command, o->kernel);
  command->add_option("--threads", o->threads, "of the interpreter; default: all")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("1..4096");
  add_arithmetic_option(*command, o->arithmetic);
  command
      ->add_option_function<Device>(
          "--device", [o](const Device& d) { o->device = d; }, "only this one beside the reference; default: both")
      ->transform(
          CLI::Transformer(std::map<std::string, Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}).description(""))
      ->type_name("cpu|cuda");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "Without a GPU the interpreter is compared alone. Exit code: 0 all agree, 1 one does not, 2 wrong use.\n\n"
      "Examples:\n"
      "  tilescope compare softmax rows=37 cols=781\n"
      "  tilescope compare matmul m=256 n=256 k=256 dtype=bf16");
  command->callback([o, &exit_code] { exit_code = compare(*o); });
}

}  // namespace tl::cli
