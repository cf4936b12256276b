"""A kernel that is a function of Python's: its text is read and walked, no compiler runs."""

import difflib
import inspect

from tilescope import _core, session
from tilescope.arrays import is_array, view
from tilescope.captured import Captured, Constant, Named, Unusable, dtype_of, is_constexpr, said, unwrapped
from tilescope.errors import Error, whole
from tilescope.launch import Launch, Launcher, schedule, trace
from tilescope.recorded import Schedule

# What compilers for GPUs are told; the interpreter has no use for it.
_options = {
    "num_ctas": 1, "maxnreg": None, "enable_fp_fusion": True, "launch_cooperative_grid": False, "launch_pdl": False,
    "debug": False, "sanitize_overflow": True, "allow_fp8e4nv": True, "stream": None, "device": None,
    "device_type": None, "ir_override": None, "matrix_instr_nonkdim": 0, "waves_per_eu": 0, "kpack": 1,
    "num_consumer_groups": 0, "num_buffers_warp_spec": 0, "reg_dec_producer": 0, "reg_inc_consumer": 0,
}


class Parameter:
    def __init__(self, parameter, annotations):
        self.name, self.short_name = parameter.name, parameter.name.removesuffix("_ptr")
        self.is_constant = is_constexpr(annotations.get(parameter.name, ""))
        self.default = parameter.default
        self.has_default = parameter.default is not inspect.Parameter.empty
        self.stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")


class PythonKernel:
    """kernel[grid](...), kernel.trace[grid](...), kernel.schedule[grid](...), as those of a kernel's file in C++."""

    def __init__(self, python, decorators=()):
        self._decorators = decorators  # of autotune and heuristics, the outermost first
        self.python, self.name, self.file = python, python.__name__, python.__code__.co_filename
        self.parameters = [Parameter(p, python.__annotations__) for p in inspect.signature(python).parameters.values()]
        self.names = tuple(p.name for p in self.parameters)
        self.short_names = [p.short_name for p in self.parameters]
        self.core_parameters = _core.Parameters("".join("c" if p.is_constant else "?" for p in self.parameters),
                                                self.short_names)
        self._by_name = {p.name: p for p in self.parameters}
        self.signature = f"{self.name}({', '.join(p.name for p in self.parameters)})"
        self.trace = Launcher(self, trace, {**_options, "programs": "", "budget_mb": 512})
        self.schedule = Launcher(self, schedule, {**_options, "gpu": "h200"})
        self._run = Launcher(self, self.run, {**_options, "check": ""})
        self._captured = self._core = self._functions = None

    @property
    def captured(self):
        if self._captured is None or self._captured.has_changed():
            self._captured, self._core = Captured(self.python), None
        return self._captured

    @property
    def core(self):
        functions = self.captured.functions
        if self._core is None or self._functions != len(functions):  # an argument may have brought another function
            self._core, self._functions = _core.PythonKernel(functions), len(functions)
        return self._core

    def parameter(self, word):
        return self._by_name.get(word)

    def takes(self, word):
        """A parameter, an option of a launch, or one of those misspelt, which the launch names."""
        known = [*self._by_name, *self._run.words]
        return word in known or bool(difflib.get_close_matches(word, known, 1, 0.8))

    def value_of(self, value):
        """Of an argument that is no number and no tensor: a dtype, an op, another function."""
        return self.captured.value_of(value)

    def with_decorators(self, arguments, named):
        """`named`, and what autotune's first config and heuristics give."""
        for decorator in self._decorators:
            if hasattr(decorator, "configs"):
                named = {**decorator.configs[0].all_kwargs(), **named}
            else:
                given = dict(zip(self._by_name, arguments))
                for name, value in decorator.values.items():
                    named = {**named, name: value({**given, **named})}
        return named

    def checked(self, words):
        """[grid](...) with those checks."""
        return Launcher(self, self.run, {**_options, "check": words})

    def bind(self, grid, arguments, named, words):
        return PythonLaunch(self, grid, arguments, named, words)

    def bind_in_script(self, grid, arguments, named, checks):
        """As Triton binds: its options stand among the arguments."""
        words = {**self._run.words, "check": checks}
        words.update({w: named.pop(w) for w in [w for w in named if w in words and w not in self._by_name]})
        if isinstance(words["num_warps"], int):  # a warp of Triton's interpreter has one thread: scripts ask for many
            words["num_warps"] = min(words["num_warps"], 32)
        return PythonLaunch(self, grid, arguments, named, words)

    def run(self, launch):
        """On the interpreter; tensors of a GPU are copied there and back."""
        __tracebackhide__ = True
        if 0 not in launch.grid:  # as Triton: no program, no launch
            self.ran(launch, debugs=False)

    def ran(self, launch, debugs):
        """False, and nothing has run, where `debugs` and a breakpoint may ask for the debugger."""
        __tracebackhide__ = True
        check = launch.text("check")
        try:
            notes = self.core.run(*launch.core(), check.split(",") if check else [], debugs)
        finally:
            launch.hand_back()
        for note in notes or ():
            session.tell_once(note)
        return notes is not None

    def recorded(self, launch):
        launch.words = {**launch.words, "programs": "", "budget_mb": 512}
        return trace(launch)

    def debugger(self, launch, condition):
        """Runs it, recorded; values are kept of programs that meet the condition."""
        made = self.core.debugger(*launch.core(), condition)
        launch.hand_back()
        return made

    def scheduled(self, launch, gpu):
        return Schedule(*self.core.schedule(*launch.core(), gpu))

    def __getitem__(self, grid):
        return self._run[grid]

    def __call__(self, *_, **__):
        raise Error(f"{self.name} is launched on a grid", f"{self.name}[grid](...)")

    def __repr__(self):
        return f"<tilescope.PythonKernel {self.signature} of {self.file}>"


