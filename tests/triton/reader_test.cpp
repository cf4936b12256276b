// What the reader of Python takes, what it refuses, and where it says so.
#include <doctest/doctest.h>

#include <string>

#include "interp/triton/parser.h"

using namespace tl::triton;

namespace {

std::string syntax_error_of(const std::string& text) {
  try {
    parse(make_source("a.py", text));
  } catch (const tl::CompileError& e) {
    return std::string(e.what()) + "\nfix: " + e.fix;
  }
  return "none";
}
bool is_refused(const std::string& text, const std::string& part) {
  const std::string e = syntax_error_of(text);
  INFO(e);
  return e.find(part) != std::string::npos;
}
std::string function(const std::string& body) { return "@triton.jit\ndef f(x_ptr, n):\n" + body; }

}  // namespace

TEST_CASE("parse: every op has the place of its sign, every call that of its name") {
  const auto tree = parse(make_source("a.py", "y = tl.load(x) +  1\n"));
  const Node& sum = tree->body[0]->child(1);
  CHECK(sum.kind == NodeKind::binary);
  CHECK(sum.op == Position{1, 16});
  CHECK(sum.child(0).op == Position{1, 8});
  CHECK(sum.span.begin == Position{1, 5});
  CHECK(sum.span.end == Position{1, 20});
}

TEST_CASE("parse: a bracket that is not closed is named where it was opened") {
  CHECK(is_refused(function("  x = tl.load(x_ptr +\n  y = 1\n"), "a.py:3:14: '(' is never closed"));
  CHECK(is_refused("x = [1, 2)\n", "a.py:1:10: ')' cannot close the '[' of line 1, column 5"));
  CHECK(is_refused("x = 1)\n", "a.py:1:6: ')' closes nothing"));
  CHECK(is_refused("x = 'abc\n", "a.py:1:5: this string is never closed"));
}

TEST_CASE("parse: an error shows its line, a caret in its column, and the fix") {
  CHECK(syntax_error_of(function("\tx = tl.load(x_ptr\n")) ==
        "a.py:3:13: '(' is never closed\n     3 | \tx = tl.load(x_ptr\n       | \t           ^\nfix: add a ')'");
}

TEST_CASE("parse: indentation that Python refuses is refused") {
  CHECK(is_refused(function("        x = 1\n\ty = 2\n"), "a.py:4:2: tabs and spaces are mixed"));
  CHECK(is_refused(function("    x = 1\n  y = 2\n"), "a.py:4:3: this indentation is none of the lines around it"));
  CHECK(is_refused(function("x = 1\n"), "a.py:3:1: the def above has no body"));
  CHECK(is_refused(function("  x = 1\n    y = 2\n"), "a.py:4:5: this line is indented"));
}

TEST_CASE("parse: a kernel's mistakes are told at their place") {
  CHECK(is_refused(function("  if n > 1\n    x = 1\n"), "a.py:3:11: the line ends where ':' is wanted"));
  CHECK(is_refused(function("  x = 1 +\n"), "a.py:3:10: the line ends where a value is wanted"));
  CHECK(is_refused(function("  1 = x\n"), "a.py:3:3: nothing can be assigned to this"));
  CHECK(is_refused(function("  for = 1\n"), "a.py:3:7: '=' stands where a value is wanted"));
  CHECK(is_refused(function("  x = 012\n"), "a.py:3:7: '012' begins with 0"));
  CHECK(is_refused(function("  x = 12abc\n"), "a.py:3:7: '12abc' is no number"));
  CHECK(is_refused(function("  x = f'{n'\n"), "a.py:3:9: this '{' is never closed"));
  CHECK(is_refused("@triton.jit\ndef f(x, x):\n  pass\n", "a.py:2:10: two parameters are called x"));
  CHECK(is_refused("@triton.jit\ndef f(x=1, y):\n  pass\n", "a.py:2:12: y has no default"));
}

TEST_CASE("parse: Python 2 is named") {
  CHECK(is_refused("print 'hello'\n", "a.py:1:1: print without parentheses is Python 2"));
  CHECK(is_refused(function("  print n\n"), "a.py:3:3: print without parentheses is Python 2"));
}

TEST_CASE("parse: host code that is no syntax of ours is skipped, and what follows is read") {
  const auto tree = parse(make_source("a.py", "!pip install triton\nmatch x:\n  case 1:\n    pass\nn = 5\n"));
  CHECK(tree->skipped.size() == 2);
  REQUIRE(tree->body.size() == 1);
  CHECK(tree->body[0]->kind == NodeKind::assign);
}

TEST_CASE("parse: a byte order mark and all ends of lines are taken") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const auto tree = parse(make_source("a.py", "\xEF\xBB\xBFx = 1" + end + end + "if x:" + end + "  y = 2" + end));
    REQUIRE(tree->body.size() == 2);
    CHECK(tree->body[1]->parts->body[0]->span.begin == Position{4, 3});
  }
}

TEST_CASE("parse: escapes, raw texts and texts side by side") {
  const auto text_of = [](const std::string& literal) {
    return std::string(parse(make_source("a.py", literal + "\n"))->body[0]->child(0).text);
  };
  CHECK(text_of(R"('a\n\x41\u00e9\'')") == "a\nA\xC3\xA9'");
  CHECK(text_of(R"(r'a\n')") == "a\\n");
  CHECK(text_of("'ab' \"cd\"") == "abcd");
  CHECK(text_of("'''a\r\nb'''") == "a\nb");
}

TEST_CASE("parse: an f-string's values have their places") {
  const auto tree = parse(make_source("a.py", "f'n = {n:>4}, {x + 1=}'\n"));
  const Node& format = tree->body[0]->child(0);
  REQUIRE(format.children.size() == 4);
  CHECK(format.child(0).text == "n = ");
  CHECK(format.child(1).child(0).span.begin == Position{1, 8});
  CHECK(format.child(2).text == ", x + 1=");
  CHECK(format.child(3).child(0).op == Position{1, 18});
}

TEST_CASE("parse: what nests too deep is refused, not crashed on") {
  const auto times = [](int n, const std::string& part) {
    std::string all;
    for (int i = 0; i < n; ++i) all += part;
    return all;
  };
  CHECK(is_refused(function("  x = " + times(100000, "(") + "1" + times(100000, ")") + "\n"), "levels nest here"));
  CHECK(is_refused(function("  x = " + times(100000, "-") + "1\n"), "levels nest here"));
  CHECK(is_refused(function("  x = " + times(100000, "not ") + "1\n"), "levels nest here"));
  CHECK(is_refused(function("  x = 1" + times(100000, " + 1") + "\n"), "parts nest here"));
  CHECK(is_refused(function("  x = a" + times(100000, ".b") + "\n"), "parts nest here"));
  CHECK(is_refused(function("  if n: pass\n" + times(100000, "  elif n: pass\n")), "parts nest here"));
}

TEST_CASE("parse: 10 MB are read") {
  std::string text;
  while (text.size() < (10u << 20)) text += "x = tl.load(x_ptr + offs[:, None], mask=offs < n, other=0.0)\n";
  CHECK(parse(make_source("a.py", text))->body.size() > 160000);
}
