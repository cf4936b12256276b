// Every lesson's promise: the starter compiles and fails, the solution passes, each wrong kernel is told its fault.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/sources/sources.h"
#include "lessons/runner/pages.h"
#include "tests/cuda/gpu.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

namespace {

// Launches of a kernel that is text alone: what a compiler for the GPU needs.
class TextKernel : public Kernel {
 public:
  explicit TextKernel(const Lesson& lesson) : name_("tl::kernels::" + lesson.kernel) {}
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const override {
    return {.kernel = name_,
            .source = "solution.h",
            .grid = grid,
            .options = options,
            .arguments = std::move(arguments),
            .on_cpu = {}};
  }

 private:
  std::string name_;
};

}  // namespace

TEST_CASE("lessons: each starter compiles, and fails with a reason") {
  const Workshop here;
  for (const Lesson& lesson : all()) {
    const Report r = here.check(lesson, lesson.text("kernel.h"));
    CAPTURE(lesson.folder);
    CHECK(r.compiler_errors == 0);
    REQUIRE(r.finding);
    CHECK_FALSE(r.finding->fix.empty());
  }
}

TEST_CASE("lessons: each solution passes every trial") {
  const Workshop here;
  for (const Lesson& lesson : all()) {
    const Report r = here.check(lesson, lesson.text("solution.h"));
    CHECK_MESSAGE(r.ok(), lesson.folder << ": " << whole(r));
    CHECK(r.passed.size() >= 4);
  }
}

TEST_CASE("lessons: each wrong kernel is sent back with a message that names its fault") {
  const Workshop here;
  for (const Lesson& lesson : all()) {
    SUBCASE(lesson.folder.c_str()) {
      CHECK_MESSAGE(different(variants(lesson, "wrong")) >= 12, lesson.folder);
      const auto wrong = in_cpp_alone(lesson, "wrong");
      const auto met = side_by_side<std::string>(wrong.size(), [&](std::size_t i) {
        const bool needs_nvrtc = wrong[i].text.find("\n// Needs NVRTC.\n") != std::string::npos;
        if (needs_nvrtc && !cuda::toolkit_available()) return "skipped: no NVRTC: " + wrong[i].says;
        const auto file = here.file("wrong" + std::to_string(i) + "/kernel.h", wrong[i].text);
        return whole(
            check(lesson, {.file = file, .program = TILESCOPE_PROGRAM, .seconds = 60, .seed = 1, .gpu = needs_nvrtc}));
      });
      for (std::size_t i = 0; i < wrong.size(); ++i) {
        const Variant& v = wrong[i];
        CHECK_MESSAGE(!v.says.empty(), lesson.folder << " " << v.name << " does not say what it should meet");
        CHECK_MESSAGE(met[i].find(v.says) != std::string::npos,
                      lesson.folder << " " << v.name << " wants: " << v.says << "\nand met: " << met[i]);
      }
    }
  }
}

TEST_CASE("lessons: a right kernel passes, however unusually it is written") {
  const Workshop here;
  for (const Lesson& lesson : all()) {
    SUBCASE(lesson.folder.c_str()) {
      CHECK_MESSAGE(different(variants(lesson, "right")) >= 6, lesson.folder);
      const auto right = in_cpp_alone(lesson, "right");
      const auto met = met_by(here, lesson, right);
      for (std::size_t i = 0; i < right.size(); ++i) {
        CHECK_MESSAGE(met[i] == "passed", lesson.folder << " " << right[i].name << ": " << met[i]);
      }
    }
  }
}

TEST_CASE("lessons: in Chinese every message of lesson 1's check is Chinese, and has the same numbers") {
  const Workshop here;
  const Lesson& copy = find("copy");
  auto kernels = variants(copy, "wrong");
  std::erase_if(kernels, [](const Variant& v) { return v.text.find("\n// Needs NVRTC.\n") != std::string::npos; });
  const auto english = met_by(here, copy, kernels);
  setenv("TILESCOPE_LANGUAGE", "zh", 1);
  const auto chinese = met_by(here, copy, kernels);
  const Report starter = here.check(copy, copy.text("kernel.h")), solution = here.check(copy, copy.text("solution.h"));
  const std::string failed = report_text(copy, starter, "kernel.h", {}),
                    passed = report_text(copy, solution, "kernel.h", {});
  unsetenv("TILESCOPE_LANGUAGE");
  const auto numbers = [](const std::string& text) {
    std::multiset<std::string> all;
    std::string number;
    for (const char c : text + " ")
      if (std::isdigit(static_cast<unsigned char>(c))) number += c;
      else if (!number.empty()) all.insert(std::exchange(number, ""));
    return all;
  };
  const auto is_chinese = [](const std::string& line) {  // in UTF-8 such characters begin with E4 to E9
    return std::ranges::any_of(line, [](char c) { return (c & 0xf0) == 0xe0; });
  };
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::istringstream lines(chinese[i]);
    for (std::string line; std::getline(lines, line);)
      CHECK_MESSAGE((line.empty() || is_chinese(line)), kernels[i].name << ": " << line);
    CHECK_MESSAGE(std::ranges::includes(numbers(chinese[i]), numbers(english[i])), chinese[i]);
  }
  CHECK(failed.find("还没有： n=6 bs=2\nkernel.h:10: 每个 program 都写 z 的同一块\n") != std::string::npos);
  CHECK(failed.find("    program 1 写了 z[0..1]\n") != std::string::npos);
  CHECK(failed.find("    想一想： 偏移与 program 无关：第 pid 块从哪里开始？\n") != std::string::npos);
  CHECK(passed.find("通过： 8 次试验，n=6 bs=2, n=7 bs=2") != std::string::npos);
  CHECK(passed.find("现在每个 program 都搬运自己的一块") != std::string::npos);
}

