"""Every launch of a script or of a test suite: where it stood, what it took, what it did wrong."""

import os
import sys
import time
from dataclasses import dataclass
from typing import Optional

from tilescope.errors import CompileError, Fault

_own_folder = os.path.dirname(os.path.abspath(__file__)) + os.sep
CHECKS = "race,undef,hints"  # `uninit` finds nothing: memory that Python hands over counts as written


@dataclass
class Launched:
    kernel: object
    number: int  # from 1
    place: tuple  # the file and the line that launched it
    grid: tuple = ()
    arguments: str = ""
    milliseconds: float = 0.0
    wrong: Optional[Exception] = None  # a Fault, or a text that does not compile
    schedule: object = None  # what the GPU's model says, where a report asks for it

    def title(self):
        axes = 3 - (self.grid[-1:] == (1,)) - (self.grid[-2:] == (1, 1))
        return f"{self.kernel.name}[{', '.join(map(str, self.grid[:axes]))}]({self.arguments})"


class Session:
    """How launches are checked, and those that were."""

    def __init__(self, checks=CHECKS, gpu=None):
        self.checks = checks
        self.gpu = gpu  # whose model is asked about each launch; None: no model
        self.launches = []

    def launch(self, kernel, grid, arguments, named):
        """Runs it; raises what it did wrong, which the session keeps, too."""
        __tracebackhide__ = True
        launched = Launched(kernel, len(self.launches) + 1, place_of_caller())
        begin = time.perf_counter()
        try:
            bound = kernel.bind_in_script(grid, arguments, named, self.checks)
            self.launches.append(launched)
            launched.grid, launched.arguments = bound.grid, bound.said()
            if self.gpu:
                launched.schedule = kernel.scheduled(bound, self.gpu)
            kernel.run(bound)
        except (Fault, CompileError) as wrong:
            launched.wrong = wrong
            raise
        finally:
            launched.milliseconds = (time.perf_counter() - begin) * 1000

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
