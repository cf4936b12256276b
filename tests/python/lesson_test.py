"""A lesson's script in torch, as a learner runs it beside a kernel of their own."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
except ImportError:
    torch = None

LESSON = pathlib.Path(__file__).resolve().parents[2] / "lessons" / "26_autograd"


@unittest.skipIf(torch is None, "No module named 'torch'")
class Autograd(unittest.TestCase):
    def run_with(self, kernel):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(LESSON / "autograd.py", folder)
            shutil.copy(LESSON / kernel, pathlib.Path(folder) / "kernel.py")
            return subprocess.run([sys.executable, "-m", "tilescope", "autograd.py"], cwd=folder, capture_output=True,
                                  text=True)

    def test_the_solution_agrees_with_torch(self):
        run = self.run_with("solution.py")
        self.assertEqual((run.returncode, run.stdout), (0, "all agree\n"), run.stderr)

    def test_the_starter_passes_at_zeros_and_at_large_numbers_alone(self):
        run = self.run_with("kernel.py")
        self.assertEqual((run.returncode, run.stdout), (1, "fails: ordinary a tail\n"), run.stderr)


if __name__ == "__main__":
    unittest.main()
