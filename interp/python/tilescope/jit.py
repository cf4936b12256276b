"""What stands in for Triton's decorators where Triton is not installed: jit, autotune, heuristics, Config."""

import functools
import hashlib
import inspect

from tilescope import session
from tilescope.captured import is_constexpr
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

    def __init__(self, fn, do_not_specialize=(), **_options):
        functools.update_wrapper(self, fn)
        self.fn = self.base_fn = fn
        self.__globals__ = fn.__globals__
        self.do_not_specialize = do_not_specialize or ()
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

    @functools.cached_property
    def signature(self):
        return inspect.signature(self.fn)

    @functools.cached_property
    def params(self):
        return [Parameter(i, p, self.do_not_specialize) for i, p in enumerate(self.signature.parameters.values())]

    @property
    def src(self):
        return self.kernel.captured.functions[0].text

    @property
    def cache_key(self):
        """Of the text, and of those of the helpers that it calls."""
        texts = "".join(function.text for function in self.kernel.captured.functions)
        return hashlib.sha256(texts.encode()).hexdigest()

    def add_pre_run_hook(self, hook):
        self.pre_run_hooks.append(hook)

    def run(self, *args, grid, warmup=False, **kwargs):
        __tracebackhide__ = True
        if not warmup:
            for hook in self.pre_run_hooks:
                hook(*args, **kwargs)
            session.current().launch(self.kernel, grid, args, kwargs)
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        return Compiled(self, kwargs.get("num_warps", 4), {p.name: named[p.name] for p in self.params
                                                           if p.is_constexpr and p.name in named})

    def __call__(self, *_, **__):
        raise Error(f"{self.__name__} is called outside of a kernel",
                    f"launch it on a grid, {self.__name__}[grid](...); helpers are called by kernels alone")

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.fn.__qualname__})"


class Parameter:
    """Of a jit function, as libraries with a cache of their own ask for it."""

    def __init__(self, number, parameter, do_not_specialize):
        self.num, self.name, self.default = number, parameter.name, parameter.default
        self.is_constexpr = is_constexpr(parameter.annotation)
        self.do_not_specialize = number in do_not_specialize or parameter.name in do_not_specialize


class Compiled(KernelInterface):
    """What warmup() and a launch hand back. No compiler has counted here: scripts that divide by registers and shared
    memory to find a grid get the least that a program may take."""

    def __init__(self, function, num_warps, constants):
        self.function, self.name = function, function.__name__
        self.constants = constants  # those it was made for: a launch may leave them out
        self.n_regs, self.n_spills = 16, 0
        self.metadata = Metadata(self.name, num_warps)
        self.asm = {}

    def run(self, *args, grid, warmup=False, **kwargs):
        __tracebackhide__ = True
        if len(args) + len(kwargs) < len(self.function.arg_names):
            names = [name for name in self.function.arg_names if name not in self.constants]
            args, kwargs = (), {**self.constants, **dict(zip(names, args)), **kwargs}
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

    def __init__(self, fn, arg_names):
        functools.update_wrapper(self, fn)
        self.fn, self.arg_names = fn, arg_names
        self.base_fn = getattr(fn, "base_fn", fn)


class Autotuner(Wrapped):
    """Launches with the first config that its pruning leaves: nothing is timed on the interpreter. Its parameters and
    attributes are Triton's, for classes that derive from it."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None, pre_hook=None,
                 post_hook=None, prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None,
                 cache_results=False):
        super().__init__(fn, arg_names)
        self.configs = list(configs) or [Config({})]
        self.keys = list(key)
        prune = prune_configs_by or {}
        self.early_config_prune = prune.get("early_config_prune")
        self.perf_model, self.configs_top_k = prune.get("perf_model"), prune.get("top_k", 1.0)
        self.reset_to_zero, self.restore_value = reset_to_zero or [], restore_value or []
        self.user_defined_pre_hook, self.user_defined_post_hook = pre_hook is not None, post_hook is not None
        self.pre_hook, self.post_hook = pre_hook or self._reset, post_hook or (lambda named, exception: None)
        self.use_cuda_graph, self.cache_results = use_cuda_graph, cache_results
        self.best_config = self.nargs = None
        self.cache = {}  # key to config

    def _reset(self, named, reset_only=False):
        for name in self.reset_to_zero:
            named[name].zero_()

    def run(self, *args, **kwargs):
        __tracebackhide__ = True
        self.nargs = dict(zip(self.arg_names, args))
        named = {**self.nargs, **kwargs}
        chosen = self._chosen(named, kwargs)
        self.best_config = chosen
        twice = [name for name in chosen.kwargs if name in named]
        if twice:
            raise Error(f"{twice[0]} is given to {self.__name__}, and autotune's configs set it",
                        f"leave {twice[0]} out of the launch")
        constants = chosen.all_kwargs()
        if chosen.pre_hook:
            chosen.pre_hook({**named, **constants})
        return self.fn.run(*args, **kwargs, **{name: v for name, v in constants.items() if name not in kwargs})

    def _bench(self, *args, config, **kwargs):
        """The times of a config, for tuners that choose in a way of their own: all are alike."""
        return [0.0, 0.0, 0.0]

    def prune_configs(self, kwargs):
        configs, named = self.configs, {**self.nargs, **kwargs}
        if self.early_config_prune:
            configs = self.early_config_prune(configs, named, **kwargs)
            if not configs:
                raise Error(f"early_config_prune leaves no config of {self.__name__}", "let it keep one")
        if self.perf_model:
            times = {c: self.perf_model(**named, **c.all_kwargs()) for c in configs}
            configs = sorted(configs, key=times.get)
        return configs

    def _chosen(self, named, kwargs):
        of_kernel = {name: value for name, value in named.items() if name in self.arg_names}
        key = (*(of_kernel[name] for name in self.keys if name in of_kernel),
               *(str(a.dtype) for a in of_kernel.values() if hasattr(a, "dtype")))
        if key not in self.cache:
            own = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
            self.cache[key] = self.prune_configs(own)[0]
            if len(self.configs) > 1:  # as after Triton's timing
                self.pre_hook({**named, **self.cache[key].all_kwargs()}, reset_only=True)
        return self.cache[key]


class Heuristics(Wrapped):
    """Constants that functions of the arguments give."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        self.values = values

    def run(self, *args, **kwargs):
        __tracebackhide__ = True
        for name, value in self.values.items():
            kwargs[name] = value({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


def jit(fn=None, **_options):
    """A kernel's decorator, with brackets or without."""
    return JITFunction(fn) if fn is not None else JITFunction


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             **of_timing):
    return lambda fn: Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook, post_hook,
                                prune_configs_by, **of_timing)


def heuristics(values):
    return lambda fn: Heuristics(fn, fn.arg_names, values)
