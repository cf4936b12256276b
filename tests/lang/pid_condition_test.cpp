// Expected values: the lecture's own examples of test_pid_conds, and the operators' meaning.
#include "interp/lang/pid_condition.h"

#include <doctest/doctest.h>

#include <string>

using tl::PidCondition;

namespace {

std::string error_of(const char* text) {
  try {
    PidCondition::parse(text);
  } catch (const tl::Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("pid condition: the empty one holds for every program") {
  for (const char* text : {"", " ", ",", ",,"}) {
    CHECK(PidCondition::parse(text).matches({0, 0, 0}));
    CHECK(PidCondition::parse(text).matches({7, 8, 9}));
    CHECK(PidCondition::parse(text).always());
  }
}

TEST_CASE("pid condition: the lecture's examples") {
  CHECK(PidCondition::parse("=0").matches({0, 5, 5}));
  CHECK_FALSE(PidCondition::parse("=0").matches({1, 0, 0}));
  CHECK(PidCondition::parse(",>1").matches({0, 2, 0}));
  CHECK_FALSE(PidCondition::parse(",>1").matches({2, 1, 2}));
  CHECK(PidCondition::parse(">1,=0").matches({2, 0, 0}));
  CHECK_FALSE(PidCondition::parse(">1,=0").matches({1, 0, 0}));
  CHECK_FALSE(PidCondition::parse(">1,=0").matches({2, 1, 0}));
}

TEST_CASE("pid condition: every operator on the third axis, spaces anywhere") {
  const auto third = [](const char* term, std::int64_t z) {
    return PidCondition::parse(std::string(" , ,  ") + term).matches({0, 0, z});
  };
  CHECK((third("= 3", 3) && !third("= 3", 4)));
  CHECK((third("==3 ", 3) && !third("==3", 4)));
  CHECK((third("!= 3", 4) && !third("!=3", 3)));
  CHECK((third("< 3", 2) && !third("<3", 3)));
  CHECK((third("<= 3", 3) && !third("<=3", 4)));
  CHECK((third("> 3", 4) && !third(">3", 3)));
  CHECK((third(">= 3", 3) && !third(">=3", 2)));
}

TEST_CASE("pid condition: its text parses back to the same condition") {
  for (const char* text : {"", "=0", ",>1", ">1,=0", ",,<=7", "!=2,,>=3"})
    CHECK(PidCondition::parse(text).text() == text);
}

TEST_CASE("pid condition: an error names the position and what is allowed") {
  CHECK(error_of("0").find("position 1: expected an operator") != std::string::npos);
  CHECK(error_of("=0,~1").find("position 4: expected an operator") != std::string::npos);
  CHECK(error_of(">").find("position 2: expected a number") != std::string::npos);
  CHECK(error_of("=-1").find("position 2: expected a number") != std::string::npos);
  CHECK(error_of("=1 2").find("position 4: expected a comma") != std::string::npos);
  CHECK(error_of("=1,,,=1").find("position 6: a fourth axis") != std::string::npos);
  CHECK(error_of("=99999999999999999999").find("does not fit") != std::string::npos);
  try {
    PidCondition::parse("x");
    FAIL("parsed");
  } catch (const tl::Error& e) {
    CHECK(e.fix.find("= == != < <= > >=") != std::string::npos);
  }
}
