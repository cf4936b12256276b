"""triton.testing: comparisons as Triton's; benchmarks run once, and small: times here say nothing of a GPU's."""

import functools
import sys
import time


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean", **_):
    """Milliseconds of one call, on the interpreter."""
    begin = time.perf_counter()
    fn()
    milliseconds = (time.perf_counter() - begin) * 1000
    if quantiles is not None:
        return [milliseconds] * len(quantiles) if len(quantiles) > 1 else milliseconds
    return [milliseconds] if return_mode == "all" else milliseconds


do_bench_cudagraph = do_bench


class Benchmark:
    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="",
                 x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals, self.line_arg, self.line_vals = x_names, x_vals, line_arg, line_vals
        self.line_names, self.plot_name, self.args = line_names, plot_name, args


class Mark:
    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Each line at its first size alone."""
        for bench in self.benchmarks if isinstance(self.benchmarks, (list, tuple)) else [self.benchmarks]:
            names = bench.x_names if isinstance(bench.x_names, (list, tuple)) else [bench.x_names]
            size = bench.x_vals[0]
            sizes = size if isinstance(size, (list, tuple)) else [size] * len(names)
            for line in bench.line_vals:
                self.fn(**dict(zip(names, sizes)), **{bench.line_arg: line}, **bench.args, **kwargs)
            said = ", ".join(f"{name}={size}" for name, size in zip(names, sizes))
            print(f"tilescope: {bench.plot_name} ran at {said} alone, unmeasured: nothing here tells a GPU's times",
                  file=sys.stderr)

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)


def _properties():
    from triton.runtime.driver import active
    return active.utils.get_device_properties(0)


def nvsmi(attrs):
    """What nvidia-smi would say of its clocks, in MHz; of anything else 0."""
    kilohertz = {"sm": "sm_clock_rate", "graphics": "sm_clock_rate", "mem": "mem_clock_rate", "memory": "mem_clock_rate"}
    return [_properties().get(kilohertz.get(attr.split(".")[-1], ""), 0) // 1000 for attr in attrs]


def get_dram_gbps(device=None):
    """Of the GPU that scripts are told of, by its clock and its bus."""
    return _properties()["mem_clock_rate"] * _properties()["mem_bus_width"] * 2 / 1e6 / 8


def _tflops(clock_rate, of_a_quarter):
    return _properties()["multiprocessor_count"] * 4 * clock_rate * of_a_quarter * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """`clock_rate` in kHz; a quarter of an SM does as many operations a clock as the dtype is narrow, as Triton counts."""
    return _tflops(clock_rate, {4: 256, 2: 512, 1: 1024}[_bytes_of(dtype)])


def get_max_simd_tflops(dtype, clock_rate, device=None):
    return _tflops(clock_rate, {4: 32, 2: 64}[_bytes_of(dtype)])


def _bytes_of(dtype):
    import torch
    return torch.empty(0, dtype=dtype).element_size() if isinstance(dtype, torch.dtype) else dtype.itemsize


def perf_report(benchmarks):
    return lambda fn: functools.wraps(fn)(Mark(fn, benchmarks))


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    import numpy
    x, y = (numpy.asarray(v.detach().cpu().float().numpy() if hasattr(v, "detach") else v) for v in (x, y))
    numpy.testing.assert_allclose(x, y, atol=1e-2 if atol is None else atol, rtol=0.0 if rtol is None else rtol,
                                  err_msg=err_msg, equal_nan=True)
