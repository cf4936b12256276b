from triton.language.extra.libdevice import __getattr__
