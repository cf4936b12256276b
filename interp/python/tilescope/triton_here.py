"""Takes over the launches of Triton's kernels: of the Triton that is installed, or by what stands in for it."""

import importlib.util
import os
import sys

from tilescope import session
from tilescope.errors import Error
from tilescope.python_kernel import PythonKernel
from tilescope.triton_words import triton_words

_stand_in = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin")
_kernels = {}  # by function


def take_over(is_imported_now=False):
    """`is_imported_now`: spec() does the rest for a Triton that is installed."""
    if _stand_in in sys.path:
        return
    if "triton" not in sys.modules and not _is_installed():
        sys.path.append(_stand_in)
    elif not is_imported_now:
        _take_over_installed()


def _is_installed():
    """A folder of that name, beside the script, is not Triton."""
    found = importlib.util.find_spec("triton")
    return found is not None and found.origin is not None


def spec():
    """Of the module triton, which is taken over when it is loaded."""
    found = importlib.util.find_spec("triton")
    if not found.origin.startswith(_stand_in):
        load = found.loader.exec_module

        def load_and_take_over(module):
            load(module)
            _take_over_installed()

        found.loader.exec_module = load_and_take_over
    return found


def _take_over_installed():
    from triton.runtime import autotuner, errors, interpreter

    def run(self, *args, grid, warmup, **kwargs):
        __tracebackhide__ = True
        if warmup:
            return
        for hook in getattr(self, "pre_run_hooks", ()):
            hook(*args, **kwargs)
        kernel = _kernels.get(self.fn) or _kernels.setdefault(self.fn, PythonKernel(self.fn))
        known = {name: value for name, value in kwargs.items() if kernel.takes(name)}  # Triton drops what is none, too
        try:
            session.current().launch(kernel, grid, args, known)
        except Error as e:
            raise _as_tritons(e, errors.InterpreterError)

    interpreter.InterpretedFunction.run = run
    # Nothing is timed on the interpreter, and there may be no driver to time by: the first config is the best.
    autotuner.Autotuner._bench = lambda *_, **__: [1.0, 1.0, 1.0]


def _as_tritons(error, base):
    """The same error, which `pytest.raises(triton.TritonError)` and its like catch as well, with Triton's words."""
    kind = type(error)
    if kind not in _as_tritons.kinds:
        _as_tritons.kinds[kind] = type(kind.__name__, (kind, base), {"__init__": Exception.__init__, "__str__": _said})
    raised = _as_tritons.kinds[kind](*error.args)
    raised.__dict__.update(error.__dict__)
    words = triton_words(str(error))
    raised.error_message = words
    raised.__cause__ = ValueError(words) if words else None
    return raised


_as_tritons.kinds = {}


def _said(error):
    words = f"\n  Triton: {error.error_message}" if error.error_message else ""
    return Exception.__str__(error) + words
