// The lessons' window without a display: what its buttons do, and what a file that is edited elsewhere does to it.
#include "lessons/window/workbench.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "lessons/runner/command_words.h"
#include "lessons/window/rich_text.h"
#include "tests/lessons/workshop.h"
#include "viz/model/panel.h"

using namespace tl;
using namespace tl::lessons;

namespace {

struct Bench {
  Workshop here;
  std::vector<std::string> pictures;
  int recordings = 0, newer = 0;
  std::optional<Workbench::Hooks::Recording> last;
  Workbench bench{{.open_picture = [this](const Picture& p) { pictures.push_back(p.text()); },
                   .open_recording =
                       [this](Workbench::Hooks::Recording r) {
                         ++recordings;
                         newer += r.is_newer;
                         last = std::move(r);
                       }},
                  {.program = TILESCOPE_PROGRAM, .seconds = 60, .gpu = false}};

  explicit Bench(const char* lesson) { bench.open(find(lesson)); }
  // Until `is_so`, or a minute has gone.
  template <class Condition>
  bool wait_for(Condition is_so) {
    for (int i = 0; i < 3000; ++i) {
      bench.poll();
      if (is_so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  bool wait() {
    return wait_for([&] { return !bench.is_busy(); });
  }
  std::string page() const { return without_colours(bench.page()); }
};

}  // namespace

TEST_CASE("workbench: a prediction is answered by the run, kept, and opens the picture") {
  Bench b("copy");
  CHECK_FALSE(b.bench.answer());
  CHECK(b.pictures.empty());  // it would give the answer away
  b.bench.predict("6");
  REQUIRE(b.wait());
  CHECK(b.bench.answer()->value == "2");
  CHECK(load_progress().of(find("copy")).prediction == "6");
  CHECK(b.pictures == std::vector<std::string>{"copy_wrong_offsets n=6 block=2 --panel offsets"});
}

TEST_CASE("workbench: a check of the starter fails on purpose, marks its line and records the run that failed") {
  Bench b("copy");
  b.bench.check();
  REQUIRE(b.wait());
  CHECK(b.page().find("This failure is meant to be") != std::string::npos);
  CHECK(b.bench.marked_line() == 10);
  CHECK(b.recordings == 1);
  b.bench.text += "\n";  // another text than the one that was checked
  CHECK(b.bench.marked_line() == 0);
}

TEST_CASE("workbench: the solution typed and saved passes, and replaces the recording of the same kernel") {
  Bench b("copy");
  b.bench.check();
  REQUIRE(b.wait());
  b.bench.text = find("copy").text("solution.h");
  b.bench.save();
  REQUIRE(b.wait());
  CHECK(b.page().find("passed:") != std::string::npos);
  CHECK(b.bench.progress().of(find("copy")).passed);
  CHECK(b.newer == 1);
  CHECK(read_file(b.bench.file()) == b.bench.text);
}

TEST_CASE("workbench: a kernel that passes is asked about before its score is told") {
  Bench b("copy");
  b.bench.text = b.bench.lesson().text("solution.h");
  b.bench.save();
  REQUIRE(b.wait());
  CHECK(b.page().find("passed:") != std::string::npos);
  CHECK(b.page().find("score of") == std::string::npos);
  const auto& questions = b.bench.questions();
  const auto own = std::ranges::find_if(questions, [](const Question& q) { return !q.figure.empty(); });
  b.bench.ask(static_cast<std::size_t>(own - questions.begin()), "112");
  REQUIRE(b.wait());
  CHECK(b.page().find("score of n=97 bs=16: 97 loads") != std::string::npos);
}

TEST_CASE(
    "workbench: of a question about a wrong kernel's run the run is shown first, and its variables are to choose") {
  Bench b("copy");
  const auto& questions = b.bench.questions();
  const auto at = std::ranges::find_if(questions, [](const Question& q) { return q.whole != nullptr; });
  REQUIRE(at != questions.end());
  b.bench.show(static_cast<std::size_t>(at - questions.begin()));
  REQUIRE(b.wait());
  CHECK(at->prediction.choices == std::vector<std::string>{"pid", "offs", "mask", "x"});
  CHECK(at->text.find("offs  [0 1]") != std::string::npos);
  CHECK(at->prediction.answer().value == "offs");
}

TEST_CASE("workbench: an order of the learner's own is drawn beside row by row, with the model's schedule") {
  Bench b("order");
  b.bench.text = replaced(find("order").text("solution.h"), "i = group_i;\n    j = group_j;",
                          "i = m - 1 - i;\n    j = n - 1 - j;");
  b.bench.save();
  REQUIRE(b.wait());
  REQUIRE(b.last);
  REQUIRE(b.last->model);
  CHECK(b.last->model->own.programs.size() == 81);
  debug::Session session(std::move(b.last->trace));
  viz::Scene scene{.session = session};
  CHECK(viz::missing_order(scene).empty());
  const std::string drawn = viz::plain_text(viz::draw_order(scene, {}));
  CHECK(drawn.find("as this kernel orders them  9     81    90") !=
        std::string::npos);  // the last row, from its end: as many as the first
}

TEST_CASE("workbench: the recording of one's own kernel brings how CUDA lays its accesses out") {
  Bench b("memory");
  b.bench.text = find("memory").text("solution.h");
  b.bench.save();
  REQUIRE(b.wait_for([&] { return b.recordings == 1 && !b.bench.is_busy(); }));
  REQUIRE(b.last->model);
  REQUIRE(b.last->model->plans.size() == 1);   // of one launch
  CHECK(b.last->model->plans[0].size() == 2);  // a load and a store
  for (const auto& [key, plan] : b.last->model->plans[0]) CHECK(plan.cuda.shape == machine::Sizes{32, 32});
}

TEST_CASE("workbench: a file saved elsewhere is checked at once") {
  Bench b("add");
  std::ofstream(b.bench.file()) << replaced(find("add").text("kernel.h"), "pid * bs", "pid * bz");
  REQUIRE(b.wait_for([&] { return b.bench.report().has_value() && !b.bench.is_busy(); }));
  CHECK(b.page().find("there is no \"bz\" here") != std::string::npos);
  CHECK(b.bench.marked_line() == 10);
  CHECK(b.recordings == 0);  // nothing to record
}

TEST_CASE("workbench: two texts at once are told, neither is lost") {
  Bench b("add");
  b.bench.text += "// here\n";
  std::ofstream(b.bench.file(), std::ios::app) << "// there\n";
  REQUIRE(b.wait_for([&] { return b.bench.has_conflict(); }));
  CHECK(b.bench.text.ends_with("// here\n"));
  b.bench.watches = false;
  b.bench.take_file();
  CHECK(b.bench.text.ends_with("// there\n"));
}

TEST_CASE("workbench: saving over a text from elsewhere keeps that one beside the file") {
  Bench b("add");
  b.bench.text += "// here\n";
  std::ofstream(b.bench.file(), std::ios::app) << "// there\n";
  REQUIRE(b.wait_for([&] { return b.bench.has_conflict(); }));
  b.bench.watches = false;
  b.bench.save();
  CHECK(read_file(b.bench.file()).ends_with("// here\n"));
  CHECK(read_file(b.bench.file().parent_path() / "kernel.elsewhere_1.h").ends_with("// there\n"));
  REQUIRE(b.bench.notes().size() == 1);
  CHECK(b.bench.notes().front().find("kernel.elsewhere_1.h") != std::string::npos);
}

TEST_CASE("workbench: a check can be stopped, an endless kernel does not hold the window") {
  Bench b("copy");
  b.bench.text = replaced(find("copy").text("kernel.h"), "auto mask = offs < n;",
                          "auto mask = offs < n; for (volatile int i = 0; i < 1;) {}");
  b.bench.check();
  REQUIRE(b.wait_for([&] { return b.bench.busy_text().find("at n=") != std::string::npos; }));
  b.bench.stop();
  REQUIRE(b.wait());
  CHECK(b.page().find("the check was stopped") != std::string::npos);
}

TEST_CASE("workbench: another lesson drops what was under way") {
  Bench b("copy");
  b.bench.check();
  b.bench.open(find("grey"));
  CHECK_FALSE(b.bench.is_busy());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  b.bench.poll();
  CHECK_FALSE(b.bench.report());
  CHECK(load_progress().of(find("copy")).checks == 0);
}

TEST_CASE("workbench: hints come one by one, a reset keeps the text") {
  Bench b("grey");
  b.bench.hint();
  CHECK(b.page().find("hint 1 of") != std::string::npos);
  CHECK(b.page().find("hint 2 of") == std::string::npos);
  b.bench.hint();
  CHECK(b.page().find("hint 2 of") != std::string::npos);
  b.bench.text += "// mine\n";
  b.bench.watches = false;
  b.bench.save();
  b.bench.reset();
  CHECK(b.bench.text == find("grey").text("kernel.h"));
  CHECK(std::filesystem::exists(b.bench.file().parent_path() / "kernel.before_reset_1.h"));
}

TEST_CASE("workbench: a folder that cannot be written is a note, the lesson can be read") {
  const Workshop here;
  here.file("mine", "a file where the folder should be");
  Workbench bench({}, {.program = TILESCOPE_PROGRAM, .gpu = false});
  bench.open(find("copy"));
  CHECK_FALSE(bench.notes().empty());
  bench.check();
  for (int i = 0; i < 500 && bench.is_busy(); ++i, bench.poll())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(bench.page().empty());
}

TEST_CASE(
    "workbench: every command that a lesson's text names is one that the window knows, or is left to the terminal") {
  CHECK(words_of("a 'b c' \\\n  d=\"\"") == std::vector<std::string>{"a", "b c", "d="});
  CHECK(is_command("tilescope bench add"));
  CHECK_FALSE(is_command("tilescope run grey ... --print"));
  CHECK_FALSE(is_command("tilescope learn watch copy"));
  CHECK(picture_of("tilescope debug copy_wrong_offsets n=6 block=2")->settings.size() == 2);
  CHECK(picture_of("tilescope view softmax --panel softmax")->panel == "softmax");
  CHECK_FALSE(picture_of("tilescope bench add"));
}
