#include "interp/run/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/sources/sources.h"

namespace tl::run {

extern const std::span<const sources::SourceFile> embedded_recorded_runs;  // of the generated file

namespace {

std::string slug(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

}  // namespace

// A point a line.
std::string recorded_json(const RecordedRun& run) {
  const nlohmann::ordered_json head{{"device", run.device},
                                    {"driver", run.driver},
                                    {"date", run.date},
                                    {"command", run.command},
                                    {"tilescope", run.version}};
  std::string text = head.dump(1);
  text.replace(text.rfind('\n'), std::string::npos, ",\n \"points\": [");
  for (const Point& p : run.points) text += (&p == run.points.data() ? "\n  " : ",\n  ") + point_json(p).dump();
  return text + "\n ]\n}\n";
}

RecordedRun parse_recorded(const std::string& text) {
  try {
    const auto j = nlohmann::ordered_json::parse(text);
    RecordedRun run{j.at("device"), j.at("driver"), j.at("date"), j.at("command"), j.at("tilescope"), {}};
    for (const auto& p : j.at("points")) run.points.push_back(point_of_json(p));
    return run;
  } catch (const nlohmann::json::exception& e) {
    throw Error(std::string("this is not a recorded run: ") + e.what(),
                "record it again with `tilescope bench ... --record`");
  }
}

std::string recorded_name(const RecordedRun& run) {
  std::string name = run.is_of_tuning() ? "tune-" : "";
  std::set<std::string> seen;
  for (const Point& p : run.points)
    if (seen.insert(p.kernel).second) name += (seen.size() > 1 ? "-" : "") + slug(p.kernel);
  // The command's settings tell two runs of one kernel apart.
  std::string settings;
  for (std::size_t at = 0; at < run.command.size();) {
    const std::size_t end = std::min(run.command.find(' ', at), run.command.size());
    const std::string word = run.command.substr(at, end - at);
    if (word.find('=') != std::string::npos && !word.starts_with("--")) settings.append("-").append(slug(word));
    at = end + 1;
  }
  return name + settings.substr(0, 80) + "-" + slug(run.device);
}

void require_kernels(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder / "kernels"))
    throw Error("there is no folder kernels/ here to record into",
                "run `tilescope bench ... --record` from the root of the repository");
}

std::filesystem::path keep_recorded(const RecordedRun& run, const std::filesystem::path& folder) {
  require_kernels(folder);
  const auto recorded = folder / "kernels" / "recorded";
  std::filesystem::create_directories(recorded);
  const auto path = recorded / (recorded_name(run) + ".json");
  write_file(path.string(), recorded_json(run));
  return path;
}

static std::vector<RecordedRun> all_recorded(const std::string& kernel, bool of_tuning) {
  std::map<std::string, std::string> texts;  // by path
  for (const auto& file : embedded_recorded_runs) texts.emplace(file.path, file.text);
  if (const std::filesystem::path here = "kernels/recorded"; std::filesystem::is_directory(here))
    for (const auto& entry : std::filesystem::directory_iterator(here))
      if (entry.path().extension() == ".json")
        texts[entry.path().generic_string()] = regular_file_if_any(entry.path()).value_or("");
  std::vector<RecordedRun> runs;
  for (const auto& [path, text] : texts) {
    RecordedRun run;
    try {
      run = parse_recorded(text);
    } catch (const Error&) {  // one damaged file hides no other
      fmt::print(stderr, "tilescope: {} is left out: it is not a recorded run\n", path);
      continue;
    }
    std::erase_if(run.points, [&](const Point& p) { return p.kernel != kernel && p.kernel != kernel + tuned_suffix; });
    if (!run.points.empty() && run.is_of_tuning() == of_tuning) runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<RecordedRun> recorded_runs(const std::string& kernel) { return all_recorded(kernel, false); }

std::vector<RecordedRun> recorded_tunings(const std::string& kernel) { return all_recorded(kernel, true); }

}  // namespace tl::run
