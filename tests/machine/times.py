"""How long the model says that launches take, beside how long a GPU took.

Run: python3 times.py predict TILESCOPE [GPU] [SEED]   writes what the model says to recorded/times_GPU.json; GPU: h200 (else), h100
     python3 times.py measure TILESCOPE [GPU] [SEED]   times the same launches on the GPU at hand, prints both and keeps what it found
     python3 times.py again TILESCOPE [GPU] [SEED]     what the model says now, beside what was measured then; needs no GPU, keeps nothing
With a seed the launches are those that blind.py draws, kept in recorded/blind/SEED_GPU.json.
Predictions are committed before they are measured. Ports are taken from tests/ports, so run it in the root; their sizes
are those that their plain loops do in a second.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import blind

GPU = sys.argv[3] if len(sys.argv) > 3 else "h200"
SEED = sys.argv[4] if len(sys.argv) > 4 else None
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded",
                    os.path.join("blind", f"{SEED}_{GPU}.json") if SEED else f"times_{GPU}.json")

# Each at three sizes.
LAUNCHES = {
    "add": ["n=1048576", "n=16777216", "n=268435456"],
    "copy block=1024": ["n=1048576", "n=16777216", "n=268435456"],
    "sum block=8192": ["n=4194304", "n=67108864", "n=268435456"],
    "softmax": ["rows=8192 cols=1024", "rows=32768 cols=781", "rows=8192 cols=8192"],
    "unfused_softmax": ["rows=4096 cols=1024", "rows=32768 cols=781", "rows=8192 cols=8192"],
    "layernorm": ["rows=8192 cols=1024", "rows=32768 cols=4096", "rows=4096 cols=8192"],
    "dropout": ["n=1048576", "n=16777216", "n=134217728"],
    "dropout_with_mask": ["n=1048576", "n=16777216", "n=134217728"],
    "transpose block_m=64 block_n=64 warps=8": ["m=2048 n=2048", "m=8192 n=8192", "m=4096 n=12000"],
    "grey": ["h=1024 w=1024", "h=4096 w=4096", "h=3000 w=5000"],
    "matmul bm=128 bn=256 bk=64 warps=8 stages=4":
        ["m=2048 n=2048 k=2048", "m=4096 n=4096 k=4096", "m=3000 n=5000 k=1000"],
    "lecture_matmul bm=128 bn=128 bk=64 warps=8 stages=4":
        ["m=1024 n=1024 k=1024", "m=4096 n=4096 k=4096", "m=3000 n=5000 k=1000"],
    "persistent_matmul bm=128 bn=256 bk=64 warps=8":
        ["m=2048 n=2048 k=2048", "m=8192 n=8192 k=8192", "m=3000 n=5000 k=1000"],
    "attention bm=128 bn=128 batch=4":
        ["heads=32 seq=2048 head_dim=64", "heads=16 seq=4096 head_dim=128 causal=false", "heads=8 seq=8192 head_dim=64"],
    "tests/ports/attorch/dropout.h": ["n=65536", "n=1048576", "n=4194304"],
    "tests/ports/bitsandbytes/quantize_rowwise.h":
        ["rows=1024 cols=1000 P2=1024", "rows=2048 cols=2048 P2=2048", "rows=1024 cols=4096 P2=4096"],
    "tests/ports/pytorch/bucketize.h": ["n=65536", "n=262144", "n=1048576"],
    "tests/ports/pytorch/welford.h": ["rows=512 cols=1000", "rows=2048 cols=2000", "rows=1024 cols=4000"],
}


def said_by(tilescope, *words):
    made = subprocess.run([tilescope, *words, "--json"], capture_output=True, text=True)
    if made.returncode == 0:
        return json.loads(made.stdout)
    print(" ".join(words), made.stderr.strip()[-300:], sep="\n  ", flush=True)
    return None


def modelled_us(tilescope, words):
    schedule = said_by(tilescope, "schedule", *words, "--benched", "--gpu", GPU)
    return schedule and 1e3 * sum(launch["model_ms"] for launch in schedule.get("launches", [schedule]))


def launches():
    if SEED:
        return blind.launches(int(SEED))
    return [kernel.split() + size.split() for kernel, sizes in LAUNCHES.items() for size in sizes]


def all_at_once(function, items):
    """The results in order; a process each, as many at a time as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(function, items)


def predict(tilescope):
    found = []
    for words, us in zip(launches(), all_at_once(lambda words: modelled_us(tilescope, words), launches())):
        if us:
            found.append({"launch": " ".join(words), "model_us": round(us, 2)})
            print(f"{found[-1]['launch']:100} {us:9.1f} us", flush=True)
    keep(found)


def again(tilescope):
    pairs = []
    measured = [p for p in json.load(open(FILE)) if "measured_us" in p]
    print(f"{'launch':100} {'measured':>12} {'then':>15} {'now':>15}")
    for p, now in zip(measured, all_at_once(lambda p: modelled_us(tilescope, p["launch"].split()), measured)):
        us, then = p["measured_us"], p["model_us"]
        if now:
            pairs.append((us, then, now))
            print(f"{p['launch']:100} {us:9.1f} us {then:9.1f} {then / us - 1:+5.0%} {now:9.1f} {now / us - 1:+5.0%}", flush=True)
    for from_us in (0, 10):
        for name, of in ("then", 1), ("now", 2):
            tell(f"{name}, from {from_us} us on", [abs(p[of] / p[0] - 1) for p in pairs if p[0] >= from_us])


def tell(name, errors):
    errors.sort()
    print(f"{name}: of {len(errors)}: median {errors[len(errors) // 2]:.1%}, nine of ten within "
          f"{errors[len(errors) * 9 // 10]:.1%}, {errors[-1]:.0%} at most")


def keep(launches):
    with open(FILE, "w") as f:
        f.write("[\n" + ",\n".join(" " + json.dumps(p) for p in launches) + "\n]\n")


def measure(tilescope):
    errors, predicted = [], json.load(open(FILE))
    list(all_at_once(lambda p: said_by(tilescope, "compile", *p["launch"].split()), predicted))
    print(f"{'launch':100} {'measured':>12} {'model':>12}")
    for p in predicted:
        bench = said_by(tilescope, "bench", *p["launch"].split(), "--device", "cuda", "--ms", "60")
        if bench:
            us = 1e3 * bench["points"][0]["median_ms"]
            p["measured_us"] = round(us, 2)
            errors.append(abs(p["model_us"] / us - 1))
            print(f"{p['launch']:100} {us:9.1f} us {p['model_us']:9.1f} us {p['model_us'] / us - 1:+5.0%}", flush=True)
    keep(predicted)
    tell("measured", errors)


if __name__ == "__main__":
    {"predict": predict, "measure": measure, "again": again}[sys.argv[1]](sys.argv[2])
