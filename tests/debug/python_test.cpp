// A kernel in Python in the debugger: lines, calls, names, moves both ways. Lines and columns are those of the text.
#include <doctest/doctest.h>

#include "interp/cpu/run.h"
#include "interp/debug/debugger.h"
#include "interp/trace/recorder.h"
#include "interp/triton/launch.h"
#include "tests/has.h"

namespace {

const std::string text = R"(import triton
import triton.language as tl

@triton.jit
def shifted(v):
    """Half of it, and 1."""
    # a comment

    w = v * 0.5
    return w + 1

@triton.jit
def kernel(z_ptr, n, C: tl.constexpr):
    offs = tl.arange(0, C)
    x = (offs * 2
         + 1) * n
    if C > 4: x = x - 1
    for i in tl.static_range(2):
        x += i
    tl.store(z_ptr + offs, shifted(x), mask=offs < n)

def host(z):
    kernel[(1,)](z, 3, 8)
)";

tl::debug::Debugger recorded() {
  tl::trace::RecorderOptions options;
  options.load_source = [](const std::string&) { return text; };
  tl::trace::Recorder recorder(options);
  tl::cpu::RunOptions how;
  how.observer = &recorder;
  const auto program = std::make_shared<tl::triton::Program>("a.py", text);
  const tl::Tensor z = tl::make_tensor("z", tl::DType::float32, {8});
  tl::cpu::run(tl::triton::launch_of(program, program->kernel("kernel"), {}, {},
                                     {tl::TensorArgument{z}, tl::IntArgument{3}, tl::ConstantArgument{8}}),
               how);
  return tl::debug::Debugger(recorder.take());
}

}  // namespace

TEST_CASE("python: a scalar that a loop changes is known before it, in it and behind it") {
  const std::string scalars = R"(import triton
import triton.language as tl

@triton.jit
def kernel(z_ptr, n):
    a = 0.5
    b = tl.full((), 1.5, tl.float32)
    for i in tl.range(0, n):
        a += tl.load(z_ptr)
        b = b * 2.0
    tl.store(z_ptr, a + b)
)";
  tl::trace::RecorderOptions options;
  options.load_source = [&](const std::string&) { return scalars; };
  tl::trace::Recorder recorder(options);
  tl::cpu::RunOptions how;
  how.observer = &recorder;
  const auto program = std::make_shared<tl::triton::Program>("b.py", scalars);
  const tl::Tensor z = tl::make_tensor("z", tl::DType::float32, {1});
  tl::set(z, 0, 4);
  tl::cpu::run(
      tl::triton::launch_of(program, program->kernel("kernel"), {}, {}, {tl::TensorArgument{z}, tl::IntArgument{2}}),
      how);
  tl::debug::Debugger d(recorder.take());
  d.execute("b 11");
  d.execute("c");
  CHECK(has(d.execute("p a"), "8.5"));
  CHECK(has(d.execute("p b"), "6"));
}

TEST_CASE("python: a breakpoint goes to the next line with code, and stops each time it is reached") {
  tl::debug::Debugger d = recorded();
  CHECK(has(d.execute("b 6"), "Breakpoint 1 at a.py:9"));
  CHECK(has(d.execute("b 16"), "a.py:15, where the statement of line 16 begins"));
  CHECK(has(d.execute("b 18"), "Breakpoint 3 at a.py:18"));
  CHECK(has(d.execute("b 19 if i == 1"), "Breakpoint 4 at a.py:19"));
  CHECK(has(d.execute("b 22"), "no statement at or after line 22 of a.py"));
  CHECK(has(d.execute("c"), "Breakpoint 2"));
  CHECK(has(d.execute("c"), "Breakpoint 4"));
  CHECK(has(d.execute("p x"), "[2 8 14 20"));
  CHECK(has(d.execute("c"), "Breakpoint 1"));
}

TEST_CASE("python: helpers are frames with names of their own, entered and left both ways") {
  tl::debug::Debugger d = recorded();
  d.execute("b 9");
  CHECK(has(d.execute("c"), "shifted(v="));
  const std::string calls = d.execute("bt");
  CHECK(has(calls, "#0 shifted("));
  CHECK(has(calls, "at a.py:9"));
  CHECK(has(calls, "#1 kernel(z_ptr=z, n=3, C=8) at a.py:20"));
  d.execute("n");
  CHECK(has(d.execute("info locals"), "w = [1.5 4.5 7.5"));
  CHECK(!has(d.execute("info locals"), "offs"));
  CHECK(has(d.execute("up"), "kernel("));
  CHECK(has(d.execute("info locals"), "offs"));
  CHECK(has(d.execute("rc"), "Breakpoint 1, a.py:9"));
  CHECK(has(d.execute("rn"), "20 |"));
}

TEST_CASE("python: the caret stands beneath the op, in a line of several and in one after an if") {
  tl::debug::Debugger d = recorded();
  d.execute("n");
  CHECK(has(d.execute("s"), "   16 |          + 1) * n\n                 ^\n"));
  CHECK(has(d.execute("s"), "   16 |          + 1) * n\n                      ^\n"));
  CHECK(has(d.execute("s"), "   17 |     if C > 4: x = x - 1\n                            ^\n"));
}

TEST_CASE("python: b and l take a function's name; a wrong one is told with the names there are") {
  tl::debug::Debugger d = recorded();
  CHECK(has(d.execute("b shifted if max(v) > 3"), "Breakpoint 1 at a.py:9 if max(v) > 3"));
  CHECK(has(d.execute("b a.py:kernel"), "Breakpoint 2 at a.py:14"));
  CHECK(has(d.execute("l shifted"), "    5 | def shifted(v):"));
  CHECK(has(d.execute("b shift"), "no function is called shift\n  fix: did you mean shifted?"));
  CHECK(has(d.execute("b host"), "no function is called host\n  fix: there is shifted, kernel; or a line's number"));
  CHECK(has(d.execute("c"), "shifted(v="));
}
