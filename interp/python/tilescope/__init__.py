"""Write a GPU kernel once; watch it on the CPU, run it on the GPU.

    relu = tilescope.kernel("relu.h")
    relu[grid](x, y, n, BLOCK=64)           # NumPy arrays: the interpreter, in place; CUDA tensors: the GPU
    run = relu.trace[grid](x, y, n, BLOCK=64)
    relu.schedule[grid](x, y, n, BLOCK=64, gpu="h200")
"""

from tilescope import _core
from tilescope.arrays import cdiv, descriptor, next_power_of_2, view
from tilescope.errors import CompileError, Error, Fault, Unavailable
from tilescope.kernel import Kernel, check, kernel
from tilescope.page import Page
from tilescope.python_kernel import PythonKernel
from tilescope.recorded import Drawing, Run, Schedule, Step, Touch
from tilescope.script import activate

_core.link_with(_core.__file__)  # where kernels find the interpreter's ops

__all__ = [
    "CompileError", "Drawing", "Error", "Fault", "Kernel", "Page", "PythonKernel", "Run", "Schedule", "Step", "Touch",
    "Unavailable", "activate", "cdiv", "check", "descriptor", "kernel", "next_power_of_2", "view",
]
