"""Kernels of Triton's that the tests share, as scripts import them."""

import triton
import triton.language as tl

OFFSET = tl.constexpr(2)


@triton.jit
def shifted(x):
    return x + OFFSET


@triton.jit
def shift_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, shifted(tl.load(x_ptr + offs, mask=mask)), mask=mask)


@triton.jit
def unmasked_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs))


@triton.jit
def first_kernel(x_ptr):
    tl.store(x_ptr, tl.program_id(0))


@triton.autotune(configs=[triton.Config({"BLOCK": 8}, num_warps=2), triton.Config({"BLOCK": 16})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned_kernel(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + offs, BLOCK)
    else:
        tl.store(x_ptr + offs, -BLOCK, mask=offs < n)
