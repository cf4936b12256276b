"""Random loops of loads and dots: whichever way an executor runs them, the sums are those of plain loops, which stand
beside each kernel in its file. Without a GPU their kernels are compiled for one.
Usage: random_loops.py TILESCOPE [FIRST_SEED COUNT]"""

import os
import random
import subprocess
import sys
import tempfile

# A tile of a at row0 and of b at col0, from {} on along k: by pointers, in a helper, by a block pointer, by a descriptor.
A_LOADS = ["tl.load(a_ptr + offs_m(_, None) * k + ({} + offs_k)(None, _), {{.mask = is_m(_, None) & ({} + offs_k < k)(None, _), .other = 0}})",
           "a_tile(tl, a_ptr, offs_m, {} + offs_k, m, k)",
           "tl.load(tl.make_block_ptr(a_ptr, tl.tuple(m, k), tl.tuple(k, 1), tl.tuple(row0, {}), tl.shape(BM, BK), tl.axes(1_c, 0_c)), "
           "{{.boundary_check = tl.axes(0_c, 1_c)}})",
           "a_again_desc.load({{row0, {}}})",
           "tl.load(a_ptr + rows(_, None) * k + ({} + offs_k)(None, _), {{.mask = ({} + offs_k < k)(None, _), .other = 0}})"]
B_LOADS = ["tl.load(b_ptr + ({} + offs_k)(_, None) * n + offs_n(None, _), {{.mask = ({} + offs_k < k)(_, None) & is_n(None, _)}})",
           "b_tile(tl, b_ptr, {} + offs_k, offs_n, k, n)",
           "tl.trans(tl.load(b_nk_ptr + offs_n(_, None) * k + ({} + offs_k)(None, _), {{.mask = is_n(_, None) & ({} + offs_k < k)(None, _), .other = 0}}))",
           "b_again_desc.load({{{}, col0}})"]
ROWS = 4  # of A_LOADS: rows whose numbers are loaded

HEAD = """#pragma once
#include "interp/tl.h"

namespace tl::kernels {{

auto a_tile(auto& tl, ptr auto a_ptr, auto offs_m, auto offs_k, auto m, auto k) {{
  return tl.load(a_ptr + offs_m(_, None) * k + offs_k(None, _), {{.mask = (offs_m < m)(_, None) & (offs_k < k)(None, _), .other = 0}});
}}
auto b_tile(auto& tl, ptr auto b_ptr, auto offs_k, auto offs_n, auto k, auto n) {{
  return tl.load(b_ptr + offs_k(_, None) * n + offs_n(None, _), {{.mask = (offs_k < k)(_, None) & (offs_n < n)(None, _), .other = 0}});
}}
{helpers}
// case: m={m} n={n} k={k} BM={bm} BN={bn} BK={bk} warps={warps} stages={stages} grid=(cdiv(m,BM),cdiv(n,BN))
// case: a={dtype}[m,k]:each(i*7%5-2) a_again={dtype}[m,k]:each(i*7%5-2):tile[BM,BK] b={dtype}[k,n]:each(i*11%7-3)
// case: b_again={dtype}[k,n]:each(i*11%7-3):tile[BK,BN] b_nk={dtype}[n,k]:each(i*3%5-2) bias=f32[n]:each(i%5-2)
// case: chosen=i32[m]:each(i*5%m) limits=i32[2]:values({stop},{last}) c=out:f32[m,n] expect=random_loop
struct random_kernel {{
  void operator()(auto& tl, {tensors}, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k, constexpr_ auto BM, constexpr_ auto BN,
                  constexpr_ auto BK) const {{
    auto row0 = tl.program_id(0) * BM;
    auto col0 = tl.program_id(1) * BN;
    auto stop = tl.load(limits_ptr);
    auto last = tl.load(limits_ptr + 1);
{places}    auto x = tl.zeros(tl.shape(BM, BN), tl.float32);
    auto y = tl.zeros(tl.shape(BM, BN), tl.float32);
{kernel}
    tl.store(c_ptr + offs_m(_, None) * n + offs_n(None, _), x + y, {{.mask = is_m(_, None) & is_n(None, _)}});
  }}
}};

void random_loop(auto& args) {{
  auto a = args["a"], b = args["b"], b_nk = args["b_nk"], bias = args["bias"], chosen = args["chosen"], limits = args["limits"], c = args["c"];
  const int m = static_cast<int>(a.size(0)), n = static_cast<int>(b.size(1)), k = static_cast<int>(a.size(1)), BK = {bk};
  const int stop = static_cast<int>(limits(0)), last = static_cast<int>(limits(1));
  const auto dot = [&](auto left, auto right) {{
    double sum = 0;
    for (int l = 0; l < BK; ++l) sum += left(l) * right(l);
    return sum;
  }};
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {{
      double x = 0, y = 0;
{plain}
      c(i, j) = x + y;
    }}
}}

}}  // namespace tl::kernels
"""

