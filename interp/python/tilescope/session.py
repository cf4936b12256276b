"""Every launch of a script or of a test suite: where it stood, what it took, what it did wrong."""

import os
import sys
import tempfile
import time

from tilescope import debugger
from tilescope.errors import CompileError, Fault

_own_folder = os.path.dirname(os.path.abspath(__file__)) + os.sep
# `uninit` finds nothing: memory that Python hands over counts as written. What Triton refuses is told where there is a
# GPU, by its device file: its driver stays asleep.
CHECKS = "race,undef,hints" + (",triton" if any(map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg"))) else "")
WORDS = "race, undef, hints, nan, triton, all, none"


class Launched:
    # A script of many launches keeps them all: with a dict each, Python would search them for cycles again and again.
    __slots__ = ("kernel", "number", "place", "grid", "arguments", "milliseconds", "wrong", "schedule")

    def __init__(self, kernel, number, place):
        self.kernel = kernel
        self.number = number  # from 1
        self.place = place  # the file and the line that launched it
        self.grid, self.arguments, self.milliseconds = (), "", 0.0
        self.wrong = None  # a Fault, or a text that does not compile
        self.schedule = None  # what the GPU's model says, where a report asks for it

    def title(self):
        axes = 3 - (self.grid[-1:] == (1,)) - (self.grid[-2:] == (1, 1))
        return f"{self.kernel.name}[{', '.join(map(str, self.grid[:axes]))}]({self.arguments})"


class Session:
    """How launches are checked, and those that were."""

    def __init__(self, checks=CHECKS, gpu=None, prints_schedule=False, breaks_at=None, view=None, debugs=False):
        self.checks = checks
        self.gpu = gpu  # whose model is asked about each launch; None: no model
        self.prints_schedule = prints_schedule
        self.debugs = debugs  # a breakpoint in a kernel opens the debugger
        self.breaks_at = breaks_at  # a condition on program ids: every launch opens it
        self.view = view  # the number of a launch that is recorded, in `recording`
        self.recording = None
        self.launches = []
        self._printed = set()

    def launch(self, kernel, grid, arguments, named):
        """Runs it; raises what it did wrong, which the session keeps, too."""
        __tracebackhide__ = True
        launched = Launched(kernel, len(self.launches) + 1, place_of_caller())
        begin = time.perf_counter()
        try:
            bound = kernel.bind_in_script(grid, arguments, named, self.checks)
            self.launches.append(launched)
            launched.grid, launched.arguments = bound.grid, bound.said()
            if self.gpu and 0 not in bound.grid:
                launched.schedule = kernel.scheduled(bound, self.gpu)
                self._print_schedule(launched)
            self._run(launched, bound)
        except (Fault, CompileError) as wrong:
            launched.wrong = wrong
            raise
        finally:
            launched.milliseconds = (time.perf_counter() - begin) * 1000

    def _run(self, launched, bound):
        __tracebackhide__ = True
        kernel = launched.kernel
        if 0 in bound.grid:
            return  # as Triton: no program, no launch
        if self.view == launched.number:
            run = kernel.recorded(bound)
            self.recording = os.path.join(tempfile.mkdtemp(prefix="tilescope-"), f"launch_{launched.number}.tltrace")
            run.save(self.recording)
            faults = run.faults
        elif self.breaks_at is not None or not kernel.ran(bound, self.debugs):
            faults = debugger.debug(kernel.debugger(bound, self.breaks_at or ""), launched, self.breaks_at is not None)
        else:
            return
        if faults:
            raise faults[0]

    def _print_schedule(self, launched):
        title, figures = launched.title(), launched.schedule
        if self.prints_schedule and title not in self._printed:
            self._printed.add(title)
            print(f"tilescope: {title}\n  model of {self.gpu}: {figures['model_ms'] * 1000:.2f} us, "
                  f"DRAM read {figures['dram_read_bytes']:,} B, written {figures['dram_write_bytes']:,} B", file=sys.stderr)

    def wrong(self):
        return [launched for launched in self.launches if launched.wrong]

    def summary(self):
        """tilescope: 12 launches of 3 kernels, no fault"""
        launches, faults = len(self.launches), len(self.wrong())
        kernels = len({id(launched.kernel) for launched in self.launches})
        of = f" of {_plural(kernels, 'kernel')}" if launches else ""
        return f"tilescope: {_plural(launches, 'launch', 'es')}{of}, {_plural(faults, 'fault') if faults else 'no fault'}"


def _plural(count, noun, ending="s"):
    return f"{count:,} {noun}{'' if count == 1 else ending}"


def tell_once(note):
    if note not in _told:
        _told.add(note)
        print(f"tilescope: note: {note}", file=sys.stderr)


_told = set()
_current = Session()


def current():
    return _current


def begin(session):
    global _current
    _current = session
    return session


def place_of_caller():
    """The file and the line of the frame that launched: the first that is neither ours nor Triton's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def is_ours(file):
    return file.startswith(_own_folder) or f"{os.sep}triton{os.sep}runtime{os.sep}" in file
