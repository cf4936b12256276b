// What a kernel of a file should give, by an expression or a plain loop: right and wrong ones are told apart.
#include <doctest/doctest.h>

#include "tests/case/files.h"

using namespace tl::test;

TEST_CASE("files: right and wrong by an expression") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case));
  CHECK(has(tilescope("run twice.h --expect 'z = 2 * x'", here).out, "ok: agrees with the reference"));
  const Said wrong = tilescope("run twice.h --expect 'z = max(x, 3) * 2'", here);
  CHECK(wrong.exit_code == 1);
  CHECK(has(wrong.out, "wrong: z[0] is 0, the reference says 6 (3 of 6 elements differ)"));
  CHECK(has(wrong.out, "twice.h:9"));  // who wrote it
  CHECK(has(tilescope("run twice.h --expect 'y = x'", here).err, "'y = x' names no output"));
  CHECK(has(tilescope("run twice.h --expect 'z = 2 * w'", here).err, "nothing is called w"));
}

TEST_CASE("files: right and wrong by a plain loop in the file") {
  const EmptyFolder here;
  const auto with_loop = [&](const std::string& body) {
    write(here, "twice.h", twice(iota_case) + "void twice_loop(auto& args) {\n" + body + "}\n");
    return tilescope("run twice.h n=4 --expect twice_loop", here);
  };
  const std::string loop = "  auto x = args[\"x\"], z = args[\"z\"];\n  for (int i = 0; i < x.size(0); ++i) ";
  CHECK(has(with_loop(loop + "z(i) = 2 * x(i);").out, "ok: agrees with the reference"));
  CHECK(has(with_loop(loop + "z(i) = x(i) * args(\"BLOCK\");").out, "wrong: z[1] is 2, the reference says 4"));
  CHECK(has(with_loop(loop + "if (i != 2) z(i) = 2 * x(i);").out, "wrong: z[2] is 4, the reference says nan"));
  CHECK(has(with_loop(loop + "z(i) = x(i + 1);").err, "x(4) is not an element of 4"));
  CHECK(has(with_loop(loop + "z(i, 0) = 0;").err, "z(0, 0) is not an element of 4"));
  CHECK(has(with_loop("args[\"w\"](0) = 0;").err, "no tensor is called w"));
  CHECK(has(with_loop("args[\"z\"](0) = args(\"m\");").err, "no number is called m"));
  // the loop's names are not the kernel's
  const std::string same_names = "  auto x_ptr = args[\"x\"], offs = x_ptr;\n";
  CHECK(has(with_loop(same_names + loop + "z(i) = 2 * offs(i);").out, "ok: agrees with the reference"));
  CHECK(has(with_loop("int n = x;").err, "there is no \"x\" here"));
  CHECK(has(tilescope("run twice.h --expect twice_lop", here).err, "did you mean twice_loop?"));
}

TEST_CASE("files: products are allowed what tensor cores round, and no more than that") {
  const EmptyFolder here;
  write(here, "product.h",
        R"(// case: m=32 k=64 a=f32[m, k] b=f32[k, 16] c=out:f32[m, 16] B=64 grid=2 expect='c = dot(a, b)'
#include "interp/tl.h"
namespace tl::kernels {
struct product_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto k, constexpr_ auto B) const {
    auto rows = tl.program_id(0) * 16 + tl.arange(0, 16_c);
    auto cols = tl.arange(0, 16_c), inner = tl.arange(0, B);
    auto a = tl.load(a_ptr + rows(_, None) * k + inner(None, _));
    auto b = tl.load(b_ptr + inner(_, None) * 16 + cols(None, _));
    tl.store(c_ptr + rows(_, None) * 16 + cols(None, _), tl.dot(a, b));
  }
};
}
)");
  const Said s = tilescope("run product.h", here);
  CHECK(has(s.out, "ok: agrees with the reference"));
  CHECK(has(tilescope("run product.h tolerance=1e-5", here).out, "wrong: "));
  CHECK(has(tilescope("run product.h --expect 'c = dot(a, b) + 0.1'", here).out, "wrong: "));
}

