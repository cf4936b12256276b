"""The package as pip installs it: into an empty environment, without a network, used from an empty folder."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import kernels

sys.path.insert(0, os.environ["BACKEND"])
import build_wheel  # noqa: E402


class Wheel(unittest.TestCase):
    def test_works_in_an_empty_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            wheel = build_wheel.pack(pathlib.Path(os.environ["PACKAGE"]), folder, pathlib.Path("/bin/echo"))
            made = subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], capture_output=True, text=True)
            if made.returncode:
                self.skipTest("no venv: " + made.stdout)
            python = f"{folder}/venv/bin/python"
            subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check",
                            f"{folder}/{wheel}"], check=True)
            # Without NumPy: any array that speaks its protocol.
            code = f"""
import array, tilescope
class Speaks:
    def __init__(self, numbers):
        self.numbers, self.dtype, self.shape = array.array("f", numbers), "float32", (len(numbers),)
        self.__array_interface__ = dict(data=(self.numbers.buffer_info()[0], False), typestr="<f4", shape=self.shape,
                                        version=3)
x, y = Speaks([-1, 2, -3]), Speaks([7, 7, 7])
run = tilescope.kernel({kernels.RELU!r}).trace[1](x, y, 3, BLOCK=4)
print(list(y.numbers), list(run.step(-1)["offs"]))
"""
            env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            said = subprocess.run([python, "-c", code], cwd=folder, env={**env, "XDG_CACHE_HOME": folder},
                                  capture_output=True, text=True)
            # The program that the wheel brings, which echo stands for here.
            program = subprocess.run([f"{folder}/venv/bin/tilescope", "run", "x.py"], env=env, capture_output=True,
                                     text=True)
        self.assertEqual(said.stdout, "[0.0, 2.0, 0.0] [0, 1, 2, 3]\n", said.stderr)
        self.assertEqual(program.stdout, "run x.py\n", program.stderr)


if __name__ == "__main__":
    unittest.main()
