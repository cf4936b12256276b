// What a walk of a kernel's text computes, and the words of what it refuses. Expected values are Python's and Triton's.
#include "tests/triton/run_body.h"

using namespace tl;
using namespace run_body;

TEST_CASE("walk: / of integers is a float, // and % of constants are Python's, of ints C's") {
  CHECK(value_of("n / 2") == 2.5f);
  CHECK(value_of("(0 - n) // 2") == -2);
  CHECK(value_of("-C // 3") == -3);
  CHECK(value_of("-C % 3") == 1);
  CHECK(value_of("2 ** 3 + (1 << 4) - (7 & 5)") == 19);
  CHECK(value_of("C / 3") == doctest::Approx(8.0 / 3));
}

TEST_CASE("walk: and, or, not, chained comparisons and conditions") {
  CHECK(value_of("1.0 if 1 < n < 6 else 2.0") == 1);
  CHECK(value_of("1.0 if n > 1 and not n > 9 else 2.0") == 1);
  CHECK(value_of("tl.where(n == 5 or n == 6, 1.0, 2.0)") == 1);
  CHECK(value_of("C and 3") == 3);
  CHECK(value_of("0 or 4") == 4);
}

TEST_CASE("walk: a branch of a constant that is not taken may hold anything") {
  CHECK(value_of("z", "  if C > 4:\n    z = 1.0\n  else:\n    z = no_such_name\n") == 1);
  CHECK(value_of("z", "  z = None\n  if z is None:\n    z = 3.0\n") == 3);
}

TEST_CASE("walk: loops over range, tl.static_range, tuples and while") {
  CHECK(value_of("s", "  s = 0\n  for i in range(n):\n    s += i\n") == 10);
  CHECK(value_of("s", "  s = 0\n  for i in tl.range(n, 0, -2):\n    s += i\n") == 9);
  CHECK(value_of("s", "  s = 0\n  for i in tl.static_range(C):\n    if i == 3:\n      break\n    s += i\n") == 3);
  CHECK(value_of("s", "  s = 0\n  for i in (1, 20, 300):\n    s += i\n") == 321);
  CHECK(value_of("s", "  s = 0\n  while s < 7:\n    s += n\n") == 10);
}

TEST_CASE("walk: helpers take positions, names and defaults, and give tuples") {
  const std::string helpers =
      "@triton.jit\ndef two(a, b=2, *, c: tl.constexpr = 3):\n  if c == 3:\n    return a, b\n  return b, a\n";
  CHECK(value_of("p * 10 + q", "  p, q = two(n)\n", helpers) == 52);
  CHECK(value_of("p * 10 + q", "  p, q = two(b=n, a=1, c=4)\n", helpers) == 51);
  CHECK(value_of("p * 10 + q", "  t = (n, 7)\n  p, q = two(*(n, 7))\n", helpers) == 57);
}

TEST_CASE("walk: a number that was assigned is a tensor of its dtype, a literal is weak") {
  CHECK(value_of("h.dtype == tl.float32", "  half = 0.5\n  h = n.to(tl.float16) * half\n") == 1);
  CHECK(value_of("h.dtype == tl.float16", "  h = n.to(tl.float16) * 0.5\n") == 1);
  CHECK(value_of("h.dtype == tl.float16", "  half: tl.constexpr = 0.5\n  h = n.to(tl.float16) * half\n") == 1);
}

TEST_CASE("walk: blocks, slices, shapes, reductions by a helper") {
  CHECK(value_of("tl.sum(m)", "  i = tl.arange(0, C)\n  m = i[:, None] * i[None, :]\n") == 784);
  CHECK(value_of("m.shape[1]", "  m = tl.zeros((C, 16), dtype=tl.float32)\n") == 16);
  CHECK(value_of("tl.arange(0, C).to(tl.float32).sum(0)") == 28);
  CHECK(value_of("tl.reduce(tl.arange(0, C), 0, larger)", "",
                 "@triton.jit\ndef larger(a, b):\n  return tl.maximum(a, b)\n") == 7);
  CHECK(value_of("tl.max(tl.arange(0, C), axis=0) + min(C, 3) + triton.next_power_of_2(5)") == 18);
}

TEST_CASE("walk: behind a shape of several numbers parameters are named") {
  CHECK(value_of("tl.sum(tl.reshape(tl.arange(0, 8), 2, 4, can_reorder=True))") == 28);
  CHECK(value_of("tl.sum(tl.arange(0, 8).reshape(2, 4, can_reorder=True))") == 28);
}

TEST_CASE("walk: what a method is called on is computed once") {
  const Ran r = run("  tl.atomic_add(y_ptr, 1.0).to(tl.float16)\n");
  CHECK(r.y[0] == 1);
}

TEST_CASE("walk: constants of the file") {
  CHECK(value_of("A + B", "", "A = 4\nB: tl.constexpr = tl.constexpr(A * 2)\n") == 12);
  CHECK(refuses("  x = T\n", "a.py:7:7: the global T is no constant", "T = [f(), 2]\n\n"));
}

