"""The GPU that scripts size their grids by: an H200, as the interpreter's model takes by itself."""

from types import SimpleNamespace


class _Active:
    def __init__(self):
        self.utils = SimpleNamespace(get_device_properties=lambda device: {
            "multiprocessor_count": 132, "max_num_regs": 65536, "max_shared_mem": 232448, "warpSize": 32,
            "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144,
        })

    def get_current_target(self):
        return SimpleNamespace(backend="cuda", arch=90, warp_size=32)

    def get_current_device(self):
        return 0

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_current_stream(self, device=None):
        return 0

    def get_benchmarker(self):
        from triton.testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self):
        import torch
        return torch.empty(1)

    def clear_cache(self, cache):
        pass


active = _Active()
driver = SimpleNamespace(active=active)
