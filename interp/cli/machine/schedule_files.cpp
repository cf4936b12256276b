#include "interp/cli/machine/schedule_files.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "interp/lang/output_file.h"
#include "interp/machine/schedule/schedule_svg.h"
#include "interp/report/numbers.h"

namespace tl::cli {

namespace fs = std::filesystem;

namespace {

std::string named(const std::string& file, const std::string& changed, std::size_t launch) {
  const fs::path path(file);
  const std::string more = (changed.empty() ? "" : "-" + changed) + (launch == 0 ? "" : fmt::format("-{}", launch + 1));
  return more.empty() ? file
                      : (path.parent_path() / (path.stem().string() + more + path.extension().string())).string();
}

}  // namespace

void add_schedule_file_options(CLI::App& command, ScheduleFiles& files) {
  command
      .add_option("--svg", files.svg, "draw it into FILE: SM rows over time, what reads found, the order of programs")
      ->type_name("FILE");
  command
      .add_option("--chrome", files.chrome,
                  "a trace for https://ui.perfetto.dev: SMs as threads, programs and their steps, flows, counters")
      ->type_name("FILE");
}

namespace {

void write_files(const ScheduledCase& c, const std::string& changed, const ScheduleFiles& files,
                 std::vector<std::string>& written) {
  for (std::size_t i = 0; i < c.launches.size(); ++i) {
    const ScheduledLaunch& l = c.launches[i];
    const std::string title = l.kernel + " " + settings_text(*c.problem, c.settings);
    if (!files.svg.empty()) {
      const std::string file = named(files.svg, changed, i);
      write_file(file, machine::schedule_svg(l.schedule, l.record, title));
      written.push_back(fmt::format("{}: {}, a picture", file, l.kernel));
    }
    if (!files.chrome.empty()) {
      const std::string file = named(files.chrome, changed, i);
      write_file(file, machine::chrome_trace(l.schedule, c.device, title));
      written.push_back(fmt::format(
          "{}: {}, a trace for https://ui.perfetto.dev{}", file, l.kernel,
          l.schedule.steps_cut ? fmt::format(", the first {} of its steps", count_text(steps_in_files)) : ""));
    }
  }
}

}  // namespace

std::vector<std::string> write_schedule_files(const std::vector<ScheduledCase>& cases,
                                              const std::vector<std::string>& changed, const ScheduleFiles& files) {
  if (!files.svg.empty() && files.svg == files.chrome)
    throw Error("--svg and --chrome both name \"" + files.svg + "\": one would be written over the other",
                "name two files");
  if (files.svg == "-") throw Error("--svg writes a file, and \"-\" names none", "for example --svg schedule.svg");
  if (files.chrome == "-")
    throw Error("--chrome writes a file, and \"-\" names none", "for example --chrome schedule.json");
  std::vector<std::string> written;
  for (std::size_t i = 0; i < cases.size(); ++i) write_files(cases[i], i == 0 ? "" : changed[i - 1], files, written);
  return written;
}

}  // namespace tl::cli
