// What `make install` installs and `tilescope new --project` writes, used as a stranger would: from a folder elsewhere.
#include <doctest/doctest.h>

#include "tests/cli/run_program.h"
#include "tests/has.h"

namespace {

Said shell(const std::string& command, const EmptyFolder& folder) {
  const auto out = folder.path / ".said";
  const int status =
      std::system(("cd '" + folder.path.string() + "' && { " + command + "; } > .said 2>&1 < /dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents_of(out), ""};
}

#define PASSES(command)                       \
  do {                                        \
    const Said said = shell(command, folder); \
    INFO(said.out);                           \
    REQUIRE(said.exit_code == 0);             \
  } while (false)

}  // namespace

TEST_CASE("a project finds what was installed, and its tests run; a GPU that is missing is told") {
  const EmptyFolder folder;
  PASSES("'" CMAKE "' --install '" BUILD_FOLDER "' --prefix \"$PWD/prefix\"");
  const Said made = shell("prefix/bin/tilescope new --project demo", folder);
  REQUIRE(made.exit_code == 0);
  CHECK(has(made.out, "-DCMAKE_PREFIX_PATH=" + (folder.path / "prefix").string()));
  PASSES("'" CMAKE
         "' -G Ninja -S demo -B demo/build -DCMAKE_PREFIX_PATH=\"$PWD/prefix\" -DCMAKE_CXX_COMPILER='" COMPILER "'");
  PASSES("'" CMAKE "' --build demo/build");
  PASSES("demo/build/demo_tests --test-case=interpreter:*");
  const Said gpu = shell("demo/build/demo_tests --test-case=gpu:*", folder);
  CHECK(gpu.exit_code == 0);
  if (!has(gpu.out, "skipped: ")) CHECK_FALSE(has(gpu.out, "assertions: 0"));
  PASSES("prefix/bin/tilescope run demo/demo.h");
  // a mistake in the kernel is one in its test
  PASSES("sed -i 's/offs < n;/offs < n + 1;/' demo/demo.h && '" CMAKE "' --build demo/build");
  const Said wrong = shell("demo/build/demo_tests --test-case=interpreter:*", folder);
  CHECK(wrong.exit_code == 1);
  CHECK(has(wrong.out, "out of bounds"));
}

TEST_CASE("tilescope new --project overwrites nothing, and refuses what can be no name") {
  const EmptyFolder folder;
  std::filesystem::create_directory(folder.path / "mine");
  std::ofstream(folder.path / "file") << "kept";
  for (const char* there : {"mine", "mine/", "file"}) {
    const Said said = tilescope(std::string("new --project ") + there, folder);
    CHECK(said.exit_code == 2);
    CHECK(has(said.err, "is there already"));
  }
  CHECK(std::filesystem::is_empty(folder.path / "mine"));
  CHECK(contents_of(folder.path / "file") == "kept");
  for (const char* name : {"'my project'", "3d", "a-b", "demo.h", "..", "/", "''", "'<name>'"}) {
    CAPTURE(name);
    CHECK(tilescope(std::string("new --project ") + name, folder).exit_code == 2);
  }
  const Said nowhere = tilescope("new --project missing/demo", folder);
  CHECK(nowhere.exit_code == 1);
  CHECK(has(nowhere.err, "missing/demo"));
}
