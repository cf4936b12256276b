from tilescope.errors import CompileError as CompilationError
