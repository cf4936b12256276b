"""kernel[grid](arguments): binds them to the kernel's parameters, and says what is wrong with them."""

import difflib
import sys

from tilescope import _core
from tilescope.arrays import array_of, is_array
from tilescope.errors import Error, UnknownParameter, whole
from tilescope.page import Case
from tilescope.recorded import Run, Schedule

left_out = object()  # an argument whose default the kernel's text alone knows
_own = {"num_warps": 4, "num_stages": 3}  # words of every launch, as Triton has them


class Launcher:
    def __init__(self, kernel, work, words):
        self._kernel, self._work, self.words = kernel, work, {**_own, **words}

    def __getitem__(self, grid):
        def launch(*arguments, **named):
            words, named = self.words, self._kernel.with_decorators(arguments, named)
            if named:
                own = [w for w in words if w in named and not self._kernel.parameter(w)]
                words = {**words, **{w: named.pop(w) for w in own}}
            return self._work(self._kernel.bind(grid, arguments, named, words))
        return launch

    def __call__(self, *_, **__):
        raise Error(f"{self._kernel.name} is launched on a grid", "kernel.trace[grid](...), kernel.schedule[grid](...)")


def trace(launch):
    """Runs it, every op recorded."""
    launch.require_cpu("a trace")
    budget_mb = whole("budget_mb", launch.words["budget_mb"])
    case = Case(launch)  # the run changes its arguments
    recorded = launch.kernel.core.record(*launch.core(), launch.text("programs"), budget_mb)
    launch.hand_back()
    return Run(recorded, case, {a.address: n for n, a in launch.arrays.items()})


def schedule(launch):
    """Asks a GPU's model."""
    return Schedule(*launch.kernel.core.schedule(*launch.core(), launch.text("gpu")))


class _Meta(dict):
    """What a grid is computed from: the arguments by name."""

    def __init__(self, kernel, values):
        super().__init__(zip(kernel.names, values))
        self.update(zip(kernel.short_names, values))
        self.kernel = kernel.name

    def __missing__(self, name):
        near = difflib.get_close_matches(str(name), self, 1)
        raise UnknownParameter(
            f"the grid of {self.kernel} asks for {name}, which is no parameter",
            f"did you mean {near[0]}?" if near else f"its parameters: {', '.join(self)}")