TEST_CASE("lessons: each solution agrees on the GPU") {
  std::string why_not;
  if (!cuda::available(&why_not)) {
    MESSAGE("skipped: " << why_not);
    return;
  }
  const Workshop here;
  for (const Lesson& lesson : all()) {
    const Report r = check(lesson, {.file = here.file("solution.h", lesson.text("solution.h")),
                                    .program = TILESCOPE_PROGRAM,
                                    .seconds = 120,
                                    .seed = 1});
    CHECK_MESSAGE(r.ok(), lesson.folder << ": " << whole(r));
    CHECK_MESSAGE(r.gpu.state == GpuReport::State::agrees, lesson.folder << ": " << r.gpu.text);
    CHECK(r.gpu.trials > 0);
  }
}

TEST_CASE(
    "lessons: each solution compiles for a GPU, without spills; CUDA's compiler takes the texts of the unusual ones" *
    doctest::skip()) {  // lessons_compile runs it
  if (test::no_toolkit()) return;
  // What the compiler says of the launches of a kernel's text on a GPU.
  const auto each_launch = [](const Lesson& lesson, const std::string& text, int most, const auto& is_taken) {
    const Workshop here;
    here.file("solution.h", text);
    sources::use_sources_from(here.folder);
    int tried = 0;
    for (const Trial& trial : lesson.trials(TextKernel(lesson)))
      if (trial.on_gpu && tried < most) {
        ++tried;
        try {
          CHECK(is_taken(trial.instance.launches.front()));
        } catch (const Error& e) {
          FAIL_CHECK(lesson.folder << ": " << e.what() << "\n" << text);
        }
      }
    CHECK_MESSAGE(tried > 0, lesson.folder);
    sources::use_built_in_sources();
  };
  // Its code takes three times as long to make, and is that of the solution in other words.
  const auto is_text = [](const Launch& launch) { return cuda::check_text(launch), true; };
  for (const Lesson& lesson : all()) {
    SUBCASE(lesson.folder.c_str()) {
      const std::string solution = lesson.text("solution.h");
      const auto& facts = solution.find(".dot(") == std::string::npos ? test::no_dots : test::with_dots;
      each_launch(lesson, solution, 99,
                  [&](const Launch& launch) { return cuda::compile(launch, facts)->resources.spill_store_bytes == 0; });
      for (const Variant& v : variants(lesson, "right")) each_launch(lesson, v.text, 1, is_text);
    }
  }
}

TEST_CASE("predictions: the answers that runs give are those of the lecture and of arithmetic") {
  const std::pair<const char*, const char*> answers[] = {{"copy", "2"},               // one block of three
                                                         {"add", "2"},                // 3 x 4 - 10
                                                         {"grey", "12"},              // 8 + 5 - 1
                                                         {"matmul", "244"},           // 16 x 16 - 3 x 4
                                                         {"order", "90"},             // 9 + 81, the lecture's
                                                         {"grouped", "6"},            // 96 / 16
                                                         {"softmax", "168"},          // 5 M N + 2 M, Triton's tutorial
                                                         {"memory", "32"},            // a sector a lane
                                                         {"detective", "3"},          // three programs, one cell
                                                         {"online", "3"},             // -inf 3 7 7 9 rises three times
                                                         {"layernorm", "60"},         // 3 x 10 x 10 / 5
                                                         {"dropout", "0"},            // Philox by offset
                                                         {"block_pointers", "32"},    // 4 x 8
                                                         {"dtypes", "2048"},          // 2 to the power of 11
                                                         {"persistent", "12"},        // 144 - 132
                                                         {"flash", "20"},             // 2 + 4 + 6 + 8
                                                         {"pipelining", "13"},        // 3 + 1 + 1, twice 2 + 1 + 1
                                                         {"descriptors", "3"},        // 4 / 2 + 1
                                                         {"autotune", "64"},          // 64 tiles, of 132 SMs
                                                         {"profiler", "FP32 units"},  // 20 x 4 of 128 a clock
                                                         {"atomics", "2"},            // one first, or the other
                                                         {"scan", "7"},               // all but the first look once
                                                         {"histogram", "16"},         // 4096 / 256
                                                         {"stream_k", "5"},           // 36 / 8, rounded up
                                                         {"paged", "4"},              // 9 / 4 rounded up, and 4 / 4
                                                         {"autograd", "0.01"},  // near the cube root of 2 to the -24
                                                         {"project", "256"}};   // 4 x 64
  for (const auto& answer : answers)
    CHECK_MESSAGE(find(answer.first).prediction.answer().value == answer.second, answer.first);
}

TEST_CASE("predictions: a likely wrong guess has its answer, in words too") {
  const Lesson& copy = find("detective");
  const std::string told = prediction_text(copy.prediction, copy.prediction.answer(), "six stores", {});
  CHECK(told.find("z[0] and z[1] together") != std::string::npos);
}

TEST_CASE("predictions: a right number is right however it is written") {
  const Answer two{"2", ""};
  for (const char* guess : {"2", " 2 ", "2.0", "2 cells", "= 2", "+2", "two", "Two of them"})
    CHECK_MESSAGE(is_right(two, guess), guess);
  for (const char* guess : {"", "three", "-2", "3", "22", "2.5", "1/2"}) CHECK_MESSAGE(!is_right(two, guess), guess);
}
