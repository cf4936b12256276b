// What can go wrong before and in the window: no display, an old OpenGL, a damaged recording, too small a window, a
// setting that fails.
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "interp/trace/file.h"
#include "tests/window/open_window.h"

using namespace tl::viz;
namespace fs = std::filesystem;

namespace {

struct Ended {
  int code = -1;
  std::string said;
};

Ended run(const std::string& environment, const std::string& arguments) {
  Ended ended;
  FILE* const pipe = popen(("env " + environment + " " TILESCOPE_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  char text[256];
  while (std::fgets(text, sizeof text, pipe)) ended.said += text;
  ended.code = WEXITSTATUS(pclose(pipe));
  return ended;
}

std::string recording() {
  const std::string file = (fs::temp_directory_path() / "tilescope_bad_input.tltrace").string();
  REQUIRE(run("", "trace copy n=64 block=16 -o " + file).code == 0);
  return file;
}

void cut_short(const std::string& file) { fs::resize_file(file, fs::file_size(file) / 2); }

}  // namespace

TEST_CASE("view: without a display it names the terminal and the file") {
  const Ended ended = run("-u DISPLAY -u WAYLAND_DISPLAY", "view add");
  CHECK(ended.code == 2);
  CHECK(ended.said.find("`tilescope debug KERNEL` steps in the terminal") != std::string::npos);
  CHECK(ended.said.find("`tilescope export KERNEL") != std::string::npos);
}

TEST_CASE("view: an OpenGL older than 3.0 is told, with what suffices") {
  NEEDS_X();
  const Ended ended = run("MESA_GL_VERSION_OVERRIDE=2.1", "view add");
  CHECK(ended.code == 2);
  CHECK(ended.said.find("no window with OpenGL 3.0 can be opened") != std::string::npos);
  CHECK(ended.said.find("libgl1-mesa-dri") != std::string::npos);
}

TEST_CASE("view: a recording that is cut short is told before a window opens") {
  const std::string file = recording();
  cut_short(file);
  const Ended ended = run("-u DISPLAY -u WAYLAND_DISPLAY", "view " + file);
  CHECK(ended.code == 2);
  CHECK(ended.said.find("the trace is cut short") != std::string::npos);
}

TEST_CASE("window: a recording that was damaged meanwhile is told, and the picture stays") {
  NEEDS_X();
  Open open({"copy", {"n=64", "block=16"}, 0});
  const std::string file = recording();
  const auto load = [&] { open.app.open(tl::trace::load(file), file); };
  load();
  open.app.repeat_by(load);
  cut_short(file);
  const auto before = open.app.workspace().generation;
  open.send("key ctrl+r");
  REQUIRE(open.app.error());
  CHECK(std::string(open.app.error()->what()).find("cut short") != std::string::npos);
  CHECK(open.app.workspace().generation == before);
}

TEST_CASE("window: one too small says so, and draws again when it has grown") {
  NEEDS_X();
  Open open({"copy", {"n=64", "block=16"}, 0});
  const auto resize = [&](const std::string& size) {
    open.send("search --name test windowsize " + size);
    usleep(100'000);
    open.settle();
  };
  resize("300 150");
  CHECK(open.window.is_too_small());
  resize("330 210");  // next to nothing is left for the panes
  CHECK_FALSE(open.window.is_too_small());
  resize("1280 800");
  CHECK(open.colours_in(open.app.layout().panes()[0].box) > 1);
}

TEST_CASE(
    "window: at a scale that leaves no room for four panels one of them has it, and every setting is a button away") {
  NEEDS_X();
  Open open({"matmul", {"m=32", "n=32", "k=32", "bm=16", "bn=16", "bk=16"}, 0});
  PictureView& memory = open.picture("Memory");
  open.send("key ctrl+equal key ctrl+equal key ctrl+equal");
  CHECK(memory.drawing()->width > 600);  // of 1280 / 1.75; one of four panes would have 410
  open.send("key bracketright");
  CHECK(open.session().program().id.x == 1);
  open.send("key ctrl+0");
}

TEST_CASE("window: a size that the kernel does not check fails at its line, and the last good picture stays") {
  NEEDS_X();
  Open open({"matmul_unmasked", {"m=32", "n=32", "k=32", "bm=16", "bn=16", "bk=16"}, 0});
  const auto before = open.app.workspace().generation;
  open.app.open({"matmul_unmasked", {"m=30", "n=32", "k=32", "bm=16", "bn=16", "bk=16"}, 0});
  open.settle();
  REQUIRE(open.app.error());
  CHECK(std::string(open.app.error()->what()).find("matmul") != std::string::npos);
  CHECK(open.app.workspace().fault_line > 0);
  CHECK(open.app.workspace().generation == before);
}
