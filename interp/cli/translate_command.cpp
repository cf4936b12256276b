// tilescope translate K.py: a kernel in Triton's Python as C++, the text that a GPU's compiler is given.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "interp/case/translation.h"
#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/output_file.h"
#include "interp/run/kernel_case.h"

namespace tl::cli {

using namespace report;

namespace {

struct TranslateOptions {
  run::KernelOptions kernel;
  std::string output;
};

int translate(const TranslateOptions& o) {
  const problems::Problem& problem = problems::find(o.kernel.kernel);
  const ShapesOnly no_data;
  const std::string text = cases::translation_of(problem, problems::parse(problem, o.kernel.settings), o.kernel.seed);
  if (o.output.empty()) fmt::print("{}", text);
  else write_file(o.output, text);
  return exit_ok;
}

}  // namespace

void add_translate_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<TranslateOptions>();
  CLI::App* command =
      program.add_subcommand("translate", "a kernel in Triton's Python as C++, at its case's constants");
  add_kernel_options(*command, o->kernel);
  command->add_option("-o,--output", o->output, "the file that is written; else it is printed")->type_name("FILE.h");
  command->footer(
      "Examples:\n"
      "  tilescope translate softmax.py\n"
      "  tilescope translate matmul.py BM=128 -o matmul.h\n"
      "  tilescope run matmul.h");
  command->callback([o, &exit_code] { exit_code = translate(*o); });
}

}  // namespace tl::cli
