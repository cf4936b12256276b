#include "interp/cuda/host/reports.h"

#include <doctest/doctest.h>

using namespace tl::cuda;
using tl::rules::Report;

// A ring's word: level << 24 | slots << 16 | tiles << 12 | kilobytes.
TEST_CASE("the rings of tiles are read from the PTX, the largest turn of each level") {
  static_assert(static_cast<int>(Report::ring) == 0);
  const Rings rings = read_rings(
      "{\n\tmov.u32 \t%r1, 16977936;\n\t// tilescope 0 %r1\n\tmov.u32 \t%r2, 16982064;\n\t// tilescope 0 %r2\n}\n"
      "{\n\tmov.u32 \t%r1, 69640;\n\t// tilescope 0 %r1\n}\n");
  CHECK(rings.is_regular);
  CHECK(rings.levels[1].slots == 3);
  CHECK(rings.levels[1].tiles == 2);
  CHECK(rings.levels[1].bytes == 48 * 1024);
  CHECK(rings.bytes() == 3 * 48 * 1024 + 8 * 1024);
}

TEST_CASE("a ring whose size the PTX does not tell is irregular") {
  CHECK_FALSE(read_rings("{\n\tadd.s32 \t%r1, %r2, 4096;\n\t// tilescope 0 %r1\n}\n").is_regular);
  CHECK_FALSE(read_rings("{\n\tmov.u32 \t%r1, 4096;\n}\n{\n\t// tilescope 0 %r1\n}\n").is_regular);
  CHECK_FALSE(read_rings("{\n\tmov.u32 \t%r1, -1;\n\t// tilescope 0 %r1\n}\n").is_regular);
}

TEST_CASE("a ring whose size a branch decides, or a later turn changes, is irregular") {
  CHECK_FALSE(read_rings("{\n\tmov.u32 \t%r1, 69640;\n\tbra \t$L2;\n$L1:\n\tmov.u32 \t%r1, 73744;\n$L2:\n"
                         "\t// tilescope 0 %r1\n}\n")
                  .is_regular);
  CHECK_FALSE(
      read_rings("{\n\tmov.u32 \t%r1, 69640;\n$L1:\n\t// tilescope 0 %r1\n\tmov.u32 \t%r1, %r2;\n\tbra \t$L1;\n}\n")
          .is_regular);
}

TEST_CASE("a report tells its constant, with a register or without, and its line") {
  const std::string ptx = "{\n\t// tilescope 2 1024\n\tst.global.u32 \t[%rd1], %r1;\n\t// tilescope 4 3\n}\n";
  const auto literals = read_reports(ptx, Report::literal), scratch = read_reports(ptx, Report::scratch_bytes);
  REQUIRE(literals.size() == 1);
  CHECK(literals[0].value == 3);
  CHECK(literals[0].line == 3);
  REQUIRE(scratch.size() == 1);
  CHECK(scratch[0].value == 1024);
  CHECK(read_reports(ptx, Report::overlap).empty());
}
