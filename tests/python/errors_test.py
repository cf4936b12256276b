"""What is wrong is an exception that names the argument; a fault has the text of the terminal and its line."""

import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import kernels
import tilescope


class Errors(unittest.TestCase):
    def setUp(self):
        self.relu = tilescope.kernel(kernels.RELU)
        self.x, self.y = np.ones(8, np.float32), np.ones(8, np.float32)

    def refuses(self, words, launch, kind=tilescope.Error):
        with self.assertRaises(kind) as caught:
            launch()
        self.assertIn(words, str(caught.exception))
        self.assertIn("fix: ", str(caught.exception))
        return caught.exception

    def test_arrays_that_do_not_fit_are_named(self):
        relu, x, y = self.relu[1], self.x, self.y
        fixed = y.copy()
        fixed.flags.writeable = False
        self.refuses("y is read-only", lambda: relu(x, fixed, 8, 8))
        relu(fixed, y, 8, 8)  # what is only loaded may be
        self.refuses("x is big-endian (>f4)", lambda: relu(x.astype(">f4"), y, 8, 8))
        self.refuses("x has dtype complex64", lambda: relu(x.astype(np.complex64), y, 8, 8))
        self.refuses("x is not contiguous: its strides are (2,)", lambda: relu(np.ones(16, np.float32)[::2], y, 8, 8))
        self.refuses("x is not contiguous: it runs backwards", lambda: relu(x[::-1], y, 8, 8))
        self.refuses("y is a list", lambda: relu(x, [0] * 8, 8, 8))
        self.refuses("n is None, and only a ptr may be None", lambda: relu(x, y, None, 8))
        self.refuses("x has 4 bytes an element, and bf16 has 2", lambda: relu(tilescope.view(x, "bf16"), y, 8, 8))

    def test_numbers_that_do_not_fit_are_named(self):
        relu, x, y = self.relu[1], self.x, self.y
        self.refuses("n is 1.5", lambda: relu(x, y, 1.5, 8))
        self.refuses("n is an array", lambda: relu(x, y, x, 8))
        self.refuses("BLOCK is not given", lambda: relu(x, y, 8))
        self.refuses("did you mean BLOCK?", lambda: relu(x, y, 8, BLOK=8))
        self.refuses("x_ptr is given twice", lambda: relu(x, y, 8, 8, x=y))
        self.refuses("5 arguments are given", lambda: relu(x, y, 8, 8, 8))
        self.refuses("num_warps is 3", lambda: relu(x, y, 8, 8, num_warps=3))

    def test_grids_that_are_none(self):
        self.refuses("it holds no program", lambda: self.relu[0](self.x, self.y, 8, 8))
        self.refuses("the grid has 4 axes", lambda: self.relu[1, 1, 1, 1](self.x, self.y, 8, 8))
        self.refuses("launched on a grid", lambda: self.relu(self.x, self.y, 8, 8))

    def test_a_fault_says_what_the_terminal_says(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "unmasked.h")
            with open(file, "w") as out:
                out.write("// case: x=f32[6] y=out:f32[6] BLOCK=4 grid=2\n" + kernels.UNMASKED)
            x, y = np.ones(6, np.float32), np.ones(6, np.float32)
            fault = self.refuses("is out of bounds", lambda: tilescope.kernel(file)[2](x, y, BLOCK=4), tilescope.Fault)
            said = subprocess.run([os.environ["TILESCOPE"], "run", file], capture_output=True, text=True).stdout
        self.assertIn(str(fault), said)
        self.assertEqual((fault.file, fault.line, fault.program, fault.lane), ("unmasked.h", 7, (1, 0, 0), 2))
        self.assertEqual((fault.tensor, fault.element, fault.kind), ("x", 6, "out_of_bounds"))

    def test_a_text_that_does_not_compile(self):
        wrong = tilescope.kernel(kernels.RELU.replace("maximum", "maximun"))
        error = self.refuses('tl has no op "maximun"', lambda: wrong[1](self.x, self.y, 8, 8), tilescope.CompileError)
        self.assertEqual(error.line, 8)
        self.refuses("there is no file", lambda: tilescope.kernel("nowhere.h"))

    def test_a_machine_without_an_assembler(self):
        code = ("import numpy as np, kernels, tilescope\n"
                "x = np.ones(5, np.float32)\n"
                "try: tilescope.kernel(kernels.RELU)[1](x, x, 5, 8)\n"
                "except tilescope.Unavailable as e: print(e)\n")
        with tempfile.TemporaryDirectory() as folder:
            compiler = os.path.join(folder, "g++")
            with open(compiler, "w") as out:
                out.write("#!/bin/sh\necho \"g++: fatal error: cannot execute 'as'\" >&2\nexit 1\n")
            os.chmod(compiler, 0o700)
            said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                  env={**os.environ, "TILESCOPE_CXX": compiler, "XDG_CACHE_HOME": folder})
        self.assertIn("does not find an assembler", said.stdout, said.stderr)
        self.assertIn("sudo apt-get install", said.stdout)


if __name__ == "__main__":
    unittest.main()
