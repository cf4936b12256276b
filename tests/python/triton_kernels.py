"""Kernels of Triton's that the tests share, as scripts import them."""

from typing import NamedTuple

import numpy as np
import triton
import triton.language as tl
from triton.language.standard import _log2

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


@triton.jit
def tuple_of_size_kernel(y_ptr, size_and_value):
    tl.static_assert(size_and_value[0] == 8)
    tl.store(y_ptr + tl.arange(0, size_and_value[0]), size_and_value[1])


@tl.constexpr
def twice(n):
    return 2 * n


@triton.jit
def log2_of_doubled_kernel(y_ptr, N: tl.constexpr):
    exponent: tl.constexpr = _log2(twice(N))
    tl.store(y_ptr, exponent)


@triton.jit
def is_pointer_kernel(y_ptr, n):
    if isinstance(y_ptr.dtype, tl.pointer_type) and y_ptr.dtype.element_ty == tl.int32:
        tl.store(y_ptr, 1)
    if isinstance(n, tl.pointer_type):
        tl.store(y_ptr + 1, 1)


class Pair(NamedTuple):
    out: object
    number: object


@triton.jit
def doubled(x):
    return x * 2


@triton.jit
def tuple_kernel(given, pair):
    tl.store(pair.out, given[0](tl.load(given[1])))
    tl.store(pair.out + 1, given[2])
    tl.store(pair.out + 2, pair.number)


@triton.constexpr_function
def bit_count(n):
    return n.bit_length()


@triton.jit
def bits_kernel(y_ptr, N: tl.constexpr):
    bits: tl.constexpr = bit_count(N)
    tl.store(y_ptr, bits)


TABLE = [1, 2, 3]


class Sizes:
    n = 4


def plain(x):
    return x + 1


@triton.jit
def reads_list(x_ptr):
    tl.store(x_ptr, TABLE[1])


@triton.jit
def reads_class(x_ptr):
    tl.store(x_ptr, Sizes.n)


@triton.jit
def calls_numpy(x_ptr):
    tl.store(x_ptr, np.sqrt(4.0))


@triton.jit
def calls_plain(x_ptr):
    tl.store(x_ptr, plain(1))


@triton.jit
def takes_stars(x_ptr, *rest):
    tl.store(x_ptr, 1)
