// The course in Triton's Python: the promises of every lesson and puzzle, without a compiler.
#include <doctest/doctest.h>

#include <regex>

#include "lessons/runner/questions.h"
#include "tests/cli/run_program.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

namespace {

template <class Check>
void for_each_lesson(Check check) {
  for (const auto* list : {&all(), &puzzles()})
    for (const Lesson& lesson : *list) check(lesson);
}

const std::regex in_cpp(R"(\(_, None\)|\(None, _\)|[0-9]_c\b|\bauto \w+ =|\{\.\w|tl\.(shape|axes|tuple)\()");

}  // namespace

TEST_CASE("Python: each starter can be run and fails with a reason, each solution passes") {
  const Workshop here;
  for_each_lesson([&](const Lesson& lesson) {
    CAPTURE(lesson.folder);
    const Report starter = here.check(lesson, lesson.starter(Language::python), Language::python);
    CHECK(starter.compiler_errors == 0);
    REQUIRE(starter.finding);
    CHECK(starter.is_starter);
    const Report solution = here.check(lesson, lesson.solution(Language::python), Language::python);
    CHECK_MESSAGE(solution.ok(), whole(solution));
    CHECK(solution.passed.size() >= 4);
  });
}

TEST_CASE("Python: each wrong kernel is told its fault in Python's notation, each right one passes") {
  const Workshop here;
  for_each_lesson([&](const Lesson& lesson) {
    const auto wrong = variants(lesson, "wrong", Language::python), right = variants(lesson, "right", Language::python);
    CHECK_MESSAGE(different(wrong) >= 8, lesson.folder);
    CHECK_MESSAGE(different(right) >= 3, lesson.folder);
    const auto met = met_by(here, lesson, wrong, Language::python);
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      CHECK_MESSAGE((!wrong[i].says.empty() && met[i].find(wrong[i].says) != std::string::npos),
                    lesson.folder << " " << wrong[i].name << " wants: " << wrong[i].says << "\nand met: " << met[i]);
      CHECK_MESSAGE(!std::regex_search(met[i], in_cpp), lesson.folder << " " << wrong[i].name << ": " << met[i]);
    }
    const auto passed = met_by(here, lesson, right, Language::python);
    for (std::size_t i = 0; i < right.size(); ++i)
      CHECK_MESSAGE(passed[i] == "passed", lesson.folder << " " << right[i].name << ": " << passed[i]);
  });
}

TEST_CASE("Python: every question is answered by a run of a kernel in Python") {
  const Workshop here;
  choose_language(Language::python);
  for (const Lesson& lesson : all()) {
    CAPTURE(lesson.folder);
    write_file(kernel_file(lesson), lesson.solution(Language::python));
    for (const Question& q : questions_of(lesson, {.program = TILESCOPE_PROGRAM}))
      CHECK_FALSE(q.prediction.answer().value.empty());
  }
}

TEST_CASE("Python: what does not parse, and what a launch cannot take, is told at its line") {
  const Workshop here;
  const Lesson& copy = find("copy");
  const Report unclosed = here.check(
      copy, replaced(copy.solution(Language::python), "tl.arange(0, bs)", "tl.arange(0, bs"), Language::python);
  CHECK(unclosed.compiler_errors == 1);
  CHECK(unclosed.finding->line == 9);
  const Report unknown =
      here.check(copy, replaced(copy.solution(Language::python), "offs < n", "ofs < n"), Language::python);
  CHECK(unknown.finding->headline == "there is no \"ofs\" here");
  CHECK(unknown.finding->line == 10);
}

TEST_CASE("learn --language: kept, and the lesson is told and checked in it") {
  const EmptyFolder folder;
  const std::string mine = "TILESCOPE_LESSONS=\"$PWD/mine\"";
  const Said python = tilescope("learn --language python copy", folder, mine);
  CHECK(python.out.find("x = tl.load(x_ptr + offs, mask=mask)") != std::string::npos);
  CHECK(python.out.find("{.mask = mask}") == std::string::npos);
  CHECK(tilescope("learn check copy", folder, mine).out.find("kernel.py:9: every program stores to the same block") !=
        std::string::npos);
  CHECK(tilescope("learn solution copy", folder, mine).out.find("  + ") != std::string::npos);
  tilescope("learn --language c++ list", folder, mine);
  CHECK(tilescope("learn copy", folder, mine).out.find("{.mask = mask}") != std::string::npos);
  const Said other = tilescope("learn --language rust", folder, mine);
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("python or c++") != std::string::npos);
}
