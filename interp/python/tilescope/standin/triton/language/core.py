from triton.language import *  # noqa: F403
from triton.language import __getattr__, constexpr  # noqa: F401

CONSTEXPR_0 = constexpr(0)
