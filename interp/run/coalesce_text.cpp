#include "interp/run/coalesce_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/machine/access/coalescing_picture.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/run/cuda_config.h"
#include "interp/sources/sources.h"

namespace tl::run {

using namespace report;

namespace {

using machine::Coalescing;
using machine::LineCoalescing;

std::string width_text(const Coalescing& c) {
  std::string text;
  for (const auto& [bytes, n] : c.requests_by_bytes) text += (text.empty() ? "" : ", ") + std::to_string(bytes);
  return text + " B";
}

std::string sectors_text(const Coalescing& c) {
  return fmt::format("{:.4g}, {}", c.per_request(), percent_text(c.efficiency()));
}

// Fits a terminal of 80 columns. A loop's or a helper's line may stand for several tensors; the column tells apart what
// one line loads.
std::string table_text(const CoalescedLaunch& report) {
  Table table{.header = {"line", "tensor", "access", "a lane", "requests", "sectors", "simple"}, .left = {0, 1, 2}};
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const LineCoalescing& l = report.lines[i];
    table.rows.push_back(
        {fmt::format("{}:{}", report.places[i].line, report.places[i].column), l.tensor + " " + name_of(l.dtype),
         std::string(trace::text_of(l.key.kind)) +
             (l.plan.path == machine::Path::lsu || l.plan.path == machine::Path::atomic
                  ? ""
                  : std::string(", ") + name_of(l.plan.path)),
         width_text(l.cuda), count_text(l.cuda.requests), sectors_text(l.cuda), sectors_text(l.simple)});
  }
  return table.text();
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

std::string request_text(const char* layout, const LineCoalescing& l, const Coalescing& c, Paint paint) {
  if (c.requests == 0) return "";
  const auto picture = machine::picture_of(c.worst, size_in_bytes(l.dtype));
  std::string text =
      fmt::format("\n  {}: {}, {} each, {}\n{}", layout, plural(picture.lanes, "lane"),
                  plural(picture.bytes_a_lane, "byte"), paint.bold(picture.caption()), machine::text_of(picture));
  if (!picture.wasteful_lanes.empty())
    text += fmt::format("  sectors only partly used: by lane {}\n", lanes_text(picture.wasteful_lanes));
  return text;
}

std::string picture_text(const LineCoalescing& l, int line, Paint paint) {
  return fmt::format(
             "\n{}:{}: {} of {}\n    {}\n  the worst of {} requests of a warp; lanes 0 to 9, a to v; a dot "
             "was not used\n",
             project_path(l.key.file), line, trace::text_of(l.key.kind), l.tensor,
             sources::source_line(l.key.file, line), count_text(l.cuda.requests)) +
         request_text("as CUDA lays the block out", l, l.cuda, paint) +
         request_text("one lane an element", l, l.simple, paint);
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

// The lines to draw, each with its number in the text: all that stand on `line`, or with 0 the one that wastes most.
std::vector<std::pair<const LineCoalescing*, int>> drawn_lines(const std::vector<CoalescedLaunch>& launches, int line) {
  std::vector<std::pair<const LineCoalescing*, int>> drawn;
  const auto waste = [](const LineCoalescing& l) { return l.cuda.sectors - l.cuda.ideal; };
  for (const CoalescedLaunch& r : launches)
    for (std::size_t i = 0; i < r.lines.size(); ++i) {
      if (!line && !drawn.empty() && waste(r.lines[i]) > waste(*drawn.front().first)) drawn.clear();
      if (line ? r.places[i].line == line : drawn.empty()) drawn.emplace_back(&r.lines[i], r.places[i].line);
    }
  return drawn;
}

}  // namespace

void require_line(const KernelOptions& kernel, const std::vector<CoalescedLaunch>& launches, int line) {
  if (!line || !drawn_lines(launches, line).empty()) return;
  std::set<int> lines;
  for (const CoalescedLaunch& r : launches)
    for (const TextLocation& p : r.places) lines.insert(p.line);
  throw Error(fmt::format("no load or store stands on line {} of {}", line, problems::find(kernel.kernel).source),
              fmt::format("choose from {}", fmt::join(lines, ", ")));
}

nlohmann::ordered_json coalesce_json(const KernelOptions& kernel, const machine::Device& device,
                                     const std::vector<CoalescedLaunch>& launches, int line) {
  auto j = model_json(kernel, device.name);
  if (const std::string note = note_on(device); !note.empty()) j["note"] = note;
  j["launches"] = nlohmann::ordered_json::array();
  for (const CoalescedLaunch& r : launches) {
    nlohmann::ordered_json launch{{"kernel", r.kernel}, {"programs", r.programs}, {"warps", r.warps}};
    launch["lines"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < r.lines.size(); ++i) {
      const LineCoalescing& l = r.lines[i];
      if (line && r.places[i].line != line) continue;
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

std::string coalesce_text(const KernelOptions& kernel, const machine::Device& device,
                          const std::vector<CoalescedLaunch>& launches, int line, Paint paint, int columns) {
  std::string text = heading(kernel, described(device) + ", model; a sector is 32 bytes", paint, columns);
  if (const std::string note = note_on(device); !note.empty()) text += paint.dim(wrapped(note, columns)) + "\n";
  for (const CoalescedLaunch& r : launches) {
    text += fmt::format(
        "\n{}: {} of {}\n{}  sectors: of a request, as CUDA lays the block out, and their efficiency, the\n  share of "
        "their bytes that is asked for; simple: with one lane an element\n",
        short_name(r.kernel), plural(r.programs, "program"), plural(r.warps, "warp"), table_text(r));
    if (!r.needed_values.empty()) text += paint.dim("its data was computed: " + r.needed_values) + "\n";
  }
  for (const auto& [l, at] : drawn_lines(launches, line)) text += picture_text(*l, at, paint);
  return text;
}

}  // namespace tl::run
