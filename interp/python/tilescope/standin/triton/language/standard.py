from triton.language import *  # noqa: F403
from triton.language import __getattr__, constexpr_function  # noqa: F401


@constexpr_function
def _log2(i):
    return i.bit_length() - 1
