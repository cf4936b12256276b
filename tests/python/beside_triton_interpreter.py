"""Times Triton's scripts on tilescope's interpreter beside TRITON_INTERPRET=1, on the same machine.

    python3 beside_triton_interpreter.py [PACKAGE]

needs torch and Triton. PACKAGE: the folder that holds the package tilescope, by default this one; without it there, the
tilescope that is installed. Each kernel runs in a process of its own, checked as `python -m tilescope` checks; its
result is compared with torch's."""

import os
import subprocess
import sys
import time

_kernels = ("add", "softmax", "matmul", "attention")


def main(words):
    if len(words) == 3 and words[0] == "--time":
        print(seconds_of(words[1], by_tilescope=words[2] == "tilescope"))
        return
    package = os.path.abspath(words[0] if words else os.path.dirname(__file__))
    print(f"{'kernel':<10} {'TRITON_INTERPRET=1':>20} {'tilescope':>12} {'ratio':>8}")
    for kernel in _kernels:
        triton, tilescope = (seconds_in_a_process(kernel, by, package) for by in ("triton", "tilescope"))
        print(f"{kernel:<10} {triton * 1000:>17.3f} ms {tilescope * 1000:>9.3f} ms {triton / tilescope:>8,.0f}")


def seconds_in_a_process(kernel, by, package):
    paths = [package, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
    said = subprocess.run([sys.executable, os.path.abspath(__file__), "--time", kernel, by], env=environment, text=True,
                          stdout=subprocess.PIPE, check=True)
    return float(said.stdout)


def seconds_of(kernel, by_tilescope):
    """The least of several launches, after one that is not counted."""
    if by_tilescope:
        import tilescope
        tilescope.activate()
    import torch
    import beside_triton_kernels as kernels
    torch.manual_seed(0)
    launch, got, expected = getattr(kernels, kernel)(torch)
    launch()
    torch.testing.assert_close(got, expected, rtol=1e-2, atol=1e-2)
    times = []
    began = time.perf_counter()
    while len(times) < 3 or (len(times) < 100 and time.perf_counter() - began < 2):
        begin = time.perf_counter()
        launch()
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    main(sys.argv[1:])
