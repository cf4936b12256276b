"""A run as the page: its kernel as one text, its arguments as they were."""

import base64
import io
import json
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np

import kernels
import tilescope

PROGRAM = os.environ["TILESCOPE_PROGRAM"] = os.environ["TILESCOPE"]
tilescope.activate()

import triton_kernels  # noqa: E402


class Pages(unittest.TestCase):
    def page(self, run):
        try:
            page = run.page()
        except tilescope.Error as e:
            if "the page is not built" not in e.fact:
                raise
            self.skipTest(str(e))
        given = json.loads(re.search(r'id="given">(.*?)</script>', page.html)[1])
        return page, given, {f["name"]: base64.b64decode(f["base64"]) for f in given["files"]}

    def outputs_of(self, given, files, name):
        """What `tilescope run` makes of the page's text, words and files."""
        with tempfile.TemporaryDirectory() as folder:
            for file, data in {"kernel.py": given["text"].encode(), **files}.items():
                with open(os.path.join(folder, file), "wb") as out:
                    out.write(data)
            words = [f"kernel.py:{given['kernel']}", *given["words"], "--save", f"{name}=made.npy"]
            subprocess.run([PROGRAM, "run", *words], cwd=folder, check=True, capture_output=True)
            return np.load(os.path.join(folder, "made.npy"))

    def test_a_kernel_with_a_helper_and_a_constant_of_the_module(self):
        x, y = np.arange(10, dtype=np.float32), np.zeros(10, np.float32)
        run = tilescope.kernel(triton_kernels.shift_kernel).trace[(2,)](x, y, 10, BLOCK=8)
        x[:] = 7  # the page holds what the launch was given
        page, given, files = self.page(run)
        np.testing.assert_array_equal(np.load(io.BytesIO(files["x.npy"])), np.arange(10))
        np.testing.assert_array_equal(self.outputs_of(given, files, "y"), np.arange(10) + 2)
        self.assertIn("sandbox", page._repr_html_())
        self.assertNotIn("iframe", run._repr_html_())  # 3 MB are asked for

    def test_what_autotune_and_heuristics_give_stands_in_the_case(self):
        _, given, files = self.page(tilescope.kernel(triton_kernels.tuned_kernel).trace[(2,)](np.zeros(16, np.int32), 16))
        self.assertLessEqual({"BLOCK=8", "EVEN=true", "warps=2"}, set(given["words"]))
        self.assertEqual(set(self.outputs_of(given, files, "x")), {8})

    def test_a_large_array_is_left_out_and_told(self):
        x, y = np.ones(1 << 20, np.float32), np.zeros(4, np.float32)
        page, given, _ = self.page(tilescope.kernel(triton_kernels.shift_kernel).trace[(1,)](x, y, 4, BLOCK=4))
        self.assertEqual(page.left_out, ["x"])
        self.assertIn("x=inout:f32[1048576]", given["words"])

    def test_a_page_runs_python_alone(self):
        x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
        run = tilescope.kernel(kernels.RELU).trace[1](x, y, 4, BLOCK=4)
        self.assertRaisesRegex(tilescope.Error, r"C\+\+", run.page)


if __name__ == "__main__":
    unittest.main()
