// Every puzzle's promise: its solution passes, unusual kernels do, wrong ones are told their fault; and what is kept
// with them in a line or two is what it says.
#include <doctest/doctest.h>

#include "interp/lang/error.h"
#include "lessons/runner/readme.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

TEST_CASE("puzzles: each starter compiles and fails, each solution passes") {
  const Workshop here;
  for (const Lesson& puzzle : puzzles()) {
    CAPTURE(puzzle.folder);
    const Report starter = here.check(puzzle, puzzle.text("kernel.h"));
    CHECK(starter.compiler_errors == 0);
    CHECK(starter.finding);
    const Report solution = here.check(puzzle, puzzle.text("solution.h"));
    CHECK_MESSAGE(solution.ok(), whole(solution));
    CHECK(solution.passed.size() >= 4);
  }
}

TEST_CASE("puzzles: each wrong kernel is sent back with a message that names its fault") {
  const Workshop here;
  for (const Lesson& puzzle : puzzles()) {
    CHECK_MESSAGE(different(variants(puzzle, "wrong")) >= 12, puzzle.folder);
    const auto wrong = in_cpp_alone(puzzle, "wrong");
    const auto met = met_by(here, puzzle, wrong);
    for (std::size_t i = 0; i < wrong.size(); ++i)
      CHECK_MESSAGE((!wrong[i].says.empty() && met[i].find(wrong[i].says) != std::string::npos),
                    puzzle.folder << " " << wrong[i].name << " wants: " << wrong[i].says << "\nand met: " << met[i]);
  }
}

TEST_CASE("puzzles: a right kernel passes, however unusually it is written") {
  const Workshop here;
  for (const Lesson& puzzle : puzzles()) {
    CHECK_MESSAGE(different(variants(puzzle, "right")) >= 6, puzzle.folder);
    const auto right = in_cpp_alone(puzzle, "right");
    const auto met = met_by(here, puzzle, right);
    for (std::size_t i = 0; i < right.size(); ++i)
      CHECK_MESSAGE(met[i] == "passed", puzzle.folder << " " << right[i].name << ": " << met[i]);
  }
}

TEST_CASE("puzzles: the statement is short and named as in the list, hints end in a why") {
  for (const Lesson& puzzle : puzzles()) {
    CAPTURE(puzzle.folder);
    const Readme readme = read_readme(puzzle.text("README.md"));
    CHECK(readme.title == puzzle.title);
    CHECK(readme.sections.front().text.find("    for ") != std::string::npos);  // a loop
    CHECK(read_hints(puzzle.text("hints.md")).hints.size() >= 2);
    CHECK(read_hints(puzzle.text("hints.md")).why.size() > 100);
  }
}

TEST_CASE("variants: a kernel is the solution with lines of its own, at the indent of what they replace") {
  const auto made = variants_in("# other\nSays: seven\n- a;\n\n- b;\n+ c;\n+   d;\n\n# whole\n", "{\n  a;\n  b;\n}\n");
  REQUIRE(made.size() == 2);
  CHECK(made[0].says == "seven");
  CHECK(made[0].text == "{\n  c;\n    d;\n}\n");
  CHECK(made[1].text == "{\n  a;\n  b;\n}\n");
}

TEST_CASE("variants: lines that are not in the solution once are an error that names them") {
  for (const char* solution : {"a;\n", "b;\nb;\n"}) try {
      variants_in("# twice\n- b;\n+ c;\n", solution);
      FAIL_CHECK("taken for a kernel of " << solution);
    } catch (const Error& e) {
      CHECK(std::string(e.what()).find("twice: its lines stand in the solution") != std::string::npos);
      CHECK(std::string(e.what()).find("b;") != std::string::npos);
    }
  CHECK_THROWS_AS(variants_in("# no mark\nb;\n", "b;\n"), Error);
  CHECK_THROWS_AS(variants_in("# nowhere\n+ c;\n", "b;\n"), Error);
}

TEST_CASE("puzzles are found by number with a p, and by name; lessons by number alone") {
  CHECK(find("p1").name() == "plus_ten");
  CHECK(find("long_sum").is_puzzle());
  CHECK_FALSE(find("1").is_puzzle());
  CHECK(find("p1").place() == "puzzle 1 of " + std::to_string(puzzles().size()));
}
