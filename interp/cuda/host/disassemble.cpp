// Machine code as text, by CUDA's own disassemblers.
#include <array>
#include <cstdio>
#include <memory>

#include "interp/cuda/host/disassemble.h"
#include "interp/cuda/host/library.h"
#include "interp/lang/error.h"
#include "interp/lang/output_file.h"
#include "interp/lang/shell.h"
#include "interp/lang/unavailable.h"
#include "interp/lang/unfinished.h"

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

// By the first of the tools that is there; "": none is.
std::string text_by(const Compiled& compiled, const std::vector<std::string>& tools) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "kernel.cubin";
  write_file(path, compiled.cubin);
  std::string text;
  auto folders = toolkit_folders();
  folders.insert(folders.begin(), "");
  for (const std::string& tool : tools)
    for (const auto& toolkit : folders)
      if (text.empty())
        text = output_of((toolkit.empty() ? tool : shell_quoted(toolkit) + "/bin/" + tool) + " " + shell_quoted(path) +
                         " 2>/dev/null");
  return text;
}

}  // namespace

std::string disassemble(const Compiled& compiled) {
  std::string text = text_by(compiled, {"nvdisasm", "cuobjdump --dump-sass"});
  if (text.empty())
    throw Unavailable("no disassembler: neither nvdisasm nor cuobjdump was found",
                      "install CUDA's binary utilities, or use --ptx");
  return text;
}

std::string disassemble_with_lines(const Compiled& compiled) {
  std::string text = text_by(compiled, {"nvdisasm -c -gi"});
  if (text.empty()) throw Unavailable("no disassembler: nvdisasm was not found", "install CUDA's binary utilities");
  return text;
}

}  // namespace tl::cuda
