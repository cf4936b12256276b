// tilescope learn as typed in a shell, without a terminal.
#include <doctest/doctest.h>

#include "lessons/runner/lesson.h"
#include "tests/cli/run_program.h"

namespace {

const std::string of_all = " of " + std::to_string(tl::lessons::all().size());

const std::string mine = "TILESCOPE_LESSONS=\"$PWD/mine\"";

}  // namespace

TEST_CASE("learn: without a terminal the first lesson is printed, its question answered by a run") {
  const Said said = tilescope("learn", EmptyFolder(), mine);
  CHECK(said.exit_code == 0);
  CHECK(said.out.find("Lesson 1" + of_all + ". Copy") != std::string::npos);
  CHECK(said.out.find("How many of the six elements of z will be right?") != std::string::npos);
  CHECK(said.out.find("pid = 1 | offs = [0 1]") != std::string::npos);
  CHECK(said.out.find("tilescope learn check copy") != std::string::npos);
}

TEST_CASE("learn check: the starter fails, which is meant to be; a mended copy passes and is remembered") {
  const EmptyFolder folder;
  const Said starter = tilescope("learn check copy --no-gpu", folder, mine);
  CHECK(starter.exit_code == 1);
  CHECK(starter.out.find("every program stores to the same block of z") != std::string::npos);
  CHECK(starter.out.find("meant to be") != std::string::npos);
  tilescope("learn reset copy; sed -i 's/= tl.arange/= pid * bs + tl.arange/' mine/01_copy/kernel.h", folder, mine);
  const Said mended = tilescope("learn check copy --no-gpu", folder, mine);
  CHECK(mended.exit_code == 0);
  CHECK(mended.out.find("passed: 8 trials,") != std::string::npos);
  CHECK(tilescope("learn progress", folder, mine).out.find("1" + of_all + " passed") != std::string::npos);
  CHECK(tilescope("learn", folder, mine).out.find("Lesson 2" + of_all) != std::string::npos);
}

TEST_CASE("learn hint: mildest first, and the last one says so") {
  const EmptyFolder folder;
  CHECK(tilescope("learn hint copy", folder, mine).out.find("hint 1 of 3:") != std::string::npos);
  tilescope("learn hint copy", folder, mine);
  CHECK(tilescope("learn hint copy", folder, mine).out.find("no further hint") != std::string::npos);
}

TEST_CASE("learn solution: marks what it adds and says why") {
  const Said said = tilescope("learn solution add", EmptyFolder(), mine);
  CHECK(said.out.find("  +     auto mask = offs < n;") != std::string::npos);
  CHECK(said.out.find("Why") != std::string::npos);
}

TEST_CASE("learn solution: of the loop that it adds the brace is marked, not the function's") {
  const Said said = tilescope("learn solution online", EmptyFolder(), mine);
  CHECK(said.out.find("  +     }\n      }\n    };") != std::string::npos);
}

TEST_CASE("learn predict: the guess beside what a run says") {
  CHECK(tilescope("learn predict order 90", EmptyFolder(), mine).out.find("Right: 90.") != std::string::npos);
  CHECK(tilescope("learn predict order 54", EmptyFolder(), mine).out.find("You said 54, the run says 90.") !=
        std::string::npos);
}

TEST_CASE("learn picture: without a display the drawing's text, and how to have it as a file") {
  const Said said = tilescope("learn picture add", EmptyFolder(), mine);
  CHECK(said.exit_code == 0);
  CHECK(said.out.find("masked off") != std::string::npos);
  CHECK(said.out.find("tilescope export copy n=10 block=4 --panel offsets --program =2 -o add.svg") !=
        std::string::npos);
}

TEST_CASE("learn --terminal: a display is not asked") {
  const Said said = tilescope("learn copy --terminal", EmptyFolder(), mine + " DISPLAY=:12345");
  CHECK(said.exit_code == 0);
  CHECK(said.out.find("Lesson 1" + of_all) != std::string::npos);
}

TEST_CASE("learn --window: a display that does not open is said, with exit code 2") {
  const Said said = tilescope("learn copy --window", EmptyFolder(), mine + " DISPLAY=:12345");
  CHECK(said.exit_code == 2);
}

TEST_CASE("learn reset: without a terminal it does not go ahead unasked") {
  const EmptyFolder folder;
  CHECK(tilescope("learn reset copy", folder, mine).exit_code == 0);  // nothing to put back
  std::ofstream(folder.path / "mine/01_copy/kernel.h", std::ios::app) << "// mine\n";
  CHECK(tilescope("learn reset copy", folder, mine).exit_code == 2);
  const Said sure = tilescope("learn reset copy --yes", folder, mine);
  CHECK(sure.exit_code == 0);
  CHECK(sure.out.find("kernel.before_reset_1.h") != std::string::npos);
}

TEST_CASE("learn: wrong use says what is there") {
  const Said unknown = tilescope("learn gray", EmptyFolder(), mine);
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.find("did you mean grey?") != std::string::npos);
  CHECK(tilescope("learn check copy --file nowhere.h", EmptyFolder(), mine).exit_code == 2);
  const std::string list = tilescope("learn list", EmptyFolder(), mine).out;
  CHECK(list.find("softmax") != std::string::npos);
  CHECK(list.find("1 copy -- 2 add -- 3 grey") != std::string::npos);
}
