"""A kernel, and its launches: kernel[grid](arguments)."""

import difflib
import hashlib
import operator
import os
import re
import tempfile

from tilescope import _core
from tilescope.arrays import array_of, is_array
from tilescope.errors import Error
from tilescope.recorded import Run, Schedule

_own = {"num_warps": 4, "num_stages": 3}  # words of every launch, as Triton has them
_folders = []  # of texts that were given as strings; they live as long as the process


def kernel(source):
    """A kernel of a file, "relu.h" or "relu.h:relu_kernel" where it has several, or of a text in a string."""
    text = os.fspath(source)
    if "\n" in text or "{" in text:
        return Kernel(_file_of(text))
    if not os.path.isfile(re.sub(r"(\.h):\w+$", r"\1", text)):
        raise Error(f'there is no file "{text}"', "pass the path of a kernel's file, NAME.h, or its text")
    return Kernel(text)


def _file_of(text):
    name = re.search(r"\bstruct\s+(\w+)", text)
    folder = tempfile.TemporaryDirectory(prefix="tilescope-")
    _folders.append(folder)
    # Texts of one name in one session are told apart.
    told_by = hashlib.sha1(text.encode()).hexdigest()[:6]
    file = os.path.join(folder.name, f"{name[1] if name else 'kernel'}_{told_by}.h")
    with open(file, "w") as out:
        out.write(text)
    return file


class Kernel:
    """kernel[grid](...) runs it, kernel.trace[grid](...) records it, kernel.schedule[grid](...) asks a GPU's model.

    `grid`: programs along one to three axes: a number, a tuple, or a function of the arguments by name, as in Triton.
    """

    def __init__(self, file):
        self._core = _core.Kernel(file)
        self.name, self.file, self.text = self._core.name, self._core.file, self._core.text
        self.includes_others = re.search(r'#\s*include\s*"(?!interp/tl\.h|kernels/offsets\.h)', self.text) is not None
        self.trace = _Launcher(self, _trace, {"programs": "", "budget_mb": 512})
        self.schedule = _Launcher(self, _schedule, {"gpu": "h200"})
        self._run = _Launcher(self, _run, {"check": ""})

    def __getitem__(self, grid):
        return self._run[grid]

    def __call__(self, *_, **__):
        raise Error(f"{self.name} is launched on a grid", f"{self.name}[grid](...)")

    def __repr__(self):
        return f"<tilescope.Kernel {self.name}({', '.join(p[0] for p in self._core.parameters)}) of {self.file}>"


class _Launcher:
    def __init__(self, kernel, work, words):
        self._kernel, self._work, self._words = kernel, work, words

    def __getitem__(self, grid):
        def launch(*arguments, **named):
            words = {**_own, **self._words}
            taken = {n for p in self._kernel._core.parameters for n in p[:2]}
            for word in [w for w in named if w in words and w not in taken]:
                words[word] = named.pop(word)
            return self._work(_Launch(self._kernel, grid, arguments, named, words))
        return launch

    def __call__(self, *_, **__):
        raise Error(f"{self._kernel.name} is launched on a grid", "kernel.trace[grid](...), kernel.schedule[grid](...)")