TEST_CASE(
    "files: sums are allowed what their arithmetic rounds, wherever in a formula they stand, and no more than that") {
  const EmptyFolder here;
  write(here, "total.py", R"(# case: n=65536 x=f32[n] y=out:f32[1] grid=1 expect='y = sum(x) / 2'
@triton.jit
def total(x_ptr, y_ptr, n):
    acc = 0.0
    for i in range(0, n, 4):
        acc += tl.sum(tl.load(x_ptr + i + tl.arange(0, 4)))
    tl.store(y_ptr, acc / 2)
)");
  for (const char* rest : {"", " --expect 'y = mean(x) * 32768'", " --expect 'h = x / 2; y = h @ full(n, 1.0)'",
                           " --expect 'y = sqrt(sum(x) ** 2) / 2 * sign(sum(x))'"}) {
    const Said s = tilescope(std::string("run total.py --seed 7") + rest, here);
    CHECK_MESSAGE(has(s.out, "ok: agrees with the reference"), s.out);
  }
  CHECK(has(tilescope("run total.py --expect 'y = sum(x) / 2 * 1.01'", here).out, "wrong: "));
}

TEST_CASE("files: of several outputs each is compared that is named, a later one by an earlier one") {
  const EmptyFolder here;
  write(here, "both.h", R"(// case: n=6 x=i32[n]:iota y=out:i32[n] z=out:i32[n] B=8 grid=1
#include "interp/tl.h"
struct both {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::ptr auto z_ptr, tl::int_ auto n, tl::constexpr_ auto B) const {
    auto offs = tl.arange(0, B);
    auto x = tl.load(x_ptr + offs, {.mask = offs < n});
    tl.store(y_ptr + offs, x + 1, {.mask = offs < n});
    tl.store(z_ptr + offs, x + 3, {.mask = offs < n});
  }
};
)");
  CHECK(has(tilescope("run both.h --expect 'y = x + 1; z = y + 2'", here).out, "ok: agrees with the reference"));
  CHECK(has(tilescope("run both.h --expect 'y = x + 1; z = sum(y) + 0 * x'", here).out,
            "z[0] is 3, the reference says 21"));
  CHECK(has(tilescope("run both.h --expect 'z = x + 3'", here).out, "6 elements checked"));
  CHECK(has(tilescope("run both.h --expect 'z = y + 2'", here).err, "nothing is called y"));
}

TEST_CASE("files: an expression of square matrices is evaluated as a whole, by NumPy's rules") {
  const EmptyFolder here;
  const auto columns =
      [&](const std::string& what) {
        write(here, "columns.h", R"(// case: n=16 x=f32[n, n] y=out:f32[n, n] grid=1
#include "interp/tl.h"
namespace tl::kernels {
struct columns {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n) const {
    auto at = tl.arange(0, 16_c)(_, None) * n + tl.arange(0, 16_c)(None, _);
    auto x = tl.load(x_ptr + at);
    tl.store(y_ptr + at, )" + what + R"();
  }
};
}
)");
        return
            [&](const char* expect) { return tilescope(std::string("run columns.h --expect '") + expect + "'", here); };
      };
  const auto right = columns("x - tl.max(x, 0)(None, _)");
  for (const char* same : {"y = x - amax(x, 0)", "y = x - max(x, 0)", "y = x - x.max(axis=-2, keepdims=True)",
                           "most = amax(x, 0); y = x - most", "y = (x.T - amax(x.T, 1)[:, None]).T"})
    CHECK_MESSAGE(has(right(same).out, "ok: agrees with the reference"), same);
  CHECK(has(right("y = x - amax(x)").out, "wrong: "));
  CHECK(has(right("y = x @ x").out, "wrong: "));
  CHECK(has(right("most = amax(x, 0); y = x").err, "'most = amax(x, 0)' names no output"));
  CHECK(has(columns("x - tl.max(x)")("y = x - amax(x, 0)").out, "wrong: "));
  CHECK(has(columns("tl.trans(x)")("y = x.T").out, "ok: agrees with the reference"));
  CHECK(has(columns("tl.maximum(x, 0)")("y = max(x, 0)").out, "ok: agrees with the reference"));
  CHECK(has(columns("tl.dot(x, x)")("y = x @ x").out, "ok: agrees with the reference"));
}

TEST_CASE("files: a plain loop that names no output is told, as it would agree with every kernel") {
  const EmptyFolder here;
  const std::string expects = std::string(iota_case).substr(0, std::string(iota_case).size() - 1) + " expect=f\n";
  write(here, "twice.h", twice(expects) + "void f(auto& args) { args[\"x\"]; }\n");
  const Said s = tilescope("run twice.h", here);
  CHECK(s.exit_code != 0);
  CHECK(has(s.err, "names no output"));
  CHECK(has(s.err, "fix: say what args[\"z\"] holds"));
}
