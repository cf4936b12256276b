from triton.language import *  # noqa: F403
from triton.language import __getattr__, constexpr  # noqa: F401

CONSTEXPR_0 = constexpr(0)


def _aggregate(cls):
    """A class whose objects are tuples of values with methods."""
    cls.__triton_aggregate__ = True
    return cls
