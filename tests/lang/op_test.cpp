// The manifest of ops: a name an op, and a line in the language's page for each.
#include "interp/lang/op.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "interp/lang/parameters.h"

using namespace tl;

namespace {

std::string page(const std::string& name) {
  std::ifstream in(SOURCE_DIR "/interp/" + name);
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
  const std::string language = page("LANGUAGE.md");
  for (const OpInfo& op : op_table)
    if (std::string_view(op.text).starts_with("tl."))
      CHECK_MESSAGE(std::regex_search(language, std::regex("\\b" + std::string(op.name) + "\\b")), op.name);
}

TEST_CASE("ops: the page on Triton says of every optional parameter what C++ writes") {
  const std::string triton = page("TRITON.md") + page("LANGUAGE.md");
  std::set<std::string> names;
  for (const OpInfo& op : op_table)
    for (const Parameter& p : parse_parameters(op.parameters))
      if (!p.is_required && !p.is_rest) names.insert(std::string(p.name));
  for (const std::string& name : names)
    CHECK_MESSAGE(std::regex_search(triton, std::regex("\\b" + name + "\\b")), name);
}

TEST_CASE("ops: parameters are required, optional, or all that is left") {
  const auto reshape = parse_parameters("input, *shape, can_reorder=False");
  REQUIRE(reshape.size() == 3);
  CHECK((reshape[0].name == "input" && reshape[0].is_required && !reshape[0].is_rest));
  CHECK((reshape[1].name == "shape" && !reshape[1].is_required && reshape[1].is_rest));
  CHECK((reshape[2].name == "can_reorder" && reshape[2].fallback == "False" && !reshape[2].is_required));
  CHECK(parse_parameters("").empty());
}

TEST_CASE("ops: a call as Python writes it, and as C++ does") {
  CHECK(signature_of("sum") == "tl.sum(input, axis=None, keep_dims=False, dtype=None)");
  CHECK(signature_of("zeros_like") == "tl.zeros_like(input)");
  CHECK(call_in_cpp("load") == "tl.load(x_ptr + offs, {.mask = mask, .other = 0})");
  CHECK(call_in_cpp("dot") == "tl.dot(a, b, acc)");
  CHECK(call_in_cpp("zeros") == "tl.zeros(tl.shape(BM, BN), tl.float32)");
  CHECK(call_in_cpp("add").empty());
  CHECK(options_in_cpp("load") == std::vector<std::string>{"mask", "other", "boundary_check", "padding",
                                                           "cache_modifier", "eviction_policy", "is_volatile"});
  CHECK(options_in_cpp("atomic_cas") == std::vector<std::string>{"sem", "scope"});
}
