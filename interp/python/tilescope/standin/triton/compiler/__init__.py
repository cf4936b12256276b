from tilescope.errors import CompileError as CompilationError
from tilescope.jit import Compiled as CompiledKernel
