// What `bench` says beneath its table.
#include <doctest/doctest.h>

#include "interp/run/bench_case.h"

using namespace tl;

namespace {

run::Point point(const char* kernel, double bytes, nlohmann::ordered_json settings) {
  run::Point p{.kernel = kernel, .settings = std::move(settings), .bytes = bytes, .flops = 1};
  p.is_right = true;
  return p;
}
bool speaks_of_bytes(const std::vector<run::Point>& points) {
  return run::footnotes(points, false).find("GB/s count what each kernel itself moves") != std::string::npos;
}

}  // namespace

TEST_CASE("bench: kernels that move different bytes for the same work are told apart, sizes of one kernel are not") {
  CHECK(speaks_of_bytes(
      {point("softmax", 8e6, {{"rows", 1000}, {"warps", 4}}), point("unfused", 24e6, {{"rows", 1000}})}));
  CHECK_FALSE(speaks_of_bytes({point("softmax", 8e6, {{"rows", 1000}}), point("triton", 8e6, {{"rows", 1000}})}));
  CHECK_FALSE(speaks_of_bytes({point("softmax", 8e6, {{"rows", 1000}}), point("softmax", 16e6, {{"rows", 2000}})}));
}
