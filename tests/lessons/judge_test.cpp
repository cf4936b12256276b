// tilescope judge: verdicts, the object, exit codes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "lessons/runner/lesson.h"
#include "tests/cli/run_program.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

namespace {

Said judged(const EmptyFolder& folder, const std::string& lesson, const std::string& from = "",
            const std::string& to = "", const std::string& options = "") {
  write_file(folder.path / "kernel.py", replaced(find(lesson).solution(Language::python), from, to));
  return tilescope("judge kernel.py --json --seed 1 --checks 2 --like " + lesson + " " + options, folder);
}

}  // namespace

TEST_CASE("judge: a right kernel passes every check, and its work stands beside the best") {
  const EmptyFolder folder;
  const Said said = judged(folder, "softmax");
  const auto j = nlohmann::json::parse(said.out);
  CHECK(said.exit_code == 0);
  CHECK(j["verdict"] == "right");
  CHECK(j["checks"] == 2);
  CHECK_FALSE(j.contains("finding"));
  CHECK(j["work"]["loads"]["taken"] == 31 * 97);  // of the trial rows=31 cols=97
  CHECK(j["work"]["loads"]["best"] == 31 * 97);
}

TEST_CASE("judge: a kernel that knows the usual sizes or stores nothing of its own is wrong") {
  const EmptyFolder folder;
  for (const char* to : {"numerator / (denominator + 1e-4)", "tl.where(n_cols > 61, 0.0, numerator / denominator)"}) {
    const Said said = judged(folder, "softmax", "numerator / denominator", to);
    const auto j = nlohmann::json::parse(said.out);
    CHECK(said.exit_code == 1);
    CHECK(j["verdict"] == "wrong");
    CHECK(j["finding"]["line"] > 0);
  }
}

TEST_CASE("judge: right numbers by more than the solution's work are wasteful") {
  const EmptyFolder folder;
  const Said twice = judged(folder, "softmax", "shifted = x",
                            "x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float(\"inf\"))\n"
                            "        shifted = x");
  CHECK(twice.exit_code == 1);
  CHECK(nlohmann::json::parse(twice.out)["verdict"] == "wasteful");
  const std::string lanes = "tl.program_id(0) + tl.num_programs(0) * tl.arange(0, BLOCK)";
  const std::string blocks = "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)";
  CHECK(nlohmann::json::parse(judged(folder, "dropout", blocks, lanes).out)["verdict"] == "wasteful");
  CHECK(nlohmann::json::parse(judged(folder, "dropout", blocks, lanes, "--most-work 20").out)["verdict"] == "right");
}

TEST_CASE("judge: what does not compile says its line; what cannot be judged is wrong use") {
  const EmptyFolder folder;
  const Said broken = judged(folder, "softmax", "tl.max(x, 0)", "tl.max(x, 0");
  CHECK(broken.exit_code == 1);
  CHECK(nlohmann::json::parse(broken.out)["verdict"] == "does not compile");
  CHECK(tilescope("judge kernel.py --like nothing_like_it", folder).exit_code == 2);
  CHECK(tilescope("judge no_such.py --like softmax", folder).exit_code == 2);
  CHECK(tilescope("judge --like softmax", folder).exit_code == 2);
}

TEST_CASE("judge: --starter prints what is asked for") {
  const EmptyFolder folder;
  CHECK(tilescope("judge --like softmax --starter", folder).out == find("softmax").starter(Language::python));
}
