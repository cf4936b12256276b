// From a config to its neighbours, on made-up landscapes whose lowest point is known.
#include "interp/tune/descend.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/tune/spaces.h"

using namespace tl::tune;
using tl::problems::Config;
using tl::problems::config_text;
using tl::problems::Setting;

namespace {

using Values = std::vector<std::string>;

double number(const Config& config, std::size_t i) { return std::stod(config[i].second); }

Space block_and_warps() { return space_of(request_of("add", {}, "block=64 warps=4")); }

}  // namespace

TEST_CASE("a block's neighbours are its double and its half, within its bounds") {
  const Setting block{"block", "64", Setting::Kind::integer, "", 1, 128, true};
  CHECK(neighbours(block, "64", 1) == Values{"128", "32"});
  CHECK(neighbours(block, "64", 2) == Values{"128", "32", "16"});
  CHECK(neighbours(block, "1", 1) == Values{"2"});
}

TEST_CASE("stages go up and down by one, and registers by 8") {
  CHECK(neighbours({"stages", "3", Setting::Kind::integer, "", 1, 8}, "3", 1) == Values{"4", "2"});
  CHECK(neighbours({"registers", "", Setting::Kind::integer, "", 1, 255}, "64", 1) == Values{"72", "56"});
}

TEST_CASE("a text has no neighbours") { CHECK(neighbours({"dtype", "f16", Setting::Kind::dtype}, "f16", 1).empty()); }

TEST_CASE("descent reaches the lowest point of a bowl, each config asked for once") {
  std::map<std::string, int> asked;
  const Config best = descend(block_and_warps(), {{"block", "64"}, {"warps", "4"}}, {}, [&](const Config& c) {
    ++asked[config_text(c)];
    return 1 + std::abs(std::log2(number(c, 0)) - 10) + std::abs(std::log2(number(c, 1)) - 4);
  });
  CHECK(config_text(best) == "block=1024 warps=16");
  for (const auto& [config, times] : asked) CHECK(times == 1);
}

TEST_CASE("a valley across both axes takes all directions") {
  const auto valley = [](const Config& c) {
    const double x = std::log2(number(c, 0)), y = std::log2(number(c, 1));
    return 1 + 10 * std::abs((x - 6) - (y - 2)) + std::abs(x - 8);  // along x - 6 = y - 2, lowest at x = 8
  };
  const Config from{{"block", "64"}, {"warps", "4"}};
  CHECK(descend(block_and_warps(), from, {}, valley) == from);
  CHECK(config_text(descend(block_and_warps(), from, {.radius = 1, .all_directions = true}, valley)) ==
        "block=256 warps=16");
}

TEST_CASE("less than a thousandth is no improvement") {
  const Config from{{"block", "64"}, {"warps", "4"}};
  CHECK(descend(block_and_warps(), from, {}, [&](const Config& c) { return c == from ? 1 : 0.9995; }) == from);
}
