"""Tensors on a GPU: on a driver that computes nothing, what is launched; on a real one, what comes out."""

import functools
import os
import subprocess
import sys
import tempfile
import unittest

CODE = """
import kernels, tilescope

class OnGpu:  # as CuPy's arrays speak
    def __init__(self, address, device=0, stream=7):
        self.shape, self.dtype = (1000,), "float32"
        self.device = device
        self.__cuda_array_interface__ = dict(data=(address, False), typestr="<f4", shape=(1000,), strides=None,
                                             version=3, stream=stream)

relu = tilescope.kernel(kernels.RELU)
try:
    {launch}
except tilescope.Error as e:
    print(e)
"""


def said_of(launch):
    """What is printed, and the launches that the driver was given."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "launches")
        env = {**os.environ, "TILESCOPE_LIBCUDA": os.environ["FAKE_DRIVER"], "FAKE_GPU": "90", "FAKE_LAUNCHES": log}
        code = CODE.format(launch=launch)
        made = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        return made.stdout, open(log).read().splitlines() if os.path.exists(log) else []


class FakeDriver(unittest.TestCase):
    def test_launches_where_the_tensors_lie_on_their_stream(self):
        said, launches = said_of("relu[16](OnGpu(0x10000), OnGpu(0x20000), 1000, BLOCK=64, num_warps=8)")
        if "CUDA toolkit" in said or "NVRTC" in said:
            self.skipTest(said)
        self.assertEqual(launches, [f"16 1 1 256 7 {0x10000}"])

    def test_what_cannot_be_launched_is_told(self):
        for launch, words in (
                ("relu[16](OnGpu(0x10000), OnGpu(0x20000, device=1), 1000, 64)", "y is on cuda:1, and x on cuda:0"),
                ("relu[16](OnGpu(0x10000, device=1), OnGpu(0x20000, device=1), 1000, 64)", "x is on cuda:1"),
                ("relu[16](OnGpu(0x10000), OnGpu(0x20004), 1000, 64)", "y begins at an address that is not a multiple"),
                ("relu.trace[16](OnGpu(0x10000), OnGpu(0x20000), 1000, 64)", "a trace is the interpreter's"),
                ("relu[16](OnGpu(0x10000), OnGpu(0x20000), 1000, 64, check='race')", "check is the interpreter's")):
            said, launches = said_of(launch)
            self.assertIn(words, said)
            self.assertEqual(launches, [])


class Torch(unittest.TestCase):
    def setUp(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not here")
        self.torch = torch

    def test_tensors_on_the_cpu_over_dtypes(self):
        import kernels
        import tilescope
        torch, relu = self.torch, tilescope.kernel(kernels.RELU)
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32):
            x = (torch.randn(100) * 10).to(dtype)
            y = torch.empty_like(x)
            relu[2](x, y, 100, BLOCK=64)
            self.assertTrue(torch.equal(y, torch.where(x > 0, x, torch.zeros_like(x))), dtype)
        with self.assertRaisesRegex(tilescope.Error, "x is on meta"):
            relu[2](x.to("meta"), y, 100, BLOCK=64)


class RealGpu(unittest.TestCase):
    def setUp(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not here")
        if not torch.cuda.is_available():
            self.skipTest("torch finds no GPU")
        self.torch = torch

    def test_on_torchs_stream_over_dtypes(self):
        import kernels
        import tilescope
        torch, relu = self.torch, tilescope.kernel(kernels.RELU)
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32):
            with torch.cuda.stream(torch.cuda.Stream()):
                x = (torch.randn(4097, device="cuda") * 10).to(dtype)
                y = torch.empty_like(x)
                relu[17](x, y, 4097, BLOCK=256)
                self.assertTrue(torch.equal(y, torch.where(x > 0, x, torch.zeros_like(x))))

    def test_the_example_beside_triton(self):
        # Not in this process: tests before this one may have put the interpreter in Triton's place.
        environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
        run = functools.partial(subprocess.run, capture_output=True, text=True, env=environment)
        if run([sys.executable, "-c", "import triton"]).returncode:
            self.skipTest("triton is not here")
        example = os.path.join(os.environ["EXAMPLES"], "softmax_beside_triton.py")
        made = run([sys.executable, example])
        self.assertEqual(made.returncode, 0, made.stderr)


if __name__ == "__main__":
    unittest.main()
