// Wavefronts from the definition, and as an H200 counted them for isolated stores and transposed reads.
#include "interp/machine/access/banks.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/machine/gpu/bank_cases.h"

using namespace tl::machine;

namespace {

std::int64_t of_tile(int rows, int cols, int bytes, Placement p, Direction d) {
  return wavefronts_of(BankedTile{rows, cols, bytes, p, bytes}, d).wavefronts;
}

}  // namespace

// CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks": a stride of s words gives gcd(s, 32) ways.
TEST_CASE("banks: a stride of s words collides gcd(s, 32) ways") {
  for (const int stride : {1, 2, 3, 4, 8, 16, 17, 24, 32, 33}) {
    Request r;
    r.bytes = 4;
    r.active = ~0u;
    for (std::size_t lane = 0; lane < 32; ++lane) r.address[lane] = static_cast<std::int64_t>(lane) * stride * 4;
    CHECK(wavefronts_of(r).wavefronts == std::gcd(stride, 32));
  }
}

TEST_CASE("banks: one word for everybody is one wavefront") {
  Request r;
  r.bytes = 4;
  r.active = ~0u;
  CHECK(wavefronts_of(r).wavefronts == 1);
}

TEST_CASE("banks: a transposed 32 x 32 tile of f32 collides 32 ways; padded to 33 columns, or xored, it does not") {
  CHECK(of_tile(32, 32, 4, Placement::none, Direction::along_rows) == 32);
  CHECK(of_tile(32, 32, 4, Placement::none, Direction::down_columns) == 1024);
  CHECK(of_tile(32, 32, 4, Placement::padded, Direction::down_columns) == 32);
  CHECK(of_tile(32, 32, 4, Placement::xored, Direction::down_columns) == 32);
  CHECK(BankedTile{32, 32, 4, Placement::padded, 4}.pitch_bytes() == 33 * 4);
}

TEST_CASE("banks: no placement of a tile puts two elements at one place") {
  for (const BankCase& c : bank_cases()) {
    std::vector<int> taken(static_cast<std::size_t>(c.tile.bytes()));
    for (int row = 0; row < c.tile.rows; ++row)
      for (int col = 0; col < c.tile.cols; ++col) {
        const int at = c.tile.offset(row, col);
        REQUIRE((at >= 0 && at + c.tile.element_bytes <= c.tile.bytes()));
        CHECK(taken[static_cast<std::size_t>(at)]++ == 0);
      }
  }
}

TEST_CASE("banks: the picture is as high as the passes") {
  const BankedTile tile{32, 32, 4, Placement::none, 4};
  const auto picture = pictures_of(requests_of(tile, Direction::down_columns).front()).front();
  CHECK(picture.height() == 32);
  CHECK(picture.banks[0].lanes.size() == 32);
  CHECK(picture.banks[1].lanes.empty());
}

TEST_CASE("banks: wavefronts and conflicts equal an H200's counters, case by case") {
  std::ifstream in(TEST_RECORDED "/banks-nvidia-h200.json");
  const auto recorded = nlohmann::json::parse(in);
  const auto cases = bank_cases();
  REQUIRE(recorded["rows"].size() == cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& row = recorded["rows"][i];
    const BankCase& c = cases[i];
    REQUIRE((row[0] == (c.direction == Direction::along_rows ? "store" : "read") && row[1] == c.tile.rows &&
             row[2] == c.tile.cols && row[3] == c.tile.element_bytes && row[4] == name_of(c.tile.placement) &&
             row[5] == c.tile.access_bytes));
    const Wavefronts w = wavefronts_of(c.tile, c.direction);
    INFO(row.dump());
    CHECK(w.wavefronts == row[6]);
    CHECK(w.conflicts() == row[7]);
  }
}

TEST_CASE("banks: 33 columns of f32 are the padding itself: no conflict either way, and nothing to exchange") {
  const BankedTile t{32, 33, 4, Placement::none, 4};
  CHECK(wavefronts_of(t, Direction::along_rows).conflicts() == 0);
  CHECK(wavefronts_of(t, Direction::down_columns).conflicts() == 0);
  CHECK_FALSE(t.can_be_xored());
  CHECK(BankedTile{32, 32, 2, Placement::none, 2}.can_be_xored());
}

TEST_CASE("banks: the picture of a request fits 80 columns") {
  const auto requests = requests_of({32, 32, 4, Placement::none, 4}, Direction::along_rows);
  CHECK(text_of(pictures_of(requests.front()).front()) ==
        "      bank  0       4       8       12      16      20      24      28\n"
        "    pass 1  0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p q r s t u v\n");
}
