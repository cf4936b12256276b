from tilescope.captured import Op


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Op("triton.language.extra.libdevice", name)
