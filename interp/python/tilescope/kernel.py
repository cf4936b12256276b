"""A kernel, and its launches: kernel[grid](arguments)."""

import hashlib
import operator
import os
import re
import tempfile
import types

from tilescope import _core
from tilescope.arrays import dtype_called, is_array
from tilescope.captured import Dtype, Unusable, decorators_of, dtype_of, function_of, said
from tilescope.errors import Error, whole
from tilescope.launch import Launch, Launcher, left_out, schedule, trace
from tilescope.python_kernel import PythonKernel, PythonLaunch
from tilescope.session import CHECKS

_folders = []  # of texts that were given as strings; they live as long as the process


def kernel(source):
    """A kernel of a file, "relu.h" or "softmax.py", "relu.h:relu_kernel" where it has several; of a text in a string; or
    a function with @triton.jit."""
    python = source if isinstance(source, types.FunctionType) else function_of(source)
    if python is not None:
        return PythonKernel(python, decorators_of(source))
    text = os.fspath(source)
    if "\n" in text or "{" in text:
        return Kernel(_file_of(text))
    if not os.path.isfile(re.sub(r"(\.h|\.py):\w+$", r"\1", text)):
        raise Error(f'there is no file "{text}"', "pass the path of a kernel's file, NAME.h or NAME.py, or its text")
    if not re.search(r"\.(h|py)(:\w+)?$", text):
        raise Error(f'"{text}" ends neither in .h nor in .py', "a kernel's file does: NAME.h, NAME.py")
    return Kernel(os.path.abspath(text))  # wherever the program goes meanwhile


def _file_of(text):
    struct, function = re.search(r"\bstruct\s+(\w+)", text), re.search(r"^\s*def\s+(\w+)", text, re.MULTILINE)
    name, suffix = (struct, "h") if struct or not function else (function, "py")
    folder = tempfile.TemporaryDirectory(prefix="tilescope-")
    _folders.append(folder)
    # Texts of one name in one session are told apart.
    told_by = hashlib.sha1(text.encode()).hexdigest()[:6]
    file = os.path.join(folder.name, f"{name[1] if name else 'kernel'}_{told_by}.{suffix}")
    with open(file, "w") as out:
        out.write(text)
    return file


def check(source, checks=CHECKS):
    """check(fn)[grid](...) launches with races, masked lanes that reach a store and hints checked; bounds always are."""
    return kernel(source).checked(checks)


class _Parameter:
    def __init__(self, name, short_name, kind, said, is_stored, has_default):
        self.name, self.short_name = name, short_name  # x_ptr, x
        self.kind, self.said, self.is_stored = kind, said, is_stored  # t, ptr
        self.is_constant, self.has_default, self.default = kind == "c", has_default, left_out
        self.stars = ""  # a file's kernel names its parameters one by one


class Kernel:
    """kernel[grid](...) runs it, kernel.trace[grid](...) records it, kernel.schedule[grid](...) asks a GPU's model.

    `grid`: programs along one to three axes: a number, a tuple, or a function of the arguments by name, as in Triton.
    """

    def __init__(self, file):
        self.core = _core.Kernel(file)
        self.name, self.file, self.text = self.core.name, self.core.file, self.core.text
        self.parameters = [_Parameter(*p) for p in self.core.parameters]
        self.names = tuple(p.name for p in self.parameters)
        self.short_names = [p.short_name for p in self.parameters]
        self.core_parameters = _core.Parameters("".join(p.kind for p in self.parameters), self.short_names)
        self._by_name = {p.short_name: p for p in self.parameters} | {p.name: p for p in self.parameters}
        self.signature = f"{self.name}({', '.join(p.name for p in self.parameters)})"
        self.includes_others = re.search(r'#\s*include\s*"(?!interp/tl\.h|kernels/offsets\.h)', self.text) is not None
        self.notes = []  # on how it was last compiled for the GPU
        self.trace = Launcher(self, trace, {"programs": "", "budget_mb": 512})
        self.schedule = Launcher(self, schedule, {"gpu": "h200"})
        self._run = self.checked("")

    def parameter(self, word):
        return self._by_name.get(word)

    def takes_as_text(self, value):
        """Of a constant, "f16" names a dtype unless the kernel compares with that text; '"f16"' never does."""
        return value[:1] == '"' or f'"{value}"' in self.text or not dtype_called(value)

    def value_of(self, value):
        dtype = dtype_of(value)
        return Dtype(dtype) if dtype else Unusable(said(value))

    def with_decorators(self, arguments, named):
        return named

    def checked(self, words):
        """[grid](...) with those checks."""
        return Launcher(self, _run, {"check": words})

    def bind(self, grid, arguments, named, words):
        if not self.core.is_python:
            return _Launch(self, grid, arguments, named, words)
        return PythonLaunch(self, grid, arguments, named, words, may_run_on_gpu=words.get("check") == "")

    def __getitem__(self, grid):
        return self._run[grid]

    def __call__(self, *_, **__):
        raise Error(f"{self.name} is launched on a grid", f"{self.name}[grid](...)")

    def __repr__(self):
        return f"<tilescope.Kernel {self.signature} of {self.file}>"


