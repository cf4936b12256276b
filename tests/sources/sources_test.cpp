// Expected texts: the files of the tree themselves.
#include "interp/sources/sources.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "interp/lang/error.h"

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("sources: every embedded file equals the one in the tree, byte for byte") {
  REQUIRE(tl::sources::all_sources().size() > 10);
  for (const auto& f : tl::sources::all_sources())
    CHECK_MESSAGE(f.text == read(std::filesystem::path(TILESCOPE_ROOT) / f.path), f.path);
}

TEST_CASE("sources: a kernel is found by its include path and by the path a compiler reports") {
  CHECK(tl::sources::source("kernels/copy.h").find("struct copy_kernel") != std::string_view::npos);
  CHECK(tl::sources::source("/somewhere/else/kernels/copy.h") == tl::sources::source("kernels/copy.h"));
  CHECK(tl::sources::source("other_kernels/copy.h").empty());
  CHECK(tl::sources::source("copy.h").empty());
}

TEST_CASE("sources: lines count from 1 and end before the newline") {
  const std::string text(tl::sources::source("kernels/copy.h"));
  CHECK(tl::sources::source_line("kernels/copy.h", 1) == text.substr(0, text.find('\n')));
  CHECK(tl::sources::source_line("kernels/copy.h", 0).empty());
  CHECK(tl::sources::source_line("kernels/copy.h", 100000).empty());
  CHECK(tl::sources::source_line("kernels/none.h", 1).empty());
}

TEST_CASE("sources: a folder overrides the files it holds and adds its own kernels") {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_sources_test";
  std::filesystem::create_directories(folder / "kernels");
  std::ofstream(folder / "kernels/add.h") << "// mine\n";
  std::ofstream(folder / "kernels/zz_own.h") << "// new\n";
  CHECK(tl::sources::use_sources_from(folder) == std::vector<std::string>{"kernels/add.h", "kernels/zz_own.h"});
  CHECK(tl::sources::source("kernels/add.h") == "// mine\n");
  CHECK(tl::sources::source("kernels/zz_own.h") == "// new\n");
  std::ofstream(folder / "elsewhere.h") << "// asked for\n";
  CHECK(tl::sources::source("elsewhere.h") == "// asked for\n");
  tl::sources::use_built_in_sources();
  CHECK(tl::sources::source("kernels/add.h") == read(std::filesystem::path(TILESCOPE_ROOT) / "kernels/add.h"));
  CHECK(tl::sources::source("elsewhere.h").empty());
  std::filesystem::remove_all(folder);
  CHECK_THROWS_AS(tl::sources::use_sources_from(folder), tl::Error);
}
