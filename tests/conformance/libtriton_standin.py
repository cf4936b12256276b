"""What Triton's Python asks of its compiler while it is imported, for machines where only Triton's Python is at hand.
Nothing is compiled by it: the kernels run on tilescope."""

import os
import sys
import types


class _Name:
    """A member of libtriton, at whatever depth: ir.ROUNDING_MODE.RTNE is equal to itself alone."""

    def __init__(self, path):
        self._path, self._members = path, {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._members.setdefault(name, _Name(f"{self._path}.{name}"))

    def __call__(self, *_, **__):
        raise RuntimeError(f"{self._path} needs Triton's compiler, which is not installed")

    def __mro_entries__(self, bases):
        return (object,)

    def __or__(self, other):  # in annotations
        return self

    __ror__ = __or__

    def __repr__(self):
        return self._path


def _specialize(backend, value, is_const, specialize, align):
    """A value's type as signatures have it, and nothing of its alignment."""
    from triton.runtime.jit import type_canonicalisation_dict
    if value is None:
        return "constexpr", None
    if isinstance(value, bool):
        return "u1", None
    if isinstance(value, int):
        return ("i32" if -1 << 31 <= value < 1 << 31 else "u64" if value >= 1 << 63 else "i64"), None
    if isinstance(value, float):
        return "fp32", None
    if hasattr(value, "data_ptr"):
        return "*" + type_canonicalisation_dict[str(value.dtype).split(".")[-1]], None
    return "constexpr", value


def put_in():
    package = types.ModuleType("triton._C")
    package.__path__ = []
    library = types.ModuleType("triton._C.libtriton")
    library.getenv = lambda name, default=None: os.environ.get(name, default)
    library.getenv_bool = lambda name, default=False: os.environ.get(name, str(default)).lower() in ("1", "true", "on", "yes")
    library.get_cache_invalidating_env_vars = dict
    library.native_specialize_impl = _specialize
    for name in ("ir", "gluon_ir", "passes", "llvm", "interpreter", "nvidia", "amd", "linear_layout", "make_tensordesc_args"):
        setattr(library, name, _Name(name))
        sys.modules[f"triton._C.libtriton.{name}"] = getattr(library, name)
    package.libtriton = library
    sys.modules.update({"triton._C": package, "triton._C.libtriton": library})
