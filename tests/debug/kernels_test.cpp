// Names and calls on kernels that run on the interpreter: helpers, pipelines, structured bindings, loops, copies,
// faults.
#include <doctest/doctest.h>

#include "interp/cpu/launch.h"
#include "tests/debug/kernels.h"
#include "tests/debug/recorded.h"
#include "tests/has.h"

namespace {

tl::debug::Debugger debugged() {
  const tl::Tensor x = tl::make_tensor("x", tl::DType::float32, {3}), z = tl::make_tensor("z", tl::DType::float32, {3});
  for (int i = 0; i < 3; ++i) {
    tl::set(x, i, i + 1);
    tl::set(z, i, 0);
  }
  return tl::debug::Debugger(recorded(tl::make_launch<tl::kernels::names_kernel>(
      "", tl::Grid{1}, {}, tl::TensorArgument{x}, tl::TensorArgument{z}, tl::IntArgument{3})));
}

tl::debug::Debugger stopping() {
  const tl::Tensor x = tl::make_tensor("x", tl::DType::float32, {12}),
                   z = tl::make_tensor("z", tl::DType::float32, {12});
  for (int i = 0; i < 12; ++i) {
    tl::set(x, i, i);
    tl::set(z, i, 0);
  }
  return tl::debug::Debugger(recorded(tl::make_launch<tl::kernels::stopping_kernel>(
      "", tl::Grid{3}, {}, tl::TensorArgument{x}, tl::TensorArgument{z})));
}

// The line of this file's text that holds `part`.
int line_of(tl::debug::Debugger& d, const std::string& part) {
  std::string all;
  for (int middle = 5; middle < 60; middle += 10) all += d.execute("l " + std::to_string(middle));
  const std::size_t at = all.find(part);
  return std::stoi(all.substr(all.rfind('\n', at) + 2));
}

}  // namespace

TEST_CASE("debugger: tl.breakpoint_if stops c and rc in the programs that its condition names") {
  tl::debug::Debugger d = stopping();
  const std::string there = d.execute("c");
  CHECK(has(there, "tl.breakpoint_if"));
  CHECK(has(there, "(1,0,0)"));
  CHECK(has(d.execute("c"), "The run has ended"));
  const std::string back = d.execute("rc");
  CHECK(has(back, "tl.breakpoint_if"));
  CHECK(has(back, "(1,0,0)"));
  CHECK(has(d.execute("rc"), "This is the start of the run"));
}

TEST_CASE("debugger: an op within a statement of several lines is told by its own line") {
  tl::debug::Debugger d = stopping();
  const int x = line_of(d, "tl.load(x_ptr + offs) +"), z = line_of(d, "tl.load(z_ptr + offs);");
  CHECK(z == x + 1);
  CHECK(has(d.execute("history x[0]"), "line " + std::to_string(x) + " "));
  CHECK(has(d.execute("who x[0]"), "line " + std::to_string(x)));
#ifndef __clang__  // clang 14 gives it the line on which the statement begins
  CHECK(has(d.execute("history z[0]"), "line " + std::to_string(z) + " "));
#endif
  d.execute("rwatch x[0]");
  CHECK(has(d.execute("c"), "loaded by lane 0 of line " + std::to_string(x)));
}

TEST_CASE("names: results, copies, structured bindings from a helper's tuple, and what a loop left behind") {
  tl::debug::Debugger d = debugged();
  d.execute("goto end");
  const std::string locals = d.execute("info locals");
  CHECK(has(locals, "offs    = [0 1 2 3]"));
  CHECK(has(locals, "x       = [1 2 3 0]"));
  CHECK(has(locals, "doubled = [2 5 8 3]"));  // 2 x + [0 1 2 3]
  CHECK(has(locals, "again   = [6 16 26 12]"));
  CHECK(has(locals, "kept    = [6 16 26 12]"));
  CHECK(has(locals, "low     = [0 1 2 -1]"));
  CHECK(has(locals, "high    = [2 3 4 1]"));
  CHECK(has(locals, "total   = 40"));  // 6 + (0 + 1 + 2) 6 + 6 + (6 + 4)
}

TEST_CASE("names: a call is stepped over by n, into by s, and bt shows it") {
  tl::debug::Debugger d = debugged();
  d.execute("n 2");
  CHECK(has(d.execute("l"), "auto doubled = scaled(tl, x, 2);"));
  CHECK(has(d.execute("s"), "scaled(values=[1 2 3 0], factor=2)"));
  CHECK(has(d.execute("bt"), "#1 names_kernel(x_ptr=x, z_ptr=z, n=3)"));
  CHECK(has(d.execute("fin"), "returned = [2 5 8 3]"));
  d.execute("rn");
  CHECK(has(d.execute("n"), "doubled = [2 5 8 3]"));
  CHECK(has(d.execute("n"), "again = [6 16 26 12]"));
}

TEST_CASE("names: a parameter by reference is the caller's variable, and a loop's are of this turn") {
  tl::debug::Debugger d = debugged();
  const auto& sources = d.session().sources();
  int line = 0;
  const tl::debug::SourceModel* const m = sources.model(0);
  REQUIRE(m);
  for (int n = 1; n <= m->lines(); ++n)
    if (line == 0 && has(std::string(m->line(n)), "auto sum = tile + at;")) line = n;
  d.execute("b " + std::to_string(line));
  d.execute("c");
  d.execute("c");
  CHECK(has(d.execute("p tile"), "[1 2 3 0]"));
  CHECK(has(d.execute("p at"), "at = 1"));
  CHECK(has(d.execute("info locals"), "tile    = [1 2 3 0]                          f32[4]\n"));
  CHECK(has(d.execute("p total"), "total = 30"));
  CHECK(has(d.execute("n"), "sum = [2 3 4 1]"));
}

TEST_CASE("names: a fault arrives with its history") {
  tl::debug::Debugger d = debugged();
  const std::string stop = d.execute("c");
  CHECK(has(stop, "is out of bounds"));
  CHECK(has(stop, "    tl.store(z_ptr + 8 + offs, x);\n    ^ element "));
  CHECK(has(stop, "fix:"));
  CHECK(has(d.execute("history z[1]"), "store"));
}

TEST_CASE("debugger: on a real kernel n steps forward and n back is the identity") {
  tl::debug::Debugger d = debugged();
  std::vector<std::string> seen;
  const auto look = [&] { return d.prompt() + d.execute("bt") + d.execute("info locals") + d.execute("info tensors"); };
  for (seen.push_back(look());; seen.push_back(look())) {
    d.execute("s");
    if (look() == seen.back()) break;
  }
  CHECK(seen.size() > 40);
  for (std::size_t n = seen.size() - 1; n-- > 0;) {
    d.execute("rs");
    REQUIRE(look() == seen[n]);
  }
}
