"""How well the model orders the configs of a kernel's tuning space: is one of its first three as fast as the best?

Run: python3 spaces.py measure TILESCOPE [GPU]   times all configs on the GPU at hand, keeps them in recorded/spaces_GPU.json; GPU: h200 (else), h100
     python3 spaces.py again TILESCOPE [GPU]     how the model orders them now, beside what was measured; needs no GPU, keeps nothing
"""

import json
import os
import subprocess
import sys

GPU = sys.argv[3] if len(sys.argv) > 3 else "h200"
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded", f"spaces_{GPU}.json")

SPACES = {
    "add": ["n=65536", "n=1048576", "n=16777216", "n=268435456"],
    "sum": ["n=1048576", "n=16777216", "n=268435456"],
    "dropout": ["n=1048576", "n=16777216", "n=134217728"],
    "transpose": ["m=1024 n=1024", "m=4096 n=12000", "m=8192 n=8192"],
    "grey": ["h=1024 w=1024", "h=3000 w=5000"],
    "softmax": ["rows=4096 cols=256", "rows=32768 cols=781", "rows=8192 cols=2048", "rows=4096 cols=3000",
                "rows=4096 cols=8320", "rows=4096 cols=12288", "rows=2048 cols=65536"],
    "layernorm": ["rows=32768 cols=512", "rows=8192 cols=1000", "rows=8192 cols=3000", "rows=32768 cols=4096",
                  "rows=4096 cols=8192"],
    "matmul": ["m=512 n=512 k=512", "m=2048 n=2048 k=2048", "m=3000 n=5000 k=1000", "m=4096 n=4096 k=4096"],
    "block_pointer_matmul": ["m=1024 n=2048 k=4096"],
    "attention": ["batch=4 heads=32 seq=1024 head_dim=64", "batch=4 heads=32 seq=4096 head_dim=64 causal=false",
                  "batch=4 heads=16 seq=4096 head_dim=128", "batch=1 heads=8 seq=8192 head_dim=128 causal=false"],
}


def tuned(tilescope, space, *options):
    words = [tilescope, "tune", *space.split(), "--gpu", GPU, "--no-checks", "--no-cache", "--json", *options]
    ran = subprocess.run(words, capture_output=True, text=True)
    try:
        return json.loads(ran.stdout)["trials"]
    except (ValueError, KeyError):
        print(f"{space}: {ran.stderr.strip() or ran.stdout.strip()}", file=sys.stderr)
        return []


def config(trial):
    return " ".join(f"{name}={value}" for name, value in trial["config"].items())


def model_ms(trial):
    return trial["model"].get("ms", float("inf"))  # of others it knows no more than that they are slow


def measure(tilescope):
    found = {}
    for kernel, sizes in SPACES.items():
        for size in sizes:
            trials = tuned(tilescope, f"{kernel} {size}", "--device", "cuda", "--ms", "20", "--top-k", "100")
            found[f"{kernel} {size}"] = {config(t): round(1e3 * t["measured"]["median_ms"], 2)
                                             for t in trials if "measured" in t}
    with open(FILE, "w") as f:
        f.write("{\n" + ",\n".join(f" {json.dumps(s)}: {json.dumps(c)}" for s, c in found.items()) + "\n}\n")
    again(tilescope)


def again(tilescope):
    held, spaces = 0, {s: us for s, us in json.load(open(FILE)).items() if us}
    print(f"{'space':60} {'configs':>7} {'best':>12} {'best of 3':>10}  the model's first three, and the best")
    for space, us in spaces.items():
        ranked = sorted((t for t in tuned(tilescope, space) if "model" in t), key=model_ms)
        order = [c for c in map(config, ranked) if c in us]
        best = min(us, key=us.get)
        worse = min(us[c] for c in order[:3]) / us[best] - 1
        held += worse <= 0.05
        print(f"{space:60} {len(us):7} {us[best]:9.1f} us {worse:+10.0%}  {'; '.join(order[:3])} | {best}, its "
              f"{order.index(best) + 1}th" if best in order else "not ranked", flush=True)
    print(f"one within 5 % of the best is among the model's first three in {held} of {len(spaces)} spaces")


if __name__ == "__main__":
    {"measure": measure, "again": again}[sys.argv[1]](sys.argv[2])
