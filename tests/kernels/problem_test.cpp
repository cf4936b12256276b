// Problems as such: what they refuse, what they promise, whether a verdict can be trusted.
#include "kernels/problems/problem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "interp/lang/error.h"
#include "kernels/problems/image.h"

using namespace tl;
using problems::Instance;

namespace {

Instance make(const std::string& kernel, const std::vector<std::string>& settings) {
  const problems::Problem& p = problems::find(kernel);
  return p.make(problems::parse(p, settings), 1);
}

std::string complaint(const std::string& kernel, const std::vector<std::string>& settings) {
  try {
    make(kernel, settings);
  } catch (const Error& e) {
    return std::string(e.what()) + " | " + e.fix;
  }
  return "";
}

// The outputs a perfect kernel would write: the reference, rounded to the outputs' dtypes.
std::vector<Tensor> perfect(const Instance& instance) {
  const std::vector<Tensor> reference = instance.reference();
  for (std::size_t o = 0; o < reference.size(); ++o)
    for (std::int64_t i = 0; i < reference[o].elems(); ++i) set(instance.outputs[o], i, get(reference[o], i));
  return instance.outputs;
}

}  // namespace

TEST_CASE(
    "problems: every one has its kernel's file, launches, references, tolerances and a flawless reference of its own") {
  for (const problems::Problem& p : problems::all()) {
    INFO(p.name);
    const Instance instance = make(p.name, {});
    CHECK(std::ifstream(std::string(TILESCOPE_SOURCE_DIR "/") + p.source).good());
    CHECK_FALSE(p.summary.empty());
    CHECK_FALSE(instance.launches.empty());
    CHECK(instance.bytes > 0);
    REQUIRE(instance.tolerances.size() == instance.outputs.size());
    CHECK(problems::check(instance, perfect(instance)).ok);
  }
}

TEST_CASE("problems: poisoned outputs, as `make` and `reset` leave them, never pass") {
  for (const problems::Problem& p : problems::all()) {
    INFO(p.name);
    const Instance instance = make(p.name, {});
    CHECK_FALSE(problems::check(instance, instance.outputs).ok);
    perfect(instance);
    instance.reset();
    CHECK_FALSE(problems::check(instance, instance.outputs).ok);
  }
}

TEST_CASE("kernels include the language and the lecture's helpers, nothing else") {
  for (const problems::Problem& p : problems::all()) {
    std::ifstream file(std::string(TILESCOPE_SOURCE_DIR "/") + p.source);
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("#include"))
        CHECK_MESSAGE((line == "#include \"interp/tl.h\"" || line == "#include \"kernels/offsets.h\""), p.source);
  }
}

TEST_CASE("verdict: one element off by more than its tolerance is found, and named") {
  const Instance instance = make("softmax", {"rows=3", "cols=5"});
  const std::vector<Tensor> outputs = perfect(instance);
  const double right = get(outputs[0], 7);
  set(outputs[0], 7, right * 1.00002);
  const problems::Verdict verdict = problems::check(instance, outputs);
  CHECK_FALSE(verdict.ok);
  CHECK(verdict.wrong == 1);
  CHECK(verdict.checked == 15);
  CHECK(verdict.first->offset == 7);
  CHECK(verdict.first->expected == doctest::Approx(right));
  CHECK(verdict.max_rel_error == doctest::Approx(2e-5).epsilon(0.01));
}

TEST_CASE("verdict: a NaN where a number belongs is wrong") {
  const Instance instance = make("add", {"n=4"});
  const std::vector<Tensor> outputs = perfect(instance);
  set(outputs[0], 1, std::numeric_limits<double>::quiet_NaN());
  const problems::Verdict verdict = problems::check(instance, outputs);
  CHECK(verdict.wrong == 1);
  CHECK(std::isnan(verdict.max_abs_error));
}

TEST_CASE("verdict: a sample checks the first and the last element and many between") {
  const Instance instance = make("matmul", {"m=64", "n=64", "k=32"});
  const std::vector<Tensor> outputs = perfect(instance);
  CHECK(problems::check(instance, outputs, 500).ok);
  CHECK(problems::check(instance, outputs, 500).checked > 400);
  set(outputs[0], 64 * 64 - 1, 99);
  CHECK_FALSE(problems::check(instance, outputs, 500).ok);
}

TEST_CASE("verdict: all elements are affordable for small problems, thousands for the largest") {
  CHECK(problems::affordable_samples(make("matmul", {})) == 0);
  Instance large = make("add", {"n=1000000"});
  large.flops = 2 * 8192.0 * 8192 * 8192;
  CHECK(problems::affordable_samples(large) >= 256);
  CHECK(problems::affordable_samples(large) <= 4096);
}

TEST_CASE("inputs depend on the seed alone") {
  const problems::Problem& p = problems::find("add");
  const auto settings = problems::parse(p, {"n=100"});
  const Instance one = p.make(settings, 1), same = p.make(settings, 1), other = p.make(settings, 2);
  CHECK(get(one.inputs[0], 5) == get(same.inputs[0], 5));
  CHECK(get(one.inputs[0], 5) != get(other.inputs[0], 5));
  CHECK(get(one.inputs[0], 5) != get(one.inputs[1], 5));
}

TEST_CASE("bytes of a matmul are (mk + kn + mn) x element size") {
  CHECK(make("matmul", {"m=3", "n=5", "k=7"}).bytes == 2 * (21 + 35 + 15));
}

TEST_CASE("shapes that do not fit name the way out") {
  CHECK(complaint("attention", {"seq=128", "bm=32", "bn=64"}) ==
        "bm=32 is not a multiple of bn=64: causal attention walks the diagonal block in steps of bn | choose bn=32");
  CHECK(complaint("matmul", {"m=2^20", "n=2^20"})
            .starts_with("c would hold 1099511627776 elements, more than the kernel's 32-bit offsets reach"));
  CHECK(complaint("persistent_matmul", {"bn=1"}) == "bn=1 cannot be stored in two halves | choose bn=2 or more");
}

TEST_CASE("find: a misspelt kernel gets the nearest name") {
  try {
    problems::find("sofmax");
    FAIL("found");
  } catch (const Error& e) {
    CHECK(e.fix == "did you mean softmax?");
  }
}

TEST_CASE("grey: the picture is written, and reads back as it was") {
  const std::string path = (std::filesystem::temp_directory_path() / "tilescope_grey_test.png").string();
  const Instance instance = make("grey", {"out=" + path});
  perfect(instance);
  CHECK(instance.finish() == "wrote " + path + ", 225 x 150");
  const Tensor read = problems::read_image(path);
  CHECK(read.shape == std::vector<std::int64_t>{3, 150, 225});
  for (std::int64_t i = 0; i < 150 * 225; ++i) REQUIRE(get(read, i) == get(instance.outputs[0], i));
  std::filesystem::remove(path);
}

TEST_CASE("grey: an image that cannot be read, or written, is an error that says why") {
  CHECK(complaint("grey", {"image=/no/such/file.png"}).starts_with("the image \"/no/such/file.png\" cannot be read"));
  const Instance instance = make("grey", {"out=/no/such/folder/grey.png"});
  CHECK_THROWS_AS(instance.finish(), Error);
}

TEST_CASE("the made picture has light, dark and colour") {
  const Tensor image = problems::made_image(150, 225);
  double least = 255, most = 0;
  for (std::int64_t i = 0; i < image.elems(); ++i) {
    least = std::min(least, get(image, i));
    most = std::max(most, get(image, i));
  }
  CHECK(least < 50);
  CHECK(most > 230);
}
