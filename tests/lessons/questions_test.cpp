// The lessons' further questions: each is asked, and answered by a run; what is said to wrong guesses is said to wrong
// ones.
#include "lessons/runner/questions.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "interp/lang/error.h"
#include "lessons/runner/pages.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

namespace {

CheckOptions options() { return {.program = TILESCOPE_PROGRAM, .seconds = 60, .gpu = false}; }

// By arithmetic, in the order of questions.md; the third is the variable on the left of the line that was changed.
const std::pair<const char*, std::vector<const char*>> answers[] = {
    {"copy", {"1", "4", "offs", "97", "3", "2"}},
    {"add", {"4", "4", "mask", "194", "7", "13"}},
    {"grey", {"8", "4", "offs_1", "3219", "2", "75"}},
    {"matmul", {"6", "2", "b_ptrs", "73728", "4", "1", "copy_wrong_offsets"}},
    {"order", {"9", "3", "row", "2464", "2", "18432"}},
    {"grouped", {"20", "5", "k_start", "39000", "2", "29000"}},
    {"softmax", {"32", "12", "denominator", "3007", "3", "8192"}},
    {"memory", {"32", "34", "cols", "2048", "5", "1024", "transpose"}},
    {"detective", {"0", "1", "high", "6014", "4", "0"}},
    {"online", {"20", "5", "sum", "5400", "2", "21632"}},
    {"layernorm", {"9", "192", "centred", "8100", "4", "320", "5"}},
    {"dropout", {"16", "2", "random", "97", "3", "8192", "unfused_softmax"}},
    {"block_pointers", {"4", "3520", "acc", "49152", "2", "2720"}},
    {"dtypes", {"8192", "24576", "acc", "5500", "7", "24576"}},
    {"persistent", {"5", "4", "tiles", "39000", "2", "16777216"}},
    {"flash", {"131072", "3", "acc", "26688", "2", "98304", "grouped_matmul"}},
    {"pipelining", {"4", "16", "acc", "3520", "3", "2"}},
    {"descriptors", {"2624", "3", "row", "23040", "2", "16896"}},
    {"autotune", {"124", "latency", "acc", "221184", "2", "2"}},
    {"profiler", {"DRAM", "4096", "t", "4096", "2", "latency", "20608", "softmax"}},
    {"atomics", {"10", "17", "part", "20", "5", "128"}},
    {"scan", {"3", "11", "before", "309", "1", "DRAM"}},
    {"histogram", {"3", "16", "counts", "64", "3", "2"}},
    {"stream_k", {"131", "512", "step", "516096", "3", "1", "persistent_matmul"}},
    {"paged", {"1024", "0", "page", "5383", "3", "1024"}},
    {"autograd", {"194", "2048", "slope", "1248", "3", "DRAM"}},
    {"project", {"70", "15", "total", "9", "2", "DRAM"}},
};

}  // namespace

TEST_CASE("questions: two before mending, a reason, one about the own kernel, one that breaks another, one to vary") {
  for (const Lesson& lesson : all()) {
    CAPTURE(lesson.folder);
    const auto questions = questions_of(lesson);
    const auto many = [&](const char* section) {
      return std::ranges::count(questions, std::string(section), &Question::section);
    };
    CHECK(many("Before") == 2);
    CHECK(many("Explain") == 1);
    CHECK(many("After") == 1);
    CHECK(many("Break it") == 1);
    CHECK(many("Vary") >= 1);
    CHECK(many("Quiz") == (lesson.number() % 4 == 0 ? 1 : 0));
    CHECK(many("Before") + many("Explain") + many("After") + many("Break it") + many("Vary") + many("Quiz") ==
          std::ssize(questions));
  }
}

TEST_CASE("questions: the answers that runs give are those of arithmetic, and no wrong guess has them" *
          doctest::skip()) {  // lessons_questions runs it
  const Workshop here;
  for (const auto& [lesson_name, right] : answers) {
    const std::string name = lesson_name;
    const Lesson& lesson = find(name);
    write_file(kernel_file(lesson), lesson.text("solution.h"));
    const auto questions = questions_of(lesson, options());
    REQUIRE(questions.size() == right.size());
    for (std::size_t i = 0; i < right.size(); ++i) {
      const Prediction& asked = questions[i].prediction;
      const Answer answer = asked.answer();
      CHECK_MESSAGE(answer.value == right[i], name << " " << i + 1);
      CHECK_MESSAGE(!answer.others.contains(right[i]), name << " " << i + 1);
      CHECK_MESSAGE(asked.on_wrong(right[i]).empty(), name << " " << i + 1);
    }
  }
}

TEST_CASE("questions: a likely wrong guess has its answer, in words too; about a kernel that fails nothing is told") {
  const Workshop here;
  const Lesson& copy = find("copy");
  const auto questions = questions_of(copy, options());
  const Answer answer = questions[1].prediction.answer();
  CHECK(prediction_text(questions[1].prediction, answer, "three", {}).find("rounded down") != std::string::npos);
  CHECK(prediction_text(questions[1].prediction, answer, "four", {}).find("Right:") != std::string::npos);
  write_file(kernel_file(copy), copy.text("kernel.h"));
  CHECK_THROWS_AS(questions[3].prediction.answer(), Error);
}

TEST_CASE("questions: a guess that is another figure of the run is told which one it is") {
  const auto asked = questions_in("## Vary\nHow many?\nCount: loads of copy n=10 block=4\n", find("copy")).front();
  const Answer answer = asked.prediction.answer();  // three programs, twelve lanes
  const auto told = [&](const char* guess) { return prediction_text(asked.prediction, answer, guess, {}); };
  CHECK(told("3").find("the number of programs") != std::string::npos);
  CHECK(told("two").find("the number of masked loads") != std::string::npos);
  CHECK(told("12").find("all lanes of the loads") != std::string::npos);
  CHECK(told("20").find("loads and stores together") != std::string::npos);
  CHECK(told("10").find("Right: 10") != std::string::npos);
}

TEST_CASE("questions: of every variable and every trial something is said") {
  const Workshop here;
  const auto questions = questions_of(find("copy"), options());
  const Question reason = questions[2].whole();
  for (const std::string& variable : reason.prediction.choices)
    if (variable != "offs") CHECK_MESSAGE(!reason.prediction.answer().others.at(variable).empty(), variable);
  const Answer first = questions[4].prediction.answer();
  CHECK(first.value == "3");
  CHECK(first.others.at("1").find("passes") != std::string::npos);
  CHECK(first.others.at("4").find("an earlier one fails") != std::string::npos);
}

TEST_CASE("questions: one that nothing answers is an error that names it") {
  const Lesson& copy = find("copy");
  for (const char* text : {"## Vary\nHow many?\n", "## Vary\nHow many?\nCount: loads\n",
                           "## Break it\nWhich?\nFirst to fail: no_such_kernel\n"})
    CHECK_THROWS_AS(questions_in(text, copy), Error);
  CHECK_THROWS_AS(questions_in("## Vary\nHow many?\nCount: steps of copy n=6\n", copy).front().prediction.answer(),
                  Error);
}
