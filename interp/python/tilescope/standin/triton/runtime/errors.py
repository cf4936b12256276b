from tilescope.errors import Error as InterpreterError, Unavailable as OutOfResources
