#include "interp/run/schedule_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "interp/lang/output_file.h"
#include "interp/report/numbers.h"
#include "interp/run/pictures.h"

namespace tl::run {

using namespace report;

namespace fs = std::filesystem;

namespace {

std::string named(const std::string& file, const std::string& changed, std::size_t launch) {
  const fs::path path(file);
  const std::string more = (changed.empty() ? "" : "-" + changed) + (launch == 0 ? "" : fmt::format("-{}", launch + 1));
  return more.empty() ? file
                      : (path.parent_path() / (path.stem().string() + more + path.extension().string())).string();
}

void write_files(const ScheduledCase& c, const std::string& changed, const ScheduleFiles& files,
                 std::vector<std::string>& written) {
  for (std::size_t i = 0; i < c.launches.size(); ++i) {
    const ScheduledLaunch& l = c.launches[i];
    const std::string settings = settings_text(*c.problem, c.settings);
    if (!files.svg.empty()) {
      const std::string file = named(files.svg, changed, i);
      write_file(file, pictures().schedule(l.schedule, l.record, l.kernel, settings));
      written.push_back(fmt::format("{}: {}, a picture", file, l.kernel));
    }
    if (!files.chrome.empty()) {
      const std::string file = named(files.chrome, changed, i);
      write_file(file, pictures().chrome_trace(l.schedule, c.device, l.kernel + " " + settings));
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

}  // namespace tl::run
