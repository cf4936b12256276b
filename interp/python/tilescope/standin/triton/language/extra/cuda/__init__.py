from tilescope.captured import Op
from triton.language.extra import libdevice


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Op("triton.language.extra.cuda", name)
