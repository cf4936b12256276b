// Runs the built program as a person would, from an empty folder, and returns what it said.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

struct Said {
  int exit_code = -1;
  std::string out, err;
};

inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own, gone with the object.
class EmptyFolder {
 public:
  EmptyFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilescope_cli_XXXXXX").string();
    if (mkdtemp(pattern.data())) path = pattern;
  }
  ~EmptyFolder() { std::filesystem::remove_all(path); }
  EmptyFolder(const EmptyFolder&) = delete;
  std::filesystem::path path;
};

// `arguments` as typed in a shell, after `variables` of the environment (NAME=value). What it reads is the folder's
// file `input`, if any.
inline Said tilescope(const std::string& arguments, const EmptyFolder& folder = EmptyFolder(),
                      const std::string& variables = "") {
  const auto out = folder.path / ".out", err = folder.path / ".err";
  const std::string command = "cd '" + folder.path.string() + "' && " + variables + " '" TILESCOPE_PROGRAM "' " +
                              arguments + " > '" + out.string() + "' 2> '" + err.string() + "' < " +
                              (std::filesystem::exists(folder.path / "input") ? "input" : "/dev/null");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents_of(out), contents_of(err)};
}
