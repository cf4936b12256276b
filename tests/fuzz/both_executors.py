"""Random expressions over dtypes and shapes: what the interpreter takes CUDA's compiler takes, and what one refuses the
other refuses. With a GPU both also give the same. Usage: both_executors.py TILESCOPE [FIRST_SEED COUNT]"""

import os
import random
import subprocess
import sys
import tempfile

DTYPES = ["i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "f8e4nv", "f8e5"]
NAMES = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
         "float64", "float8e4nv", "float8e5"]
BINARY = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!="]
OF_ONE = ["-{}", "~{}", "!{}", "tl.abs({})", "tl.floor({})", "tl.sqrt({})", "tl.isnan({})", "tl.multiple_of({}, 1_c)",
          "tl.sum({}, 1_c)(_, None)", "tl.max({}, 0_c)(None, _)", "tl.min({}, 1_c, tl.keep_dims)", "tl.xor_sum({}, 0_c)(None, _)",
          "tl.cumsum({}, 1_c)", "tl.trans(tl.trans({}))", "tl.argmax({}, 1_c)(_, None)", "tl.sort({})", "tl.flip({}, 0_c)"]
OF_TWO = ["tl.minimum({}, {})", "tl.maximum({}, {})", "tl.where(c > 0, {}, {})", "tl.cdiv({}, {})", "tl.umulhi({}, {})",
          "tl.fdiv({}, {})", "tl.clamp({}, 0, {})", "tl.fma({}, {}, 2)"]
# Blocks of (8, 1), (1, 4), (8, 4); scalars; literals.
LEAVES = ["a", "b", "c", "a", "b", "c", "n", "s", "2", "1.5", "300", "-1", "2_c", "3u"]


def expression(chance, depth):
    kind = chance.random()
    if depth == 0 or kind < 0.1:
        return chance.choice(LEAVES)
    inner = lambda: expression(chance, depth - 1)
    if kind < 0.5:
        return f"({inner()} {chance.choice(BINARY)} {inner()})"
    if kind < 0.65:
        return f"{chance.choice('abc')}.to(tl.{chance.choice(NAMES)})"
    # these ask for blocks of two axes
    return (chance.choice(OF_ONE).format(f"(c + {inner()})") if kind < 0.85
            else chance.choice(OF_TWO).format(f"(c + {inner()})" if chance.random() < 0.5 else inner(), inner()))


def kernel(seed):
    chance = random.Random(seed)
    a, b, c = (chance.choice(DTYPES) for _ in range(3))
    return f"""#pragma once
#include "interp/tl.h"
// case: a=i32[8]:values(0,1,2,3,5,8,13,21) b=i32[4]:values(1,2,3,4) c=i32[8,4]:each(i%7+1) n=5 s=0.5 grid=1
// case: out=out:f64[8,4]
struct random_kernel {{
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto out_ptr, int_ auto n, float_ auto s) const {{
    auto i = tl.arange(0, 8_c);
    auto j = tl.arange(0, 4_c);
    auto at = i(_, None) * 4 + j(None, _);
    auto a = tl.load(a_ptr + i)(_, None);
    auto b = tl.load(b_ptr + j)(None, _);
    auto c = tl.load(c_ptr + at);
    auto r = {expression(chance, 2)};
    tl.store(out_ptr + at, r);
  }}
}};
""".replace("a=i32", "a=" + a).replace("b=i32", "b=" + b).replace("c=i32", "c=" + c)


def said(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def main():
    program = os.path.abspath(sys.argv[1])
    first, count = (int(w) for w in sys.argv[2:4]) if len(sys.argv) > 3 else (1, 24)
    wrong, has_gpu = 0, True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(first, first + count):
            with open("random.h", "w") as out:
                out.write(kernel(seed))
            refused, words = said(program, "run", "random.h", "--check", "none")
            no_code, compiler = said(program, "compile", "random.h")
            if "toolkit" in compiler and no_code and seed == first:
                print("MESSAGE: skipped: " + compiler)
                return 0
            line = next(l for l in kernel(seed).splitlines() if "auto r =" in l).strip()
            case = [l for l in kernel(seed).splitlines() if "// case: a" in l][0]
            if not refused and not no_code and has_gpu:
                differs, both = said(program, "compare", "random.h")
                has_gpu = "no GPU compared" not in both
                if differs:
                    wrong += 1
                    print(f"seed {seed}: {line}\n  {case}\n  {both}")
            if (refused != 0) != (no_code != 0):
                wrong += 1
                print(f"seed {seed}: {line}\n  {case}\n  interpreter: {words if refused else 'takes it'}\n"
                      f"  CUDA: {compiler if no_code else 'takes it'}")
    if not has_gpu:
        print("values are not compared: there is no GPU")
    print(f"{count} expressions from seed {first}: {wrong} taken by one executor alone")
    return wrong != 0


sys.exit(main())
