# The same kernel in Triton. Beside kernel.h only the notation differs: a mask by keyword, bs as tl.constexpr.
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, z_ptr, n, bs: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * bs + tl.arange(0, bs)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(z_ptr + offs, x, mask=mask)


def copy(x, bs=2):
    z = torch.empty_like(x)
    copy_kernel[(triton.cdiv(x.numel(), bs),)](x, z, x.numel(), bs=bs)
    return z
