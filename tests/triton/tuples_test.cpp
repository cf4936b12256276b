// Tuples, named tuples and classes of a kernel's text, and what goes through them. Expected values are Python's.
#include "tests/triton/run_body.h"

using namespace tl;
using namespace run_body;

TEST_CASE("tuples: a comprehension over one, its slices, and f(*values)") {
  CHECK(value_of("v[0] + v[2]", "  v = [i * n for i in (1, 20, 300)]\n") == 1505);
  CHECK(value_of("v[0] * 10 + v[1]", "  v = (1, 2, n)[1:]\n") == 25);
  CHECK(value_of("f(*(n, 3))", "", "@triton.jit\ndef f(a, b):\n  return a - b\n") == 2);
  CHECK(refuses("  v = [i for i in (1, 2) if i > 1]\n", "Triton has no conditions in comprehensions"));
}

TEST_CASE("tuples: a function in one is called, by its place and as a helper's argument") {
  const std::string helpers =
      "@triton.jit\ndef twice(a):\n  return a * 2\n"
      "@triton.jit\ndef apply(pair):\n  return pair[0](pair[1])\n";
  CHECK(value_of("apply((twice, n))", "", helpers) == 10);
}

TEST_CASE("tuples: a NamedTuple has fields, with defaults") {
  const std::string helpers =
      "from typing import NamedTuple\nclass Pair(NamedTuple):\n  a: tl.tensor\n  b: tl.constexpr = 7\n"
      "@triton.jit\ndef swapped(p):\n  return Pair(p.b, b=p.a)\n";
  CHECK(value_of("p.a * 10 + p.b", "  p = Pair(n)\n", helpers) == 57);
  CHECK(value_of("q.a * 10 + q.b", "  q = swapped(Pair(n))\n", helpers) == 75);
}

TEST_CASE("tuples: an aggregate has __init__, methods and properties") {
  const std::string helpers =
      "@aggregate\nclass Range:\n  begin: tl.tensor\n  end: tl.tensor\n"
      "  @triton.jit\n  def __init__(self, begin, size):\n    self.begin = begin\n    self.end = self.begin + size\n"
      "  @triton.jit\n  def at(self, i):\n    return self.begin + i\n"
      "  @property\n  @triton.jit\n  def size(self):\n    return self.end - self.begin\n";
  CHECK(value_of("r.at(2) * 100 + r.size", "  r = Range(n, 4)\n", helpers) == 704);
}

TEST_CASE("names: getattr, hasattr and isinstance, as kernels ask them") {
  CHECK(value_of("getattr(tl, 'maximum')(n, 9)") == 9);
  CHECK(value_of("1.0 if hasattr(x, 'dtype') else 2.0") == 1);
  CHECK(value_of("1.0 if isinstance(x, tl.tensor) and not isinstance(C, tl.tensor) else 2.0") == 1);
  CHECK(value_of("tl.maximum(x, float('nan'), propagate_nan=tl.PropagateNan.NONE)") == 0.5f);
}

TEST_CASE("ops: map_elementwise calls a function of scalars, which branches") {
  const std::string helpers = "@triton.jit\ndef sign(a):\n  if a > 3:\n    return 1\n  return -1\n";
  CHECK(value_of("tl.sum(tl.map_elementwise(sign, tl.arange(0, 8)), 0)", "", helpers) == 0);
}

TEST_CASE("ops: cat along an axis, scalars with new axes, descriptors' shapes and padding") {
  CHECK(value_of("tl.sum(tl.cat(v, v + 1, dim=1) * tl.arange(0, 8)[None, :])", "  v = tl.arange(0, 4)[None, :]\n") ==
        74);
  CHECK(value_of("tl.sum(n[None, None])") == 5);
  const std::string described =
      "  d = tl.make_tensor_descriptor(y_ptr, [2, 4], [4, 1], [2, 4], padding_option='nan')\n";
  CHECK(value_of("d.shape[0] * 100 + d.strides[0] * 10 + d.block_shape[1]", described) == 244);
  CHECK(value_of("tl.sum(d.load([1, 0]).to(tl.int32, bitcast=True) == 0x7fc00000)", described) == 4);
}

TEST_CASE("tuples: an aggregate that a loop or a helper assigns anew keeps its methods") {
  const std::string helpers =
      "@aggregate\nclass Sum:\n  total: tl.tensor\n  count: tl.tensor\n"
      "  @triton.jit\n  def push(self, x):\n    return Sum(self.total + x, self.count + 1)\n"
      "@aggregate\nclass Product:\n  total: tl.tensor\n"
      "  @triton.jit\n  def push(self, x):\n    return Product(self.total * x)\n"
      "@triton.jit\ndef pushed_twice(s, x):\n  s = s.push(x)\n  s = s.push(x)\n  return s\n";
  CHECK(value_of("s.total * 10 + s.count", "  s = Sum(n, n - n)\n  for i in range(1, 4):\n    s = s.push(i)\n",
                 helpers) == 113);
  CHECK(value_of("s.total", "  s = pushed_twice(Sum(n, n), 3)\n  if n > 3:\n    s = s.push(100)\n", helpers) == 111);
  CHECK(value_of("s.total", "  s = Sum(n, n)\n  s = s.push(1)\n  s = Product(s.total)\n  s = s.push(2)\n", helpers) ==
        12);
}
