"""A run as the page: its kernel, its arguments as they were, in any browser or in a notebook."""

import ast
import ctypes
import html
import math
import os
import subprocess
import tempfile

from tilescope import command
from tilescope.captured import Dtype, Function, Member, Unusable, unwrapped
from tilescope.errors import Error, Unavailable

LARGEST = 1 << 20  # bytes of arguments that a page holds
_in_npy = {
    "i1": "|b1", "i8": "|i1", "u8": "|u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4", "i64": "<i8",
    "u64": "<u8", "f16": "<f2", "f32": "<f4", "f64": "<f8",
}


class Page:
    """One HTML file; a notebook shows it in a frame that can reach nothing of the notebook's."""

    def __init__(self, text, left_out):
        self.html, self.left_out = text, left_out

    def _repr_html_(self):
        left_out = f"<p>Not in the page, which fills it anew: {', '.join(self.left_out)}</p>" if self.left_out else ""
        return (f'{left_out}<iframe sandbox="allow-scripts" loading="lazy" title="tilescope" '
                f'style="width:100%;height:46em;border:1px solid #ccc" srcdoc="{html.escape(self.html)}"></iframe>')

    def save(self, file):
        with open(file, "w") as out:
            out.write(self.html)


class Case:
    """What a launch is given, before it runs: words as those behind `# case:`, arrays as files of NumPy's."""

    def __init__(self, launch):
        self.kernel, self.words, self.files, self.left_out = launch.kernel, [], {}, []
        arrays = launch.arrays
        for parameter, argument, value in zip(self.kernel.parameters, launch.arguments, launch.values):
            name = parameter.short_name
            if name in arrays:
                role = "inout:" if getattr(parameter, "is_stored", True) else ""  # of a function of Python's: unknown
                self.words.append(f"{name}={role}{self._word_of_array(name, arrays[name], str(argument))}")
            else:
                self.words.append(f"{name}={_word_of(argument, value)}")
        self.words += [f"grid=({', '.join(map(str, launch.grid))})", f"warps={launch.warps}", f"stages={launch.stages}"]

    def is_python(self):
        return not hasattr(self.kernel, "text") or self.kernel.core.is_python

    def _word_of_array(self, name, array, word):
        size = math.prod(array.shape) * array.size
        if array.dtype not in _in_npy or not array.is_contiguous() or array.device is not None or (
                size + sum(map(len, self.files.values())) > LARGEST):
            self.left_out.append(name)
            return word
        header = repr({"descr": _in_npy[array.dtype], "fortran_order": False, "shape": tuple(array.shape)})
        header += " " * (-(len(header) + 11) % 64) + "\n"
        self.files[f"{name}.npy"] = b"".join([b"\x93NUMPY\x01\x00", len(header).to_bytes(2, "little"),
                                              header.encode(), ctypes.string_at(array.address, size)])
        return f"@{name}.npy"


def page_of(case, panel):
    """As `tilescope page` makes it."""
    if not case.is_python():
        raise Error(f"{case.kernel.name} is C++, and a page runs Triton's Python alone", "run.draw() draws it")
    program = command.program()
    if not program:
        raise Unavailable("the program tilescope is not there", "install the wheel, or set TILESCOPE_PROGRAM to it")
    with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
        for name, data in case.files.items():
            _write(os.path.join(folder, name), data)
        out = os.path.join(folder, "page.html")
        words = [_kernel_file(case.kernel, folder), *case.words, "--panel", panel, "-o", out]
        made = subprocess.run([program, "page", *words], cwd=folder, capture_output=True, text=True)
        if made.returncode:
            fact, _, fix = made.stderr.strip().partition("\n  fix: ")
            raise Error(fact.removeprefix("tilescope: "), fix)
        with open(out) as text:
            return Page(text.read(), case.left_out)


def _write(file, data):
    with open(file, "wb") as out:
        out.write(data)


def _kernel_file(kernel, folder):
    """FILE.py:NAME of its own file, or of one that holds a function of Python's and what it reads."""
    if hasattr(kernel, "text"):
        return f"{kernel.file}:{kernel.name}"
    file = os.path.join(folder, f"{kernel.name}.py")
    _write(file, _text_of(kernel.captured.functions).encode())
    return f"{file}:{kernel.name}"


def _text_of(functions):
    """Functions of a script or of a notebook's cells as one file: the kernel last, before it what it reads."""
    names, texts = {"triton": "import triton", "tl": "import triton.language as tl"}, []
    for function in reversed(functions):
        for name, value in function.names.items():
            line = _line_of(name, value)
            if names.setdefault(name, line) != line:
                raise Error(f"{name} is not the same in all functions of the kernel", "put the kernel into a file")
        definition = ast.parse(function.text).body[0]
        lines = function.text.split("\n")[definition.lineno - 1:]  # what other decorators give stands in the case
        texts.append("\n".join(["@triton.jit", *lines]).rstrip() + "\n")
    return "\n".join([line for line in names.values() if line]) + "\n\n\n" + "\n\n".join(texts)


def _line_of(name, value):
    """Where a name of a kernel gets its value; '' where a function of that name, or nothing, is meant."""
    if isinstance(value, Member):
        module, _, member = value.path.rpartition(".")
        is_module = value.path in ("triton", "triton.language")
        return f"import {value.path} as {name}" if is_module else f"from {module} import {member} as {name}"
    if isinstance(value, Dtype):
        return f"{name} = tl.{_dtypes[value.name]}"
    if isinstance(value, Function):
        return "" if value.name == name else f"{name} = {value.name}"
    if isinstance(value, Unusable):
        return ""
    if value is None or isinstance(value, (bool, int, float, str)):
        return f"{name} = tl.constexpr({value!r})"
    raise Error(f"the kernel reads {name}, which a page cannot hold", "put the kernel into a file of its own")


_dtypes = {
    "i1": "int1", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "f8e4nv": "float8e4nv", "f8e5": "float8e5",
}


def _word_of(argument, value):
    """Of a number, a text or a dtype."""
    value = unwrapped(value)
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return f'"{value}"'
    found = getattr(argument, "value", argument)
    return found.name if isinstance(found, Dtype) else str(found)
