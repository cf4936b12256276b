#include "interp/run/recorded.h"

#include <doctest/doctest.h>

#include "interp/lang/error.h"
#include "interp/run/bench_report.h"

using namespace tl::run;

namespace {

Point point(const char* kernel, int n, double ms) {
  return {.kernel = kernel,
          .settings = {{"n", n}},
          .bytes = 8e6,
          .flops = 1e9,
          .own = {10, ms, ms, ms, ms},
          .peer = {10, 2 * ms, 2 * ms, 2 * ms, 2 * ms},
          .peer_name = "cuBLAS, 13",
          .method = "m"};
}

}  // namespace

TEST_CASE("a recorded run reads back as it was written") {
  const RecordedRun run{"NVIDIA H200",       "580", "2026-01-31", "tilescope bench add n=8 --device cuda", "0.1",
                        {point("add", 8, 2)}};
  const RecordedRun again = parse_recorded(recorded_json(run));
  CHECK(recorded_json(again) == recorded_json(run));
  CHECK(recorded_name(run) == "add-n-8-nvidia-h200");
  CHECK_THROWS_AS(parse_recorded("{}"), tl::Error);
  CHECK_THROWS_AS(parse_recorded("not JSON"), tl::Error);
}

TEST_CASE("rates follow from bytes, flops and the median") {
  const Point p = point("add", 8, 2);  // 8 MB and 1 GFLOP in 2 ms
  CHECK(p.gb_per_s() == doctest::Approx(4));
  CHECK(p.tflop_per_s() == doctest::Approx(0.5));
  CHECK(p.ratio() == doctest::Approx(2));
}

TEST_CASE("CSV quotes what needs it and has a column for every setting") {
  CHECK(points_csv({point("add", 8, 2)}, "GPU") ==
        "kernel,device,n,median_ms,p20_ms,p80_ms,repetitions,gb_per_s,tflop_per_s,peer,peer_median_ms,ratio\n"
        "add,GPU,8,2,2,2,10,4,0.5,\"cuBLAS, 13\",4,2\n");
}

TEST_CASE("a plot has a line a kernel and a dashed one for its peer") {
  const tl::report::Plot plot =
      points_plot({point("add", 8, 2), point("add", 16, 2), point("copy", 8, 1)}, "n", true, Metric::gb_per_s, "GPU");
  REQUIRE(plot.lines.size() == 4);
  CHECK(plot.lines[0].x == std::vector<double>{8, 16});
  CHECK(plot.lines[0].y == std::vector<double>{4, 4});
  CHECK(plot.lines[1].is_dashed);
  CHECK(plot.lines[3].name == "cuBLAS, 13 for copy");
}

TEST_CASE("the metric follows from the kernels: bytes where they are few operations, else operations") {
  Point matmul = point("matmul", 8, 1);
  CHECK(metric_of({matmul}) == Metric::tflop_per_s);  // 125 operations a byte
  matmul.flops = 1e6;
  CHECK(metric_of({matmul}) == Metric::gb_per_s);
  matmul.bytes = 0;
  CHECK(metric_of({matmul}) == Metric::ms);
}
