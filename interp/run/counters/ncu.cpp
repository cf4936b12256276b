#include "interp/run/counters/ncu.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/shell.h"
#include "interp/lang/unavailable.h"
#include "interp/lang/unfinished.h"

namespace tl::run {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) paths.push_back(folder + "/ncu");
  paths.push_back("/usr/local/cuda/bin/ncu");
  std::vector<std::string> installed;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/opt/nvidia/nsight-compute", ignored))
    installed.push_back(entry.path().string() + "/ncu");
  std::ranges::sort(installed, std::greater<>());
  paths.insert(paths.end(), installed.begin(), installed.end());
  return paths;
}

// A command's lines as they come; its exit status.
int run_lines(const std::string& command, const std::function<void(const std::string&)>& on_line) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw Error("cannot start a shell", "see that the machine has memory left");
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') line += static_cast<char>(c);
    else {
      on_line(line);
      line.clear();
    }
  }
  if (!line.empty()) on_line(line);
  return pclose(pipe);
}

// "a","b, c","say ""x""" -> a | b, c | say "x"
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[i++];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) fields.emplace_back();
    else fields.back() += line[i];
  }
  return fields;
}

// 1,234,567 -> 1234567; false for n/a and the like.
bool number_in(std::string text, double& value) {
  std::erase(text, ',');
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

}  // namespace

std::string find_ncu() {
  const std::string fix =
      "install Nsight Compute (it comes with the CUDA toolkit, as cuda-nsight-compute), or name it: "
      "TILESCOPE_NCU=/path/to/ncu";
  if (const char* named = std::getenv("TILESCOPE_NCU"); named && *named) {
    if (access(named, X_OK) == 0) return named;
    throw Error(fmt::format("TILESCOPE_NCU names \"{}\", which cannot be run", named), fix);
  }
  for (const std::string& path : candidates())
    if (access(path.c_str(), X_OK) == 0) return path;
  throw Unavailable("the counters are read by ncu, which was not found", fix);
}

std::vector<Metrics> parse_ncu_csv(const std::string& log) {
  std::vector<Metrics> launches;
  std::vector<std::string> header;
  std::map<std::string, std::size_t> index_of_id;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('"')) continue;
    const auto fields = fields_of(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < std::min(header.size(), fields.size()); ++i) row[header[i]] = fields[i];
    const auto [at, is_new] = index_of_id.try_emplace(row["ID"], launches.size());
    if (is_new) launches.emplace_back();
    double value = 0;
    if (number_in(row["Metric Value"], value)) launches[at->second][row["Metric Name"]] = value;
  }
  return launches;
}

void check_ncu_log(const std::string& log) {
  if (log.find("ERR_NVGPUCTRPERM") != std::string::npos)
    throw Unavailable("the driver lets nobody but the administrator read the GPU's counters (ERR_NVGPUCTRPERM)",
                      "run it with sudo, or allow all users: options nvidia NVreg_RestrictProfilingToAdminUsers=0 in "
                      "/etc/modprobe.d/, then reboot");
  std::istringstream lines(log);
  std::string complaint, last;
  for (std::string line; std::getline(lines, line); last = line)
    if (line.starts_with("==ERROR=="))
      complaint += (complaint.empty() ? "" : "; ") + line.substr(std::min<std::size_t>(line.size(), 10));
  if (complaint.empty() && last.starts_with('"') && !last.ends_with('"'))
    throw Error("what ncu wrote ends in the middle of a line: " + last,
                "free some space in " + fs::temp_directory_path().string() + " or set TMPDIR, and run it again");
  if (complaint.empty()) return;
  if (complaint.find("already in use") != std::string::npos ||
      complaint.find("ResourceUnavailable") != std::string::npos)
    throw Error("ncu: " + complaint, "end the other profiler (ncu, nsys, DCGM: dcgmi profile --pause)");
  throw Error(
      "ncu: " + complaint,
      "try it by hand: ncu tilescope run KERNEL --device cuda; or name another one: TILESCOPE_NCU=/path/to/ncu");
}

Profile profile(const std::string& ncu, const std::string& command, const std::vector<std::string>& metrics,
                const std::function<void(const std::string&)>& on_line) {
  Profile result;
  run_lines(shell_quoted(ncu) + " --version 2>/dev/null", [&](const std::string& line) {
    if (const auto at = line.find("Version "); at != std::string::npos)
      result.version = line.substr(at + 8, line.find(' ', at + 8) - at - 8);
  });
  const TemporaryFolder folder;
  const std::string path = folder.path() / "log.csv";
  // The default locale writes numbers with dots; the default clock control would change the card's settings.
  const std::string line = fmt::format(
      "LC_ALL=C {} --clock-control none --cache-control all --print-units base --csv --log-file {} --kernel-name "
      "regex:entry "
      "--metrics {} {}",
      shell_quoted(ncu), shell_quoted(path), fmt::join(metrics, ","), command);
  const int status = run_lines(line, on_line);
  const std::string log = regular_file_if_any(path, std::uintmax_t{1} << 30).value_or("");
  if (const char* keep = std::getenv("TILESCOPE_NCU_LOG")) write_file(keep, log);
  check_ncu_log(log);
  result.launches = parse_ncu_csv(log);
  if (status != 0 && result.launches.empty())
    throw Error(fmt::format("{} ended with exit code {} and no counters", ncu,
                            WIFEXITED(status) ? WEXITSTATUS(status) : status),
                fmt::format("see that it is Nsight Compute's: {} --version", ncu));
  return result;
}

}  // namespace tl::run
