// The texts are cut from this project's kernels; places are counted by hand.
#include "interp/debug/source_model.h"

#include <doctest/doctest.h>

#include "tests/text/toy_kernel.h"

using tl::debug::SourceModel;
using tl::trace::Op;

TEST_CASE("source: an op's token is found from the place g++ gives and from the place clang gives") {
  const SourceModel m("kernel.h", toy_text);
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
