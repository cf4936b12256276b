// The texts of the kernels and their headers, embedded at build time: the program shows source lines and hands
// them to NVRTC wherever it runs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tl::sources {

struct SourceFile {
  std::string_view path;  // as kernels include it: kernels/softmax.h
  std::string_view text;
};

// The text of `kernels/softmax.h`; of `/home/me/tilescope/kernels/softmax.h` too, as compilers report it. Empty when
// there is none.
std::string_view source(std::string_view include_path);

// Every embedded file, overrides applied, sorted by path.
std::span<const SourceFile> all_sources();

// Reads every embedded path that exists under `folder` from there instead, and what is there but was not embedded as
// well. Returns the embedded paths whose text changed, and the kernels/*.h that are new. Call it before other threads
// read. Throws Error when `folder` is no folder. The environment's TILESCOPE_SOURCES=FOLDER does the same before the
// first text is read.
std::vector<std::string> use_sources_from(const std::filesystem::path& folder);
void use_built_in_sources();  // takes that back
// Reads what is not embedded, a user's own kernels and headers, from under `folder` as well; the folder named last
// comes first. What was read from such a folder is read anew.
void also_read_from(const std::filesystem::path& folder);
void read_first_from(const std::filesystem::path& folder);  // the same, where that folder does not come first already
// A text that somebody else has read, or that lies in no file.
void keep(const std::string& path, std::string text);

// Does a kernel's text, or that of a kernels/*.h it includes, differ from what the program was built with? A user's own
// text was built with nothing and differs from nothing.
bool differs_from_built_in(std::string_view include_path);

// Line `line` (from 1) of a file, without its end; empty: no such line.
std::string_view source_line(std::string_view include_path, int line);

}  // namespace tl::sources