class _Launch(Launch):
    def argument(self, parameter, value):
        name, kind = parameter.name, parameter.kind
        is_descriptor = hasattr(value, "block_shape")
        if kind == "?":  # a plain auto
            kind = "d" if is_descriptor else "t" if is_array(value) else "i" if hasattr(value, "__index__") else "f"
        if value is None:
            if kind == "t" or parameter.kind == "?":
                return _core.none(parameter.short_name)
            raise Error(f"{name} is None, and only a ptr may be None", "pass a value")
        if kind == "t":
            if is_descriptor:
                raise Error(f"{name} is a descriptor, and the kernel takes a ptr there", "pass the tensor itself")
            return self.tensor(parameter.short_name, value)
        if kind == "d":
            if not is_descriptor:
                raise Error(f"{name} is a descriptor in the kernel, which needs the shape of its tiles",
                            f"pass tilescope.descriptor({name}, [64, 64])")
            tile = [whole(f"the shape of {name}'s tiles", n) for n in value.block_shape]
            tensor = self.tensor(parameter.short_name, value.base)
            return _core.descriptor(tensor, tile, getattr(value, "padding", "zero") == "nan")
        if kind == "c" and isinstance(value, str) and self.kernel.takes_as_text(value):
            return _core.text_constant(value.strip('"'))
        if kind == "c" and (dtype := dtype_called(value)):  # torch.float16, "f32"
            return _core.dtype_constant(dtype)
        if is_array(value):
            raise Error(f"{name} is an array, and the kernel takes an {parameter.said} there", "pass a number")
        if kind == "f":
            try:
                return _core.real(float(value))
            except (TypeError, ValueError):
                raise Error(f"{name} is {value!r}, and the kernel takes a float_ there", "pass a number") from None
        if kind == "c" and type(value).__name__ in ("bool", "bool_"):  # Python's and NumPy's
            return _core.constant(bool(value), True)
        if kind == "c" and isinstance(value, float):
            return _core.real_constant(value)
        number = whole(name, value)
        return _core.constant(number, False) if kind == "c" else _core.integer(number)

    def check_arrays(self):
        super().check_arrays()
        for parameter in self.kernel.parameters:
            array = self.arrays.get(parameter.short_name)
            if array is None:
                continue
            name = array.name
            if array.is_read_only and (parameter.is_stored or self.kernel.includes_others):
                who = "the kernel stores" if parameter.is_stored else "what the kernel includes may store"
                raise Error(f"{name} is read-only, and {who} to it", f"pass a copy: {name}.copy()")
            if parameter.kind != "d" and not array.is_contiguous():
                self._require_strides(array)

    def _require_strides(self, array):
        """A kernel knows of a tensor's strides what its arguments say."""
        numbers = {operator.index(v) for v in self.values if hasattr(v, "__index__") and not is_array(v)}
        unsaid = [s for n, s in zip(array.shape, array.strides) if n > 1 and s != 1 and s not in numbers]
        if unsaid:
            raise Error(f"{array.name} is not contiguous: its strides are {array.strides}, and no argument says "
                        f"{unsaid[0]}", f"pass its strides, or a contiguous copy of {array.name}")


def _run(launch):
    check = launch.text("check")
    if not launch.is_on_gpu():
        launch.kernel.core.run(*launch.core(), check.split(",") if check else [], False)
        launch.hand_back()
        return
    if check:
        launch.require_cpu("check")
    launch.kernel.notes = launch.kernel.core.start(*launch.core(), launch.stream())
