// tilescope coalesce KERNEL: sectors per request of every line that touches memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/machine/access/coalescing.h"
#include "interp/machine/access/coalescing_picture.h"
#include "interp/report/access_text.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/coalesce_case.h"
#include "interp/run/cuda_config.h"
#include "interp/run/schedule_text.h"
#include "interp/sources/sources.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

using machine::Coalescing;
using machine::LineCoalescing;

struct CoalesceOptions {
  KernelOptions kernel;
  std::string gpu = "h200";
  int line = 0;
  bool generic = false, json = false;
};

std::string width_text(const Coalescing& c) {
  std::string text;
  for (const auto& [bytes, n] : c.requests_by_bytes) text += (text.empty() ? "" : ", ") + std::to_string(bytes);
  return text + " B";
}

// A loop's or a helper's line may stand for several tensors; the column tells apart what one line loads.
std::string place_text(const TextLocation& p) { return fmt::format("{}:{}", p.line, p.column); }

std::string sectors_text(const Coalescing& c) {
  return fmt::format("{:.4g}, {}", c.per_request(), percent_text(c.efficiency()));
}

// Fits a terminal of 80 columns.
void print_table(const CoalescedLaunch& report) {
  Table table{.header = {"line", "tensor", "access", "a lane", "requests", "sectors", "simple"}, .left = {0, 1, 2}};
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const LineCoalescing& l = report.lines[i];
    table.rows.push_back({place_text(report.places[i]), l.tensor + " " + name_of(l.dtype),
                          std::string(trace::text_of(l.key.kind)) +
                              (l.plan.path == machine::Path::lsu || l.plan.path == machine::Path::atomic
                                   ? ""
                                   : std::string(", ") + name_of(l.plan.path)),
                          width_text(l.cuda), count_text(l.cuda.requests), sectors_text(l.cuda),
                          sectors_text(l.simple)});
  }
  fmt::print("{}", table.text());
}

std::string lanes_text(const std::vector<int>& lanes) {
  std::string text;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t end = i;
    while (end + 1 < lanes.size() && lanes[end + 1] == lanes[end] + 1) ++end;
    text += (text.empty() ? "" : ", ") +
            (end == i ? std::to_string(lanes[i]) : fmt::format("{} to {}", lanes[i], lanes[end]));
    i = end + 1;
  }
  return text;
}

void print_request(const char* layout, const LineCoalescing& l, const Coalescing& c, Paint paint) {
  if (c.requests == 0) return;
  const auto picture = machine::picture_of(c.worst, size_in_bytes(l.dtype));
  fmt::print("\n  {}: {}, {} each, {}\n{}", layout, plural(picture.lanes, "lane"), plural(picture.bytes_a_lane, "byte"),
             paint.bold(picture.caption()), machine::text_of(picture));
  if (!picture.wasteful_lanes.empty())
    fmt::print("  sectors only partly used: by lane {}\n", lanes_text(picture.wasteful_lanes));
}

void print_picture(const LineCoalescing& l, int line, Paint paint) {
  fmt::print("\n{}:{}: {} of {}\n    {}\n", project_path(l.key.file), line, trace::text_of(l.key.kind), l.tensor,
             sources::source_line(l.key.file, line));
  fmt::print("  a warp's request, the worst of {}; lanes 0 to 9, a to v; a dot: for nobody\n",
             count_text(l.cuda.requests));
  print_request("as CUDA lays the block out", l, l.cuda, paint);
  print_request("one lane an element", l, l.simple, paint);
}

nlohmann::ordered_json coalescing_json(const Coalescing& c, int element_bytes) {
  nlohmann::ordered_json j;
  j["requests"] = c.requests;
  j["sectors"] = c.sectors;
  j["sectors_per_request"] = c.per_request();
  j["ideal_sectors"] = c.ideal;
  j["useful_bytes"] = c.useful_bytes;
  j["efficiency"] = c.efficiency();
  auto widths = nlohmann::ordered_json::object();
  for (const auto& [bytes, n] : c.requests_by_bytes) widths[std::to_string(bytes)] = n;
  j["requests_by_bytes_a_lane"] = widths;
  if (c.requests) {
    const auto picture = machine::picture_of(c.worst, element_bytes);
    j["worst"] = {{"needed", picture.needed},
                  {"fetched", picture.fetched},
                  {"lanes", picture.lanes},
                  {"wasteful_lanes", picture.wasteful_lanes}};
  }
  return j;
}

// Where the kernel does not run, its requests are still worth a look.
std::string note_on(const machine::Device& device) {
  const std::string why = why_no_cuda_path(device);
  return why.empty() ? "" : why + ": these are the requests that it would make, with what 8.0 has (cp.async too)";
}

