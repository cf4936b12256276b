// What the debugger says a name holds, on kernels that run on the interpreter; values are worked out by hand from
// x = [0 1 2 3] and n = 4.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "interp/cpu/launch.h"
#include "tests/debug/names_kernels.h"
#include "tests/debug/recorded.h"
#include "tests/has.h"

using tl::debug::Debugger;

namespace {

template <class K, class... A>
Debugger debugging(A... arguments) {
  const tl::Tensor z = tl::make_tensor("z", tl::DType::int32, {4});
  return Debugger(recorded(tl::make_launch<K>("", tl::Grid{1}, {}, tl::TensorArgument{z}, arguments...)));
}

// `[0 1 2 3]` of what `p name` says.
std::string value(Debugger& d, const std::string& name) {
  const std::string said = d.execute("p " + name);
  const std::size_t at = said.find(" = ");
  if (at == said.npos) return said;
  const std::string rest = said.substr(at + 3);
  return rest.substr(0, rest[0] == '[' ? rest.find(']') + 1 : rest.find_first_of(" \n"));
}

const auto four = tl::IntArgument{4};
const auto two = tl::ConstantArgument{2};

}  // namespace

TEST_CASE("names: copies, swaps, bindings, brackets, separators, several declarators and references") {
  Debugger d = debugging<tl::kernels::declared_kernel>(four);
  stop_at(d, "// all are there");
  CHECK(value(d, "t") == "[1 2 3 4]");
  CHECK(value(d, "a") == "[0 10 20 30]");
  CHECK(value(d, "b") == "[2 3 4 5]");  // what t had, and 1 through `same`
  CHECK(value(d, "same") == "[2 3 4 5]");
  CHECK(value(d, "c") == "[1 -8 -17 -26]");
  CHECK(value(d, "u") == "[0 1 2 3]");
  CHECK(value(d, "v") == "[0 10 20 30]");
  CHECK(value(d, "y") == "[0 1 2 3]");
  CHECK(value(d, "big") == "[1000 1001 1002 1003]");
  CHECK(value(d, "behind") == "[-1 0 1 2]");
  CHECK(value(d, "first") == "[0 1 2 3]");
  CHECK(value(d, "second") == "[0 2 4 6]");
  CHECK(value(d, "still") == "[0 1 2 3]");
  CHECK(value(d, "copy") == "[0 1 2 3]");
  CHECK(has(value(d, "pair"), "what pair holds is not known"));
  const std::string locals = d.execute("info locals");
  CHECK(has(locals, "  t      = [1 2 3 4]"));
  CHECK_FALSE(has(locals, "pair"));
}

TEST_CASE("names: an inner scope hides a name, also where what it holds is not known, and gives it back") {
  Debugger d = debugging<tl::kernels::scoped_kernel>(four, two);
  stop_at(d, "// shadowed");
  CHECK(value(d, "x") == "[100 101 102 103]");
  stop_at(d, "// of unknown kind");
  CHECK(has(value(d, "x"), "what x holds is not known"));
  stop_at(d, "// the outer one again");
  CHECK(value(d, "x") == "[0 1 2 3]");
}

TEST_CASE("names: what an if, a for or a while declares lives in its bodies alone") {
  Debugger d = debugging<tl::kernels::scoped_kernel>(four, two);
  stop_at(d, "auto inside = high + 5");
  d.execute("s 2");  // the if's two ops
  d.execute("n");
  CHECK(value(d, "high") == "3");
  CHECK(value(d, "inside") == "8");
  stop_at(d, "// in the loop");
  CHECK(value(d, "sum") == "[7 8 9 10]");  // x + 8 - 1
  d.execute("n");
  stop_at(d, "// in the loop");
  CHECK(value(d, "k") == "2");
  CHECK(value(d, "twice") == "4");
  stop_at(d, "// in the while");
  CHECK(value(d, "left") == "3");
  CHECK(value(d, "more") == "True");
  stop_at(d, "// a parameter that took another value");
  CHECK(value(d, "n") == "3");
  CHECK(value(d, "left") == "2");
  CHECK_FALSE(has(d.execute("info locals"), "more"));
}

TEST_CASE("names: C++ numbers, bools and constants are what they are at each op") {
  Debugger d = debugging<tl::kernels::numbers_kernel>(two);
  stop_at(d, "// after count += 4");
  d.execute("s 2");
  CHECK(value(d, "count") == "7");
  CHECK(value(d, "flag") == "True");
  CHECK(value(d, "width") == "4");
  CHECK(value(d, "ratio") == "0.5");
  CHECK(value(d, "far") == "5000000000");
  CHECK(value(d, "small") == "200");
  CHECK(has(value(d, "late"), "not known"));
  stop_at(d, "// after count = -1");
  CHECK(value(d, "count") == "-1");
  CHECK(value(d, "last") == "[0 -7 -14 -21]");
}

TEST_CASE("names: helpers two deep have their own, parameters by value and by reference too") {
  Debugger d = debugging<tl::kernels::helping_kernel>();
  stop_at(d, "auto w = v + 1");
  CHECK(value(d, "v") == "[0 3 6 9]");
  const std::string stack = d.execute("bt");
  CHECK(has(stack, "#0 deepest(v=[0 3 6 9])"));
  CHECK(has(stack, "#1 deep(v=[0 1 2 3], into=[0 1 2 3], BY=3)"));
  CHECK(has(stack, "#2 helping_kernel("));
  d.execute("fin");
  CHECK(value(d, "before") == "[0 1 2 3]");
  CHECK(value(d, "found") == "[1 4 7 10]");
  d.execute("n");
  CHECK(value(d, "total") == "[1 5 9 13]");  // what `into` stood for, back in the kernel
  stop_at(d, "// at the end");
  CHECK(value(d, "got") == "[1 4 7 10]");
  CHECK(value(d, "half") == "[0 2 4 6]");
  CHECK(has(value(d, "found"), "has no value here"));
}

