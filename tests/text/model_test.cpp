// The texts are cut from this project's kernels; places are counted by hand.
#include "interp/text/model.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/text/toy_kernel.h"

using tl::text::Model;
using tl::text::Statement;

namespace {

const Statement* declaring(const Model& m, const std::string& name) {
  for (const Statement& s : m.statements())
    for (const std::string& n : s.names)
      if (n == name) return &s;
  return nullptr;
}

}  // namespace

TEST_CASE("model: functions, functors and their parameters are found, without tl") {
  const Model m("kernel.h", toy_text);
  REQUIRE(m.functions().size() == 2);
  CHECK(m.functions()[0].name == "helper");
  REQUIRE(m.functions()[0].parameters.size() == 3);
  CHECK((m.functions()[0].parameters[0].name == "acc" && m.functions()[0].parameters[0].is_reference));
  CHECK((m.functions()[0].parameters[2].name == "N" && !m.functions()[0].parameters[2].is_reference));
  CHECK(m.functions()[1].name == "toy_kernel");
  CHECK(m.functions()[1].parameters[1].name == "n");
}

TEST_CASE("model: declarations by auto, structured bindings, attributes and range-for") {
  const Model m("kernel.h", toy_text);
  CHECK(declaring(m, "pid"));
  CHECK(declaring(m, "a") == declaring(m, "b"));
  CHECK(declaring(m, "k")->kind == tl::text::StatementKind::loop);
  REQUIRE(declaring(m, "m"));
  CHECK(m.text_of(declaring(m, "m")->value) == "(k + 1) * 2 - k");
  CHECK(&m.statements()[static_cast<std::size_t>(declaring(m, "m")->loop)] == declaring(m, "k"));
}

TEST_CASE("model: lambdas have parameters, and their statements know the statement around them") {
  const Model m("kernel.h", toy_text);
  REQUIRE(m.lambdas().size() == 2);
  CHECK(m.lambdas()[1].parameters.size() == 2);
  CHECK(m.lambdas()[1].parameters[1].name == "j");
  const int dot = m.statement_of(m.token_at(15, 26));
  REQUIRE(dot >= 0);
  CHECK(m.statements()[static_cast<std::size_t>(dot)].lambda == 1);
  CHECK(m.tokens()[static_cast<std::size_t>(
                       m.statements()[static_cast<std::size_t>(m.statements()[static_cast<std::size_t>(dot)].parent)]
                           .tokens.first)]
            .line == 12);
}

namespace {

// The names that each statement of a function's body declares: `x, y; i`.
std::string declared_in(const std::string& body) {
  const Model m("kernel.h", "void f(auto& tl) {\n" + body + "\n}");
  std::string all;
  for (const Statement& s : m.statements()) {
    if (s.names.empty()) continue;
    if (!all.empty()) all += "; ";
    for (std::size_t i = 0; i < s.names.size(); ++i) all += (i ? ", " : "") + s.names[i];
  }
  return all;
}

}  // namespace

TEST_CASE("model: every kind of declaration gives its names") {
  CHECK(declared_in("auto y = x, w = x + x;") == "y, w");
  CHECK(declared_in("const auto& y = x; auto* p = &y;") == "y; p");
  CHECK(declared_in("auto y = (x); auto z{x}; auto q(x);") == "y; z; q");
  CHECK(declared_in("int a, b = 3; unsigned long long c = 1'000; bool d;") == "a, b; c; d");
  CHECK(declared_in("std::size_t n = 2; std::pair<int, std::array<int, 3>> p{}; T t = x; decltype(x) u = x;") ==
        "n; p; t; u");
  CHECK(declared_in("if (auto m = f(tl); m > 0) { auto t = m; } else { auto e = m; }") == "m; t; e");
  CHECK(declared_in("for (int i = 0, j = 9; i < j; ++i) for (auto k : tl.range(0, 3)) x = k;") == "i, j; k");
  CHECK(declared_in("do { auto t = x; } while (t < 3); switch (n) { case 1: { auto s = x; } default: break; }") ==
        "t; s");
  CHECK(declared_in("auto x = f<1, 2>(a, b), z = a < b;") == "x, z");
}

