#include "interp/report/fault_text.h"

#include <doctest/doctest.h>

#include <string>

#include "interp/debug/fault_text.h"
#include "interp/sources/sources.h"

using namespace tl::report;

TEST_CASE("a fault shows place, fact, source line with a caret under the column, values and fix") {
  tl::Fault f;
  f.site = {"/home/me/tilescope/kernels/copy.h", 1, 4};
  f.headline = "tl.load: lane 781 of program 3 is out of bounds";
  f.detail = "element 3124 of \"input\", which holds 3124 (4 x 781)";
  f.fix = "pass {.mask = col_offsets < n_cols}";
  const std::string line(tl::sources::source_line("kernels/copy.h", 1));
  CHECK(fault_text(f) ==
        "kernels/copy.h:1: " + f.headline + "\n    " + line + "\n       ^ " + f.detail + "\n    fix: " + f.fix + "\n");
}

TEST_CASE("the fix of an access out of bounds calls the offsets as the line does") {
  tl::Fault f;
  f.kind = tl::FaultKind::out_of_bounds;
  f.fix = "pass {.mask = offsets < 6}, or what says so for the offsets of this load";
  f.site = {"kernels/copy.h", 1, 12};
  CHECK(tl::debug::fix_text(f, "  auto x = tl.load(x_ptr + offs, {.mask = mask});") == "pass {.mask = offs < 6}");
  f.fix = "pass mask=(offsets >= 0) & (offsets < 6), or what says so for the offsets of this load";
  CHECK(tl::debug::fix_text(f, "  auto x = tl.load(x_ptr + offs, mask)") == "pass mask=(offs >= 0) & (offs < 6)");
  CHECK(tl::debug::fix_text(f, "  auto x = tl.load(x_ptrs);") == f.fix);
  CHECK(tl::debug::fix_text(f, "  auto x = tl.load(x_ptr + 2 * offs);") == f.fix);
  CHECK(tl::debug::fix_text(f, "") == f.fix);
}

TEST_CASE("the source line loses its indent and the caret moves with it") {
  int line = 1;
  while (tl::sources::source_line("kernels/copy.h", line).find("tl.store") == std::string_view::npos)
    REQUIRE(++line < 100);
  const std::string text(tl::sources::source_line("kernels/copy.h", line));
  const auto indent = text.find_first_not_of(' ');
  REQUIRE(indent > 0);
  CHECK(caret_text({"kernels/copy.h", line, static_cast<int>(indent) + 4}, "") ==
        "    " + text.substr(indent) + "\n       ^\n");
}

TEST_CASE("a fault in a file nobody has still tells everything it knows") {
  tl::Fault f;
  f.site = {"lost.h", 9, 3};
  f.headline = std::string("h");
  f.detail = std::string("d");
  CHECK(fault_text(f) == "lost.h:9: h\n    d\n");
}

TEST_CASE("programs are named by as many axes as they need") {
  CHECK(program_text({3, 0, 0}) == "3");
  CHECK(program_text({3, 0, 0}, 2) == "(3, 0)");
  CHECK(program_text({3, 1, 0}) == "(3, 1)");
  CHECK(program_text({3, 1, 2}) == "(3, 1, 2)");
}

TEST_CASE("an error states the fact and then the fix, without colours where none are asked for") {
  CHECK(error_report("there is no kernel \"softmx\"", "did you mean softmax?") ==
        "tilescope: there is no kernel \"softmx\"\n  fix: did you mean softmax?\n");
  CHECK(error_report("x", "") == "tilescope: x\n");
}
