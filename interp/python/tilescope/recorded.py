"""What trace and schedule hand back: values at a step, who touched a cell, figures, drawings."""

import contextlib
import html
import json
from dataclasses import dataclass

from tilescope.arrays import array_of, is_array
from tilescope.errors import Error, Fault, whole
from tilescope.page import page_of

_formats = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "float32": "f", "float64": "d",
}


def _value_of(value):
    """A NumPy array; a number where it has no axis; a memoryview where NumPy is not there."""
    dtype, shape, data = value
    numbers = memoryview(data).cast(_formats[dtype])
    if not shape:
        return numbers[0]
    try:
        import numpy
    except ImportError:
        return memoryview(data).cast(_formats[dtype], shape)
    return numpy.frombuffer(bytearray(data), dtype).reshape(shape)


@contextlib.contextmanager
def _in_pythons_words(fix):
    """The debugger's advice names its own commands."""
    try:
        yield
    except Error as e:
        if "`" not in e.fix:
            raise
        raise Error(e.fact, fix()) from None


class Drawing:
    """An SVG; a notebook shows it."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, file):
        with open(file, "w") as out:
            out.write(self.svg)


class Schedule(dict):
    """The figures of `tilescope schedule --json`, all predicted; a notebook shows the drawing."""

    def __init__(self, figures, svg):
        super().__init__(json.loads(figures))
        self.drawing = Drawing(svg)

    def _repr_svg_(self):
        return self.drawing.svg


@dataclass(frozen=True)
class Touch:
    """One load, store or atomic of one cell. `value`: what the cell held afterwards; None: unknown."""
    program: tuple
    step: int
    line: int
    lane: int
    kind: str
    element: int
    value: object


class Step:
    """The moment before an op: step["offs"] is a value there, step["offs[3] + 1"] what the debugger's `p` prints."""

    def __init__(self, run, program, number):
        self._at = (run._core, program, number)
        self.program, self.number = program, number
        self.line, self.op = run._core.line(program, number), run._core.op(program, number)

    def names(self):
        run, program, number = self._at
        return run.names(program, number)

    def __getitem__(self, expression):
        run, program, number = self._at
        with _in_pythons_words(lambda: "here are " + (", ".join(self.names()) or "no variables yet")):
            return _value_of(run.value(program, number, expression))

    def __repr__(self):
        return f"<step {self.number} of program {self.program}, line {self.line}: {self.op or 'its end'}>"


class Run:
    """A recorded run: every op of every program, with its values.

    `tilescope.Run.shows_page = True`: a notebook shows each run with its page, folded, which adds 3 MB to the notebook.
    """
    shows_page = False

    def __init__(self, core, case, tensors):
        self._core, self._case, self._tensors = core, case, tensors
        self.kernel = case.kernel
        self.programs = [tuple(p) for p in core.programs]
        self.faults = [Fault(*f) for f in core.faults]
        self.notes = core.notes

    def _program(self, program):
        if program is None:
            return self.programs[0]
        at = tuple(program) if isinstance(program, (tuple, list)) else (program,)
        return at + (0,) * (3 - len(at))

    def steps(self, program=None):
        """How many ops a program took; without one the first."""
        return self._core.steps(self._program(program))

    def step(self, number, program=None):
        """Before op `number` of a program; -1 is its end. Without a program the first."""
        program, number = self._program(program), whole("a step", number)
        return Step(self, program, number if number >= 0 else self._core.steps(program) + 1 + number)

    def history(self, tensor, *cell):
        """Every touch of a cell, in the order of the run: history(y, 3), history("y", 2, 0)."""
        if is_array(tensor):
            address = array_of("tensor", tensor).address
            if address not in self._tensors:
                raise Error("history is asked of an array that the kernel was not given",
                            "pass one of its arguments: " + ", ".join(self._tensors.values()))
            tensor = self._tensors[address]
        elif not isinstance(tensor, str):
            raise Error(f"history is asked of {tensor!r}, which is no tensor",
                        'run.history(y, 3), run.history("y", 3)')
        cell = [c for axis in cell for c in (axis if isinstance(axis, (tuple, list)) else (axis,))]
        index = ", ".join(str(whole("a cell's index", c)) for c in cell)
        with _in_pythons_words(lambda: "the tensors: " + ", ".join(self._tensors.values())):
            return [Touch(tuple(t[0]), *t[1:6], None if t[6] is None else _value_of(t[6]))
                    for t in self._core.history(f"{tensor}[{index}]" if cell else tensor)]

    def draw(self, panel="memory", program=None, step=None):
        """A drawing of `tilescope export --panel`: memory, offsets, block, mask, grid, source ..."""
        return Drawing(self._core.draw(panel, None if program is None else self._program(program), step))

    def page(self, panel="memory"):
        """The page with this launch in it, to be stepped through: a notebook shows it, 3 MB; .save("relu.html")."""
        return page_of(self._case, panel)

    def _repr_html_(self):
        """A notebook shows how it ended, its faults, and its memory."""
        faults = "".join(f"<pre>{html.escape(str(f))}</pre>" for f in self.faults[:3])
        more = f"<p>and {len(self.faults) - 3} more</p>" if len(self.faults) > 3 else ""
        page = ""
        if self.shows_page and self._case.is_python():
            page = f"<details><summary>step through it</summary>{self.page()._repr_html_()}</details>"
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{faults}{more}{self.draw().svg}{page}"

    def save(self, file):
        """Writes a recording, for `tilescope debug FILE` and `tilescope view FILE`."""
        self._core.save(str(file))

    def __repr__(self):
        return f"<tilescope.Run of {self.kernel.name}: {len(self.programs)} programs, {len(self.faults)} faults>"