TENSORS = ", ".join(["ptr auto a_ptr", "descriptor auto a_again_desc", "ptr auto b_ptr", "descriptor auto b_again_desc", "ptr auto b_nk_ptr",
                     "ptr auto bias_ptr", "ptr auto chosen_ptr", "ptr auto limits_ptr"])
PLACES = """    auto offs_m = row0 + tl.arange(0, BM);
    auto offs_n = col0 + tl.arange(0, BN);
    auto offs_k = tl.arange(0, BK);
    auto is_m = offs_m < m;
    auto is_n = offs_n < n;
    auto rows = tl.load(chosen_ptr + offs_m, {.mask = is_m, .other = 0});
"""


class Loops:
    """One kernel and its plain loop, statement by statement: the names are the same in both."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.names = 0
        self.kernel, self.plain, self.helpers = [], [], []
        self.depth = 2

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def say(self, kernel, plain):
        self.kernel.append("  " * self.depth + kernel)
        self.plain.append("  " * (self.depth + 1) + plain)

    def load(self, at, side):
        loads, name = (A_LOADS, self.fresh("a")) if side == "a" else (B_LOADS, self.fresh("b"))
        way = self.chance.randrange(len(loads) if side == "b" or self.chance.random() < 0.3 else ROWS)
        row = f"static_cast<int>(chosen(i))" if side == "a" and way == ROWS else "i"
        element = f"a({row}, {at} + l)" if side == "a" else f"b_nk(j, {at} + l)" if way == 2 else f"b({at} + l, j)"
        self.say(f"auto {name} = {loads[way].replace('{}', at).replace('{{', '{').replace('}}', '}')};",
                 f"auto {name} = [=, &a, &b, &b_nk, &chosen](int l) {{ return {at} + l < k ? double({element}) : 0.0; }};")
        return name

    def statement(self, at, tiles, nested):
        """One statement of a turn at `at`; tiles are those that were loaded in it."""
        pick, x = self.chance.random(), self.chance.choice("xy")
        if pick < 0.3 or not tiles["a"] or not tiles["b"]:
            side = "a" if not tiles["a"] else "b" if not tiles["b"] else self.chance.choice("ab")
            tiles[side].append(self.load(at, side))
            return
        a, b = self.chance.choice(tiles["a"]), self.chance.choice(tiles["b"])
        if pick < 0.55:
            self.say(f"{x} = tl.dot({a}, {b}, {x});", f"{x} += dot({a}, {b});")
        elif pick < 0.62:
            p = self.fresh("p")
            self.say(f"auto {p} = tl.dot({a}, {b});", f"auto {p} = dot({a}, {b});")
            self.statement(at, tiles, nested)
            self.say(f"{x} = {x} - {p} * 2;", f"{x} -= {p} * 2;")
        elif pick < 0.68:
            doubled = self.fresh("a")
            self.say(f"auto {doubled} = {a} * 2;", f"auto {doubled} = [=](int l) {{ return {a}(l) * 2; }};")
            tiles["a"].append(doubled)
        elif pick < 0.74:
            self.say(f"{x} += tl.sum({a}.to(tl.float32), 1_c)(_, None);", f"for (int l = 0; l < BK; ++l) {x} += {a}(l);")
        elif pick < 0.8:
            self.say(f"{x} += tl.load(bias_ptr + offs_n, {{.mask = is_n}})(None, _);", f"{x} += bias(j);")
        elif pick < 0.85:
            self.say("x = tl.where(x > y, x, y);", "x = x > y ? x : y;")
        elif pick < 0.93:
            self.block(f"if ({at} < {self.chance.choice(['stop', 'last'])}) {{", at, tiles, nested)
        elif nested < 2:
            self.loop(nested + 1, tiles)

    def block(self, head, at, tiles, nested, plain_head=None):
        self.say(head, plain_head or head)
        self.depth += 1
        inner = {side: list(names) for side, names in tiles.items()}
        for _ in range(self.chance.randint(1, 3)):
            self.statement(at, inner, nested)
        self.depth -= 1
        self.say("}", "}")

    def loop(self, nested=0, outside=None):
        at = self.fresh("k")
        low, high, step = self.chance.choice([("0", "k", "BK")] * 3 + [("stop", "k", "BK"), ("0", "last", "BK"), ("k", "k", "BK"), ("0", "2 * BK", "BK"),
                                              ("tl.cdiv(k, BK) * BK - BK", "-1", "-BK")] if not nested else [("0", "2 * BK", "BK"), ("0", "stop", "BK")])
        stages = self.chance.choice(["", "", ", {.num_stages = 2}", ", {.num_stages = 4}"])
        compared = f"{at} > {high}" if step == "-BK" else f"{at} < {high}"
        begin = "(k + BK - 1) / BK * BK - BK" if step == "-BK" else low
        self.say(f"for (auto {at} : tl.range({low}, {high}, {step}{stages})) {{", f"for (int {at} = {begin}; {compared}; {at} += {step}) {{")
        self.depth += 1
        tiles = {side: list((outside or {}).get(side, [])) for side in "ab"}
        for _ in range(self.chance.randint(3, 7)):
            self.statement(at, tiles, nested)
            if self.chance.random() < 0.1:
                leave = self.chance.choice(["break", "continue"])
                self.say(f"if ({at} >= last) {leave};", f"if ({at} >= last) {leave};")
        a, b = (tiles[side][-1] if tiles[side] else self.load(at, side) for side in "ab")
        self.say(f"y = tl.dot({a}, {b}, y);", f"y += dot({a}, {b});")
        self.depth -= 1
        self.say("}", "}")

    def loop_in_helper(self):
        outside, depth, name = self.kernel, self.depth, f"helper{len(self.helpers) + 1}"
        self.kernel = []
        self.loop()
        self.helpers.append(f"\nvoid {name}(auto& tl, auto& x, auto& y, {TENSORS}, auto row0, auto col0, auto stop, auto last, auto m, auto n, auto k,\n"
                            f"             constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) {{\n{PLACES}" + "\n".join(self.kernel) + "\n}\n")
        self.kernel = outside
        self.kernel.append("  " * depth + f"{name}(tl, x, y, " + ", ".join(word.split()[-1] for word in TENSORS.split(", ")) +
                           ", row0, col0, stop, last, m, n, k, BM, BN, BK);")

    def text(self):
        chance = self.chance
        for _ in range(chance.randint(1, 3)):
            self.loop_in_helper() if chance.random() < 0.25 else self.loop()
        bk = chance.choice([16, 32, 64])
        k = chance.choice([1, bk, 96, 100, 136, 200])
        return HEAD.format(m=chance.choice([64, 96, 77]), n=chance.choice([64, 72, 50]), k=k, bm=chance.choice([64, 64, 128]),
                           bn=chance.choice([32, 64, 128]), bk=bk, warps=chance.choice([4, 4, 8]), stages=chance.choice([1, 2, 3, 4]),
                           dtype=chance.choice(["f16", "f16", "bf16", "f32"]), stop=chance.choice([0, bk, 2 * bk]), last=chance.choice([bk, 3 * bk, 1000]),
                           helpers="".join(self.helpers), tensors=TENSORS, places=PLACES, kernel="\n".join(self.kernel), plain="\n".join(self.plain))


def said(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def main():
    program = os.path.abspath(sys.argv[1])
    first, count = (int(w) for w in sys.argv[2:4]) if len(sys.argv) > 3 else (1, 3)
    wrong, has_gpu, has_toolkit = 0, True, True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(first, first + count):
            with open("random.h", "w") as out:
                out.write(Loops(seed).text())
            runs = [("run", "random.h")]
            if has_gpu:
                runs.append(("run", "random.h", "--device", "cuda"))
            if has_toolkit:
                runs.append(("compile", "random.h", "--arch", ("sm_90a", "sm_80")[seed % 2]))
            for words in runs:
                failed, answer = said(program, *words)
                if failed and "--device" in words and answer.startswith("tilescope: no "):
                    has_gpu = False
                elif failed and words[0] == "compile" and "toolkit" in answer:
                    has_toolkit = False
                elif failed:
                    wrong += 1
                    print(f"seed {seed}: {' '.join(words)}\n{answer}\n{Loops(seed).text()}")
    print(f"{count} kernels from seed {first}: {wrong} wrong" + ("" if has_gpu else "; not run on a GPU: there is none") +
          ("" if has_toolkit else "; not compiled for one: there is no toolkit"))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
