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

TEST_CASE("edits from one word to another: insertions, deletions, exchanges, swaps of neighbours") {
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("laod", "load") == 1);
  CHECK(edit_distance("", "sum") == 3);
  CHECK(edit_distance("exp", "exp") == 0);
}

TEST_CASE("nearest: a few letters off is found, capitals aside; a different word is not") {
  CHECK(nearest("softmx", {"copy", "softmax"}) == "softmax");
  CHECK(nearest("SOFTMAX", {"copy", "softmax"}) == "softmax");
  CHECK(nearest("zzzz", {"copy", "softmax"}) == "");
  CHECK(nearest("expo", {"exp", "exp2"}, 1) == "exp");  // the first of the nearest
  CHECK(nearest("tanh", {"range", "trans"}, 1) == "");
}
