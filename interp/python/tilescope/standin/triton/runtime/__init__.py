"""triton.runtime, as far as scripts touch it."""

from tilescope.errors import Unavailable as OutOfResources
from tilescope.jit import Autotuner, Config, Heuristics, JITFunction, KernelInterface, autotune, heuristics
from triton.runtime.driver import driver

__all__ = ["Autotuner", "Config", "Heuristics", "JITFunction", "KernelInterface", "OutOfResources", "autotune", "driver",
           "heuristics"]
