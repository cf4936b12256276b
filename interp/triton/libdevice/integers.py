"""libdevice's functions of integers: bits counted and exchanged, halves of sums and products."""

import triton
import triton.language as tl


@triton.jit
def hadd(arg0, arg1):
    return (arg0 & arg1) + ((arg0 ^ arg1) >> 1)


@triton.jit
def rhadd(arg0, arg1):
    return (arg0 | arg1) - ((arg0 ^ arg1) >> 1)


@triton.jit
def sad(arg0, arg1, arg2):
    return tl.where(arg0 > arg1, arg0 - arg1, arg1 - arg0).to(arg2.dtype) + arg2


@triton.jit
def mul24(arg0, arg1):
    if arg0.dtype == tl.uint32:
        return (arg0 & 0xffffff) * (arg1 & 0xffffff)
    else:
        return ((arg0 << 8) >> 8) * ((arg1 << 8) >> 8)


@triton.jit
def mulhi(arg0, arg1):
    if arg0.dtype == tl.uint32 or arg0.dtype == tl.uint64:
        return tl.umulhi(arg0, arg1)
    elif arg0.dtype == tl.int32:
        return ((arg0.to(tl.int64) * arg1.to(tl.int64)) >> 32).to(tl.int32)
    else:
        high = tl.umulhi(arg0.to(tl.uint64, bitcast=True), arg1.to(tl.uint64, bitcast=True)).to(tl.int64, bitcast=True)
        return high - ((arg0 >> 63) & arg1) - ((arg1 >> 63) & arg0)


@triton.jit
def _bits_of_32(x):
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0f0f0f0f
    return ((x * 0x01010101) >> 24).to(tl.int32)


@triton.jit
def popc(arg0):
    if arg0.dtype == tl.int64 or arg0.dtype == tl.uint64:
        x = arg0.to(tl.uint64, bitcast=True)
        return _bits_of_32(x.to(tl.uint32)) + _bits_of_32((x >> 32).to(tl.uint32))
    else:
        return _bits_of_32(arg0.to(tl.uint32, bitcast=True))


# By the exponent of a float64, which holds 32 bits.
@triton.jit
def _leading_zeros_of_32(x):
    exponent = (x.to(tl.float64).to(tl.int64, bitcast=True) >> 52).to(tl.int32) - 1023
    return tl.where(x == 0, 32, 31 - exponent)


@triton.jit
def clz(arg0):
    if arg0.dtype == tl.int64 or arg0.dtype == tl.uint64:
        x = arg0.to(tl.uint64, bitcast=True)
        high = (x >> 32).to(tl.uint32)
        return tl.where(high == 0, 32 + _leading_zeros_of_32(x.to(tl.uint32)), _leading_zeros_of_32(high))
    else:
        return _leading_zeros_of_32(arg0.to(tl.uint32, bitcast=True))


@triton.jit
def ffs(arg0):
    if arg0.dtype == tl.int64 or arg0.dtype == tl.uint64:
        return tl.where(arg0 == 0, 0, 64 - clz(arg0 & -arg0))
    else:
        return tl.where(arg0 == 0, 0, 32 - clz(arg0 & -arg0))


@triton.jit
def _reversed_32(x):
    x = ((x >> 1) & 0x55555555) | ((x & 0x55555555) << 1)
    x = ((x >> 2) & 0x33333333) | ((x & 0x33333333) << 2)
    x = ((x >> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4)
    x = ((x >> 8) & 0x00ff00ff) | ((x & 0x00ff00ff) << 8)
    return (x >> 16) | (x << 16)


@triton.jit
def brev(arg0):
    if arg0.dtype == tl.int64 or arg0.dtype == tl.uint64:
        x = arg0.to(tl.uint64, bitcast=True)
        low, high = _reversed_32(x.to(tl.uint32)), _reversed_32((x >> 32).to(tl.uint32))
        return ((low.to(tl.uint64) << 32) | high.to(tl.uint64)).to(arg0.dtype, bitcast=True)
    else:
        return _reversed_32(arg0.to(tl.uint32, bitcast=True)).to(arg0.dtype, bitcast=True)


# The byte that three bits name, of eight.
@triton.jit
def _byte(bytes, name):
    return (bytes >> ((name & 7).to(tl.uint64) * 8)).to(tl.uint32) & 0xff


@triton.jit
def byte_perm(arg0, arg1, arg2):
    bytes = arg0.to(tl.uint32, bitcast=True).to(tl.uint64) | (arg1.to(tl.uint32, bitcast=True).to(tl.uint64) << 32)
    name = arg2.to(tl.uint32, bitcast=True)
    low = _byte(bytes, name) | (_byte(bytes, name >> 4) << 8)
    return (low | (_byte(bytes, name >> 8) << 16) | (_byte(bytes, name >> 12) << 24)).to(arg0.dtype, bitcast=True)
