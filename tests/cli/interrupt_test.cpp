// Ctrl-C: exit code 130, at once where nothing is kept, and nothing half done left behind.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/cli/run_program.h"
#include "tests/cli/terminal.h"

namespace {

// What the program says when it is interrupted at a moment that does not depend on time: with `pipe` open and more to
// write than it takes.
std::string interrupted_while_it_writes(const std::string& arguments) {
  const EmptyFolder folder;
  REQUIRE(mkfifo((folder.path / "pipe.svg").c_str(), 0600) == 0);
  return tilescope(arguments +
                       " 2> said & exec 3< pipe.svg; kill -INT $!; cat <&3 > rest; wait $!; echo $? $(cat said) $(rm "
                       "rest; ls)",
                   folder, "true;")
      .out;  // the shell itself stands in the folder
}

}  // namespace

TEST_CASE("Ctrl-C is told in one word, also before the kernel runs") {
  const EmptyFolder folder;
  REQUIRE(mkfifo((folder.path / "pipe").c_str(), 0600) == 0);  // opening it waits until the program does
  const Said s = tilescope("--version 2> said & exec 3> pipe; kill -INT $!; wait $!; echo $? $(cat said)", folder,
                           "true; TILESCOPE_NVRTC=./pipe");
  CHECK(s.out == "130 tilescope: interrupted\n");
}

TEST_CASE("the first Ctrl-C ends what keeps nothing, also once the addresses are recorded") {
  for (const char* arguments :
       {"schedule matmul m=2048 n=2048 k=2048 bm=64 bn=64 bk=32 --ctas-per-sm 2 --chrome pipe.svg",
        "schedule matmul m=1024 n=1024 k=1024 bm=64 bn=64 bk=32 --ctas-per-sm 2 --lines --chrome pipe.svg",
        "export matmul m=1024 n=1024 k=256 bm=32 bn=32 bk=32 --resident 2 --panel timeline -o pipe.svg",
        "export add n=4096 block=256 --panel memory -o pipe.svg"})
    CHECK_MESSAGE(interrupted_while_it_writes(arguments) == "130 tilescope: interrupted pipe.svg said\n", arguments);
}

TEST_CASE("a trace of which Ctrl-C interrupts the writing alone is not kept") {
  CHECK(interrupted_while_it_writes("trace add n=65536 block=256 -o pipe.svg") ==
        "130 tilescope: interrupted pipe.svg said\n");
}

TEST_CASE("Ctrl-C ends the comparison with the reference, of which nothing is kept") {
  if (no_terminal()) return;
  Terminal t("run softmax rows=60000");
  REQUIRE(t.sees("comparing with the reference"));
  t.type("\x03");
  CHECK(t.sees("tilescope: interrupted\r\n"));
  CHECK(t.exit_code() == 130);
}

TEST_CASE("one Ctrl-C ends a kernel whose own loop takes no notice of it") {
  if (no_terminal()) return;
  const EmptyFolder folder;
  std::ofstream(folder.path / "spin.h") << R"(#pragma once
#include "interp/tl.h"
namespace tl::kernels {
// case: x=out:f32[4] grid=1
struct spin_kernel {
  void operator()(auto& tl, ptr auto x_ptr) const {
    for (volatile int i = 1; i != 0;) {
    }
    tl.store(x_ptr, 1.0f);
  }
};
}  // namespace tl::kernels
)";
  Terminal t("run " + (folder.path / "spin.h").string());
  REQUIRE(t.sees("Ctrl-C stops it"));
  t.type("\x03");
  CHECK(t.sees("tilescope: interrupted"));
  CHECK(t.exit_code() == 130);
}

TEST_CASE("run --print writes each line as its program ends, and Ctrl-C tells how many had run") {
  if (no_terminal()) return;
  Terminal t("run copy n=4194304 block=2 --print ''");
  REQUIRE(t.sees("pid = 0 | "));
  t.type("\x03");
  REQUIRE(t.sees("tilescope: interrupted: "));
  CHECK_FALSE(t.sees("2,097,152 of "));
  CHECK(t.exit_code() == 130);
}

TEST_CASE("Ctrl-C ends a run whose reader takes no more") {
  const EmptyFolder folder;
  REQUIRE(mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  const Said s = tilescope(
      "run copy n=4194304 block=2 --print '' > pipe 2> said & exec 3< pipe; head -c 100000 <&3 > read; kill -INT $!; "
      "wait $!; echo $? $(cat said)",
      folder, "true;");
  CHECK(s.out.starts_with("130 tilescope: interrupted: "));
}

TEST_CASE("Ctrl-C ends tuning with what was measured, and keeps no winner") {
  if (no_terminal()) return;
  Terminal t("tune matmul m=512 n=512 k=512 --device cpu --ms 600000 --no-cache --top-k 2");
  REQUIRE(t.sees("timing matmul"));
  t.type("\x03");
  CHECK(t.sees("tilescope: interrupted: what was measured is shown; no winner is kept"));
  CHECK(t.exit_code() == 130);
}

TEST_CASE("Ctrl-C ends a measurement that cannot be asked to end") {
  if (no_terminal()) return;
  Terminal t("bench matmul m=2048 n=2048 k=2048 dtype=f32");
  REQUIRE(t.sees("measuring 1 of 1"));
  t.type("\x03");
  CHECK(t.sees("tilescope: interrupted: nothing was measured yet"));
  CHECK(t.exit_code() == 130);
}

TEST_CASE("kill -INT to the program ends a kernel of a file, whatever that does") {
  const EmptyFolder folder;
  REQUIRE(mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  std::ofstream(folder.path / "k.h") << R"(// case: n=4 x=f32[n] y=out:f32[n] grid=1
#include <fcntl.h>
#include "interp/tl.h"
struct k_kernel {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::int_ auto n) const {
    tl.store(y_ptr, tl.load(x_ptr));
    if (open("pipe", O_WRONLY) >= 0)
      for (volatile int i = 0;; i = 0) {
      }
  }
};
)";
  const Said s = tilescope(
      "run k.h 2> said & exec 3< pipe; kill -INT $!; until timeout 1 cat <&3; do kill -INT $!; done; wait $!; echo $? "
      "$(cat said); }",
      folder, "{");
  CHECK(s.out.starts_with("130 tilescope: interrupted"));
}
