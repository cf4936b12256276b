// Machine code as text, by CUDA's own disassemblers.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/library.h"
#include "interp/lang/error.h"

namespace tl::cuda {

namespace fs = std::filesystem;

namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> buffer;
  while (const auto n = pipe ? std::fread(buffer.data(), 1, buffer.size(), pipe.get()) : 0)
    text.append(buffer.data(), n);
  return text;
}

std::string shell_quoted(const std::string& path) {
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string disassemble(const Compiled& compiled) {
  std::string path = (fs::temp_directory_path() / "tilescope-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0)
    throw Error("cannot write a temporary file in " + fs::temp_directory_path().string(),
                "free some space there or set TMPDIR");
  close(file);
  std::ofstream(path, std::ios::binary) << compiled.cubin;
  std::string text;
  auto folders = toolkit_folders();
  folders.insert(folders.begin(), "");
  for (const std::string tool : {"nvdisasm", "cuobjdump --dump-sass"}) {
    for (const auto& folder : folders)
      if (text.empty())
        text = output_of((folder.empty() ? tool : shell_quoted(folder) + "/bin/" + tool) + " " + shell_quoted(path) +
                         " 2>/dev/null");
  }
  std::error_code ignored;
  fs::remove(path, ignored);
  if (text.empty())
    throw Error("no disassembler: neither nvdisasm nor cuobjdump was found",
                "install CUDA's binary utilities, or use --ptx");
  return text;
}

}  // namespace tl::cuda
