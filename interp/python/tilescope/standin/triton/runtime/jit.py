from tilescope.arrays import view as reinterpret
from tilescope.jit import JITFunction, KernelInterface, jit
