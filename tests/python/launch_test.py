"""kernel[grid](...) on NumPy arrays: in place, over dtypes, odd sizes, strides; several threads; Ctrl-C."""

import multiprocessing
import os
import signal
import tempfile
import threading
import unittest

import numpy as np

import kernels
import tilescope


def sum_of_relu(x):
    y = np.empty_like(x)
    tilescope.kernel(kernels.RELU)[16](x, y, 1000, BLOCK=64)
    return float(y.sum())


class Launch(unittest.TestCase):
    def test_in_place_over_dtypes_and_odd_sizes(self):
        relu = tilescope.kernel(kernels.RELU)
        for dtype in (np.float32, np.float64, np.float16, np.int32, np.int64):
            for n in (1, 63, 64, 1000):
                x = (np.random.default_rng(n).standard_normal(n) * 10).astype(dtype)
                y = np.full(n, 77, dtype)
                relu[lambda args: (tilescope.cdiv(args["n"], args["BLOCK"]),)](x, y, n, BLOCK=64)
                np.testing.assert_array_equal(y, np.maximum(x, 0))

    def test_programs_beyond_the_grid_do_not_run(self):
        x, y = np.ones(10, np.float32), np.zeros(10, np.float32)
        tilescope.kernel(kernels.RELU)[1](x, y, 10, BLOCK=4)
        np.testing.assert_array_equal(y, [1] * 4 + [0] * 6)

    def test_strided_rows_floats_and_flags_by_name(self):
        whole = np.arange(60, dtype=np.float32).reshape(5, 12)
        x, y = whole[:, :7], np.zeros((5, 7), np.float32)
        scale = tilescope.kernel(kernels.SCALE)
        scale[5](x, y, x_stride=12, y_stride=7, cols=7, factor=np.float32(0.5), TWICE=True, BLOCK=8)
        np.testing.assert_array_equal(y, x)  # half, then twice

    def test_constants_that_are_dtypes_and_texts(self):
        thirds = tilescope.kernel(kernels.THIRDS)[1]
        x, y = np.arange(8, dtype=np.float32), np.empty(8, np.float32)
        for dtype in np.float16, np.dtype(np.float16), "f16", "float16", "tl.float16":
            for mode, sign in ("int8", -1), ("none", 1), ('"f16"', 1):
                thirds(x, y, ACC=dtype, MODE=mode)
                np.testing.assert_array_equal(y, sign * (x / np.float32(3)).astype(np.float16))

    def test_descriptors(self):
        x = np.arange(12 * 20, dtype=np.float32).reshape(12, 20)
        y = np.zeros_like(x)
        tile = [8, 16]
        tilescope.kernel(kernels.COPY_TILES)[2, 2](tilescope.descriptor(x, tile), tilescope.descriptor(y, tile), *tile)
        np.testing.assert_array_equal(y, x)

    def test_bits_as_bfloat16(self):
        x = np.array([1.5, -2.0, 0.25], np.float32)
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)  # exact for these
        out = np.empty_like(bits)
        tilescope.kernel(kernels.RELU)[1](tilescope.view(bits, "bf16"), tilescope.view(out, "bf16"), 3, BLOCK=4)
        np.testing.assert_array_equal((out.astype(np.uint32) << 16).view(np.float32), [1.5, 0, 0.25])

    def test_any_array_that_speaks_dlpack(self):
        class Speaks:
            def __init__(self, array):
                self.array, self.shape = array, array.shape
                self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__

        x, y = np.array([-1, 2, -3], np.float64), np.empty(3)
        tilescope.kernel(kernels.RELU)[1](Speaks(x), Speaks(y), 3, BLOCK=4)
        np.testing.assert_array_equal(y, [0, 2, 0])

    def test_two_texts_of_one_name_in_one_session(self):
        x, y = np.array([-1, 2], np.float32), np.empty(2, np.float32)
        for text, expected in (kernels.RELU, [0, 2]), (kernels.RELU.replace("maximum", "minimum"), [-1, 0]):
            tilescope.kernel(text)[1](x, y, 2, BLOCK=2)
            np.testing.assert_array_equal(y, expected)

    def test_threads_run_kernels_side_by_side(self):
        relu, wrong = tilescope.kernel(kernels.RELU), []

        def work(seed):
            x = np.random.default_rng(seed).standard_normal(1000).astype(np.float32)
            y = np.empty_like(x)
            for _ in range(20):
                y.fill(77)
                relu[16](x, y, 1000, BLOCK=64)
                if not np.array_equal(y, np.maximum(x, 0)):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_kernels_run_in_forked_processes_too(self):
        relu, x = tilescope.kernel(kernels.RELU), np.arange(-500, 500, dtype=np.float32)
        relu[16](x, np.empty_like(x), 1000, BLOCK=64)  # its threads are not the child's
        with multiprocessing.get_context("fork").Pool(1) as pool:
            self.assertEqual(pool.apply_async(sum_of_relu, (x,)).get(timeout=60), 499 * 500 / 2)

    def test_a_file_is_found_wherever_the_program_goes(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            try:
                os.chdir(folder)
                with open("relu.h", "w") as out:
                    out.write(kernels.RELU)
                relu, x = tilescope.kernel("relu.h:relu_kernel"), np.ones(2, np.float32)
                os.chdir("/")
                relu[1](x, x, 2, BLOCK=2)
            finally:
                os.chdir(before)

    def test_a_file_in_triton_python_is_a_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "twice.py")
            with open(path, "w") as out:
                out.write("import triton\nimport triton.language as tl\n@triton.jit\n"
                          "def twice(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 8):\n"
                          "    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                          "    tl.store(y_ptr + offs, 2 * tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)\n")
            x, y = np.arange(10, dtype=np.float32), np.zeros(10, np.float32)
            tilescope.kernel(path)[2](x, y, 10)
            np.testing.assert_array_equal(y, 2 * x)
            tilescope.kernel(path + ":twice")[1](y, x, 10, BLOCK=16)
            np.testing.assert_array_equal(x, 2 * y)

    def test_ctrl_c_ends_a_kernel_that_never_would(self):
        endless, x = tilescope.kernel(kernels.ENDLESS), np.ones(1, np.int32)
        # A shell's background jobs begin with SIGINT ignored: the endless kernel would then never hear it.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        for launch in endless[1], endless.trace[1]:
            # Other threads of Python run meanwhile: this one could not, were the GIL kept.
            timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                while True:  # should the signal come before the kernel begins
                    launch(x)
            timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)


if __name__ == "__main__":
    unittest.main()
