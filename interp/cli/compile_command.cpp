// tilescope compile KERNEL: what ptxas says a kernel takes of the chip, and the code itself. Needs the toolkit, no GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/report/terminal.h"
#include "interp/run/compile_case.h"
#include "interp/run/execute.h"
#include "interp/sources/sources.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct CompileOptions {
  KernelOptions kernel;
  cuda::Target target;
  std::string sources;
  Device device = Device::cuda;
  bool all = false, ptx = false, sass = false, json = false, strict = false;
};

int compile(CompileOptions o) {
  if (o.all == !o.kernel.kernel.empty())
    throw Error("`tilescope compile` takes a kernel or --all", "tilescope compile matmul, or tilescope compile --all");
  if (o.device == Device::cpu)
    throw Error("the interpreter's kernels are compiled with the program", "leave --device out: this is for the GPU");
  cuda::toolkit_version();  // refuses before any work where the toolkit is missing

  if (!o.sources.empty())
    for (const std::string& path : use_sources(o.sources, o.all ? "kernels" : problems::find(o.kernel.kernel).source))
      fmt::print(stderr, "{} is {}/{}\n", path, o.sources, path);

  const auto launches =
      o.all ? compile_all(o.target, o.kernel.seed) : compile_case(o.kernel, o.target, !o.ptx && !o.sass);
  if (o.json) {
    auto all = nlohmann::ordered_json::array();
    for (const CompiledLaunch& l : launches) all.push_back(compiled_json(l, o.ptx, o.sass));
    fmt::print("{}\n", all.dump(2));
  } else if (o.ptx || o.sass) {
    fmt::print("{}", compiled_code(launches, o.ptx, o.sass));
  } else {
    fmt::print("{}", compiled_table(launches, o.target.arch, paint_of(stdout)));
  }
  for (const CompiledLaunch& l : launches)
    if (!l.compiled || (o.strict && !l.is_clean())) return exit_failed;
  return exit_ok;
}

}  // namespace

void add_compile_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<CompileOptions>();
  CLI::App* command =
      program.add_subcommand("compile", "registers, stack, spills and shared memory of a kernel; needs no GPU");
  add_kernel_options(*command, o->kernel);
  command->get_option("kernel")->required(false);
  command->add_flag("--all", o->all, "every kernel, with its default settings");
  command->add_option("--arch", o->target.arch, "the chip: sm_80 and up; default sm_90a")->type_name("ARCH");
  command->add_flag("--generic", o->target.generic, "nothing newer than sm_80, on any chip");
  command
      ->add_option(
          "--sources", o->sources,
          "take kernels/NAME.h and what they include from this folder instead of the program; or set TILESCOPE_SOURCES")
      ->type_name("FOLDER");
  command->add_flag("--ptx", o->ptx, "print the virtual assembly");
  command->add_flag("--sass", o->sass, "print the machine code (by nvdisasm or cuobjdump)");
  command->add_flag(
      "--strict", o->strict,
      "exit code 1 for a stack frame, a spill, a warning of ptxas, or more shared memory than the chip has");
  add_device_option(*command, o->device, "cuda alone: the interpreter's kernels are compiled with the program");
  command->add_flag("--json", o->json, "as JSON");
  command->footer(
      "Examples:\n"
      "  tilescope compile matmul bm=128 bn=256 bk=64 warps=8 --arch sm_90a\n"
      "  tilescope compile --all --arch sm_80 --strict\n"
      "  tilescope compile add --sass");
  command->callback([o, &exit_code] { exit_code = compile(*o); });
}

}  // namespace tl::cli
