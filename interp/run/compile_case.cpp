#include "interp/run/compile_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/cpu/facts.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/report/fields.h"
#include "interp/report/numbers.h"
#include "kernels/problems/chip.h"

namespace tl::run {

using namespace report;

namespace {

// The limits of one program, from CUDA's programming guide.
int shared_bytes_of(const std::string& arch) {
  const int number = cuda::require_arch(arch);
  const int kilobytes = number == 80 || number == 87                                    ? 163
                        : number == 86 || number == 88 || number == 89 || number >= 120 ? 99
                                                                                        : 227;
  return kilobytes * 1024;
}

void add_launches(const problems::Problem& p, const KernelOptions& kernel, const cuda::Target& target,
                  std::vector<CompiledLaunch>& rows, bool compares = false) {
  const problems::LaidOutFor laid_out({.shared_bytes = shared_bytes_of(target.arch)});
  const auto instance = make_instance(p, problems::parse(p, kernel.settings), kernel.seed);
  std::vector<std::string> seen;
  for (const Launch& launch : instance.launches) {
    const rules::KernelFacts facts = cpu::facts_of(launch);
    auto compiled = cuda::compile(launch, facts, target);
    if (std::ranges::count(seen, compiled->entry)) continue;
    seen.push_back(compiled->entry);
    auto specialization = compares ? specialization_of(launch, facts, *compiled, target) : std::nullopt;
    rows.push_back({p.name, std::move(compiled), "", "", std::move(specialization)});
  }
}

// Why a loop has or lacks roles, once: if they are lost, a note says it already.
std::vector<std::string> lines_about(const cuda::Compiled& c) {
  std::vector<std::string> lines = c.resources.warnings;
  if (!std::ranges::count(c.notes, c.roles)) lines.push_back(c.roles);
  lines.insert(lines.end(), c.notes.begin(), c.notes.end());
  return lines;
}

Fields fields_of(const CompiledLaunch& row) {
  if (!row.compiled)
    return {{"kernel", "kernel", Value::word(row.problem)},
            {"", "functor", Value::word("does not compile")},
            {"error", "", Value::word(row.error)},
            {"fix", "", Value::word(row.fix)}};
  const cuda::Compiled& c = *row.compiled;
  const cuda::Resources& r = c.resources;
  return {{"kernel", "kernel", Value::word(row.problem)},
          {"functor", "functor", {c.kernel, short_name(c.kernel)}},
          {"arch", "", Value::word(c.arch)},
          {"registers", "registers", Value::count(r.registers)},
          {"stack_bytes", "stack", Value::bytes(r.stack_bytes)},
          {"spill_store_bytes", "spilled", Value::bytes(r.spill_store_bytes)},
          {"spill_load_bytes", "loaded back", Value::bytes(r.spill_load_bytes)},
          {"static_shared_bytes", "", Value::bytes(r.static_shared_bytes)},
          {"dynamic_shared_bytes", "", Value::bytes(r.dynamic_shared_bytes)},
          {"", "shared", Value::bytes(row.shared_bytes())},
          {"threads", "threads", Value::count(r.threads)},
          {"compile_ms", "compiled in", {c.compile_ms, c.from_cache ? "cached" : time_text(c.compile_ms)}},
          {"from_cache", "", {c.from_cache, ""}}};
}

}  // namespace

int CompiledLaunch::shared_bytes() const {
  return compiled->resources.static_shared_bytes + compiled->resources.dynamic_shared_bytes;
}

bool CompiledLaunch::spills() const {
  const cuda::Resources& r = compiled->resources;
  return r.spill_store_bytes + r.spill_load_bytes + r.stack_bytes > 0;
}

bool CompiledLaunch::fits() const { return shared_bytes() <= shared_bytes_of(compiled->arch); }

bool CompiledLaunch::is_clean() const {
  return compiled && fits() && !spills() && compiled->resources.warnings.empty();
}

std::vector<CompiledLaunch> compile_case(const KernelOptions& kernel, const cuda::Target& target, bool compares) {
  const Progress progress("compiling " + kernel.kernel);
  std::vector<CompiledLaunch> rows;
  add_launches(problems::find(kernel.kernel), kernel, target, rows, compares);
  return rows;
}

std::vector<CompiledLaunch> compile_all(const cuda::Target& target, std::uint64_t seed) {
  cuda::require_arch(target.arch);
  Progress progress;
  std::vector<CompiledLaunch> rows;
  for (const auto& p : problems::all()) {
    progress.show("compiling " + p.name);
    try {
      add_launches(p, {p.name, {}, seed}, target, rows);
    } catch (const Error& e) {  // the others are compiled all the same
      rows.push_back({p.name, nullptr, e.what(), e.fix});
    }
  }
  return rows;
}

nlohmann::ordered_json compiled_json(const CompiledLaunch& row, bool ptx, bool sass) {
  nlohmann::ordered_json j = json_of(fields_of(row));
  if (!row.compiled) return j;
  if (row.specialization) j["specialization"] = specialization_json(*row.specialization);
  j["warnings"] = row.compiled->resources.warnings;
  j["roles"] = row.compiled->roles;
  j["notes"] = row.compiled->notes;
  if (ptx) j["ptx"] = row.compiled->ptx;
  if (sass) j["sass"] = cuda::disassemble(*row.compiled);
  return j;
}

std::string compiled_table(const std::vector<CompiledLaunch>& rows, const std::string& arch, Paint paint) {
  std::vector<Fields> launches;
  for (const CompiledLaunch& row : rows) launches.push_back(fields_of(row));
  std::string text =
      fmt::format("{}, CUDA {}\n\n{}", paint.bold(arch), cuda::toolkit_version(), table_of(launches).text());
  for (const CompiledLaunch& row : rows) {
    if (!row.compiled)
      text += fmt::format("\n{} {}\n{}", paint.bad(row.problem + ":"), row.error,
                          row.fix.empty() ? "" : "  fix: " + row.fix + "\n");
    else if (!row.fits())
      text += fmt::format(
          "  {}: too large to launch: {} of shared memory, and {} has {} for a program; choose smaller blocks or fewer "
          "stages\n",
          row.problem, bytes_text(row.shared_bytes()), row.compiled->arch,
          bytes_text(shared_bytes_of(row.compiled->arch)));
    if (row.compiled && row.spills())
      text += fmt::format(
          "  {}: its values do not fit the registers of its {} threads: what is spilled goes through memory. Right, "
          "but slow; more warps share a block, smaller blocks need less\n",
          row.problem, row.compiled->resources.threads);
    if (row.specialization) text += fmt::format("  {}: {}\n", row.problem, specialization_text(*row.specialization));
    if (row.compiled)
      for (const std::string& line : lines_about(*row.compiled)) text += fmt::format("  {}: {}\n", row.problem, line);
  }
  return text;
}

std::string compiled_code(const std::vector<CompiledLaunch>& rows, bool ptx, bool sass) {
  std::string text;
  for (const CompiledLaunch& row : rows) {
    if (rows.size() > 1)
      text += fmt::format("// {}: {}\n", row.problem, row.compiled ? short_name(row.compiled->kernel) : row.error);
    if (row.compiled && ptx) text += fmt::format("{}\n", row.compiled->ptx);
    if (row.compiled && sass) text += fmt::format("{}\n", cuda::disassemble(*row.compiled));
  }
  return text;
}

}  // namespace tl::run
