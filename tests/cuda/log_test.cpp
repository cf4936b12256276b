#include "interp/cuda/host/log.h"

#include <doctest/doctest.h>

using namespace tl::cuda;

TEST_CASE("registers, stack, spills and shared memory are read from ptxas's log") {
  const auto r = read_resources(
      "ptxas info    : 4 bytes gmem\n"
      "ptxas info    : Function properties for _Z1kv\n"
      "ptxas         .     128 bytes stack frame, 64 bytes spill stores, 72 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers, 128 bytes cumulative stack size, 1040 bytes smem\n",
      ".maxntid 384, 1, 1\n\t// tilescope.scratch_bytes 1024\n\t// tilescope.scratch_bytes 512\n");
  CHECK(r.registers == 168);
  CHECK(r.stack_bytes == 128);
  CHECK(r.spill_store_bytes == 64);
  CHECK(r.spill_load_bytes == 72);
  CHECK(r.static_shared_bytes == 1040);
  CHECK(r.dynamic_shared_bytes == 1024);
  CHECK(r.threads == 384);
  CHECK(r.warnings.empty());
}

// A ring's word: level << 24 | slots << 16 | tiles << 12 | kilobytes.
TEST_CASE("the rings of tiles are read from the PTX, the largest turn of each level") {
  const Rings rings = read_rings(
      "{\n\tmov.u32 \t%r1, 16977936;\n\t// tilescope.ring %r1\n\tmov.u32 \t%r2, 16982064;\n\t// tilescope.ring %r2\n}\n"
      "{\n\tmov.u32 \t%r1, 69640;\n\t// tilescope.ring %r1\n}\n");
  CHECK(rings.is_regular);
  CHECK(rings.levels[1].slots == 3);
  CHECK(rings.levels[1].tiles == 2);
  CHECK(rings.levels[1].bytes == 48 * 1024);
  CHECK(rings.bytes() == 3 * 48 * 1024 + 8 * 1024);
}

TEST_CASE("a ring whose size the PTX does not tell is irregular") {
  CHECK_FALSE(read_rings("{\n\tadd.s32 \t%r1, %r2, 4096;\n\t// tilescope.ring %r1\n}\n").is_regular);
  CHECK_FALSE(read_rings("{\n\tmov.u32 \t%r1, 4096;\n}\n{\n\t// tilescope.ring %r1\n}\n").is_regular);
  CHECK_FALSE(read_rings("{\n\tmov.u32 \t%r1, -1;\n\t// tilescope.ring %r1\n}\n").is_regular);
}

TEST_CASE("ptxas's warnings on serialized matrix instructions are kept, also those it calls info") {
  const std::string serialized =
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized";
  const auto r =
      read_resources(serialized + "\nptxas warning : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\n", "");
  REQUIRE(r.warnings.size() == 2);
  CHECK(r.warnings[0] == serialized);
}

TEST_CASE("an assembler's error says what to change") {
  const auto error =
      compile_error("ptxas error   : Entry function '_Z1kv' uses too much shared data (0x20000 bytes, 0xc000 max)\n",
                    "kernels/k.h", {});
  CHECK(std::string(error.what()).find("0xc000 max") != std::string::npos);
  CHECK(error.fix == "choose smaller blocks, fewer num_stages or more num_warps");
}
