from tilescope.errors import CompileError as CompilationError, Error as TritonError
