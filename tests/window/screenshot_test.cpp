// A picture of the window as a file.
#include "viz/app/screenshot.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/unfinished.h"

using namespace tl;
using namespace tl::viz;

TEST_CASE("screenshots: a picture that the disk has no room for is an error") {
  const std::vector<std::uint8_t> pixels(3 * 64 * 64, 200);
  CHECK_THROWS_AS(write_png("/dev/full", 64, 64, pixels), OutputError);
}

TEST_CASE("screenshots: a picture takes the place of an older one instead of overwriting it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.png", link = folder.path() / "b.png";
  std::ofstream(file) << "older";
  std::filesystem::create_hard_link(file, link);
  write_png(file.string(), 1, 1, {255, 0, 0});
  CHECK(read_regular_file(file).starts_with("\x89PNG"));
  CHECK(read_regular_file(link) == "older");
}
