from triton.language import *  # noqa: F403
from triton.language import __getattr__  # noqa: F401
