// What `tilescope new` writes: a kernel, a project around it, and what clangd wants to know of both.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tl::cli {

struct NewFile {
  std::string name, text;
};

// For the kernel `name`; the first file is the kernel's.
NewFile new_kernel(const std::string& name);
NewFile new_triton_kernel(const std::string& name);
std::vector<NewFile> new_project(const std::string& name);
// .clangd; an empty text where this program's headers are not found.
NewFile new_clangd();

// What find_package(tilescope) is to be told: where this program was installed, or built.
std::string package_option();

}  // namespace tl::cli
