// What `compile` says of roles, for every kernel.
#include <doctest/doctest.h>

#include "tests/cli/run_program.h"
#include "tests/has.h"

namespace {

// Empty, with a message, where CUDA's compiler is missing.
std::string compiled(const std::string& kernel) {
  const Said s = tilescope("compile " + kernel);
  if (s.exit_code != 0) MESSAGE("skipped: " << s.err);
  return s.exit_code == 0 ? s.out : "";
}

}  // namespace

TEST_CASE("compile says why a loop has its roles, or has not") {
  const std::string add = compiled("add");
  if (add.empty()) return;
  CHECK(has(add, "add: one role: the kernel multiplies nothing"));
  CHECK(has(compiled("matmul m=64 n=64 k=64"), "matmul: roles: 4 warps copy tiles of a and b, ahead of the 4"));
  CHECK(
      has(compiled("matmul m=64 n=64 k=64 warps=2"), "one role: roles take a multiple of 4 warps, and num_warps is 2"));
}

TEST_CASE("a loop that loads what it stored has one role, whatever hides the load") {
  const std::string file = TILESCOPE_CLI_KERNELS "/load_after_store.h:";
  if (compiled("add").empty()) return;
  for (const char* kernel : {"lambda_kernel", "macro_kernel", "helper_kernel", "member_kernel"}) {
    const std::string said = compiled(file + kernel);
    CHECK_MESSAGE(has(said, "one role, which is right but slower: load_after_store.h:"), kernel << "\n" << said);
    CHECK_MESSAGE(has(said, " may load from \"t\" what was stored there"), kernel << "\n" << said);
  }
  // Types and divisors are equal, so that the compiled kernel would do for both; the facts are not.
  CHECK(has(compiled(file + "lambda_kernel turns=0"), ": roles: 4 warps copy tiles of a and t"));
  CHECK(has(compiled(file + "lambda_kernel turns=16"), ": one role, which is right but slower"));
}

TEST_CASE(
    "warps that copy tiles exchange no lanes: a stretched value is left to the others, an address costs the roles") {
  const std::string file = TILESCOPE_CLI_KERNELS "/exchange.h:";
  if (compiled("add").empty()) return;
  CHECK(has(compiled(file + "value_kernel"), ": roles: 4 warps copy tiles of a and b"));
  CHECK(has(compiled(file + "address_kernel"), "one role, which is right but slower: an index needs lanes of other"));
}