class PythonLaunch(Launch):
    """Arguments as captured.py has values; tensors as the interpreter has them."""
    least_axis = 0
    reaches_storage = True  # a kernel may step from a view to the rest of the memory, as on a GPU

    def __init__(self, kernel, grid, arguments, named, words, may_run_on_gpu=False):
        self.may_run_on_gpu = may_run_on_gpu  # tensors of a GPU stay there
        self._copies = []  # of memory that cannot be used where it lies: (original, copy)
        self._read_only = []  # (name, original, copy)
        for p in kernel.parameters:
            if p.stars:
                raise Error(f"{kernel.name} takes {p.stars}{p.name}, and a kernel's parameters are named one by one",
                            "write them out, or pass a tuple")
        super().__init__(kernel, grid, arguments, named, words)

    def argument(self, parameter, value):
        return self._value(parameter.is_constant, parameter.short_name, value)

    def _value(self, is_constant, name, value):
        value = unwrapped(value)
        if isinstance(value, (bool, int, float)) or value is None:
            return Constant(value) if is_constant else value
        if isinstance(value, str):
            return Constant(value)
        if isinstance(value, (tuple, list)):
            values = tuple(self._value(is_constant or unwrapped(v) is not v, f"{name}[{i}]", v)
                           for i, v in enumerate(value))
            return Named(value._fields, values) if hasattr(value, "_fields") else values
        # Torch's tensors of no axis, what triton.reinterpret gives and libraries' own have none of the protocols.
        if is_array(value) or any(hasattr(value, p) for p in ("__dlpack__", "data_ptr")) or (
                type(value).__name__ == "TensorWrapper"):
            if is_constant:
                raise Error(f"{name} is a tl.constexpr, and a tensor is given", f"pass a number: {name}=x.item()")
            return self._memory(name, value)
        if (found := self.kernel.value_of(value)) and (is_constant or not isinstance(found, Unusable)):
            return found  # a constant may be what kernels cannot read, as long as they do not
        if hasattr(value, "__index__"):  # NumPy's numbers
            number = whole(name, value)
            return Constant(number) if is_constant else number
        if hasattr(value, "__float__"):
            return Constant(float(value)) if is_constant else float(value)
        raise Error(f"{name} is {said(value)}, which kernels do not take",
                    "pass a tensor, a number, a text, a dtype, or a tuple of them")

    def _memory(self, name, value):
        if hasattr(value, "block_shape"):
            tile = [whole(f"the shape of {name}'s tiles", n) for n in value.block_shape]
            return _core.descriptor(self._memory(name, value.base), tile, getattr(value, "padding", "zero") == "nan")
        if type(value).__name__ == "TensorWrapper":  # triton.reinterpret's
            return self.tensor(name, view(self._on_the_cpu(value.base), value.dtype))
        if getattr(getattr(value, "flags", None), "writeable", True) is False:  # NumPy's
            self._read_only.append((name, value, value.copy()))
            return self.tensor(name, self._read_only[-1][2])
        return self.tensor(name, self._on_the_cpu(value))

    def _on_the_cpu(self, value):
        """Itself; a copy where it lies on a GPU, one copy of a tensor that is passed twice."""
        if self.may_run_on_gpu or getattr(getattr(value, "device", None), "type", "cpu") != "cuda":
            return value
        for original, copy in self._copies:
            if original is value:
                return copy
        self._copies.append((value, value.cpu()))
        return self._copies[-1][1]

    def hand_back(self):
        """Copies results to where the arguments lie."""
        for original, copy in self._copies:
            original.copy_(copy)
        for name, original, copy in self._read_only:
            if original.tobytes() != copy.tobytes():
                raise Error(f"{name} is read-only, and the kernel stores to it; it is as it was", "pass a copy")

    def said(self):
        """x=f32[1000], n=1000, BLOCK=64"""
        return ", ".join([f"{p.name}={a if type(a) is _core.Argument else _said_of(v)}"
                          for p, a, v in zip(self.kernel.parameters, self.arguments, self.values)])


def _said_of(value):
    value = unwrapped(value)
    return dtype_of(value) or getattr(value, "__name__", None) or repr(value)
