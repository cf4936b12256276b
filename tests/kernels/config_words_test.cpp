// Configs in words.
#include "kernels/problems/config_words.h"

#include <doctest/doctest.h>

#include "interp/lang/error.h"

using namespace tl::problems;

namespace {

std::vector<std::string> texts(const std::string& words) {
  std::vector<std::string> all;
  const auto evaluate = [](const std::string& e) -> std::int64_t {
    return e == "n" ? 2097152 : e == "next_power_of_2(cols)" ? 1024 : std::stoll(e);
  };
  for (const Config& c : configs_in(words, evaluate)) all.push_back(config_text(c));
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("several values of several settings are their product") {
  CHECK(texts("bm=64,128 warps=4,8") == Texts{"bm=64 warps=4", "bm=64 warps=8", "bm=128 warps=4", "bm=128 warps=8"});
}

TEST_CASE("a semicolon stands between alternatives, and duplicates are left out, whatever their order") {
  CHECK(texts("bm=64 warps=4; bm=128 warps=8; warps=4 bm=64") == Texts{"bm=64 warps=4", "bm=128 warps=8"});
}

TEST_CASE("a generator's configs multiply with the words beside it") {
  CHECK(texts("pointwise(BLOCK=n) registers=32") ==
        Texts{"BLOCK=1024 warps=4 registers=32", "BLOCK=512 warps=8 registers=32"});
  CHECK(texts("persistent_reduction(BX=1, 4096)") == Texts{"BX=1 warps=8"});
}

TEST_CASE("a value may be computed from the settings") {
  CHECK(texts("BLOCK=next_power_of_2(cols) warps=4") == Texts{"BLOCK=1024 warps=4"});
}

TEST_CASE("no words are no configs") { CHECK(texts(" ; ").empty()); }

TEST_CASE("what is no config is refused, with the way to write it") {
  for (const char* wrong : {"bm", "bm=", "=4", "pointwise(n", "pontwise(BLOCK=n)", "reduction(BX=4)", "pointwise(n)",
                            "template(BX=4)", "bm=4 bm=8", "pointwise(BLOCK=0)"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(texts(wrong), tl::Error);
  }
}
