// The copy that the host compiler sees: each word of the author's stays at its line and column, and names are declared
// where they begin.
#include "interp/text/declared.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "interp/text/lexer.h"
#include "tests/has.h"

namespace fs = std::filesystem;
using tl::text::declared;

namespace {

// What the copy has on each line that compilers count, in pieces.
std::vector<std::vector<std::string>> lines_of_copy(const std::string& copy) {
  static const std::regex directive(R"re(#line (\d+) ".*")re");
  std::vector<std::vector<std::string>> lines(1);
  std::size_t line = 1;
  for (std::size_t at = 0; at < copy.size();) {
    const std::size_t end = std::min(copy.find('\n', at), copy.size());
    const std::string text = copy.substr(at, end - at);
    at = end + 1;
    if (std::smatch m; std::regex_match(text, m, directive)) {
      line = std::stoul(m[1]);
      continue;
    }
    if (lines.size() <= line) lines.resize(line + 1);
    lines[line++].push_back(text);
  }
  return lines;
}

// The first word that is not where the author wrote it; "": all are.
std::string moved_word(const std::string& text) {
  const auto lines = lines_of_copy(declared("k.h", text));
  for (const tl::text::Token& t : tl::text::lex(text)) {
    const std::string first(t.text.substr(0, t.text.find('\n')));
    bool is_there = false;
    if (static_cast<std::size_t>(t.line) < lines.size())
      for (const std::string& piece : lines[static_cast<std::size_t>(t.line)])
        is_there |= piece.size() >= static_cast<std::size_t>(t.column) &&
                    piece.compare(static_cast<std::size_t>(t.column) - 1, first.size(), first) == 0;
    if (!is_there) return std::string(t.text) + " of line " + std::to_string(t.line);
  }
  return "";
}

std::string body(const std::string& text) { return declared("k.h", "void f(auto& tl) {\n" + text + "\n}\n"); }

}  // namespace

TEST_CASE("declared: each name is told behind its declaration") {
  CHECK(has(body("auto x = 1, y = 2;"), "auto x = 1, y = 2;::tl::cpu::named(\"x\",x);::tl::cpu::named(\"y\",y);"));
  CHECK(has(body("auto [a, b] = g(tl);"), "(tl);::tl::cpu::named(\"a\",a);::tl::cpu::named(\"b\",b);"));
  CHECK(has(body("int late;"), "int late;::tl::cpu::unnamed(\"late\");"));
  CHECK_FALSE(has(body("x = 1; f(y); tl.store(p, x);"), "named("));
}

TEST_CASE("declared: what a loop or condition declares is told in each of its bodies") {
  const std::string both = body("if (auto h = g(tl); h) tl.store(p, h); else q(h);");
  CHECK(has(both, "{::tl::cpu::Scope tl_scope;::tl::cpu::named(\"h\",h);"));
  CHECK(has(both, "tl.store(p, h);}"));
  CHECK(has(both, "q(h);}"));
  CHECK(has(body("for (auto i : tl.range(0, 4)) {\n g(i);\n}"),
            "{::tl::cpu::Scope tl_scope;::tl::cpu::named(\"i\",i);\n g(i);"));
}

TEST_CASE("declared: what only the compiler runs and unfinished text stay as they are") {
  CHECK_FALSE(has(declared("k.h", "constexpr int f(int n) { auto m = n; return m; }"), "tl::cpu"));
  const std::string broken = "void f(auto& tl) { auto x = (1;\n";
  CHECK(declared("k.h", broken) == "#line 1 \"k.h\"\n" + broken);
}

TEST_CASE("declared: no object stands between a switch and its labels, and its names are not known before them") {
  const std::string copy = body("switch (n) { case 1: g(1); break; default: auto s = 2; g(s); }");
  CHECK(has(copy, "{::tl::cpu::Scope tl_scope;::tl::cpu::unnamed(\"s\");"));
  CHECK(has(copy, "switch (n) { case 1: g(1);"));
  CHECK(has(copy, "auto s = 2;::tl::cpu::named(\"s\",s);"));
}

TEST_CASE("declared: a name that a loop or condition hides is not known in its head") {
  CHECK(has(body("auto x = 1; for (auto x = 2; x < 3; ++x) g(x);"),
            "{::tl::cpu::Scope tl_scope;::tl::cpu::unnamed(\"x\");"));
  CHECK_FALSE(has(body("auto x = 1; for (auto i = 2; i < 3; ++i) g(x);"), "unnamed("));
  CHECK(has(body("auto x = 1; if (x) g(x); else if (auto x = 2; x) g(x);"), "g(x); else {"));
}

TEST_CASE("declared: what a macro is given may be another variable behind it") {
  CHECK(has(body("auto x = 1; { DECLARE(x, tl.f(2)); }"), "DECLARE(x, tl.f(2));::tl::cpu::named(\"x\",x);"));
  CHECK(has(body("auto x = 1; EACH(x, 4) { g(x); }"), "{::tl::cpu::Scope tl_scope;::tl::cpu::named(\"x\",x);"));
  CHECK_FALSE(has(body("UNLESS(x) g(1); else g(2);"), "named("));
  CHECK_FALSE(has(body("auto x = 1; helper(tl, x);"), "helper(tl, x);::"));
}

TEST_CASE("declared: a helper takes the place of its call, unless its declaration stands elsewhere too") {
  CHECK(has(declared("k.h", "auto f(auto& tl, auto x) { return x; }"), ",::tl::cpu::Location tl_call=TL_LOCATION"));
  CHECK_FALSE(has(declared("k.h", "void f(int);\nvoid f(int n) { }"), "tl_call"));
  CHECK_FALSE(has(declared("k.h", "auto f(auto... all) { return 1; }"), "tl_call"));
  CHECK_FALSE(has(declared("k.h", "struct k { void operator()(auto& tl) const { } };"), "tl_call"));
}

TEST_CASE("declared: several statements on a line keep their columns, after tabs as well") {
  CHECK(moved_word("void f(auto& tl) {\tauto a = 1; auto b = 2;\tauto c = a + b; g(c); }\n") == "");
  CHECK(moved_word("auto f(auto& tl, auto x) { auto l = [x](auto y) { auto z = x + y; return z; }; return l(1); }") ==
        "");
  CHECK(moved_word("void f() { if (auto x = 1; x) g(x); else g(2); auto y = R\"(\n\n)\"; auto z = y; }") == "");
}

TEST_CASE("declared: in every kernel and every lesson's texts each word keeps its line and column") {
  int texts = 0;
  for (const char* folder : {"kernels", "lessons", "tests/debug"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      CHECK_MESSAGE(moved_word(text) == "", entry.path().string());
      ++texts;
    }
  CHECK(texts > 100);
}

TEST_CASE("declared: no prefix of a text does harm") {
  const std::string text =
      "auto f(auto& tl, auto x) { if (auto y = x; y) g(y); else { auto [a, b] = h(x); } for (auto i : r) g(i); auto l "
      "= "
      "[=](auto q) { return x + q; }; switch (x) { case 1: auto t = 2; } }";
  for (std::size_t n = 0; n <= text.size(); ++n) CHECK(moved_word(text.substr(0, n)) == "");
}
