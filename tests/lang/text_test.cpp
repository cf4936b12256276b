#include "interp/lang/text.h"

#include <doctest/doctest.h>

using namespace tl;
using Lines = std::vector<std::string>;

TEST_CASE("a text without the white space around it keeps what is inside") {
  CHECK(trimmed("  b 12 if a > 3\t\n") == "b 12 if a > 3");
  CHECK(trimmed(" \t ") == "");
  CHECK(trimmed("") == "");
}

TEST_CASE("lines end with or without an end of line, and may be empty") {
  CHECK(lines_of("") == Lines{});
  CHECK(lines_of("a") == Lines{"a"});
  CHECK(lines_of("a\n\nb\n") == Lines{"a", "", "b"});
}

TEST_CASE("a file is named as it lies in the project, wherever that lies") {
  CHECK(project_path("kernels/add.h") == "kernels/add.h");
  CHECK(project_path("../kernels/add.h:12") == "kernels/add.h:12");
  CHECK(project_path("/home/me/lessons/tilescope/kernels/add.h") == "kernels/add.h");
  CHECK(project_path("/home/me/my_kernels/add.h") == "/home/me/my_kernels/add.h");
}
