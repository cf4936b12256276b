// tilescope list [KERNEL]: the kernels, or one kernel's settings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/kernel_case.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct ListOptions {
  std::string kernel;
  bool json = false;
};

const char* kind_name(problems::Setting::Kind kind) {
  static constexpr const char* names[] = {"integer", "real", "boolean", "dtype", "text"};
  return names[static_cast<int>(kind)];
}

nlohmann::ordered_json problem_json(const problems::Problem& p) {
  nlohmann::ordered_json out{
      {"kernel", p.name}, {"summary", p.summary}, {"source", p.source}, {"settings", nlohmann::ordered_json::array()}};
  for (const auto& s : p.settings) {
    nlohmann::ordered_json setting{
        {"name", s.name}, {"default", s.default_value}, {"kind", kind_name(s.kind)}, {"help", s.help}};
    if (!s.choices.empty()) setting["choices"] = s.choices;
    if (s.kind == problems::Setting::Kind::integer || s.kind == problems::Setting::Kind::real) {
      setting["min"] = s.min;
      setting["max"] = s.max;
    }
    if (s.power_of_two) setting["power_of_two"] = true;
    out["settings"].push_back(setting);
  }
  return out;
}

void print_all() {
  Table table{.left = {0, 1}};
  for (const auto& p : problems::all()) table.rows.push_back({p.name, p.summary});
  fmt::print("{}\n`tilescope list KERNEL` explains a kernel's settings, `tilescope run KERNEL` runs it.\n",
             table.text());
}

void print_one(const problems::Problem& p) {
  const Paint paint = paint_of(stdout);
  fmt::print("{}  {}\n  {}\n\n", paint.bold(p.name), p.summary, p.source);
  Table table{.header = {"setting", "default", "meaning"}, .left = {0, 1, 2}};
  for (const auto& s : p.settings) {
    std::string help = s.help;
    if (!s.choices.empty()) help += fmt::format("{}one of {}", help.empty() ? "" : "; ", fmt::join(s.choices, ", "));
    table.rows.push_back({s.name, s.default_value.empty() ? "-" : s.default_value, help});
  }
  fmt::print("{}\n  tilescope run {}", table.text(), p.name);
  if (!p.settings.empty() && !p.settings.front().default_value.empty())
    fmt::print(" {}={}", p.settings.front().name, p.settings.front().default_value);
  fmt::print("\n");
}

}  // namespace

void add_list_command(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = program.add_subcommand("list", "the kernels there are, or one kernel's settings");
  command->add_option("kernel", options->kernel, "explain this one")->type_name("KERNEL|FILE.h|FILE.py");
  command->add_flag("--json", options->json, "as JSON");
  command->footer("Examples:\n  tilescope list\n  tilescope list softmax\n  tilescope list --json");
  command->callback([options, &exit_code] {
    exit_code = exit_ok;
    if (!options->kernel.empty()) {
      const auto& p = problems::find(options->kernel);
      return options->json ? fmt::print("{}\n", problem_json(p).dump(2)) : print_one(p);
    }
    if (!options->json) return print_all();
    auto all = nlohmann::ordered_json::array();
    for (const auto& p : problems::all()) all.push_back(problem_json(p));
    fmt::print("{}\n", all.dump(2));
  });
}

}  // namespace tl::cli