TEST_CASE("names: a helper without tl has its names as well") {
  Debugger d = debugging<tl::kernels::helping_kernel>();
  stop_at(d, "auto half = value / 2");
  CHECK(value(d, "value") == "[1 5 9 13]");
  CHECK(has(d.execute("bt"), "#0 halved(value=[1 5 9 13])"));
}

TEST_CASE("names: what a lambda holds copies of is what it was, whatever became of it outside") {
  Debugger d = debugging<tl::kernels::helping_kernel>();
  stop_at(d, "auto in = s + by");
  CHECK(value(d, "s") == "[0 1 2 3]");
  CHECK(value(d, "k") == "[5 6 7 8]");
  CHECK(value(d, "by") == "1");
  stop_at(d, "auto within = s * by");
  CHECK(value(d, "s") == "[0 1 2 3]");
  stop_at(d, "return within + x");
  CHECK(value(d, "within") == "[0 2 4 6]");
  stop_at(d, "auto chosen = tl.static_if");
  CHECK(value(d, "s") == "[0 100 200 300]");
  CHECK(value(d, "from_held") == "[6 8 10 12]");
  CHECK(value(d, "from_all") == "[0 3 6 9]");
}

TEST_CASE("names: what a lambda given to tl declares is gone with it") {
  Debugger d = debugging<tl::kernels::helping_kernel>();
  stop_at(d, "// at the end");
  CHECK(value(d, "chosen") == "[9 10 11 12]");
  CHECK(has(value(d, "gone"), "has no value here"));
  CHECK(value(d, "added") == "12");
  CHECK(value(d, "total") == "[2 6 10 14]");  // [1 5 9 13] + 0 + 1
  CHECK_FALSE(has(d.execute("info locals"), "both"));
}

TEST_CASE("names: a value is never another's, at any step of any kernel") {
  Debugger d = debugging<tl::kernels::declared_kernel>(four);
  const std::map<std::string, std::set<std::string>> possible = {{"t", {"[1 2 3 4]"}},
                                                                 {"a", {"[1 2 3 4]", "[0 10 20 30]"}},
                                                                 {"b", {"[0 10 20 30]", "[1 2 3 4]", "[2 3 4 5]"}},
                                                                 {"u", {"[0 1 2 3]"}},
                                                                 {"v", {"[0 10 20 30]"}},
                                                                 {"y", {"[0 1 2 3]"}},
                                                                 {"first", {"[0 1 2 3]"}},
                                                                 {"second", {"[0 2 4 6]"}}};
  for (int step = 0; step < 40; ++step) {
    d.execute("goto " + std::to_string(
                            std::min<std::size_t>(static_cast<std::size_t>(step), d.session().program().steps.size())));
    for (const auto& p : possible)
      if (const std::string v = value(d, p.first); v[0] == '[')
        CHECK_MESSAGE(p.second.contains(v), p.first << " = " << v);
  }
}

TEST_CASE("names: where a name is hidden by a switch, a head, a macro or a parameter, the outer value is not shown") {
  const tl::Tensor z = tl::make_tensor("z", tl::DType::int32, {5});
  Debugger d(recorded(tl::make_launch<tl::kernels::hiding_kernel>("", tl::Grid{1}, {}, tl::TensorArgument{z}, four)));
  stop_at(d, "// behind an #if");
  CHECK(value(d, "x") == "[0 1 2 3]");
  stop_at(d, "// in the switch");
  CHECK(value(d, "x") == "[2 4 6 8]");
  stop_at(d, "if (auto x = n + 1");
  d.execute("s");  // at x > 2
  CHECK(has(value(d, "x"), "what x holds is not known"));
  stop_at(d, "for (auto x = n");
  CHECK(has(value(d, "x"), "what x holds is not known"));
  stop_at(d, "// by a macro");
  CHECK(value(d, "x") == "[5 10 15 20]");
  stop_at(d, "// in a macro's loop");
  CHECK(value(d, "x") == "0");
  stop_at(d, "auto in = x * 3");
  CHECK(value(d, "x") == "[1 2 3 4]");
  stop_at(d, "// behind the lambda");
  CHECK(value(d, "x") == "[0 1 2 3]");
  CHECK(value(d, "got") == "[3 6 9 12]");
  CHECK(value(d, "q") == "[7 8 9 10]");
}

TEST_CASE("names: each step of a kernel that calls a functor shows its line") {
  const tl::Tensor z = tl::make_tensor("z", tl::DType::int32, {5});
  Debugger d(recorded(tl::make_launch<tl::kernels::hiding_kernel>("", tl::Grid{1}, {}, tl::TensorArgument{z}, four)));
  std::string said;
  while (!has(said, "has ended")) CHECK_FALSE(has(said = d.execute("s"), "not at hand"));
}

TEST_CASE("names: recorded with scopes, they are read back as they were written") {
  const tl::Tensor z = tl::make_tensor("z", tl::DType::int32, {4});
  const auto trace = recorded(tl::make_launch<tl::kernels::helping_kernel>("", tl::Grid{1}, {}, tl::TensorArgument{z}));
  std::vector<std::string> names;
  for (const auto& e : trace.programs[0].variables)
    if (e.change == tl::trace::VariableChange::named)
      names.push_back(trace.programs[0].texts[static_cast<std::size_t>(e.index)]);
  REQUIRE(names.size() > 6);
  std::string first;
  for (int i = 0; i < 9; ++i) first += names[static_cast<std::size_t>(i)] + " ";
  CHECK(first == "z_ptr x total v into BY before v w ");
}
