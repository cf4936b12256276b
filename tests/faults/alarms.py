"""Runs right kernels in every mode of `tilescope run`, and prints those of which it says that something is wrong.

    /usr/bin/python3 tests/faults/alarms.py build/tilescope [--jobs 2] [NAME ..]

The kernels: all that the program has, but those that are wrong on purpose; the ports of other projects; those in which
tests/faults plants its faults; and the right ones of public reports. A kernel that runs in one mode must run in all.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

from reports import reports

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODES = [
    "",
    "--check all",
    "--check none",
    "--order reversed",
    "--order shuffled --seed 1",
    "--order reversed --check all",
    "--order shuffled --seed 2 --check all",
]


def kernels(program):
    listed = subprocess.run([program, "list"], capture_output=True, text=True).stdout
    for name, title in re.findall(r"^  (\w+) +(.+)$", listed, re.M):
        if not title.startswith("wrong on purpose"):
            yield name
    for path in sorted(glob.glob(ROOT + "/tests/ports/*/*.h")):
        text = open(path).read()
        for name in re.findall(r"// case:.*(?:\n// case:.*)*\n(?:template.*\n)?struct (\w+)", text):
            yield f"{path}:{name}"
    yield from sorted(glob.glob(HERE + "/kernels/**/*.py", recursive=True) + glob.glob(HERE + "/kernels/**/*.h", recursive=True))
    right = [c["command"].split()[1] for _, commands in reports() for c in commands if c["says"] is None]
    yield from (f"{HERE}/reports/{name}" for name in sorted(set(right)))


def alarm(program, kernel, mode):
    """The line that says what is wrong; "": nothing is."""
    try:
        said = subprocess.run([program, "run", kernel, *mode.split()], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "took more than 120 s"
    if said.returncode == 0:
        return ""
    lines = (said.stdout + said.stderr).splitlines()
    worst = [line for line in lines if re.search(r"wrong:|why:|^\S+:\d+: |^tilescope:", line)]
    return " | ".join(worst[:3]) or f"exit code {said.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*")
    o = parser.parse_args()
    program = os.path.abspath(o.program)
    found = [k for k in kernels(program) if not o.names or any(name in k for name in o.names)]
    runs = [(k, mode) for k in found for mode in MODES]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        said = list(pool.map(lambda run: alarm(program, *run), runs))
    alarms = [(k, mode, text) for (k, mode), text in zip(runs, said) if text]
    for k, mode, text in alarms:
        print(f"{os.path.relpath(k, ROOT) if '/' in k else k} [{mode}]: {text}")
    print(f"{len(alarms)} alarms in {len(runs)} runs of {len(found)} kernels")
    sys.exit(1 if alarms else 0)


if __name__ == "__main__":
    main()
