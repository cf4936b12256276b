// A wrong config is refused before anything is timed.
#include "interp/tune/right.h"

#include <doctest/doctest.h>

#include "tests/tune/spaces.h"

using namespace tl::tune;

namespace {

Trial checked(const SpaceRequest& request, const tl::problems::Config& config) {
  const Space space = space_of(request);
  RightConfigs right(space, false, false);
  Trial trial{.config = config, .settings = settings_of(space, config)};
  right.check(trial);
  return trial;
}

}  // namespace

TEST_CASE("a right config is compared with the reference at sizes that no block divides") {
  for (const char* dtype : {"dtype=f16", "dtype=bf16", "dtype=f32"}) {
    const Space space = space_of(request_of("matmul", {"m=512", "n=512", "k=512", dtype}, "bm=32 bn=16 bk=32 warps=4"));
    RightConfigs right(space, false, false);
    Trial trial{.config = space.configs.front(), .settings = settings_of(space, space.configs.front())};
    right.check(trial);
    CHECK_FALSE(trial.is_refused());
    CHECK(trial.is_checked);
    CHECK(right.sizes().starts_with("m=67 n=69 k=71"));
  }
}

TEST_CASE("a kernel that is wrong at every size is refused with what is wrong") {
  const Trial trial = checked(request_of("copy_wrong_offsets", {"n=1000"}, "block=64"), {{"block", "64"}});
  CHECK(trial.is_refused());
  CHECK(trial.why.starts_with("wrong at"));
}

TEST_CASE("a kernel for round sizes is checked at round ones, and the note says why") {
  const Space space = space_of(request_of("matmul_unmasked", {"m=512", "n=512", "k=512"}, "bm=64 bn=64 bk=64"));
  RightConfigs right(space, false, false);
  Trial trial{.config = space.configs.front(), .settings = settings_of(space, space.configs.front())};
  right.check(trial);
  CHECK_FALSE(trial.is_refused());
  CHECK(right.sizes() == "m=128 n=128 k=128");
  CHECK(right.note().find("at odd sizes matmul_unmasked is wrong") == 0);
}