TEST_CASE("walk: what is wrong is told at its place, before a program runs") {
  CHECK(refuses("  a = offs + 1\n", "a.py:5:7: there is no \"offs\" here"));
  CHECK(refuses("  a = tl.laod(y_ptr)\n", "did you mean load?"));
  CHECK(refuses("  a = tl.load(y_ptr, maks=1)\n", "a.py:5:22: tl.load has no parameter maks"));
  CHECK(refuses("  try:\n    a = 1\n  except E:\n    pass\n", "a.py:5:3: Triton has no exceptions"));
  CHECK(refuses("  a = f(1, 2)\n", "f takes 1 arguments, and more are given", "@triton.jit\ndef f(a):\n  return a\n"));
  CHECK(refuses("  a = f(n)\n", "calls itself", "@triton.jit\ndef f(a):\n  return f(a)\n"));
  CHECK(refuses("  a = C // 0\n", "8 // 0: a constant is divided by 0"));
}

TEST_CASE("walk: faults stand at the line and column of the text") {
  CHECK(refuses("  tl.store(y_ptr + 9, 1.0)\n", "a.py:5:6: tl.store"));
  CHECK(refuses("  if n > 9:\n    z = 1\n  tl.store(y_ptr, z)\n", "z has no value here"));
}

TEST_CASE("walk: a launch with too few arguments says which is missing") {
  const auto program = std::make_shared<triton::Program>("a.py", "@triton.jit\ndef f(x_ptr, n):\n  pass\n");
  CHECK_THROWS_WITH_AS(triton::launch_of(program, program->kernel("f"), {}, {}, {IntArgument{1}}),
                       "f is launched without n", Error);
}

TEST_CASE("walk: a helper takes any number of arguments as a tuple") {
  const std::string helpers =
      "@triton.jit\ndef total(first, *rest, scale: tl.constexpr = 1):\n  s = first\n"
      "  for x in rest:\n    s += x * scale\n  return s\n";
  CHECK(value_of("total(n)", "", helpers) == 5);
  CHECK(value_of("total(n, n, 2, scale=10)", "", helpers) == 75);
  CHECK(value_of("total(*(n, 1, 1))", "", helpers) == 7);
}

TEST_CASE("walk: static_print prints as Python does, or by a format") {
  CHECK(run("  tl.static_print('C is', C, (C, 2), tl.float32)\n  tl.static_print(C)\n  tl.static_print('C = {}', C)\n")
            .fault == "");
}

TEST_CASE("walk: an unknown decorator of Triton's is named") {
  CHECK(refuses("  f(n)\n", "triton has no decorator jitt", "@triton.jitt\ndef f(x):\n  return x\n"));
}

TEST_CASE("walk: a helper is made for 2 and for 2.0") {
  const std::string helpers = "@triton.jit\ndef scaled(x, C: tl.constexpr):\n  return x * C\n";
  CHECK(value_of("1.0 if scaled(n, 2).dtype == tl.int32 and scaled(n, 2.0).dtype == tl.float32 else 0.0", "",
                 helpers) == 1);
}

TEST_CASE("walk: libdevice's functions that are no ops are helpers; inline assembler is refused by its name") {
  const std::string imports = "from triton.language.extra import libdevice\n";
  CHECK(value_of("libdevice.popc(n * 3)", "", imports) == 4);
  CHECK(value_of("libdevice.add_ru(x, 1e-9) > 0.5", "", imports) == 1);
  CHECK(value_of("tl.extra.cuda.libdevice.saturatef(x * 4)") == 1);
  CHECK(value_of("n", "  tl.extra.cuda.gdc_wait()\n") == 5);
  CHECK(refuses("  libdevice.jn(n, x)\n", "Bessel functions of any order are not computed here", imports));
  CHECK(refuses("  tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [n], tl.int32, True, 1)\n",
                "PTX is a GPU's assembler"));
}

TEST_CASE("walk: Triton's own constants are known, as defaults, too") {
  const std::string helpers =
      "@triton.jit\ndef added(x, y: tl.core.constexpr = tl.core.CONSTEXPR_0):\n  return x + y\n";
  CHECK(value_of("added(n) + tl.TRITON_MAX_TENSOR_NUMEL", "", helpers) == 1048581);
}

TEST_CASE("walk: Triton's _log2 counts a shape's bits") {
  CHECK(value_of("L", "  L: tl.constexpr = tl.standard._log2(tl.zeros((4, 64), tl.float32).shape[1])\n") == 6);
}

TEST_CASE("walk: an integer's dtype follows from a float's bits, as pasted sorts ask it") {
  const std::string before =
      "  t = tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)\n"
      "  b = (tl.zeros((8,), tl.float32) + 1).to(t, bitcast=True)\n";
  CHECK(value_of("tl.max(b, 0) == 0x3f800000", before) == 1);
}
