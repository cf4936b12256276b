# The same kernel in Triton. Without the masks it would read and write past the end, and on most days nothing would tell.
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, bs: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * bs + tl.arange(0, bs)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(z_ptr + offs, x + y, mask=mask)


def add(x, y, bs=1024):
    z = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), bs),)](x, y, z, x.numel(), bs=bs)
    return z
