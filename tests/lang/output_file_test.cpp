// Files are there when they are whole.
#include "interp/lang/output_file.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() { REQUIRE(mkdtemp(name.data()) != nullptr); }
  ~Folder() { fs::remove_all(name); }
  std::string file(const std::string& inside) const { return name + "/" + inside; }
  auto files() const { return std::distance(fs::directory_iterator(name), {}); }
  std::string name = (fs::temp_directory_path() / "tilescope-file-XXXXXX").string();
};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a file that cannot be finished leaves the older one as it was, and nothing beside it") {
  const Folder folder;
  const std::string file = folder.file("a.svg");
  tl::write_file(file, "old");
  CHECK_THROWS_AS(tl::write_file(file, [](std::ostream& out) { out << "half", throw tl::Error("no more"); }),
                  tl::Error);
  CHECK(text_of(file) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("what ends the program within a file can drop what there is of it") {
  const Folder folder;
  tl::write_file(folder.file("before.svg"), "whole");
  const auto interrupted = [&](std::ostream& out) {
    out << "half" << std::flush;
    CHECK(folder.files() == 2);
    tl::drop_unfinished_file();
    CHECK(folder.files() == 1);
    throw tl::Error("here the program ends");
  };
  CHECK_THROWS_AS(tl::write_file(folder.file("b.svg"), interrupted), tl::Error);
  tl::drop_unfinished_file();
  CHECK(folder.files() == 1);
}

TEST_CASE("what a link leads to is written, and the link stays") {
  const Folder folder;
  tl::write_file(folder.file("a.svg"), "old");
  fs::create_symlink(folder.file("a.svg"), folder.file("link.svg"));
  tl::write_file(folder.file("link.svg"), "new");
  CHECK(fs::is_symlink(folder.file("link.svg")));
  CHECK(text_of(folder.file("a.svg")) == "new");
}
