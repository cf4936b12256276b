// The manifest of ops: a name an op, and a line in the language's page for each.
#include "interp/lang/op.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

using namespace tl;

namespace {

std::string language_page() {
  std::ifstream in(SOURCE_DIR "/interp/LANGUAGE.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("ops: a name finds its op, another finds none") {
  CHECK(op_of("dot") == Op::dot);
  CHECK(op_of("device_assert") == Op::device_assert);
  CHECK_FALSE(op_of("frobnicate"));
  CHECK_FALSE(op_of(""));
  std::set<std::string_view> names;
  for (const OpInfo& op : op_table) names.insert(op.name);
  CHECK(names.size() == op_table.size());
}

TEST_CASE("ops: one that is called reads tl.NAME, every other is a sign or a suffix") {
  for (const OpInfo& op : op_table) {
    INFO(op.name);
    const std::string text = op.text;
    if (text.starts_with("tl.")) CHECK(text.substr(3) == op.name);
    else CHECK((text.size() <= 2 || op.name == "slice" || op.name == "bitcast"));
  }
}

TEST_CASE("ops: families and operands are what C++'s own operators say") {
  for (const char* name : {"lt", "le", "gt", "ge", "eq", "ne"}) CHECK(is_comparison(*op_of(name)));
  for (const char* name : {"bit_and", "bit_or", "bit_xor", "shl", "shr", "bit_not"}) CHECK(is_bitwise(*op_of(name)));
  int comparisons = 0, unary = 0;
  for (const OpInfo& op : op_table) {
    comparisons += op.family == OpFamily::comparison;
    unary += op.operands == 1 && std::regex_match(op.text, std::regex("[-~!]"));
  }
  CHECK(comparisons == 6);
  CHECK(unary == 3);
}

TEST_CASE("ops: what moves memory, multiplies blocks or computes lanes is told apart") {
  for (const OpInfo& op : op_table) {
    INFO(op.name);
    CHECK((op.unit == OpUnit::memory) == (op.family == OpFamily::memory));
    CHECK((op.unit == OpUnit::tensor_cores) == (op.name == "dot" || op.name == "dot_scaled"));
    if (op.unit == OpUnit::lanes) CHECK((op.operands >= 1 && op.results >= 1));
  }
}

TEST_CASE("ops: the language's page names every one that is called") {
  const std::string page = language_page();
  for (const OpInfo& op : op_table)
    if (std::string_view(op.text).starts_with("tl."))
      CHECK_MESSAGE(std::regex_search(page, std::regex("\\b" + std::string(op.name) + "\\b")), op.name);
}
