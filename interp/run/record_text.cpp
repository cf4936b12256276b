#include "interp/run/record_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/trace/file.h"

namespace tl::run {

using namespace report;

namespace {

// 0: a device or a pipe, which has none.
std::uintmax_t size_of(const std::string& file) {
  std::error_code no_size;
  const auto size = std::filesystem::file_size(file, no_size);
  return no_size ? 0 : size;
}

}  // namespace

void save_recording(const trace::RecordedTrace& recorded, const std::string& file) {
  Progress progress;
  trace::save(recorded, file, [&](std::size_t done) {
    if (done % 256 == 0)
      progress.show(fmt::format("writing {}: program {} of {}", file, done, recorded.programs.size()));
  });
}

std::vector<const Fault*> recording_faults(const trace::RecordedTrace& recorded) {
  std::vector<const Fault*> faults;
  for (const trace::RecordedProgram& p : recorded.programs)
    for (const trace::RecordedFault& f : p.faults)
      if (f.fault.kind != FaultKind::stopped || !f.fault.fix.empty()) faults.push_back(&f.fault);  // not by Ctrl-C
  return faults;
}

std::string recording_text(const Case& c, const trace::RecordedTrace& recorded, const std::string& file, Paint paint) {
  std::string text = fmt::format("{}: {}, {} ops, {:.1f} kB in {}\n", c.problem->name,
                                 plural(std::ssize(recorded.programs), "program"), recorded.steps(),
                                 static_cast<double>(size_of(file)) / 1024, file);
  for (const std::string& note : recorded.notes) text += "  " + note + "\n";
  const auto faults = recording_faults(recorded);
  if (!faults.empty()) text += fault_text(*faults.front(), paint);
  if (faults.size() > 1) text += fmt::format("  and {} more\n", faults.size() - 1);
  return text + fmt::format("`tilescope debug {}` steps through it.\n", file);
}

nlohmann::ordered_json recording_json(const Case& c, const trace::RecordedTrace& recorded, const std::string& file) {
  nlohmann::ordered_json j{{"kernel", c.problem->name},
                           {"settings", settings_json(*c.problem, c.settings)},
                           {"file", file},
                           {"bytes", size_of(file)},
                           {"launches", recorded.launches.size()},
                           {"programs", recorded.programs.size()},
                           {"ops", recorded.steps()},
                           {"faults", nlohmann::ordered_json::array()}};
  for (const Fault* f : recording_faults(recorded)) j["faults"].push_back(fault_json(*f));
  j["notes"] = recorded.notes;
  return j;
}

}  // namespace tl::run
