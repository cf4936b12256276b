"""What a lane of each op costs an SM: a kernel an op, which does it again and again, timed on the GPU at hand.

Run: python3 ops.py TILESCOPE OUT.json       (needs tilescope with CUDA; 40 s)
Writes for each probe its ops, their dtype, and the lanes that an SM does in a clock of `GHZ`.
"""

import json
import os
import subprocess
import sys
import tempfile

SMS, GHZ = 132, 1.98
LANES, TURNS, REPEATS = 1 << 22, 16, 8
EMPTY_US = 9.0  # of such a kernel without ops: it reads and writes its lanes once

# ops that one application does, dtype, text of the application; x changes, c, d, y, z come from memory
PROBES = [
    ("add", "f32", "x + c"), ("mul", "f32", "x * c"), ("fma", "f32", "tl.fma(x, c, c)"), ("div", "f32", "c / x"),
    ("minimum maximum", "f32", "tl.maximum(tl.minimum(x, c), d)"), ("gt where", "f32", "tl.where(x > c, d, x)"),
    ("exp", "f32", "tl.exp(x)"), ("exp2", "f32", "tl.exp2(x)"), ("log", "f32", "tl.log(x)"),
    ("log2", "f32", "tl.log2(x)"), ("sqrt", "f32", "tl.sqrt(x)"), ("rsqrt", "f32", "tl.rsqrt(x)"),
    ("sin", "f32", "tl.sin(x)"), ("cos", "f32", "tl.cos(x)"), ("sigmoid", "f32", "tl.sigmoid(x)"),
    ("erf", "f32", "tl.erf(x)"), ("tanh", "f32", "tl.tanh(x)"), ("floor", "f32", "tl.floor(x)"),
    ("rint", "f32", "tl.rint(x)"), ("log1p", "f32", "tl.log1p(x)"), ("expm1", "f32", "tl.expm1(x)"),
    ("pow", "f32", "tl.pow(x, c)"), ("atan2", "f32", "tl.atan2(x, c)"), ("fmod", "f32", "tl.fmod(x, c)"),
    ("lgamma", "f32", "tl.lgamma(x)"), ("cbrt", "f32", "tl.cbrt(x)"), ("acos", "f32", "tl.acos(x)"),
    ("mul", "i32", "x * y"), ("bit_xor add", "i32", "(x ^ y) + z"),
    ("shl bit_xor", "i32", "(x << 3) ^ y"), ("div", "i32", "y / x"), ("mod", "i32", "y % x"),
    ("minimum add", "i32", "tl.minimum(x, y) + z"), ("mul", "i64", "x * y"),
    ("add", "f16", "x + c"), ("mul add", "f16", "x * c + d"), ("exp", "f16", "tl.exp(x)"),
    ("add", "f64", "x + c"), ("fma", "f64", "tl.fma(x, c, c)"), ("exp", "f64", "tl.exp(x)"),
    ("rand", "f32", "x + tl.rand(seed, offs + (i * %d + {turn}) * n)" % REPEATS),  # numbers that no lane has twice
    ("randn", "f32", "x + tl.randn(seed, offs + (i * %d + {turn}) * n)" % REPEATS),
    ("sum", "f32", "x + tl.sum(x, 0)"), ("max", "f32", "x + tl.max(x, 0)"), ("cumsum", "f32", "tl.cumsum(x, 0)"),
]

KERNEL = """#include "interp/tl.h"
// case: x={dtype}[n] y=out:{dtype}[n] n={lanes} turns={turns} seed=5 BLOCK=1024 grid='cdiv(n, BLOCK)'
struct op_probe {{
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n, int_ auto turns, int_ auto seed,
                  constexpr_ auto BLOCK) const {{
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs);
    {others}
    for (auto i : tl.range(0, turns)) {{
{body}
    }}
    tl.store(y_ptr + offs, x);
  }}
}};
"""


def text_of(dtype, application):
    others = "auto y = x ^ seed; auto z = x + seed;" if dtype[0] == "i" else "auto c = x * 0.5 + x; auto d = c + c;"
    body = "".join(f"      x = {application.replace('{turn}', str(turn))};\n" for turn in range(REPEATS))
    return KERNEL.format(dtype=dtype, lanes=LANES, turns=TURNS, others=others, body=body)


def main():
    tilescope, out = sys.argv[1:3]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for ops, dtype, application in PROBES:
            file = os.path.join(folder, "op_probe.h")
            with open(file, "w") as f:
                f.write(text_of(dtype, application))
            said = subprocess.run([tilescope, "bench", file, "--device", "cuda", "--json", "--ms", "30"],
                                  capture_output=True, text=True, check=True).stdout
            us = json.loads(said)["points"][0]["median_ms"] * 1e3 - EMPTY_US
            lanes = LANES * TURNS * REPEATS / us * 1e-3 / SMS / GHZ
            found.append({"ops": ops.split(), "dtype": dtype, "lanes_a_clock": round(lanes, 2)})
            print(f"{ops:16} {dtype} {lanes:8.2f} lanes a clock", flush=True)
    with open(out, "w") as f:
        f.write("[\n" + ",\n".join(" " + json.dumps(p) for p in found) + "\n]\n")


if __name__ == "__main__":
    main()
