// tilescope new NAME: a kernel of one's own to begin with, in C++ or in Triton's Python, or a project around one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "interp/cli/commands.h"
#include "interp/cli/new_files.h"
#include "interp/lang/error.h"
#include "interp/lang/output_file.h"

namespace tl::cli {

using namespace report;

namespace {

namespace fs = std::filesystem;

bool is_name(const std::string& name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

void refuse_name(const std::string& name, const char* example) {
  if (!is_name(name))
    throw Error(fmt::format("\"{}\" cannot be a kernel's name", name),
                fmt::format("letters, digits and _: tilescope new {}", example));
}

void refuse_existing(const fs::path& path) {
  if (fs::exists(fs::symlink_status(path)))
    throw Error(fmt::format("{} is there already", path.string()), "choose another name, or move it away");
}

// For editors: clangd then understands a kernel's file alone.
std::string write_clangd(const fs::path& folder) {
  const auto [name, text] = new_clangd();
  const fs::path file = folder / name;
  std::error_code unknown;
  if (text.empty() || fs::exists(fs::symlink_status(file, unknown))) return "";
  write_file(file.string(), text);
  return fmt::format("wrote {}: editors with clangd then know the language\n", file.string());
}

int write_new_kernel(const std::string& asked) {
  fs::path file = asked;
  const bool is_triton = file.extension() == ".py";
  if (is_triton || file.extension() == ".h") file.replace_extension();
  const std::string name = file.filename().string();
  refuse_name(name, "my_relu");
  const NewFile kernel = is_triton ? new_triton_kernel(name) : new_kernel(name);
  file.replace_filename(kernel.name);
  refuse_existing(file);
  write_file(file.string(), kernel.text);
  fmt::print(
      "wrote {0}: a kernel, and the case that it runs on behind `// case:`\n\n"
      "  tilescope run {0}                      runs it, and compares with what `expect` says\n"
      "  tilescope run {0} n=4097 BLOCK=256     another case{2}\n"
      "  tilescope run {0} x=@x.npy --save y=y.npy\n"
      "  tilescope debug {0}                    steps through it, forwards and backwards; `tilescope view` in a "
      "window\n"
      "  tilescope schedule {0} n=2^24          when which program runs where\n{1}",
      file.string(), is_triton ? "" : write_clangd(file.parent_path()),
      is_triton ? "" : "; --device cuda runs it on a GPU");
  return exit_ok;
}

int write_new_project(fs::path folder) {
  if (!folder.has_filename()) folder = folder.parent_path();  // demo/
  const std::string name = folder.filename().string();
  refuse_name(name, "--project my_kernels");
  refuse_existing(folder);
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (failed) throw not_written(folder.string(), failed.value());
  for (const NewFile& file : new_project(name)) write_file((folder / file.name).string(), file.text);
  write_clangd(folder);
  fmt::print(
      "wrote {0}: a kernel, its tests, and a CMake project that finds tilescope\n\n"
      "  cmake -G Ninja -S {0} -B {0}/build {2}\n"
      "  cmake --build {0}/build\n"
      "  ctest --test-dir {0}/build      runs them on the interpreter, and on a GPU where there is one\n"
      "  tilescope run {0}/{1}.h         every command takes the kernel's file, too\n",
      folder.string(), name, package_option());
  return exit_ok;
}

}  // namespace

void add_new_command(CLI::App& program, int& exit_code) {
  struct NewOptions {
    std::string name;
    bool is_project = false;
  };
  auto options = std::make_shared<NewOptions>();
  CLI::App* command =
      program.add_subcommand("new", "write a kernel of your own to begin with: NAME.h, or NAME.py in Triton's Python");
  command
      ->add_option("name", options->name,
                   "of the kernel: NAME.h is written, or NAME.py where it ends so, here or in the folder before it")
      ->required()
      ->type_name("NAME|NAME.py");
  command->add_flag("--project", options->is_project,
                    "a folder NAME: the kernel, tests that run it on both executors, and a CMakeLists.txt");
  command->footer(
      "Examples:\n  tilescope new relu\n  tilescope run relu.h\n  tilescope new relu.py\n  tilescope debug relu.py\n  "
      "tilescope run relu.h n=4097 BLOCK=256\n"
      "  tilescope new --project demo");
  command->callback([options, &exit_code] {
    exit_code = options->is_project ? write_new_project(options->name) : write_new_kernel(options->name);
  });
}

}  // namespace tl::cli
