// Who calls whom, on kernels that run on the interpreter: lambdas given to helpers, helpers within helpers, several
// statements on a line.
#include <doctest/doctest.h>

#include "interp/cpu/launch.h"
#include "tests/debug/calls_kernels.h"
#include "tests/debug/recorded.h"
#include "tests/has.h"

namespace {

tl::debug::Debugger debugged(const auto& make) { return tl::debug::Debugger(recorded(make())); }

tl::debug::Debugger lambdas() {
  return debugged([] {
    const tl::Tensor z = tl::make_tensor("z", tl::DType::int32, {4});
    return tl::make_launch<tl::kernels::lambda_kernel>("", tl::Grid{1}, {}, tl::TensorArgument{z}, tl::IntArgument{3});
  });
}

tl::debug::Debugger chosen() {
  return debugged([] {
    const tl::Tensor x = tl::make_tensor("x", tl::DType::float32, {8}),
                     z = tl::make_tensor("z", tl::DType::float32, {8});
    for (int i = 0; i < 8; ++i) {
      tl::set(x, i, i);
      tl::set(z, i, 1);
    }
    return tl::make_launch<tl::kernels::chosen_kernel>("", tl::Grid{1}, {}, tl::TensorArgument{x},
                                                       tl::TensorArgument{z});
  });
}

}  // namespace

TEST_CASE("calls: a lambda that a helper calls is a frame above the helper, which goes on afterwards") {
  tl::debug::Debugger d = lambdas();
  stop_at(d, "auto far = number + offs;");
  const std::string stack = d.execute("bt");
  CHECK(has(stack, "#0 shifted(number=8)"));
  CHECK(has(stack, "#1 applied(value=3"));
  CHECK(has(stack, "#2 lambda_kernel("));
  CHECK(has(d.execute("n"), "far = [8 9 10 11]"));
  CHECK(has(d.execute("p offs"), "[0 1 2 3]"));  // what the lambda sees of the kernel
  CHECK(has(d.execute("fin"), "returned = [800 900 1000 1100]"));
  const std::string locals = d.execute("info locals");
  CHECK(has(locals, "value  = 3"));
  CHECK(has(locals, "raised = 4"));
  CHECK(has(d.execute("n"), "last = [800 899 998 1097]"));
}

TEST_CASE("calls: n steps over a helper that calls a lambda, and over the lambda called by its name") {
  tl::debug::Debugger d = lambdas();
  stop_at(d, "auto one = applied(");
  CHECK(has(d.execute("n"), "one = [800 899 998 1097]"));
  CHECK(has(d.execute("n"), "direct = [305 405 505 605]"));
  CHECK(has(d.execute("n"), "early = [307 407 507 607]"));
  CHECK(has(d.execute("n"), "inline_ = [8 6 4 2]"));  // (3 + 1) 2 - offs - offs
  CHECK(has(d.execute("n"), "two = [18 15 12 9]"));
  CHECK(has(d.execute("rn 2"), "auto inline_"));
}

TEST_CASE("calls: a helper that has done nothing yet but call, and lambdas without a name") {
  tl::debug::Debugger d = lambdas();
  stop_at(d, "auto early = at_once(");
  d.execute("s 2");
  CHECK(has(d.execute("bt"), "#0 shifted(number=3)"));
  CHECK(has(d.execute("bt"), "#1 at_once("));
  stop_at(d, "auto two = ");
  for (int i = 0; i < 5 && !has(d.execute("bt"), "lambda(deep"); ++i) d.execute("s");
  const std::string stack = d.execute("bt");
  CHECK(has(stack, "#0 lambda(deep=8)"));
  CHECK(has(stack, "#1 applied(value=3"));
  CHECK(has(stack, "#2 twice_applied("));
  CHECK(has(stack, "#3 lambda_kernel("));
}

TEST_CASE("calls: a lambda called in a helper's loop, turn by turn") {
  tl::debug::Debugger d = lambdas();
  stop_at(d, "total = total + given(turn);");
  CHECK(has(d.execute("n"), "total = [0 100 200 300]"));
  d.execute("n");
  CHECK(has(d.execute("p turn"), "turn = 1"));
  CHECK(has(d.execute("n"), "total = [100 300 500 700]"));
  CHECK(has(d.execute("bt"), "#0 lambda_kernel("));
}

TEST_CASE("names: three statements on one line are three") {
  tl::debug::Debugger d = lambdas();
  stop_at(d, "auto a = offs + 1;");
  CHECK(has(d.execute("n"), "a = [1 2 3 4]"));
  CHECK(has(d.execute("n"), "b = [0 2 4 6]"));
  CHECK(has(d.execute("n"), "c = [1 0 -1 -2]"));
}

TEST_CASE("names: what was staged keeps its names while the lambda runs, and no copy of it takes another's") {
  tl::debug::Debugger d = chosen();
  stop_at(d, "auto product = x * z;");
  CHECK(has(d.execute("n"), "product = [0 1 2 3]"));
  std::string all;
  for (int i = 0; i < 3; ++i) all += d.execute("s") + d.execute("info locals");
  CHECK_FALSE(has(all, "chosen = 0"));
  CHECK_FALSE(has(all, "highest = 0 "));
  stop_at(d, "auto highest = tl.max(chosen, 0);");
  const std::string locals = d.execute("info locals");
  CHECK(has(locals, "start   = 0"));
  CHECK(has(locals, "product = [0 1 2 3]"));
  CHECK(has(locals, "chosen  = [0 1 2 3]"));
  stop_at(d, "auto product = x * z;");
  CHECK(has(d.execute("info locals"), "start = 4"));
  CHECK(has(d.execute("n"), "product = [4 5 6 7]"));
  CHECK(has(d.execute("n"), "chosen = [4 5 0.5 0.5]"));
  CHECK(has(d.execute("n"), "highest = 5"));
}

TEST_CASE("calls: a helper that calls itself has a frame a turn, and goes back through them") {
  tl::debug::Debugger d = debugged([] {
    const tl::Tensor z = tl::make_tensor("z", tl::DType::int32, {4});
    return tl::make_launch<tl::kernels::recursive_kernel>("", tl::Grid{1}, {}, tl::TensorArgument{z});
  });
  stop_at(d, "total = total * 2;");
  CHECK(has(d.execute("bt"), "#3 recursive_kernel("));
  CHECK(has(d.execute("p total"), "[0 111 222 333]"));
  d.execute("n");
  CHECK(has(d.execute("bt"), "#2 recursive_kernel("));
  CHECK(has(d.execute("p total"), "[0 222 444 666]"));
  d.execute("fin");
  CHECK(has(d.execute("bt"), "#1 recursive_kernel("));
}
