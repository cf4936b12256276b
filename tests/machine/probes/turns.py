"""What a turn of a loop that multiplies small tiles takes, by tile, warps and programs an SM: each program reads the same
strips, so that all tiles but the first program's are in L2. Then turns of two dots with a softmax between them, and turns of
one op of lanes.

Run: python3 turns.py TILESCOPE OUT.json       (needs tilescope with CUDA; 6 minutes on 16 cores)
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SMS = 132
OTHER_US = 5  # of a launch: its events, its first tiles, its last store

PRODUCT = """#include "interp/tl.h"
// case: a={dtype}[BM,k] b={dtype}[k,BN] c=out:f32[programs*BM,BN] k=4096 m=4096 n=4096 BM=128 BN=256 BK=64
// case: programs=132 grid=programs warps=8 stages=3
struct turns_probe {{
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {{
    auto offs_m = tl.arange(0, BM);
    auto offs_n = tl.arange(0, BN);
    auto offs_k = tl.arange(0, BK);
    auto a_ptrs = a_ptr + offs_m(_, None) * k + offs_k(None, _);
    auto b_ptrs = b_ptr + offs_k(_, None) * BN + offs_n(None, _);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto start : tl.range(0, k, BK)) {{
      auto a = tl.load(a_ptrs{a_mask});
      auto b = tl.load(b_ptrs{b_mask});
      acc = tl.dot(a, b, acc{precision});
      a_ptrs += BK;
      b_ptrs += BK * BN;
    }}
    tl.store(c_ptr + (tl.program_id(0) * BM + offs_m)(_, None) * BN + offs_n(None, _), acc);
  }}
}};
"""
PLAIN = dict(dtype="f16", a_mask="", b_mask="", precision="")
MASKED = dict(a_mask=", {.mask = (offs_m(_, None) < m) & (offs_k(None, _) + start < k), .other = 0}",
              b_mask=", {.mask = (offs_k(_, None) + start < k) & (offs_n(None, _) < n), .other = 0}")
FORMS = {"f16": PLAIN, "f16 masked": PLAIN | MASKED, "tf32": PLAIN | dict(dtype="f32"),
         "ieee": PLAIN | dict(dtype="f32", precision=", tl.ieee")}

TWO_DOTS = """#include "interp/tl.h"
// case: q=f16[BM,D] k=f16[k_rows,D] v=f16[k_rows,D] o=out:f32[programs*BM,D] k_rows=4096 BM=64 BN=64 D=64
// case: programs=132 grid=programs warps=4 stages=3
struct two_dots_probe {{
  void operator()(auto& tl, ptr auto q_ptr, ptr auto k_ptr, ptr auto v_ptr, ptr auto o_ptr, int_ auto k_rows,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto D) const {{
    auto offs_m = tl.arange(0, BM);
    auto offs_n = tl.arange(0, BN);
    auto offs_d = tl.arange(0, D);
    auto q = tl.load(q_ptr + offs_m(_, None) * D + offs_d(None, _));
    auto k_ptrs = k_ptr + offs_d(_, None) + offs_n(None, _) * D;
    auto v_ptrs = v_ptr + offs_n(_, None) * D + offs_d(None, _);
    auto acc = tl.zeros(tl.shape(BM, D), tl.float32);
    auto m = tl.zeros(tl.shape(BM), tl.float32);
    for (auto start : tl.range(0, k_rows, BN)) {{
      auto k = tl.load(k_ptrs);
      auto s = tl.dot(q, k);
      {between}
      auto v = tl.load(v_ptrs);
      acc = tl.dot(s.to(tl.float16), v, acc);
      k_ptrs += BN * D;
      v_ptrs += BN * D;
    }}
    tl.store(o_ptr + (tl.program_id(0) * BM + offs_m)(_, None) * D + offs_d(None, _), acc + m(_, None));
  }}
}};
"""
BETWEEN = {
    "two dots": "",
    "maximum, exp2": "m = tl.maximum(m, tl.max(s, 1_c)); s = tl.exp2(s - m(_, None));",
    "softmax": "auto next = tl.maximum(m, tl.max(s, 1_c)); s = tl.exp2(s - next(_, None)); "
               "auto alpha = tl.exp2(m - next); m = next + tl.sum(s, 1_c); acc = acc * alpha(_, None);",
}

LANES = """#include "interp/tl.h"
// case: x=f32[programs*B] y=out:f32[programs*B] n=256 B=1024 programs=132 grid=programs warps=4
struct lanes_probe {{
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n, constexpr_ auto B) const {{
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto v = tl.load(x_ptr + offs);
    for (auto start : tl.range(0, n)) {{
      {op}
    }}
    tl.store(y_ptr + offs, v);
  }}
}};
"""
OPS = {
    "exp2": "v = tl.exp2(v);",
    "where": "v = tl.where(v > 0.5f, v - 1.0f, v + 0.25f);",
    "exp2 of a difference": "v = tl.exp2(v * 0.5f - 1.0f) * 0.25f + v;",
    "rand": "v = v + tl.rand(7, offs + start);",
    "max": "v = v - tl.max(v, 0_c);",
    "sum": "v = v - tl.sum(v, 0_c) * 0.001f;",
}

SMALL = [(16, 16, 16), (16, 16, 64), (32, 32, 16), (32, 32, 32), (32, 32, 64), (16, 64, 32), (64, 16, 32)]
LARGER = [(64, 64, 16), (64, 64, 32), (64, 64, 64), (32, 128, 32), (128, 32, 32), (128, 128, 16), (128, 128, 32),
          (128, 128, 64)]
SOME = [(16, 16, 16), (32, 32, 32), (64, 64, 32), (128, 128, 32)]
# queries, keys, head_dim, warps
ATTENTION = [(32, 32, 32, 4), (32, 32, 64, 4), (32, 64, 64, 4), (64, 32, 64, 4), (64, 64, 32, 4), (64, 64, 64, 4),
             (64, 64, 128, 4), (128, 32, 64, 4), (128, 64, 64, 4), (128, 64, 64, 8), (128, 128, 64, 8),
             (128, 128, 128, 8), (128, 128, 32, 8)]


# lanes of a program, warps, programs an SM
PROGRAMS = [(512, 4, 4), (1024, 2, 1), (2048, 4, 1), (2048, 8, 1), (4096, 2, 1), (4096, 4, 1), (4096, 4, 2), (4096, 4, 4)]


def is_small(tile):
    return tile[0] * tile[1] < 4096


def probes():
    """(form, sizes, warps, programs an SM), the text and its words, the turns of a program."""
    for form in FORMS:
        for tile in SMALL + LARGER if form == "f16" else SOME:
            bm, bn, bk = tile
            k = max(2048, min(8192, 256 * bk))
            for warps in ((1, 2, 4) if is_small(tile) else (2, 4, 8)) if form == "f16" else ((1, 4) if is_small(tile) else (4, 8)):
                for programs in (1, 2, 4, 8, 16) if form == "f16" else (1, 4, 8):
                    yield ((form, tile, warps, programs), PRODUCT.format(**FORMS[form]),
                           f"BM={bm} BN={bn} BK={bk} warps={warps} programs={programs * SMS} k={k}", k // bk)
    for form, between in BETWEEN.items():
        for bm, bn, d, warps in ATTENTION:
            for programs in (1, 2, 4):
                yield ((form, (bm, bn, d), warps, programs), TWO_DOTS.format(between=between),
                       f"BM={bm} BN={bn} D={d} warps={warps} programs={programs * SMS}", 4096 // bn)
    for form, op in OPS.items():
        for lanes, warps, programs in PROGRAMS:
            yield (form, (lanes,), warps, programs), LANES.format(op=op), f"B={lanes} warps={warps} programs={programs * SMS}", 256


def main():
    tilescope, out = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        def said(command, probe, *options):
            (form, *_), text, words, _ = probe
            file = os.path.join(folder, form.replace(" ", "_").replace(",", "") + ".h")
            if not os.path.exists(file):
                with open(file, "w") as f:
                    f.write(text)
            ran = subprocess.run([tilescope, command, file, *words.split(), *options, "--json"], capture_output=True, text=True)
            return json.loads(ran.stdout) if ran.returncode == 0 else None

        all_probes = list(probes())
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiled = list(pool.map(lambda probe: said("compile", probe), all_probes))
        found = []
        for probe, how in zip(all_probes, compiled):
            bench = said("bench", probe, "--device", "cuda", "--ms", "15")
            if not bench or not how:
                continue
            (form, tile, warps, programs), _, _, turns = probe
            us = bench["points"][0]["median_ms"] * 1e3 - OTHER_US
            found.append({"form": form, "tile": tile, "warps": warps, "programs_an_sm": programs,
                          "threads": how[0]["threads"], "registers": how[0]["registers"],
                          "shared_bytes": how[0]["static_shared_bytes"] + how[0]["dynamic_shared_bytes"],
                          "spilled_bytes": how[0]["spill_store_bytes"] + how[0]["spill_load_bytes"],
                          "turn_ns": round(us * 1e3 / turns, 1)})
            print(found[-1], flush=True)
    with open(out, "w") as f:
        f.write('{"turns": [\n' + ",\n".join(" " + json.dumps(turn) for turn in found) + "\n]}\n")


if __name__ == "__main__":
    main()
