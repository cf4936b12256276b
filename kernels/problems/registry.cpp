// The list of problems: those of the files beside this one, and kernels that have a case at their head alone.
#include "kernels/problems/registry.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "interp/lang/error.h"
#include "interp/lang/file_name.h"
#include "interp/lang/text.h"

namespace tl::problems {

Problem with_launch_settings(Problem p) {
  const auto add = [&](const char* name, const char* help, double most, bool power_of_two) {
    if (std::ranges::count(p.settings, name, &Setting::name)) return false;
    p.settings.push_back({name, "", Setting::Kind::integer, help, 1, most, power_of_two});
    return true;
  };
  const bool sets_warps = add("warps", "warps a program (GPU); a power of two", 32, true),
             sets_registers = add("registers", "that a thread takes at most (GPU)", 255, false);
  if (!sets_warps && !sets_registers) return p;
  p.make = [make = p.make, sets_warps, sets_registers](const Settings& s, std::uint64_t seed) {
    Instance instance = make(s, seed);
    const auto give = [&](bool given, const char* name, int LaunchOptions::* option) {
      if (!given || s.text(name).empty()) return;
      for (Launch& launch : instance.launches) launch.options.*option = static_cast<int>(s.integer(name));
    };
    give(sets_warps, "warps", &LaunchOptions::num_warps);
    give(sets_registers, "registers", &LaunchOptions::max_registers);
    return instance;
  };
  return p;
}

namespace {

Problem (*problem_of_file)(const std::string& name) = nullptr;
std::vector<Problem> (*problems_of_texts)(const std::vector<Problem>& others) = nullptr;

}  // namespace

const std::vector<Problem>& all() {
  static const std::vector<Problem> in_cpp = [] {
    std::vector<Problem> made;
    for (const Problem& p : registered()) made.push_back(with_inputs(with_launch_settings(p)));
    std::ranges::sort(made, {}, &Problem::name);
    return made;
  }();
  static bool is_reading = false;  // texts ask which names there are
  if (is_reading || !problems_of_texts) return in_cpp;
  static const std::vector<Problem> problems = [] {
    is_reading = true;
    std::vector<Problem> made = problems_of_texts(in_cpp);
    is_reading = false;
    made.insert(made.begin(), in_cpp.begin(), in_cpp.end());
    return made;
  }();
  return problems;
}

void read_texts_by(std::vector<Problem> (*reader)(const std::vector<Problem>& others)) { problems_of_texts = reader; }

void read_files_by(Problem (*reader)(const std::string& name)) { problem_of_file = reader; }

bool names_file(std::string_view name) {
  const std::string file = file_in(name);
  return file.ends_with(".h") || is_python(file);
}

const Problem& find(std::string_view wanted) {
  const auto it = std::ranges::find(all(), wanted, &Problem::name);
  if (it != all().end()) return *it;
  const std::string name(wanted);
  if (names_file(name) && problem_of_file) {
    static std::map<std::string, Problem> files;  // read once, and again when they were saved
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::error_code none;
    const auto saved = std::filesystem::last_write_time(file_in(name), none);
    const std::string key = name + " " + std::to_string(static_cast<std::int64_t>(saved.time_since_epoch().count()));
    const auto known = files.find(key);
    return known != files.end() ? known->second : files.emplace(key, problem_of_file(name)).first->second;
  }
  std::vector<std::string> names;
  for (const Problem& p : all()) names.push_back(p.name);
  const std::string guess = nearest(name, names);
  std::error_code none;
  if (problem_of_file && std::filesystem::is_regular_file(name + ".h", none))
    throw Error("there is no kernel \"" + name + "\"", "the file here is " + name + ".h");
  throw Error("there is no kernel \"" + name + "\"",
              guess.empty() ? "`tilescope list` names them all" : "did you mean " + guess + "?");
}

}  // namespace tl::problems
