#include "interp/cuda/host/log.h"

#include <doctest/doctest.h>

using namespace tl::cuda;

TEST_CASE("registers, stack, spills and shared memory are read from ptxas's log") {
  const auto r = read_resources(
      "ptxas info    : 4 bytes gmem\n"
      "ptxas info    : Function properties for _Z1kv\n"
      "ptxas         .     128 bytes stack frame, 64 bytes spill stores, 72 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers, 128 bytes cumulative stack size, 1040 bytes smem\n",
      ".maxntid 384, 1, 1\n\t// tilescope 2 1024\n\t// tilescope 2 512\n");
  CHECK(r.registers == 168);
  CHECK(r.stack_bytes == 128);
  CHECK(r.spill_store_bytes == 64);
  CHECK(r.spill_load_bytes == 72);
  CHECK(r.static_shared_bytes == 1040);
  CHECK(r.dynamic_shared_bytes == 1024);
  CHECK(r.threads == 384);
  CHECK(r.warnings.empty());
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