nlohmann::ordered_json report_json(const CoalesceOptions& o, const problems::Problem& problem,
                                   const problems::Settings& settings, const machine::Device& device,
                                   const std::vector<CoalescedLaunch>& reports) {
  nlohmann::ordered_json j{{"kernel", problem.name},
                           {"settings", settings_json(problem, settings)},
                           {"gpu", device.name},
                           {"source", "model"}};
  if (const std::string note = note_on(device); !note.empty()) j["note"] = note;
  j["launches"] = nlohmann::ordered_json::array();
  for (const CoalescedLaunch& r : reports) {
    nlohmann::ordered_json launch{{"kernel", r.kernel}, {"programs", r.programs}, {"warps", r.warps}};
    launch["lines"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < r.lines.size(); ++i) {
      const LineCoalescing& l = r.lines[i];
      if (o.line && r.places[i].line != o.line) continue;
      const int bytes = size_in_bytes(l.dtype);
      launch["lines"].push_back({{"file", project_path(l.key.file)},
                                 {"line", r.places[i].line},
                                 {"column", r.places[i].column},
                                 {"tensor", l.tensor},
                                 {"dtype", name_of(l.dtype)},
                                 {"access", trace::text_of(l.key.kind)},
                                 {"path", name_of(l.plan.path)},
                                 {"cuda", coalescing_json(l.cuda, bytes)},
                                 {"one_lane_an_element", coalescing_json(l.simple, bytes)}});
    }
    j["launches"].push_back(launch);
  }
  return j;
}

int coalesce(const CoalesceOptions& o) {
  const machine::Device device = machine::find_device(o.gpu);
  const problems::Problem& problem = problems::find(o.kernel.kernel);
  const problems::Settings settings = problems::parse(problem, o.kernel.settings);
  const auto reports = coalesced_launches(o.kernel, device, o.generic);
  std::vector<std::pair<const LineCoalescing*, int>> chosen;  // and its line in the text
  std::set<int> lines;
  for (const CoalescedLaunch& r : reports)
    for (std::size_t i = 0; i < r.lines.size(); ++i) {
      lines.insert(r.places[i].line);
      if (o.line == r.places[i].line) chosen.emplace_back(&r.lines[i], o.line);
    }
  if (o.line && chosen.empty())
    throw Error(fmt::format("no load or store stands on line {} of {}", o.line, problem.source),
                fmt::format("choose from {}", fmt::join(lines, ", ")));
  if (o.json) return fmt::print("{}\n", report_json(o, problem, settings, device, reports).dump(2)), exit_ok;

  const Paint paint = paint_of(stdout);
  fmt::print("{} {}\n{}\n", paint.bold(problem.name), settings_text(problem, settings),
             paint.dim(device.title + ", model; a sector is 32 bytes"));
  if (const std::string note = note_on(device); !note.empty())
    fmt::print("{}\n", paint.dim(wrapped(note, columns_of(stdout))));
  for (const CoalescedLaunch& r : reports) {
    fmt::print("\n{}: {} of {}\n", short_name(r.kernel), plural(r.programs, "program"), plural(r.warps, "warp"));
    print_table(r);
    fmt::print(
        "  sectors: of a request, as CUDA lays the block out, and their efficiency, the\n  share of their bytes that "
        "is asked for; simple: with one lane an element\n");
    if (!r.needed_values.empty()) fmt::print("{}\n", paint.dim("its data was computed: " + r.needed_values));
  }
  if (!o.line) {
    // The line that wastes most is the one to look at.
    const LineCoalescing* worst = nullptr;
    int line = 0;
    for (const CoalescedLaunch& r : reports)
      for (std::size_t i = 0; i < r.lines.size(); ++i)
        if (const LineCoalescing& l = r.lines[i];
            !worst || l.cuda.sectors - l.cuda.ideal > worst->cuda.sectors - worst->cuda.ideal)
          worst = &l, line = r.places[i].line;
    if (worst) chosen.emplace_back(worst, line);
  }
  for (const auto& [l, line] : chosen) print_picture(*l, line, paint);
  return exit_ok;
}

}  // namespace

void add_coalesce_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<CoalesceOptions>();
  CLI::App* command =
      program.add_subcommand("coalesce", "sectors per request of every load and store, and the lanes that waste them");
  add_kernel_options(*command, o->kernel);
  add_gpu_option(*command, o->gpu);
  command->add_option("--line", o->line, "draw the requests of this line; default: of the line that wastes most")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  command->add_flag("--generic", o->generic, "as CUDA runs it with nothing newer than sm_80");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "A warp's load or store moves whole sectors of 32 bytes. 32 lanes side by side, 4 bytes each, need 4 of them;\n"
      "32 lanes a row apart fetch 32.\n\n"
      "Examples:\n"
      "  tilescope coalesce add n=100000\n"
      "  tilescope coalesce transpose m=1000 n=1000 --line 12\n"
      "  tilescope coalesce softmax rows=64 cols=781 --json");
  command->callback([o, &exit_code] { exit_code = coalesce(*o); });
}

}  // namespace tl::cli
