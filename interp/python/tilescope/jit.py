"""What stands in for Triton's decorators where Triton is not installed: jit, autotune, heuristics, Config."""

import functools

from tilescope import session
from tilescope.errors import Error
from tilescope.python_kernel import PythonKernel


class KernelInterface:
    """kernel[grid](...): the interface that jit functions and what is wrapped around them share."""

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def warmup(self, *args, grid, **kwargs):
        return self.run(*args, grid=grid, warmup=True, **kwargs)


class JITFunction(KernelInterface):
    """A kernel, or a helper that kernels call."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn
        self._kernel = None
        self.pre_run_hooks = []

    @property
    def kernel(self):
        if self._kernel is None:
            self._kernel = PythonKernel(self.fn)
        return self._kernel

    @property
    def arg_names(self):
        return list(self.fn.__code__.co_varnames[:self.fn.__code__.co_argcount])

    @property
    def src(self):
        return self.kernel.captured.functions[0].text

    def add_pre_run_hook(self, hook):
        self.pre_run_hooks.append(hook)

    def run(self, *args, grid, warmup=False, **kwargs):
        __tracebackhide__ = True
        if warmup:
            return Compiled(self, kwargs.get("num_warps", 4))
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        session.current().launch(self.kernel, grid, args, kwargs)
        return Compiled(self, kwargs.get("num_warps", 4))

    def __call__(self, *_, **__):
        raise Error(f"{self.__name__} is called outside of a kernel",
                    f"launch it on a grid, {self.__name__}[grid](...); helpers are called by kernels alone")

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.fn.__qualname__})"


class Compiled(KernelInterface):
    """What warmup() and a launch hand back. No compiler has counted here: scripts that divide by registers and shared
    memory to find a grid get the least that a program may take."""

    def __init__(self, function, num_warps):
        self.function, self.name = function, function.__name__
        self.n_regs, self.n_spills = 16, 0
        self.metadata = Metadata(self.name, num_warps)
        self.asm = {}

    def run(self, *args, grid, warmup=False, **kwargs):
        __tracebackhide__ = True
        return self.function.run(*args, grid=grid, warmup=warmup, **kwargs)

    def _init_handles(self):
        pass


class Metadata:
    def __init__(self, name, num_warps):
        self.name, self.num_warps, self.shared = name, num_warps, 1024


class Config:
    """Constants and options of a launch, which autotune chooses among."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps, self.num_stages, self.num_ctas, self.maxnreg = num_warps, num_stages, num_ctas, maxnreg
        self.pre_hook, self.ir_override = pre_hook, ir_override

    def all_kwargs(self):
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages, "num_ctas": self.num_ctas,
                   "maxnreg": self.maxnreg}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __repr__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __eq__(self, other):
        return isinstance(other, Config) and self.all_kwargs() == other.all_kwargs()

    def __hash__(self):
        return hash(repr(self))


class Wrapped(KernelInterface):
    """A decorator's object around a jit function, or around another one."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.arg_names = fn.arg_names


class Autotuner(Wrapped):
    """Launches with the first config that its pruning leaves: nothing is timed on the interpreter."""

    def __init__(self, fn, configs, key, prune_configs_by=None, reset_to_zero=None):
        super().__init__(fn)
        self.configs = list(configs) or [Config({})]
        self.keys = list(key)
        prune = prune_configs_by or {}
        self.early_config_prune = prune.get("early_config_prune")
        self.perf_model, self.configs_top_k = prune.get("perf_model"), prune.get("top_k", 1.0)
        self.reset_to_zero = reset_to_zero or []
        self.best_config = None
        self.cache = {}  # key to config

    def run(self, *args, **kwargs):
        __tracebackhide__ = True
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        chosen = self._chosen(named, args, kwargs)
        self.best_config = chosen
        twice = [name for name in chosen.kwargs if name in named]
        if twice:
            raise Error(f"{twice[0]} is given to {self.__name__}, and autotune's configs set it",
                        f"leave {twice[0]} out of the launch")
        constants = chosen.all_kwargs()
        if chosen.pre_hook:
            chosen.pre_hook({**named, **constants})
        return self.fn.run(*args, **kwargs, **{name: v for name, v in constants.items() if name not in kwargs})

    def prune_configs(self, named, kwargs):
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(configs, named, **kwargs)
            if not configs:
                raise Error(f"early_config_prune leaves no config of {self.__name__}", "let it keep one")
        if self.perf_model:
            times = {c: self.perf_model(**named, **c.all_kwargs()) for c in configs}
            configs = sorted(configs, key=times.get)
        return configs

    def _chosen(self, named, args, kwargs):
        values = [named[name] for name in self.keys if name in named]
        key = (*(repr(v) for v in values), *(str(a.dtype) for a in named.values() if hasattr(a, "dtype")))
        if key not in self.cache:
            own = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
            self.cache[key] = self.prune_configs({**dict(zip(self.arg_names, args)), **own}, own)[0]
            if len(self.configs) > 1:  # as after Triton's timing
                for name in self.reset_to_zero:
                    named[name].zero_()
        return self.cache[key]


class Heuristics(Wrapped):
    """Constants that functions of the arguments give."""

    def __init__(self, fn, values):
        super().__init__(fn)
        self.values = values

    def run(self, *args, **kwargs):
        __tracebackhide__ = True
        for name, value in self.values.items():
            kwargs[name] = value({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


def jit(fn=None, **_options):
    """A kernel's decorator, with brackets or without."""
    return JITFunction(fn) if fn is not None else JITFunction


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, **_of_timing):
    return lambda fn: Autotuner(fn, configs, key, prune_configs_by, reset_to_zero)


def heuristics(values):
    return lambda fn: Heuristics(fn, values)