class _Launch:
    """Arguments in the order of the parameters, each as the kernel takes it."""

    def __init__(self, kernel, grid, arguments, named, words):
        self.kernel, self.words = kernel, words
        self.parameters = kernel._core.parameters
        self.values = self._bind(arguments, named)
        self.arrays = {}
        self.arguments = [self._argument(p, v) for p, v in zip(self.parameters, self.values)]
        self._check_arrays()
        self.grid = _grid_of(grid, {n: v for p, v in zip(self.parameters, self.values) for n in p[:2]})
        self.warps, self.stages = (_whole(w, words[w]) for w in _own)
        if self.warps not in (1, 2, 4, 8, 16, 32):
            raise Error(f"num_warps is {self.warps}", "choose from 1, 2, 4, 8, 16, 32")
        if not 1 <= self.stages <= 8:
            raise Error(f"num_stages is {self.stages}", "choose from 1 to 8")

    def core(self):
        return self.grid, self.arguments, self.warps, self.stages

    def _bind(self, arguments, named):
        names = [p[0] for p in self.parameters]
        signature = f"{self.kernel.name}({', '.join(names)})"
        if len(arguments) > len(names):
            raise Error(f"{len(arguments)} arguments are given, and there are {len(names)} parameters", signature)
        bound = dict(zip(names, arguments))
        for word, value in named.items():
            name = word if word in names else next((p[0] for p in self.parameters if word == p[1]), None)
            if name is None:
                near = difflib.get_close_matches(word, names + list(self.words), 1)
                fix = f"did you mean {near[0]}?" if near else signature
                raise Error(f"{self.kernel.name} has no parameter {word}", fix)
            if name in bound:
                raise Error(f"{name} is given twice", f"leave one of them out: {signature}")
            bound[name] = value
        missing = [n for n in names if n not in bound]
        if missing:
            raise Error(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not given", signature)
        return [bound[n] for n in names]

    def _argument(self, parameter, value):
        name, short, kind, said, is_stored = parameter
        if kind == "?":  # a plain auto
            kind = ("d" if hasattr(value, "block_shape") else "t" if is_array(value)
                    else "i" if hasattr(value, "__index__") else "f")
        if kind in "td" and value is None:
            raise Error(f"{name} is None, and a kernel takes no None",
                        "pass a tensor, and a constexpr_ flag that says whether to use it")
        if kind == "t":
            if hasattr(value, "block_shape"):
                raise Error(f"{name} is a descriptor, and the kernel takes a ptr there", "pass the tensor itself")
            return self._tensor(short, value)
        if kind == "d":
            if not hasattr(value, "block_shape"):
                raise Error(f"{name} is a descriptor in the kernel, which needs the shape of its tiles",
                            f"pass tilescope.descriptor({name}, [64, 64])")
            tile = [_whole(f"the shape of {name}'s tiles", n) for n in value.block_shape]
            return _core.descriptor(self._tensor(short, value.base), tile)
        if is_array(value):
            raise Error(f"{name} is an array, and the kernel takes an {said} there", "pass a number")
        if kind == "f":
            try:
                return _core.real(float(value))
            except (TypeError, ValueError):
                raise Error(f"{name} is {value!r}, and the kernel takes a float_ there", "pass a number") from None
        if kind == "c" and type(value).__name__ in ("bool", "bool_"):  # Python's and NumPy's
            return _core.constant(bool(value), True)
        number = _whole(name, value)
        return _core.constant(number, False) if kind == "c" else _core.integer(number)

    def _tensor(self, name, value):
        array = array_of(name, value)
        self.arrays[name] = array
        if any(s < 0 for s in array.strides):
            raise Error(f"{name} is not contiguous: it runs backwards, its strides are {array.strides}",
                        f"pass a copy: {name}.copy()")
        return _core.tensor(name, array.address, array.dtype, array.shape, array.strides, array.device is not None)

    def _check_arrays(self):
        numbers = {operator.index(v) for p, v in zip(self.parameters, self.values)
                   if p[2] in "ic?" and hasattr(v, "__index__") and not is_array(v)}
        for name, short, kind, _, is_stored in self.parameters:
            array = self.arrays.get(short)
            if array is None:
                continue
            if array.is_read_only and (is_stored or self.kernel.includes_others):
                stores = "the kernel stores to it" if is_stored else "what the kernel includes may store to it"
                raise Error(f"{short} is read-only, and {stores}", f"pass a copy: {short}.copy()")
            unsaid = [s for n, s in zip(array.shape, array.strides) if n > 1 and s != 1 and s not in numbers]
            if kind != "d" and not array.is_contiguous() and unsaid:
                raise Error(f"{short} is not contiguous: its strides are {array.strides}, and no argument says "
                            f"{unsaid[0]}",
                            f"pass its strides, or a contiguous copy of {short}")
        first = next(iter(self.arrays.values()), None)
        for array in self.arrays.values():
            if array.device != first.device:
                raise Error(f"{array.name} is on {array.place()}, and {first.name} on {first.place()}",
                            "put all tensors on one device")
            if array.device:
                raise Error(f"{array.name} is on {array.place()}", "tilescope uses the first GPU, cuda:0")

    def is_on_gpu(self):
        return any(a.device is not None for a in self.arrays.values())

    def require_cpu(self, what):
        for array in self.arrays.values():
            if array.device is not None:
                raise Error(f"{array.name} is on {array.place()}, and {what} is the interpreter's",
                            f"pass NumPy arrays: {array.name}.cpu().numpy()")


def _whole(name, value):
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}, and a whole number is taken there", "pass an int") from None
    if not -(1 << 63) <= number < 1 << 63:
        raise Error(f"{name} is {number}, which 64 bits do not hold", "pass a smaller number")
    return number


def _grid_of(grid, arguments):
    if callable(grid):
        grid = grid(arguments)
    sizes = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
    if not 1 <= len(sizes) <= 3:
        raise Error(f"the grid has {len(sizes)} axes", "a grid has 1 to 3")
    sizes = tuple(_whole("an axis of the grid", n) for n in sizes)
    if min(sizes) < 1:
        raise Error(f"the grid is {sizes}: it holds no program", "a grid has at least one program an axis")
    return sizes + (1,) * (3 - len(sizes))


def _run(launch):
    if not launch.is_on_gpu():
        check = launch.words["check"]
        launch.kernel._core.run(*launch.core(), check.split(",") if check else [])
        return
    if launch.words["check"]:
        launch.require_cpu("check")
    streams = {a.stream for a in launch.arrays.values() if a.stream}
    launch.kernel.notes = launch.kernel._core.start(*launch.core(), next(iter(streams), 0))


def _trace(launch):
    launch.require_cpu("a trace")
    budget_mb = _whole("budget_mb", launch.words["budget_mb"])
    recorded = launch.kernel._core.record(*launch.core(), launch.words["programs"], budget_mb)
    return Run(recorded, launch.kernel, {a.address: n for n, a in launch.arrays.items()})


def _schedule(launch):
    return Schedule(*launch.kernel._core.schedule(*launch.core(), launch.words["gpu"]))