class Launch:
    """Arguments in the order of the parameters, each as the kernel takes it: argument() of the kind of kernel."""
    least_axis = 1  # of the grid
    reaches_storage = False  # a view's elements end where the memory does that it is a view of
    may_run_on_gpu = True  # tensors of a GPU stay there

    def __init__(self, kernel, grid, arguments, named, words):
        self.kernel, self.words = kernel, words
        if len(arguments) + len(named) == len(kernel.names) and kernel.names[len(arguments):] == tuple(named):
            self.values = [*arguments, *named.values()]  # each is given, in the order of the parameters
        else:
            self.values = self._bind(arguments, named)
        self._arrays = {}  # those that _core.arguments does not read itself, by the parameter's short name
        self.arguments, on_cpu, self._on_gpu = _core.arguments(
            kernel.core_parameters, self.values, self.reaches_storage, self.may_run_on_gpu,
            lambda i: self.argument(kernel.parameters[i], self.values[i]))
        if self._arrays or (on_cpu and self._on_gpu):
            self.check_arrays()
        self.grid = self._grid(grid)
        self.warps, self.stages = whole("num_warps", words["num_warps"]), whole("num_stages", words["num_stages"])
        if self.warps not in (1, 2, 4, 8, 16, 32):
            raise Error(f"num_warps is {self.warps}", "choose from 1, 2, 4, 8, 16, 32")
        if not 1 <= self.stages <= 8:
            raise Error(f"num_stages is {self.stages}", "choose from 1 to 8")

    def core(self):
        return self.grid, self.arguments, self.warps, self.stages

    def _bind(self, arguments, named):
        parameters, signature = self.kernel.parameters, self.kernel.signature
        if len(arguments) > len(parameters):
            raise Error(f"{len(arguments)} arguments are given, and there are {len(parameters)} parameters", signature)
        bound = dict(zip((p.name for p in parameters), arguments))
        for word, value in named.items():
            parameter = self.kernel.parameter(word)
            if parameter is None:
                near = difflib.get_close_matches(word, [p.name for p in parameters] + list(self.words), 1)
                fix = f"did you mean {near[0]}?" if near else signature
                raise Error(f"{self.kernel.name} has no parameter {word}", fix)
            if parameter.name in bound:
                raise Error(f"{parameter.name} is given twice", f"leave one of them out: {signature}")
            bound[parameter.name] = value
        missing = [p.name for p in parameters if p.name not in bound and not p.has_default]
        if missing:
            raise Error(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not given", signature)
        values = [bound[p.name] if p.name in bound else p.default for p in parameters]
        while values and values[-1] is left_out:
            values.pop()
        if any(v is left_out for v in values):
            name = next(p.name for p, v in zip(parameters, values) if v is left_out)
            raise Error(f"{name} is not given, and one behind it is", signature)
        return values

    def tensor(self, name, value):
        array = array_of(name, value)
        self._arrays[name] = array
        if min(array.strides, default=0) < 0:
            raise Error(f"{name} is not contiguous: it runs backwards, its strides are {array.strides}",
                        f"pass a copy: {name}.copy()")
        storage = array.storage if self.reaches_storage else None
        return _core.tensor(name, array.address, array.dtype, array.shape, array.strides, array.device is not None,
                            storage)

    @property
    def arrays(self):
        """All of them, by the parameter's short name."""
        all_of = {p.short_name: array_of(p.short_name, v) for p, v in zip(self.kernel.parameters, self.values)
                  if p.short_name not in self._arrays and is_array(v)}
        return {**all_of, **self._arrays}

    def check_arrays(self):
        first = next(iter(self.arrays.values()), None)
        for array in self.arrays.values():
            if array.device != first.device:
                raise Error(f"{array.name} is on {array.place()}, and {first.name} on {first.place()}",
                            "put all tensors on one device")
            if array.device:
                raise Error(f"{array.name} is on {array.place()}", "tilescope uses the first GPU, cuda:0")

    def _grid(self, grid):
        if callable(grid):
            grid = grid(_Meta(self.kernel, self.values))
        sizes = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
        if not 1 <= len(sizes) <= 3:
            raise Error(f"the grid has {len(sizes)} axes", "a grid has 1 to 3")
        sizes = tuple(whole("an axis of the grid", n) for n in sizes)
        if min(sizes) < self.least_axis:
            raise Error(f"the grid is {sizes}: it holds no program", "a grid has at least one program an axis")
        return sizes + (1,) * (3 - len(sizes))

    def hand_back(self):
        """Copies results to where the arguments lie, if the kernel ran elsewhere."""

    def text(self, word):
        if not isinstance(self.words[word], str):
            raise Error(f"{word} is {self.words[word]!r}, and a text is taken there", f'{word}="..."')
        return self.words[word]

    def is_on_gpu(self):
        return self._on_gpu or any(a.device is not None for a in self._arrays.values())

    def stream(self):
        """On which the GPU's work is queued; 0: the default one."""
        if self._on_gpu:
            torch = sys.modules["torch"]
            raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # ten times as fast
            return raw(0) if raw else torch.cuda.current_stream(0).cuda_stream
        return next((a.stream() for a in self._arrays.values() if a.stream), 0)

    def require_cpu(self, what):
        for array in self.arrays.values() if self._on_gpu else self._arrays.values():
            if array.device is not None:
                raise Error(f"{array.name} is on {array.place()}, and {what} is the interpreter's",
                            f"pass NumPy arrays: {array.name}.cpu().numpy()")