TEST_CASE("model: what is no declaration gives none") {
  CHECK(declared_in("a = b; f(x); tl.store(p, x); return x; a * 2; x += 1; throw Error; using T = int; y[3] = 1;") ==
        "");
  CHECK(declared_in("delete p; goto end; int(x); break; i < n; ++i; a < b && c > d;") == "");
}

TEST_CASE("model: functions with clauses, members of structs, and those of the compiler alone") {
  const Model m("kernel.h", R"(template <class T> requires(sizeof(T) > 2)
auto a(auto& tl, T x) noexcept(true) -> decltype(x) { return x; }
struct s {
  constexpr int b(int n) const { return n; }
  static auto c(auto& t, const T&, std::size_t, auto... rest) { return 1; }
};
TL_MACRO(x) void d(int n) {}
int e(3), g = f(4);
)");
  REQUIRE(m.functions().size() == 4);
  CHECK(m.functions()[0].name == "a");
  CHECK((m.functions()[1].name == "b" && m.functions()[1].is_constexpr));
  CHECK((m.functions()[2].name == "c" && !m.functions()[2].is_constexpr));
  REQUIRE(m.functions()[2].parameters.size() == 4);
  CHECK((m.functions()[2].parameters[1].name == "" && m.functions()[2].parameters[2].name == ""));
  CHECK(m.functions()[2].parameters[3].is_pack);
  CHECK(m.functions()[3].name == "d");
  CHECK(m.function_at(2, 53) == 0);
}

TEST_CASE("model: calls, with template arguments and of members, and their arguments without tl") {
  const Model m("kernel.h", "void f() { g(tl, x, h<4>(y)); tl.dot(a, b); a < b; }");
  const std::vector<int> calls = m.calls(m.functions()[0].body);
  REQUIRE(calls.size() == 3);
  CHECK((m.token(calls[0]).is("g") && m.token(calls[1]).is("h") && m.token(calls[2]).is("dot")));
  CHECK((!m.is_member(calls[0]) && m.is_member(calls[2])));
  CHECK(m.text_of(m.arguments(calls[0])[1]) == "h<4>(y)");
  CHECK(m.text_of(m.arguments(calls[1])[0]) == "y");
}

TEST_CASE("definitions: functions, structs and constants of a file, in namespaces, by their names") {
  const auto tokens = tl::text::lex(R"(namespace tl::kernels { inline namespace v { constexpr int width = 1'000;
auto helper(auto& tl) requires(true) { return tl.dot(1, 2); } } struct k final : base<int, 3> { int x; };
template <class T> concept small = sizeof(T) < 4; auto l = [](auto x) { return x; }; })");
  std::string names;
  for (const auto& d : tl::text::definitions_of(tokens)) names += d.name + (d.is_struct ? "* " : " ");
  CHECK(names == "width helper k* small l ");
}

TEST_CASE("model: unfinished text is read without harm") {
  for (const char* broken :
       {"", "((((", "]]]}", "struct x {", "auto f(auto a { return [ ( ; }", "\"open", "/* open", "for (",
        "void f() { [&](auto x) { ", "void f() { if (", "void f() { auto", "void f() { do", "void f() { auto [a, ",
        "void f() { case", "R\"x(", "#define x \\", "namespace", "struct"})
    CHECK(Model("kernel.h", broken).lines() <= 1);
}

TEST_CASE("model: brackets by the hundred thousand neither hang nor exhaust the stack") {
  for (const char* piece :
       {"(", "{", "[", "[&]{", "if(a){", "a<", "(]", "auto x=", "struct s{", "namespace{", "f<a,", "do "}) {
    std::string text = "void f() {";
    while (text.size() < 100'000) text += piece;
    CHECK(Model("kernel.h", text).lines() == 1);
    CHECK(tl::text::definitions_of(tl::text::lex(text)).size() <= 1);
  }
}
