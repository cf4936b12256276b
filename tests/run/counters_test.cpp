// What `tilescope counters` makes of ncu's words; the log's lines are an H200's, shortened.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/run/counters/case_list.h"
#include "interp/run/counters/measured.h"

using namespace tl;
using namespace tl::run;

namespace {

const char* const log_of_two_launches =
    R"log(==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling results may be inconsistent.
==PROF== Connected to process 630 (/opt/tilescope)
==PROF== Disconnected from process 630
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","630","tilescope","127.0.0.1","void entry<matmul_kernel, Config<8, 3, 8, 1>, Ptr<Float16, 16>>(Parameter<T3>::type...)","1","13","(256, 1, 1)","(1024, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes_read.sum","byte","199009792"
"0","630","tilescope","127.0.0.1","void entry<matmul_kernel, Config<8, 3, 8, 1>, Ptr<Float16, 16>>(Parameter<T3>::type...)","1","13","(256, 1, 1)","(1024, 1, 1)","0","9.0","Command line profiler metrics","lts__t_sectors_srcunit_tex_op_read.sum","sector","56,487,612"
"0","630","tilescope","127.0.0.1","void entry<matmul_kernel, Config<8, 3, 8, 1>, Ptr<Float16, 16>>(Parameter<T3>::type...)","1","13","(256, 1, 1)","(1024, 1, 1)","0","9.0","Command line profiler metrics","lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum","sector","46591412"
"0","630","tilescope","127.0.0.1","void entry<matmul_kernel, Config<8, 3, 8, 1>, Ptr<Float16, 16>>(Parameter<T3>::type...)","1","13","(256, 1, 1)","(1024, 1, 1)","0","9.0","Command line profiler metrics","lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum","sector","3297116"
"1","630","tilescope","127.0.0.1","void entry<add_kernel>(Parameter<T3>::type...)","1","13","(256, 1, 1)","(8, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes_read.sum","byte","4096"
"1","630","tilescope","127.0.0.1","void entry<add_kernel>(Parameter<T3>::type...)","1","13","(256, 1, 1)","(8, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","ns","n/a"
)log";

const char* const facts =
    R"json({"launches": [{"kernel": "matmul_kernel", "grid": [1024, 1, 1], "threads": 256, "registers": 98, "static_shared_bytes": 0,
        "dynamic_shared_bytes": 115712, "programs_per_sm": 2}]})json";

Error error_of(const std::string& log) {
  try {
    check_ncu_log(log);
  } catch (const Error& e) {
    return e;
  }
  return Error("no error");
}

}  // namespace

TEST_CASE("ncu: its CSV becomes one list of metrics a launch, thousands separators and missing values understood") {
  const auto launches = parse_ncu_csv(log_of_two_launches);
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].at("dram__bytes_read.sum") == 199009792);
  CHECK(launches[0].at("lts__t_sectors_srcunit_tex_op_read.sum") == 56487612);
  CHECK(launches[1].at("dram__bytes_read.sum") == 4096);
  CHECK_FALSE(launches[1].contains("gpu__time_duration.sum"));
}

TEST_CASE("ncu: what it complains about is said with the way out, and nothing is said of its notes") {
  CHECK(error_of(log_of_two_launches).what() == std::string("no error"));
  const Error rights = error_of(
      "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
      "Performance Counters\n");
  CHECK(rights.what() == doctest::Contains("ERR_NVGPUCTRPERM"));
  CHECK(rights.fix.c_str() == doctest::Contains("NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK(error_of("==ERROR== Failed to find metric abc\n").what() == doctest::Contains("Failed to find metric abc"));
}

TEST_CASE(
    "ncu: what it wrote is refused where it ends in the middle of a line, since half a number is another number") {
  const std::string log = log_of_two_launches;
  const Error cut = error_of(log.substr(0, log.find("56,487,612") + 5));
  CHECK(cut.what() == doctest::Contains("ends in the middle of a line"));
  CHECK(cut.fix.c_str() == doctest::Contains("TMPDIR"));
}

TEST_CASE("ncu: one that is not there is an error that names the way to point at it") {
  setenv("TILESCOPE_NCU", "/nonexistent/ncu", 1);
  try {
    find_ncu();
    FAIL("found");
  } catch (const Error& e) {
    CHECK(e.what() == doctest::Contains("/nonexistent/ncu"));
    CHECK(e.fix.c_str() == doctest::Contains("TILESCOPE_NCU=/path/to/ncu"));
  }
  unsetenv("TILESCOPE_NCU");
}

TEST_CASE("counters: the logical hit rate counts hits near and far over the reads that reach L2") {
  std::size_t taken = 0;
  const MeasuredRun run = measured_run(nlohmann::json::parse(facts), {parse_ncu_csv(log_of_two_launches), ""}, taken);
  CHECK(taken == 1);
  REQUIRE(run.launches.size() == 1);
  CHECK(*run.launches[0].logical_hit_rate() == doctest::Approx((46591412.0 + 3297116.0) / 56487612.0));
}

TEST_CASE("counters: rounds are averaged, and their spread is known") {
  MeasuredRun run{"add", "", {{}}, ""}, other = run;
  run.launches[0].counters["dram_read_bytes"] = {90};
  other.launches[0].counters["dram_read_bytes"] = {110};
  run.add_round(std::move(other));
  CHECK(*run.launches[0].get("dram_read_bytes") == 100);
  CHECK(run.launches[0].spread("dram_read_bytes") == doctest::Approx(0.2));
}

TEST_CASE("counters: what is recorded is read back as it was") {
  std::size_t taken = 0;
  Measurements m{"NVIDIA H200", "580",        "2025.3", "2026-01-01", "tilescope counters matmul", {0, 0, 1, 1},
                 {1, 1, 0, 0},  {-900, 1200}, {}};
  m.runs.push_back(measured_run(nlohmann::json::parse(facts), {parse_ncu_csv(log_of_two_launches), ""}, taken));
  m.runs[0].run = "matmul m=4096";
  m.runs[0].set = "seen";
  const std::string text = measurements_json(m).dump();
  CHECK(measurements_json(parse_measurements(text)).dump() == text);
  CHECK_THROWS_AS(parse_measurements("{}"), Error);
}

TEST_CASE("counters: a list of cases names runs, and refuses what is none") {
  const auto cases = parse_cases(R"({"cases": [{"run": "persistent_matmul m=4096 --generic", "set": "seen"}]})");
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].generic);
  CHECK(cases[0].kernel.kernel == "persistent_matmul");
  CHECK_THROWS_AS(measured_case("matmul q=1"), Error);
  CHECK_THROWS_AS(measured_case("matmul softmax"), Error);
  CHECK_THROWS_AS(parse_cases("[]"), Error);
}
