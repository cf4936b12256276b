#!/usr/bin/python3
"""Triton's own unit tests on tilescope's interpreter, beside Triton's own: runs them, and prints a table by test function.

    python3 run.py TRITON/python --out results                 # on tilescope
    python3 run.py TRITON/python --out results --way both      # with Triton installed: on its interpreter, too
    python3 run.py TRITON/python --out results --table         # the table of results that are there
"""

import argparse
import importlib.util
import os
import subprocess
import sys

import table

here = os.path.dirname(os.path.abspath(__file__))
# What Triton's CI runs by TRITON_INTERPRET=1 (`make test-interpret`), and the files whose tests need no GPU.
files = ["language/" + name for name in (
    "test_core.py", "test_tensor_descriptor.py", "test_standard.py", "test_random.py", "test_block_pointer.py",
    "test_subprocess.py", "test_tuple.py", "test_frontend.py", "test_line_info.py", "test_mxfp.py", "test_pipeliner.py",
    "test_libdevice.py")] + ["runtime/test_launch.py", "runtime/test_autotuner.py"]
most_crashes = 40  # of Python itself; each goes on behind the test that crashed


def main():
    asked = parser().parse_args()
    for way in ("tilescope", "triton") if asked.way == "both" else (asked.way,):
        if not asked.table:
            run(asked, way)
    table.show(asked.out, asked.failures)


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", help="the folder `python` of Triton's sources: its tests, and its package where none is installed")
    p.add_argument("--out", default="conformance_results", help="the folder of results; a test that has one is not run again")
    p.add_argument("--way", choices=("tilescope", "triton", "both"), default="tilescope")
    p.add_argument("--files", nargs="*", default=files, help="beneath test/unit")
    p.add_argument("--tests", metavar="WORDS", help="pytest's -k")
    p.add_argument("--all", action="store_true", help="tests without the mark `interpreter`, too")
    p.add_argument("--lift", action="store_true", help='tests that are skipped as "not supported in the interpreter", too')
    p.add_argument("--check", default="none", help="tilescope's checks beside bounds: none, race,undef")
    p.add_argument("--every", type=int, default=1, metavar="N", help="one test of N")
    p.add_argument("--seconds", type=int, default=60, help="that a test may take")
    p.add_argument("--jobs", type=int, default=1, help="files at a time")
    p.add_argument("--table", action="store_true", help="runs nothing")
    p.add_argument("--failures", action="store_true", help="lists what fails, by message")
    return p


def run(asked, way):
    os.makedirs(asked.out, exist_ok=True)
    waiting, running = list(asked.files), []
    while waiting or running:
        while waiting and len(running) < asked.jobs:
            running.append(File(asked, way, waiting.pop(0)))
        running = [f for f in running if not f.is_done()]


class File:
    """One file of tests in a process of its own, begun again where it crashes."""

    def __init__(self, asked, way, name):
        self.asked, self.way, self.name, self.tries = asked, way, name, 0
        self.process = self.start()

    def start(self):
        asked, folder, path = self.asked, os.path.abspath(self.asked.folder), os.environ.get("PYTHONPATH", "")
        result = os.path.join(os.path.abspath(asked.out), f"{self.way}-{os.path.basename(self.name)[:-3]}")
        words = [sys.executable, "-m", "pytest", "-p", "recorder", "-p", "no:cacheprovider", "-p", "no:xdist", "-q",
                 "--tb=line", "--no-header", "--device=cpu", self.name]
        words += ["-k", asked.tests] if asked.tests else []
        words += [] if asked.all else ["-m", "interpreter"]
        environment = {
            **os.environ, "TRITON_INTERPRET": "1", "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "CONFORMANCE_WAY": self.way,
            "CONFORMANCE_RESULT": result + ".jsonl", "CONFORMANCE_SECONDS": str(asked.seconds),
            "CONFORMANCE_EVERY": str(asked.every), "CONFORMANCE_LIFT": "1" if asked.lift else "",
            "CONFORMANCE_CHECK": asked.check, "CONFORMANCE_TRITON": folder,
            "PYTHONPATH": os.pathsep.join([here, *map(os.path.abspath, filter(None, path.split(os.pathsep)))]),
        }
        unit = os.path.join(folder, "test", "unit")
        with open(result + ".log", "a") as log:
            return subprocess.Popen(words, cwd=unit, env=environment, stdout=log, stderr=subprocess.STDOUT)

    def is_done(self):
        code = self.process.wait() if self.asked.jobs == 1 else self.wait_a_little()
        if code is None:
            return False
        has_crashed = code < 0 or code >= 128
        self.tries += 1
        if has_crashed and self.tries < most_crashes:
            self.process = self.start()
            return False
        return True

    def wait_a_little(self):
        try:
            return self.process.wait(0.2)
        except subprocess.TimeoutExpired:
            return None


if __name__ == "__main__":
    if importlib.util.find_spec("tilescope") is None:
        sys.exit("there is no module tilescope: put build/python into PYTHONPATH, or install the wheel")
    main()
