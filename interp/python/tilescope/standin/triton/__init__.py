"""Stands in for Triton where it is not installed: scripts import it, and their kernels run on tilescope's interpreter."""

from tilescope.arrays import cdiv, next_power_of_2, view as reinterpret
from tilescope.errors import CompileError as CompilationError, Error as TritonError, Unavailable as OutOfResources
from tilescope.jit import Config, JITFunction, KernelInterface, autotune, heuristics, jit
from triton import errors, language, runtime, testing, tools
from triton.language import constexpr, constexpr_function
from triton.language.core import _aggregate as aggregate

__version__ = "3.7.0"  # whose language the interpreter speaks


def set_allocator(allocator):
    """Kernels that make descriptors need no memory of the host's here."""


__all__ = [
    "CompilationError", "Config", "JITFunction", "KernelInterface", "OutOfResources", "TritonError", "aggregate",
    "autotune", "cdiv", "constexpr", "constexpr_function", "errors", "heuristics", "jit", "language", "next_power_of_2", "reinterpret",
    "runtime", "set_allocator", "testing", "tools",
]
