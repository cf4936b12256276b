"""What torch 1.13 lacks and Triton's tests ask for; nothing is changed in a torch that has it."""

import ctypes
import gc

import torch


def mend():
    if hasattr(torch.Tensor, "untyped_storage"):
        return
    torch.Tensor.untyped_storage = lambda self: self.storage()._storage
    members = gc.get_referents(torch.dtype.__dict__)[0]  # a type in C, which takes no attribute otherwise
    members["itemsize"] = property(lambda self: torch.empty(0, dtype=self).element_size())
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(torch.dtype))
    for name in ("matmul", "mm", "bmm", "clamp", "topk", "unique", "softmax", "addmm", "sort"):
        setattr(torch, name, _by_float(getattr(torch, name)))
    for name in ("matmul", "__matmul__", "mm", "bmm", "clamp", "topk", "unique", "softmax", "sort"):
        setattr(torch.Tensor, name, _by_float(getattr(torch.Tensor, name)))
    clamp_in_place = torch.Tensor.clamp_
    torch.Tensor.clamp_ = lambda self, *a, **k: (
        self.copy_(self.float().clamp(*a, **k)) if self.dtype is torch.float16 else clamp_in_place(self, *a, **k))


def _by_float(work):
    """Half precision on the CPU: computed in float32, rounded once."""
    def done(*arguments, **named):
        if not any(_is_half(a) for a in arguments):
            return work(*arguments, **named)
        result = work(*(a.float() if _is_half(a) else a for a in arguments), **named)
        narrow = lambda x: x.half() if isinstance(x, torch.Tensor) and x.dtype is torch.float32 else x
        return type(result)(map(narrow, result)) if isinstance(result, tuple) else narrow(result)
    return done


def _is_half(value):
    return isinstance(value, torch.Tensor) and value.dtype is torch.float16
