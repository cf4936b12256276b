# silu as an operation of torch whose way back is a kernel, and its test:
#     python -m tilescope autograd.py     on the interpreter, with torch on the CPU
import sys

import torch
import triton
import triton.language as tl

from kernel import silu_backward_kernel


@triton.jit
def silu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0).to(tl.float32)
    tl.store(y_ptr + offs, (x / (1 + tl.exp(-x))).to(y_ptr.dtype.element_ty), mask=offs < n)


class Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        silu_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dy, dx = dy.contiguous(), torch.empty_like(x)
        launch = silu_backward_kernel[(triton.cdiv(x.numel(), 64),)]
        launch(x, dy, dx, x.numel(), BLOCK=64)
        return dx


def agrees(x):
    mine, torchs = x.clone().requires_grad_(), x.clone().requires_grad_()
    dy = torch.randn_like(x)
    Silu.apply(mine).backward(dy)
    torch.nn.functional.silu(torchs).backward(dy)
    return torch.allclose(mine.grad, torchs.grad, rtol=2e-6, atol=2e-6)


torch.manual_seed(1)
tests = {"zeros": torch.zeros(64), "large": 20 + torch.rand(64), "ordinary": torch.randn(64), "a tail": torch.randn(97)}
failed = [name for name, x in tests.items() if not agrees(x)]
print("fails:" if failed else "all agree", *failed)
sys.exit(bool(failed))
