// The grammar of a case's words.
#include "interp/case/words.h"

#include <doctest/doctest.h>

#include "interp/case/scope.h"
#include "interp/lang/error.h"

using namespace tl;
using namespace tl::cases;

namespace {

template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TensorWord tensor(const std::string& value) { return tensor_of({"x", value}); }
std::string refusal(const std::string& value) {
  return complaint([&] { tensor(value); });
}
Scope scope(const std::string& line) {
  std::map<std::string, Word> words;
  for (const Word& w : words_of(line, "")) words[w.name] = w;
  return Scope(words);
}
std::int64_t value(const std::string& line, const std::string& expression) {
  return scope(line).integer({"w", expression}, expression);
}

}  // namespace

TEST_CASE("words: spaces part them, but not within brackets and quotes") {
  const auto words = words_of("n=6  x=f32[n, 2]\tgrid=cdiv(n, 2) expect='y = x + 1'", "relu.h:3: ");
  REQUIRE(words.size() == 4);
  CHECK(words[1].value == "f32[n, 2]");
  CHECK(words[2].name == "grid");
  CHECK(words[3].value == "y = x + 1");
  CHECK(words[3].place == "relu.h:3: ");
}

TEST_CASE("words: what ends in a comma or an operator goes on behind the space") {
  const auto words = words_of("n=6 grid=cdiv(n, 2), n * 2 +1, 3 x=f32[n]", "");
  REQUIRE(words.size() == 3);
  CHECK(words[1].value == "cdiv(n, 2),n*2+1,3");
}

TEST_CASE("words: what is no name=value, or not closed, is told with its place") {
  CHECK(complaint([] { words_of("n=6 BLOCK", "relu.h:3: "); }) ==
        "relu.h:3: 'BLOCK', position 1: this is not name=value");
  CHECK(complaint([] { words_of("x=f32[n", "relu.h:3: "); }) ==
        "relu.h:3: 'x=f32[n', position 8: a bracket or a quote is not closed");
}

TEST_CASE("tensors: role, dtype, sizes, strides, tile, fill and file, each left out or not") {
  const TensorWord t = tensor("inout:bf16[rows, 2 * cols]:strides[1, rows]:tile[64, 32]:uniform(-2, 2)");
  CHECK(t.role == TensorWord::Role::inout);
  CHECK(t.dtype == DType::bfloat16);
  CHECK(*t.dims == std::vector<std::string>{"rows", "2 * cols"});
  CHECK(*t.strides == std::vector<std::string>{"1", "rows"});
  CHECK(*t.tile == std::vector<std::string>{"64", "32"});
  CHECK(t.fill == "uniform");
  CHECK(t.fill_arguments == std::vector<std::string>{"-2", "2"});
  CHECK(tensor("@a b.npy").file == "a b.npy");
  CHECK_FALSE(tensor("@x.npy").dims);
  CHECK(tensor("out:f32[max(n, 2)]").dims->front() == "max(n, 2)");
  CHECK(tensor(t.text()).text() == t.text());
}

TEST_CASE("tensors: a mistake is told at its position in the word") {
  CHECK(refusal("f31[4]") == "'x=f31[4]', position 3: no dtype is called f31");
  CHECK(refusal("f32[4") == "'x=f32[4', position 8: ] is missing here");
  CHECK(refusal("f32[4, ]") == "'x=f32[4, ]', position 10: a number or an expression is missing here");
  CHECK(refusal("f32[4] more") == "'x=f32[4] more', position 10: this belongs to no tensor");
  CHECK(refusal("f32[4]:twos") == "'x=f32[4]:twos', position 10: nothing is filled by twos");
  CHECK(refusal("f32[4]:full") == "'x=f32[4]:full', position 10: full takes no 0 numbers");
  CHECK(refusal("f32[4]@") == "'x=f32[4]@', position 10: a file's name is missing here");
}

TEST_CASE("tensors: a change keeps what it leaves unsaid, and a file brings its own dtype") {
  const TensorWord before = tensor("out:f32[n]:ones");
  CHECK(merged(tensor("f16"), before).text() == "out:f16[n]:ones");
  CHECK(merged(tensor("[7]"), before).text() == "out:f32[7]:ones");
  CHECK(merged(tensor(":zeros"), before).text() == "out:f32[n]:zeros");
  CHECK(merged(tensor("@x.npy"), before).text() == "out:[n]@x.npy");
}

TEST_CASE("expressions: settings by name, cdiv, powers of two") {
  CHECK(value("n=1000 B=64", "cdiv(n, B)") == 16);
  CHECK(value("n=rows*cols rows=3 cols=4", "n + 1") == 13);
  CHECK(value("n=2^10", "n") == 1024);
  CHECK(value("n=781", "next_power_of_2(n)") == 1024);
  CHECK(value("n=7", "max(n, 3) - min(n, 3)") == 4);
}

TEST_CASE("expressions: a division by zero, an unknown name, a circle and a fraction say where") {
  CHECK(complaint([] { value("n=0", "cdiv(4, n)"); }) == "w=cdiv(4, n): 'cdiv(4, n)', position 1: a division by 0");
  CHECK(complaint([] { value("rows=4", "row + 1"); }) == "w=row + 1: 'row + 1', position 1: nothing is called row");
  CHECK(complaint([] { value("a=b b=a", "a"); }).find("a goes round in circles") != std::string::npos);
  CHECK(complaint([] { value("n=0.5", "n"); }) == "w=n: 'n' is 0.5, no whole number");
}

TEST_CASE("words: any text is read, or refused with an Error") {
  const std::string whole = "inout:f32[n, 2 * (m + 1)]:strides[1, n]:uniform(-1, 1)@x.npy n=cdiv(7, 2) 'z = max(x, 0)'";
  std::uint64_t random = 1;
  const auto next = [&](std::size_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(random >> 33) % below;
  };
  int read = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = whole.substr(next(whole.size()), next(40));
    for (std::size_t changes = next(4); changes > 0 && !text.empty(); --changes)
      text[next(text.size())] = "[](),:=@'\"x1 -"[next(14)];
    try {
      for (const Word& w : words_of("x=" + text, "")) {
        tensor_of(w);
        ++read;
      }
    } catch (const Error&) {
    }
    try {
      value("n=3 m=4", text);
      ++read;
    } catch (const Error&) {
    }
  }
  CHECK(read > 50);
}

TEST_CASE("grids: one to three expressions, in brackets or not") {
  CHECK(list_of({"grid", "cdiv(n, 4), 2"}) == std::vector<std::string>{"cdiv(n, 4)", "2"});
  CHECK(list_of({"grid", "(m, n, 3)"}) == std::vector<std::string>{"m", "n", "3"});
  CHECK(list_of({"grid", "(m + 1) * (n + 1)"}) == std::vector<std::string>{"(m + 1) * (n + 1)"});
  CHECK(list_of({"grid", "(1,)"}) == std::vector<std::string>{"1"});  // as Python writes a tuple of one
  CHECK(complaint([] { list_of({"grid", "4,"}); }) ==
        "'grid=4,', position 8: a number or an expression is missing here");
}
