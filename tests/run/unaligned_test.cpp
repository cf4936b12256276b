// Products whose rows begin anywhere, by the model and as measured.
#include <doctest/doctest.h>

#include "interp/run/schedule_case.h"

using namespace tl;

namespace {
double model_ms(const char* k, const char* bn) {
  const auto scheduled = run::schedule_case(
      {.kernel = {"persistent_matmul", {"m=5120", "n=3072", k, "bm=128", bn, "bk=64", "warps=8"}}, .gpu = "h100"});
  return scheduled.launches.front().schedule.model_ms;
}
}  // namespace

// `bench` of these launches on an H100: 107 us at k = 2048, 166 at 2056, of tiles of 128 columns 116 and 213.
TEST_CASE("a product whose rows begin within a sector takes half again to twice as long, as on an H100") {
  CHECK(model_ms("k=2056", "bn=256") / model_ms("k=2048", "bn=256") == doctest::Approx(166. / 107).epsilon(0.15));
  CHECK(model_ms("k=2056", "bn=128") / model_ms("k=2048", "bn=128") == doctest::Approx(213. / 116).epsilon(0.15));
}
