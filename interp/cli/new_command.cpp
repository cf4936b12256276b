// tilescope new NAME: a kernel of one's own to begin with, which runs at once.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "interp/cli/commands.h"
#include "interp/lang/error.h"
#include "interp/lang/output_file.h"

namespace tl::cli {

using namespace report;

namespace {

// NAME stands for the kernel's.
constexpr const char* text = R"(// y = max(x, 0), element by element: a program takes BLOCK of them
// case: n=1000 BLOCK=64 x=f32[n]:normal y=out:f32[n] grid=cdiv(n, BLOCK)
// case: expect='y = max(x, 0)'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct NAME_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto offs = pid * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    auto y = tl.maximum(x, 0);
    tl.store(y_ptr + offs, y, {.mask = mask});
  }
};

}  // namespace tl::kernels
)";

bool is_name(const std::string& name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// Where a kernel's #include leads: beside an installed program, or in the sources that it was built from.
std::filesystem::path headers() {
  std::error_code unknown;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path().parent_path();
  for (const auto& folder : {here / "include/tilescope", here})
    if (std::filesystem::exists(folder / "interp/tl.h", unknown)) return folder;
  return {};
}

// For editors: clangd then understands a kernel's file alone.
std::string write_clangd(const std::filesystem::path& folder) {
  const auto file = folder / ".clangd";
  const auto include = headers();
  std::error_code unknown;
  if (include.empty() || std::filesystem::exists(std::filesystem::symlink_status(file, unknown))) return "";
  write_file(file.string(),
             fmt::format("CompileFlags:\n  Add: [-xc++, -std=c++20, -Wno-pragma-once-outside-header, '-I{0}', -include, "
                         "'{0}/interp/editor.h']\n",
                         include.string()));
  return fmt::format("wrote {}: editors with clangd then know the language\n", file.string());
}

int write_new(const std::string& asked) {
  std::filesystem::path file = asked;
  if (file.extension() == ".h") file.replace_extension();
  const std::string name = file.filename().string();
  if (!is_name(name))
    throw Error(fmt::format("\"{}\" cannot be a kernel's name", name), "letters, digits and _: tilescope new my_relu");
  file += ".h";
  if (std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw Error(fmt::format("{} is there already", file.string()), "choose another name, or move that file away");
  std::string made = text;
  for (std::size_t at; (at = made.find("NAME")) != std::string::npos;) made.replace(at, 4, name);
  write_file(file.string(), made);
  fmt::print(
      "wrote {0}: a kernel, and the case that it runs on behind `// case:`\n\n"
      "  tilescope run {0}                      runs it, and compares with what `expect` says\n"
      "  tilescope run {0} n=4097 BLOCK=256     another case; --device cuda runs it on a GPU\n"
      "  tilescope run {0} x=@x.npy --save y=y.npy\n"
      "  tilescope debug {0}                    steps through it, forwards and backwards; `tilescope view` in a "
      "window\n"
      "  tilescope schedule {0} n=2^24          when which program runs where\n{1}",
      file.string(), write_clangd(file.parent_path()));
  return exit_ok;
}

}  // namespace

void add_new_command(CLI::App& program, int& exit_code) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("new", "write a kernel of your own to begin with, NAME.h");
  command->add_option("name", *name, "of the kernel: NAME.h is written, here or in the folder before it")
      ->required()
      ->type_name("NAME");
  command->footer("Examples:\n  tilescope new relu\n  tilescope run relu.h\n  tilescope run relu.h n=4097 BLOCK=256");
  command->callback([name, &exit_code] { exit_code = write_new(*name); });
}

}  // namespace tl::cli
