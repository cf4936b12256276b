"""What a turn of a product's loop takes where some warps copy and others multiply, by tile: each program multiplies the
same two strips, so that all tiles but the first program's are in L2.

Run: python3 roles.py TILESCOPE OUT.json       (needs tilescope with CUDA; 60 s)
"""

import json
import os
import subprocess
import sys
import tempfile

K, SMS = 16384, 132
OTHER_US = 5  # of a launch: its events, its first tiles, its last store

# bm, bn, bk, warps, stages, programs an SM
TILES = [
    (128, 256, 64, 8, 4, 1), (256, 128, 64, 8, 4, 1), (128, 128, 64, 8, 4, 1), (128, 64, 64, 4, 4, 1),
    (128, 64, 64, 4, 4, 2), (64, 128, 64, 4, 4, 1), (64, 128, 64, 4, 4, 2), (64, 64, 64, 4, 4, 1),
    (64, 64, 64, 4, 4, 2), (64, 64, 128, 4, 4, 1), (64, 256, 64, 4, 4, 1), (128, 128, 32, 8, 4, 1),
    (128, 128, 64, 4, 3, 1), (128, 128, 64, 4, 3, 2),
]

KERNEL = """#include "interp/tl.h"
// case: a=f16[BM,k]{a_tile} b=f16[k,BN]{b_tile} c=out:f16[programs*BM,BN] k=%d BM=128 BN=256 BK=64
// case: programs=132 grid=programs warps=8 stages=4
struct roles_probe {{
  void operator()(auto& tl, {kind} auto a_{suffix}, {kind} auto b_{suffix}, ptr auto c_ptr, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {{
    auto offs_m = tl.arange(0, BM);
    auto offs_n = tl.arange(0, BN);
    auto offs_k = tl.arange(0, BK);
    {before}
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto start : tl.range(0, k, BK)) {{
      auto a = {a};
      auto b = {b};
      acc = tl.dot(a, b, acc);
      {after}
    }}
    tl.store(c_ptr + (tl.program_id(0) * BM + offs_m)(_, None) * BN + offs_n(None, _), acc.to(tl.float16));
  }}
}};
""" % K

FORMS = {
    "pointers": dict(kind="ptr", suffix="ptr", a_tile="", b_tile="", a="tl.load(a_ptrs)", b="tl.load(b_ptrs)",
                     before="auto a_ptrs = a_ptr + offs_m(_, None) * k + offs_k(None, _);\n"
                            "    auto b_ptrs = b_ptr + offs_k(_, None) * BN + offs_n(None, _);",
                     after="a_ptrs += BK;\n      b_ptrs += BK * BN;"),
    "descriptors": dict(kind="descriptor", suffix="desc", a_tile=":tile[BM,BK]", b_tile=":tile[BK,BN]",
                        a="a_desc.load({0, start})", b="b_desc.load({start, 0})", before="", after=""),
}


def main():
    tilescope, out = sys.argv[1:3]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "roles_probe.h")
        for bm, bn, bk, warps, stages, programs in TILES:
            for by, form in FORMS.items():
                with open(file, "w") as f:
                    f.write(KERNEL.format(**form))
                words = f"BM={bm} BN={bn} BK={bk} warps={warps} stages={stages} programs={programs * SMS}".split()
                said = subprocess.run([tilescope, "bench", file, *words, "--device", "cuda", "--json", "--ms", "30"],
                                      capture_output=True, text=True, check=True).stdout
                us = json.loads(said)["points"][0]["median_ms"] * 1e3 - OTHER_US
                found.append({"tile": [bm, bn, bk], "warps": warps, "by": by, "programs_an_sm": programs,
                              "step_ns": round(us * 1e3 * bk / K, 1)})
                print(found[-1], flush=True)
    with open(out, "w") as f:
        f.write('{"steps": [\n' + ",\n".join(" " + json.dumps(step) for step in found) + "\n]}\n")


if __name__ == "__main__":
    main()
