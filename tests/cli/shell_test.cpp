// What shells and man(1) are given, and what a person reads where this machine or a library refuses.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/has.h"

namespace {

std::vector<std::string> lines(const std::string& arguments) {
  std::istringstream in(tilescope(arguments).out);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

}  // namespace

TEST_CASE("completion offers commands, kernels, settings and the values of options") {
  CHECK(lines("complete benc") == std::vector<std::string>{"bench"});
  CHECK(lines("complete run unf") == std::vector<std::string>{"unfused_softmax"});
  CHECK(lines("complete run copy ''") == std::vector<std::string>{"n=", "block=", "warps=", "registers=", "inputs="});
  CHECK(lines("complete run matmul dtype=b") == std::vector<std::string>{"dtype=bf16"});
  CHECK(lines("complete run copy --device ''") == std::vector<std::string>{"cpu", "cuda"});
  CHECK(lines("complete schedule copy --gpu h1") == std::vector<std::string>{"h100"});
  CHECK(lines("complete run copy --dev") == std::vector<std::string>{"--device"});
  CHECK(lines("complete bench --csv ''").empty());  // the shell offers files
}

TEST_CASE("bash completes words by the program itself, behind an equals sign too") {
  const EmptyFolder folder;
  std::ofstream(folder.path / "words.sh") << tilescope("completion bash").out
                                          << "COMP_LINE='x run matmul dtype=b'; COMP_POINT=${#COMP_LINE}; _tilescope "
                                             "\"$1\" 2>/dev/null; echo ${COMPREPLY[@]}";
  const Said s = tilescope("--version > /dev/null; bash words.sh '" TILESCOPE_PROGRAM "'", folder);
  CHECK(s.out == "bf16\n");
  CHECK(tilescope("completion fish").exit_code == 2);
}

TEST_CASE("the manual page tells every command's options") {
  const std::string page = tilescope("man").out;
  CHECK(page.starts_with(".TH TILESCOPE 1"));
  for (const char* part :
       {".SS \"tilescope run\"", "\\-\\-threads 1..4096", ".SS \"tilescope schedule\"", ".SH EXIT STATUS"})
    CHECK_MESSAGE(has(page, part), part);
}

TEST_CASE("where there is no GPU every command that needs one is a failed run") {
  for (const char* command : {"run copy --device cuda", "compare copy --device cuda", "bench sum --device cuda",
                              "bench add --device cuda", "schedule copy --measure", "counters copy"}) {
    const Said s = tilescope(command, EmptyFolder(), "TILESCOPE_LIBCUDA=/nonexistent");
    CHECK_MESSAGE(s.exit_code == 1, command);
    CHECK_MESSAGE(has(s.err, "libcuda.so.1 was not found"), command << ": " << s.err);
  }
}

TEST_CASE("an environment that asks for too many threads gets as many as there may be") {
  for (const char* command : {"run copy", "bench copy n=64 --ms 1"})
    CHECK_MESSAGE(tilescope(command, EmptyFolder(), "OMP_NUM_THREADS=100000").exit_code == 0, command);
}

TEST_CASE("bench times copy by blocks of 1024, unless another is asked for") {
  const auto block = [](const std::string& arguments) {
    const auto point = nlohmann::json::parse(tilescope("bench copy n=64 --ms 1 --json " + arguments).out)["points"][0];
    return point["settings"]["block"].get<int>();
  };
  CHECK(block("") == 1024);
  CHECK(block("block=8") == 8);
  CHECK(block("--sweep block=4,16") == 4);
}
TEST_CASE("an arch that names no chip is refused by the names that do") {
  const Said known = tilescope("compile copy");
  if (known.exit_code != 0) {
    MESSAGE("skipped: " << known.err);
    return;
  }
  for (const char* arch : {"sm_", "sm_090", "sm_99999999999999999999", "sm_80a", "90a"}) {
    const Said s = tilescope(std::string("compile copy --arch ") + arch);
    CHECK_MESSAGE(s.exit_code == 2, arch);
    CHECK_MESSAGE(has(s.err, "unknown arch"), arch << ": " << s.err);
  }
}

// 232448 bytes: CUDA's programming guide, compute capability 9.0. On an H200 an epilogue of 64 KiB lies beside stages.
TEST_CASE("persistent_matmul takes as many stages as fit beside its epilogue") {
  for (const char* settings : {"dtype=f32 bm=128 bn=256", "dtype=f16 bm=128 bn=256", "dtype=f32 bm=64 bn=256 bk=128"}) {
    const Said s = tilescope(std::string("compile persistent_matmul --json ") + settings);
    if (s.exit_code != 0) {
      MESSAGE("skipped: " << s.err);
      return;
    }
    const auto row = nlohmann::json::parse(s.out)[0];
    const int bytes = row["static_shared_bytes"].get<int>() + row["dynamic_shared_bytes"].get<int>();
    CHECK_MESSAGE(bytes <= 232448, settings);
  }
}
