// Progress: plain text, damaged files kept aside, several copies of the program at once.
#include "lessons/runner/progress.h"

#include <doctest/doctest.h>

#include <fstream>
#include <thread>

#include "interp/lang/error.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

TEST_CASE("progress: what was kept is read again") {
  const Workshop here;
  change_progress(find("grey"), [](LessonProgress& l) {
    l.checks = 3;
    l.passed = true;
    l.prediction = "12";
    l.predicted_right = true;
  });
  const Progress p = load_progress();
  CHECK(p.current == "03_grey");
  CHECK(p.of(find("grey")).checks == 3);
  CHECK(p.of(find("grey")).predicted_right);
  CHECK(p.next().name() == "matmul");
  CHECK(p.notes.empty());
}

TEST_CASE("progress: without a file the first lesson is next") {
  const Workshop here;
  CHECK(load_progress().next().name() == "copy");
}

TEST_CASE("progress: a damaged file is kept aside and told, what can be read goes on") {
  const Workshop here;
  change_progress(find("copy"), [](LessonProgress& l) { l.passed = true; });
  std::ofstream(progress_file(), std::ios::app) << "02_add checks=many\n\x01\xff garbage\n";
  const Progress p = load_progress();
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes.front().find("line 4: \"02_add checks=many\" and 1 more") != std::string::npos);
  CHECK(std::filesystem::exists(here.folder / "mine/progress.damaged_1.txt"));
  CHECK(p.of(find("copy")).passed);
  CHECK(load_progress().notes.empty());
}

TEST_CASE("progress: a file that was emptied, or ends within a line, is kept aside and told") {
  const Workshop here;
  change_progress(find("copy"), [](LessonProgress& l) { l.passed = true; });
  for (const int bytes : {0, 60}) {
    std::filesystem::resize_file(progress_file(), static_cast<std::uintmax_t>(bytes));
    const Progress p = load_progress();
    REQUIRE(p.notes.size() == 1);
    CHECK(p.notes.front().find(bytes ? "it ends within a line" : "it is empty") != std::string::npos);
    CHECK(load_progress().notes.empty());
  }
}

TEST_CASE("progress: many at once lose nothing") {
  const Workshop here;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 10; ++i) change_progress(find("add"), [](LessonProgress& l) { ++l.checks; });
    });
  for (auto& t : threads) t.join();
  CHECK(load_progress().of(find("add")).checks == 40);
}

TEST_CASE("progress: a folder that cannot be made is an error with its fix, not a crash") {
  const Workshop here;
  here.file("mine", "a file where the folder should be");
  CHECK_THROWS_AS(keep_hint(find("copy"), 3), Error);
}

TEST_CASE("files: a reset keeps the learner's text and numbers the copies") {
  const Workshop here;
  const Lesson& copy = find("copy");
  CHECK(reset_kernel_file(copy).empty());
  write_file(kernel_file(copy), "mine");
  const auto first = reset_kernel_file(copy);
  CHECK(read_file(first) == "mine");
  CHECK(read_file(kernel_file(copy)) == copy.text("kernel.h"));
  write_file(kernel_file(copy), "mine again");
  CHECK(reset_kernel_file(copy) != first);
}

TEST_CASE("files: the learner's copy is not the clone's") {
  const Workshop here;
  CHECK(started_kernel_file(find("copy")) == here.folder / "mine/01_copy/kernel.h");
}

TEST_CASE("lessons are found by number, name and folder; a near miss is guessed") {
  CHECK(find("3").folder == "03_grey");
  CHECK(find("grey").folder == find("03_grey").folder);
  CHECK_THROWS_WITH_AS(find("gray"), doctest::Contains("there is no lesson \"gray\""), Error);
  CHECK_THROWS_AS(find("99"), Error);
  CHECK_THROWS_AS(find(""), Error);
}
