// The texts are cut from this project's kernels; places are counted by hand.
#include "interp/debug/source_model.h"

#include <doctest/doctest.h>

using tl::debug::SourceModel;
using tl::debug::Statement;
using tl::trace::Op;

namespace {

const char* const text = R"(#include "interp/tl.h"
auto helper(auto& tl, auto& acc, auto size, constexpr_ auto N) {
  return tl.tuple(acc, size * N);  // twice
}
struct toy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, int_ auto n) const {
    [[maybe_unused]] auto pid = tl.program_id(0);
    auto [a, b] = tl.split(x);
    for (auto k : tl.range(0, n)) {
      auto m = (k + 1) * 2 - k;
    }
    tl.pipelined(tl.range(0, n),
                 [&](auto i) { return tl.stage(d.tile(i, 0), i); },
                 [&](auto t, auto j) {
                   acc = tl.dot(t, t, acc);
                 });
  }
};
)";

const Statement* declaring(const SourceModel& m, const std::string& name) {
  for (const Statement& s : m.statements())
    for (const std::string& n : s.names)
      if (n == name) return &s;
  return nullptr;
}

}  // namespace

TEST_CASE("source: functions, functors and their parameters are found, without tl") {
  const SourceModel m("kernel.h", text);
  REQUIRE(m.functions().size() == 2);
  CHECK(m.functions()[0].name == "helper");
  REQUIRE(m.functions()[0].parameters.size() == 3);
  CHECK((m.functions()[0].parameters[0].name == "acc" && m.functions()[0].parameters[0].is_reference));
  CHECK((m.functions()[0].parameters[2].name == "N" && !m.functions()[0].parameters[2].is_reference));
  CHECK(m.functions()[1].name == "toy_kernel");
  CHECK(m.functions()[1].parameters[1].name == "n");
}

TEST_CASE("source: declarations by auto, structured bindings, attributes and range-for") {
  const SourceModel m("kernel.h", text);
  CHECK(declaring(m, "pid"));
  CHECK(declaring(m, "a") == declaring(m, "b"));
  CHECK(declaring(m, "k")->kind == tl::debug::StatementKind::loop);
  REQUIRE(declaring(m, "m"));
  CHECK(m.text_of(declaring(m, "m")->value) == "(k + 1) * 2 - k");
  CHECK(&m.statements()[static_cast<std::size_t>(declaring(m, "m")->loop)] == declaring(m, "k"));
}

TEST_CASE("source: lambdas have parameters, and their statements know the statement around them") {
  const SourceModel m("kernel.h", text);
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

TEST_CASE("source: an op's token is found from the place g++ gives and from the place clang gives") {
  const SourceModel m("kernel.h", text);
  const auto sign_at = [&](Op op, int line, int column) {
    const int t = m.op_token(op, line, column);
    return std::pair(m.tokens()[static_cast<std::size_t>(t)].line, m.tokens()[static_cast<std::size_t>(t)].column);
  };
  // line 10: `      auto m = (k + 1) * 2 - k;`
  CHECK(sign_at(Op::add, 10, 21) == std::pair(10, 19));  // g++: the last token of k + 1
  CHECK(sign_at(Op::add, 10, 17) == std::pair(10, 19));  // clang: its first
  CHECK(sign_at(Op::mul, 10, 26) == std::pair(10, 24));
  CHECK(sign_at(Op::mul, 10, 16) == std::pair(10, 24));
  CHECK(sign_at(Op::sub, 10, 30) == std::pair(10, 28));
  CHECK(sign_at(Op::sub, 10, 16) == std::pair(10, 28));
  // line 7: `    [[maybe_unused]] auto pid = tl.program_id(0);`
  CHECK(sign_at(Op::program_id, 7, 46) == std::pair(7, 36));  // g++: the parenthesis
  CHECK(sign_at(Op::program_id, 7, 33) == std::pair(7, 36));  // clang: tl
}

TEST_CASE("source: unbalanced text is read without harm") {
  for (const char* broken : {"", "((((", "]]]}", "struct x {", "auto f(auto a { return [ ( ; }", "\"open", "/* open",
                             "for (", "void f() { [&](auto x) { "})
    CHECK(SourceModel("kernel.h", broken).lines() <= 1);
}
