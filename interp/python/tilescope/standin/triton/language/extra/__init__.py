from triton.language.extra import libdevice
