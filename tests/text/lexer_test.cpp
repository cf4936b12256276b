// What each token must be follows from the C++ standard's phases of translation.
#include "interp/text/lexer.h"

#include <doctest/doctest.h>

using namespace tl::text;

namespace {

// The tokens' texts, a space between them.
std::string cut(std::string_view source) {
  std::string all;
  for (const Token& t : lex(source)) all += (all.empty() ? "" : " ") + std::string(t.text);
  return all;
}

}  // namespace

TEST_CASE("lexer: numbers keep separators, exponents, suffixes and their own letters") {
  CHECK(cut("1'000+x") == "1'000 + x");
  CHECK(cut("2_c*0x1'FFu-1e-3f+1E+5") == "2_c * 0x1'FFu - 1e-3f + 1E+5");
  CHECK(cut("0xe+1") == "0xe + 1");  // no exponent: hexadecimal has p
  CHECK(cut("0x1p-3 .5 1. 0b1'01") == "0x1p-3 .5 1. 0b1'01");
  CHECK(cut("x.y 1.x") == "x . y 1.x");
}

TEST_CASE("lexer: a character is none of a number's separators") {
  CHECK(cut("f('a', 1'000, 'b')") == "f ( 'a' , 1'000 , 'b' )");
  CHECK(cut(R"('\'' + '"' + "'")") == R"('\'' + '"' + "'")");
}

TEST_CASE("lexer: strings with escapes, prefixes, suffixes, and raw ones over lines") {
  CHECK(cut(R"(f("a\"b", u8"c", L'x', "d"_s))") == R"(f ( "a\"b" , u8"c" , L'x' , "d"_s ))");
  CHECK(cut("R\"x(one )\" \n \\\" two)x\" + y") == "R\"x(one )\" \n \\\" two)x\" + y");
  CHECK(lex("R\"(\n\n)\" y").back().line == 3);
  CHECK(cut("u8R\"(a\"b)\" Rest \"x\"") == "u8R\"(a\"b)\" Rest \"x\"");
}

TEST_CASE("lexer: comments and directives go on after a backslash at the line's end") {
  CHECK(cut("a // x \\\n b\nc") == "a c");
  CHECK(cut("a /* // */ b /* \" */ c") == "a b c");
  CHECK(cut("#define X \\\n 1 + 2\ny # z") == "y # z");
  CHECK(cut("  /* c */ #include \"a.h\" // d\nx") == "x");
  CHECK(cut("\"a\\\nb\" c") == "\"a\\\nb\" c");
  CHECK(cut("a \\\n b \\\r\n c") == "a b c");
}

TEST_CASE("lexer: the longest sign wins, and brackets find their partners") {
  CHECK(cut("a<<=b>>c<=>d...->*") == "a <<= b >> c <=> d ... ->*");
  const auto tokens = lex("f(a[1], {2})");
  CHECK(tokens[1].partner == 10);
  CHECK(tokens[3].partner == 5);
  CHECK(tokens[7].partner == 9);
  CHECK(lex("( ]")[0].partner == -1);
  CHECK(lex("( [ )")[0].partner == 2);
}

TEST_CASE("lexer: lines and columns count bytes from 1, after tabs and letters of two bytes too") {
  const auto tokens = lex("a\n\tb \"\xc3\xa9\" c");
  CHECK((tokens[1].line == 2 && tokens[1].column == 2));
  CHECK((tokens[3].line == 2 && tokens[3].column == 9));
}

TEST_CASE("lexer: what stands in comments and between quotes is no code, and the rest keeps its place") {
  CHECK(code_of("x = \"a;b\" + 'c'; // y\nz /* w\n */ 1'000") == "x = \"   \" + ' ';     \nz     \n    1'000");
  CHECK(code_of("#include \"a.h\" // why\n") == "#include \"a.h\"       \n");
}

TEST_CASE("lexer: directives and comments are there for who asks") {
  const auto tokens = lex_with_comments("#include \"a.h\"  // why\nx");
  REQUIRE(tokens.size() == 3);
  CHECK((tokens[0].kind == TokenKind::directive && tokens[0].text == "#include \"a.h\"  "));
  CHECK((tokens[1].kind == TokenKind::comment && tokens[1].text == "// why"));
}

TEST_CASE("lexer: the contents of literals and the values of integers") {
  CHECK(content_of(lex(R"(u8"a\n"_s)")[0]) == R"(a\n)");
  CHECK(content_of(lex("R\"x(a)\"b)x\"")[0]) == "a)\"b");
  CHECK(content_of(lex("\"open")[0]) == "open");
  CHECK(integer_of(lex("1'000u")[0]) == 1000);
  CHECK(integer_of(lex("0xFF")[0]) == 255);
  CHECK(integer_of(lex("0b1'01")[0]) == 5);
  CHECK(integer_of(lex("017")[0]) == 15);
  CHECK(integer_of(lex("2_c")[0]) == 2);
  CHECK_FALSE(is_integer(lex("1e3")[0]));
  CHECK_FALSE(is_integer(lex("1.5")[0]));
  CHECK(is_integer(lex("0xE")[0]));
}

TEST_CASE("lexer: every prefix of a text is read to its end") {
  const std::string text =
      "#define X(a) \\\n a\nauto f = R\"d(x)d\" /* c */ 'q' \"s\\\"\" 1'0e-5_k; // end\\\nstill\n{[(<<=)]}";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    std::size_t covered = 0;
    for (const Token& t : lex_with_comments(std::string_view(text).substr(0, n))) {
      CHECK(!t.text.empty());
      covered += t.text.size();
    }
    CHECK(covered <= n);
  }
}
