// tilescope compile KERNEL: what ptxas says a kernel takes of the chip, and the code itself. Needs the toolkit, no GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/cuda/host/compile.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/execute.h"
#include "interp/sources/sources.h"
#include "kernels/problems/chip.h"

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

// What a program may have, of CUDA's programming guide.
int shared_bytes_of(const std::string& arch) {
  const int number = cuda::require_arch(arch);
  const int kilobytes = number == 80 || number == 87                                    ? 163
                        : number == 86 || number == 88 || number == 89 || number >= 120 ? 99
                                                                                        : 227;
  return kilobytes * 1024;
}

struct Row {
  std::string problem;
  std::shared_ptr<const cuda::Compiled> compiled;  // null: `error` says why
  std::string error, fix;
  int shared_bytes() const {
    return compiled->resources.static_shared_bytes + compiled->resources.dynamic_shared_bytes;
  }
  bool spills() const {
    return compiled->resources.spill_store_bytes + compiled->resources.spill_load_bytes +
               compiled->resources.stack_bytes >
           0;
  }
  bool fits() const { return shared_bytes() <= shared_bytes_of(compiled->arch); }
  // Neither too large nor with what costs time without being wrong: stack, spills, ptxas's warnings.
  bool is_clean() const {
    if (!compiled) return false;
    const cuda::Resources& r = compiled->resources;
    return fits() && !spills() && r.warnings.empty();
  }
};

void compile_problem(const problems::Problem& p, const std::vector<std::string>& settings, const CompileOptions& o,
                     std::vector<Row>& rows) {
  const problems::LaidOutFor laid_out({.shared_bytes = shared_bytes_of(o.target.arch)});
  try {
    const auto instance = make_instance(p, problems::parse(p, settings), o.kernel.seed);
    std::vector<std::string> seen;
    for (const Launch& launch : instance.launches) {
      auto compiled = cuda::compile(launch, o.target);
      if (std::find(seen.begin(), seen.end(), compiled->entry) != seen.end()) continue;
      seen.push_back(compiled->entry);
      rows.push_back({p.name, std::move(compiled), "", ""});
    }
  } catch (const Error& e) {
    if (!o.all) throw;
    rows.push_back({p.name, nullptr, e.what(), e.fix});  // the others are compiled all the same
  }
}

std::string short_name(const std::string& kernel) { return kernel.substr(kernel.rfind(':') + 1); }

nlohmann::ordered_json row_json(const Row& row, const CompileOptions& o) {
  nlohmann::ordered_json j{{"kernel", row.problem}};
  if (!row.compiled) return j["error"] = row.error, j["fix"] = row.fix, j;
  const cuda::Resources& r = row.compiled->resources;
  j["functor"] = row.compiled->kernel;
  j["arch"] = row.compiled->arch;
  j["registers"] = r.registers;
  j["stack_bytes"] = r.stack_bytes;
  j["spill_store_bytes"] = r.spill_store_bytes;
  j["spill_load_bytes"] = r.spill_load_bytes;
  j["static_shared_bytes"] = r.static_shared_bytes;
  j["dynamic_shared_bytes"] = r.dynamic_shared_bytes;
  j["threads"] = r.threads;
  j["warnings"] = r.warnings;
  j["notes"] = row.compiled->notes;
  if (o.ptx) j["ptx"] = row.compiled->ptx;
  if (o.sass) j["sass"] = cuda::disassemble(*row.compiled);
  j["compile_ms"] = row.compiled->compile_ms;
  j["from_cache"] = row.compiled->from_cache;
  return j;
}

void print_rows(const std::vector<Row>& rows, const CompileOptions& o) {
  const Paint paint = paint_of(stdout);
  Table table{.header = {"kernel", "functor", "registers", "stack", "spilled", "loaded back", "shared", "threads",
                         "compiled in"},
              .left = {0, 1}};
  for (const Row& row : rows) {
    if (!row.compiled) {
      table.rows.push_back({row.problem, "does not compile"});
      continue;
    }
    const cuda::Resources& r = row.compiled->resources;
    table.rows.push_back({row.problem, short_name(row.compiled->kernel), std::to_string(r.registers),
                          bytes_text(r.stack_bytes), bytes_text(r.spill_store_bytes), bytes_text(r.spill_load_bytes),
                          bytes_text(row.shared_bytes()), std::to_string(r.threads),
                          row.compiled->from_cache ? "cached" : time_text(row.compiled->compile_ms)});
  }
  fmt::print("{}, CUDA {}\n\n{}", paint.bold(o.target.arch), cuda::toolkit_version(), table.text());
  for (const Row& row : rows) {
    if (!row.compiled)
      fmt::print("\n{} {}\n{}", paint.bad(row.problem + ":"), row.error,
                 row.fix.empty() ? "" : "  fix: " + row.fix + "\n");
    else if (!row.fits())
      fmt::print(
          "  {}: too large to launch: {} of shared memory, and {} has {} for a program; choose smaller blocks or fewer "
          "stages\n",
          row.problem, bytes_text(row.shared_bytes()), row.compiled->arch,
          bytes_text(shared_bytes_of(row.compiled->arch)));
    if (row.compiled && row.spills())
      fmt::print(
          "  {}: its values do not fit the registers of its {} threads: what is spilled goes through memory. Right, "
          "but slow; more warps share a block, smaller blocks need less\n",
          row.problem, row.compiled->resources.threads);
    if (row.compiled)
      for (const auto* lines : {&row.compiled->resources.warnings, &row.compiled->notes})
        for (const std::string& line : *lines) fmt::print("  {}: {}\n", row.problem, line);
  }
}

void print_code(const std::vector<Row>& rows, const CompileOptions& o) {
  for (const Row& row : rows) {
    if (rows.size() > 1)
      fmt::print("// {}: {}\n", row.problem, row.compiled ? short_name(row.compiled->kernel) : row.error);
    if (row.compiled && o.ptx) fmt::print("{}\n", row.compiled->ptx);
    if (row.compiled && o.sass) fmt::print("{}\n", cuda::disassemble(*row.compiled));
  }
}

int compile(CompileOptions o) {
  if (o.all == !o.kernel.kernel.empty())
    throw Error("`tilescope compile` takes a kernel or --all", "tilescope compile matmul, or tilescope compile --all");
  if (o.device == Device::cpu)
    throw Error("the interpreter's kernels are compiled with the program", "leave --device out: this is for the GPU");
  cuda::toolkit_version();  // refuses before any work where the toolkit is missing

  if (!o.sources.empty())
    for (const std::string& path : use_sources(o.sources, o.all ? "kernels" : problems::find(o.kernel.kernel).source))
      fmt::print(stderr, "{} is {}/{}\n", path, o.sources, path);

  std::vector<Row> rows;
  Progress progress(o.all ? "" : "compiling " + o.kernel.kernel);
  if (!o.all) compile_problem(problems::find(o.kernel.kernel), o.kernel.settings, o, rows);
  else
    for (const auto& p : problems::all()) {
      progress.show("compiling " + p.name);
      compile_problem(p, {}, o, rows);
    }
  progress.clear();

  if (o.json) {
    auto all = nlohmann::ordered_json::array();
    for (const Row& row : rows) all.push_back(row_json(row, o));
    fmt::print("{}\n", all.dump(2));
  } else if (o.ptx || o.sass) {
    print_code(rows, o);
  } else {
    print_rows(rows, o);
  }
  for (const Row& row : rows)
    if (!row.compiled || (o.strict && !row.is_clean())) return exit_failed;
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
