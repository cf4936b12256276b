// What there is to choose among.
#include "interp/tune/space.h"

#include <doctest/doctest.h>

#include "interp/lang/error.h"
#include "tests/tune/spaces.h"

using namespace tl::tune;
using tl::problems::config_text;

namespace {

std::string complaint(const SpaceRequest& request) {
  try {
    space_of(request);
  } catch (const tl::Error& e) {
    return std::string(e.what()) + " | " + e.fix;
  }
  return "";
}

}  // namespace

TEST_CASE("without --configs a kernel's own are taken, the lecture's first of matmul among them") {
  const Space space = space_of(request_of("matmul", {"m=512"}));
  CHECK(config_text(space.configs.front()) == "bm=128 bn=256 bk=64 stages=3 warps=8");
}

TEST_CASE("what is given is no choice any more, and what then comes to the same is left out") {
  const Space space = space_of(request_of("sum", {"block=256"}));
  CHECK(space.configs == std::vector<tl::problems::Config>{{{"warps", "4"}}, {{"warps", "8"}}});
}

TEST_CASE("a winner holds for all settings that no config sets") {
  CHECK(key_text(space_of(request_of("matmul", {"m=512"}, "bm=64 bn=64 bk=32"))) ==
        "m=512 n=256 k=256 group_size=8 stages=3 warps=4 dtype=f16");
}

TEST_CASE("a heuristic computes what a config leaves open") {
  const Space space = space_of(request_of("attention", {"causal=false"}));
  CHECK(settings_of(space, {{"bm", "64"}, {"bn", "64"}}).integer("programs") == 132);
  CHECK(settings_of(space, {{"bm", "64"}, {"programs", "7"}}).integer("programs") == 7);
}

TEST_CASE("configs and keys that name no setting are refused") {
  CHECK(complaint(request_of("add", {}, "blok=64")).find("did you mean block?") != std::string::npos);
  SpaceRequest request = request_of("add", {});
  request.key = {"m"};
  CHECK(complaint(request).find("the key \"m\" names no setting of add") == 0);
  CHECK(complaint(request_of("copy", {})).find("copy declares none") != std::string::npos);
  CHECK(complaint(request_of("add", {"block=64"}, "block=64,128")).find("block is given") == 0);
  CHECK(complaint(request_of("add", {}, "block=48")).find("not a power of two") != std::string::npos);
  request = request_of("add", {});
  request.refuse = "bm > 3";
  CHECK(complaint(request).find("bm") != std::string::npos);
}
