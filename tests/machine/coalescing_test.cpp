// Sectors of hand-made requests, counted from the definition: 32-byte pieces that some lane touches.
#include "interp/machine/access/coalescing.h"

#include <doctest/doctest.h>

#include "interp/machine/access/coalescing_picture.h"

using namespace tl;
using namespace tl::machine;

namespace {

Request strided(int bytes, std::int64_t stride_bytes, std::int64_t base = 0, std::uint32_t active = ~0u) {
  Request r;
  r.bytes = bytes;
  r.active = active;
  for (std::int64_t lane = 0; lane < 32; ++lane) r.address[static_cast<std::size_t>(lane)] = base + lane * stride_bytes;
  return r;
}

}  // namespace

// CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": 4 sectors for 32 neighbours of 4 bytes, 5 when
// they start off a boundary, 8 with a stride of two.
TEST_CASE("sectors: neighbours need 4, off a boundary 5, every other one 8") {
  CHECK(sectors_of(strided(4, 4)) == 4);
  CHECK(sectors_of(strided(4, 4, 4)) == 5);
  CHECK(sectors_of(strided(4, 8)) == 8);
}

TEST_CASE("sectors: 64-bit accesses need 8, 128-bit ones 16, a column 32, one address 1") {
  CHECK(sectors_of(strided(8, 8)) == 8);
  CHECK(sectors_of(strided(16, 16)) == 16);
  CHECK(sectors_of(strided(4, 4096)) == 32);
  CHECK(sectors_of(strided(4, 0)) == 1);
}

TEST_CASE("sectors: masked lanes ask for nothing") {
  CHECK(sectors_of(strided(4, 4096, 0, 0x0000ffff)) == 16);
  CHECK(sectors_of(strided(4, 4, 0, 0x00000001)) == 1);
  CHECK(useful_bytes_of(strided(4, 4, 0, 0x000000ff)) == 32);
  CHECK(useful_bytes_of(strided(4, 0)) == 4);  // the same four bytes for everybody
}

TEST_CASE("efficiency: of 32 sectors for 128 bytes an eighth is used") {
  Coalescing c;
  c.add(strided(4, 4096));
  CHECK(c.per_request() == 32);
  CHECK(c.efficiency() == doctest::Approx(0.125));
  CHECK(c.ideal == 4);
}

TEST_CASE("picture: it says what was needed and what was fetched, and whose sectors are wasted") {
  const auto good = picture_of(strided(4, 4), 4);
  CHECK(good.caption() == "needed 4, fetched 4");
  CHECK(good.wasteful_lanes.empty());
  const auto bad = picture_of(strided(4, 4096), 4);
  CHECK(bad.caption() == "needed 4, fetched 32");
  CHECK(bad.wasteful_lanes.size() == 32);
  CHECK(text_of(good) ==
        "     byte  |0       |32      |64      |96      |\n"
        "       +0  |01234567|89abcdef|ghijklmn|opqrstuv|\n");
}
