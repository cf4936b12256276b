#include "interp/cli/machine/schedule_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "interp/cli/numbers.h"
#include "interp/lang/error.h"
#include "interp/machine/schedule_svg.h"

namespace tl::cli {

namespace fs = std::filesystem;

namespace {

std::string numbered(const std::string& file, std::size_t launch) {
  if (launch == 0) return file;
  const fs::path path(file);
  return (path.parent_path() / fmt::format("{}-{}{}", path.stem().string(), launch + 1, path.extension().string())).string();
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error("\"" + file + "\" cannot be written", "name a file in a folder that exists and may be written to");
}

}  // namespace

void add_schedule_file_options(CLI::App& command, ScheduleFiles& files) {
  command.add_option("--svg", files.svg, "draw it into FILE: SM rows over time, what reads found, the order of programs")->type_name("FILE");
  command.add_option("--chrome", files.chrome, "a trace for https://ui.perfetto.dev: SMs as threads, programs and their steps, flows, counters")->type_name("FILE");
}

std::vector<std::string> write_schedule_files(const ScheduledCase& c, const ScheduleFiles& files) {
  std::vector<std::string> written;
  for (std::size_t i = 0; i < c.launches.size(); ++i) {
    const ScheduledLaunch& l = c.launches[i];
    const std::string title = l.kernel + " " + settings_text(*c.problem, c.settings);
    if (!files.svg.empty()) {
      write(numbered(files.svg, i), machine::schedule_svg(l.schedule, l.record, title));
      written.push_back(fmt::format("{}: {}, a picture", numbered(files.svg, i), l.kernel));
    }
    if (!files.chrome.empty()) {
      write(numbered(files.chrome, i), machine::chrome_trace(l.schedule, l.record, title));
      written.push_back(fmt::format("{}: {}, a trace for https://ui.perfetto.dev{}", numbered(files.chrome, i), l.kernel,
                                    l.schedule.steps_cut ? fmt::format(", the first {} of its steps", count_text(steps_in_files)) : ""));
    }
  }
  return written;
}

}  // namespace tl::cli
