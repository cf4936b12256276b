"""libdevice's conversions: between floats and integers by each way of rounding, and of bits."""

import triton
import triton.language as tl
from rounding import _rounded, _toward, _wide


@triton.jit
def _whole(x, WAY: tl.constexpr):
    if WAY == "rd":
        return tl.floor(x)
    elif WAY == "ru":
        return tl.ceil(x)
    elif WAY == "rz":
        return tl.trunc(x)
    else:
        return tl.rint(x)


# Beyond its ends the nearest integer; of NaN what PTX has.
@triton.jit
def _integer(x, dtype: tl.constexpr, LEAST: tl.constexpr, BEYOND: tl.constexpr, WAY: tl.constexpr):
    whole = _whole(_wide(x), WAY)
    is_within = (whole >= LEAST) & (whole < BEYOND)
    ends = tl.where(whole < LEAST, tl.full(whole.shape, LEAST, dtype), tl.full(whole.shape, BEYOND - 1, dtype))
    is_zero = x.dtype == tl.float32 and (BEYOND == 2**31 or BEYOND == 2**32)
    of_nan = tl.full(whole.shape, 0 if is_zero else BEYOND // 2 if LEAST == 0 else LEAST, dtype)
    return tl.where(whole != whole, of_nan, tl.where(is_within, tl.where(is_within, whole, 0.0).to(dtype), ends))


@triton.jit
def float2int_rn(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "rn")
@triton.jit
def float2int_rz(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "rz")
@triton.jit
def float2int_rd(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "rd")
@triton.jit
def float2int_ru(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "ru")
@triton.jit
def float2uint_rn(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "rn")
@triton.jit
def float2uint_rz(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "rz")
@triton.jit
def float2uint_rd(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "rd")
@triton.jit
def float2uint_ru(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "ru")
@triton.jit
def double2int_rn(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "rn")
@triton.jit
def double2int_rz(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "rz")
@triton.jit
def double2int_rd(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "rd")
@triton.jit
def double2int_ru(arg0): return _integer(arg0, tl.int32, -2**31, 2**31, "ru")
@triton.jit
def double2uint_rn(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "rn")
@triton.jit
def double2uint_rz(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "rz")
@triton.jit
def double2uint_rd(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "rd")
@triton.jit
def double2uint_ru(arg0): return _integer(arg0, tl.uint32, 0, 2**32, "ru")


@triton.jit
def _long(x, WAY: tl.constexpr):
    whole = _whole(_wide(x), WAY)
    is_within = (whole >= -9223372036854775808.0) & (whole < 9223372036854775808.0)
    most = tl.full(whole.shape, 9223372036854775807, tl.int64)
    beyond = tl.where(whole > 0, most, -most - 1)
    return tl.where(is_within, tl.where(is_within, whole, 0.0).to(tl.int64), beyond)


@triton.jit
def _unsigned_long(x, WAY: tl.constexpr):
    whole = _whole(_wide(x), WAY)
    is_high = whole >= 9223372036854775808.0
    low = _long(tl.where(is_high, whole - 9223372036854775808.0, whole), "rz").to(tl.uint64, bitcast=True)
    top = tl.full(whole.shape, 1, tl.uint64) << 63
    value = tl.where(is_high, low | top, low)
    value = tl.where(whole >= 18446744073709551616.0, ~tl.zeros(whole.shape, tl.uint64), value)
    return tl.where(whole != whole, top, tl.where(whole < 0, tl.zeros(whole.shape, tl.uint64), value))


@triton.jit
def float2ll_rn(arg0): return _long(arg0, "rn")
@triton.jit
def float2ll_rz(arg0): return _long(arg0, "rz")
@triton.jit
def float2ll_rd(arg0): return _long(arg0, "rd")
@triton.jit
def float2ll_ru(arg0): return _long(arg0, "ru")
@triton.jit
def float2ull_rn(arg0): return _unsigned_long(arg0, "rn")
@triton.jit
def float2ull_rz(arg0): return _unsigned_long(arg0, "rz")
@triton.jit
def float2ull_rd(arg0): return _unsigned_long(arg0, "rd")
@triton.jit
def float2ull_ru(arg0): return _unsigned_long(arg0, "ru")
@triton.jit
def double2ll_rn(arg0): return _long(arg0, "rn")
@triton.jit
def double2ll_rz(arg0): return _long(arg0, "rz")
@triton.jit
def double2ll_rd(arg0): return _long(arg0, "rd")
@triton.jit
def double2ll_ru(arg0): return _long(arg0, "ru")
@triton.jit
def double2ull_rn(arg0): return _unsigned_long(arg0, "rn")
@triton.jit
def double2ull_rz(arg0): return _unsigned_long(arg0, "rz")
@triton.jit
def double2ull_rd(arg0): return _unsigned_long(arg0, "rd")
@triton.jit
def double2ull_ru(arg0): return _unsigned_long(arg0, "ru")
@triton.jit
def int2float_rn(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "rn")
@triton.jit
def int2float_rz(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "rz")
@triton.jit
def int2float_rd(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "rd")
@triton.jit
def int2float_ru(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "ru")
@triton.jit
def int2double_rn(arg0): return _wide(arg0)
@triton.jit
def uint2float_rn(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "rn")
@triton.jit
def uint2float_rz(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "rz")
@triton.jit
def uint2float_rd(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "rd")
@triton.jit
def uint2float_ru(arg0): return _rounded(_wide(arg0), 0.0, tl.float32, "ru")
@triton.jit
def uint2double_rn(arg0): return _wide(arg0)
@triton.jit
def double2float_rn(arg0): return _rounded(arg0, 0.0, tl.float32, "rn")
@triton.jit
def double2float_rz(arg0): return _rounded(arg0, 0.0, tl.float32, "rz")
@triton.jit
def double2float_rd(arg0): return _rounded(arg0, 0.0, tl.float32, "rd")
@triton.jit
def double2float_ru(arg0): return _rounded(arg0, 0.0, tl.float32, "ru")


# Of 64-bit integers, which float64 does not hold: 2^63 and 2^64 are beyond what the integer can be.
@triton.jit
def _float_of_long(x, dtype: tl.constexpr, BEYOND: tl.constexpr, WAY: tl.constexpr):
    nearest = x.to(dtype)
    is_beyond = nearest >= BEYOND
    back = tl.where(is_beyond, 0.0, nearest).to(x.dtype)
    error = tl.where(is_beyond, -1.0, (x - back).to(tl.int64, bitcast=True).to(tl.float64))
    return _toward(nearest, error, WAY)


@triton.jit
def ll2float_rn(arg0): return _float_of_long(arg0, tl.float32, 9223372036854775808.0, "rn")
@triton.jit
def ll2float_rz(arg0): return _float_of_long(arg0, tl.float32, 9223372036854775808.0, "rz")
@triton.jit
def ll2float_rd(arg0): return _float_of_long(arg0, tl.float32, 9223372036854775808.0, "rd")
@triton.jit
def ll2float_ru(arg0): return _float_of_long(arg0, tl.float32, 9223372036854775808.0, "ru")
@triton.jit
def ll2double_rn(arg0): return _float_of_long(arg0, tl.float64, 9223372036854775808.0, "rn")
@triton.jit
def ll2double_rz(arg0): return _float_of_long(arg0, tl.float64, 9223372036854775808.0, "rz")
@triton.jit
def ll2double_rd(arg0): return _float_of_long(arg0, tl.float64, 9223372036854775808.0, "rd")
@triton.jit
def ll2double_ru(arg0): return _float_of_long(arg0, tl.float64, 9223372036854775808.0, "ru")
@triton.jit
def ull2float_rn(arg0): return _float_of_long(arg0, tl.float32, 18446744073709551616.0, "rn")
@triton.jit
def ull2float_rz(arg0): return _float_of_long(arg0, tl.float32, 18446744073709551616.0, "rz")
@triton.jit
def ull2float_rd(arg0): return _float_of_long(arg0, tl.float32, 18446744073709551616.0, "rd")
@triton.jit
def ull2float_ru(arg0): return _float_of_long(arg0, tl.float32, 18446744073709551616.0, "ru")
@triton.jit
def ull2double_rn(arg0): return _float_of_long(arg0, tl.float64, 18446744073709551616.0, "rn")
@triton.jit
def ull2double_rz(arg0): return _float_of_long(arg0, tl.float64, 18446744073709551616.0, "rz")
@triton.jit
def ull2double_rd(arg0): return _float_of_long(arg0, tl.float64, 18446744073709551616.0, "rd")
@triton.jit
def ull2double_ru(arg0): return _float_of_long(arg0, tl.float64, 18446744073709551616.0, "ru")
@triton.jit
def int_as_float(arg0): return arg0.to(tl.float32, bitcast=True)
@triton.jit
def uint_as_float(arg0): return arg0.to(tl.float32, bitcast=True)
@triton.jit
def float_as_int(arg0): return arg0.to(tl.int32, bitcast=True)
@triton.jit
def float_as_uint(arg0): return arg0.to(tl.uint32, bitcast=True)
@triton.jit
def longlong_as_double(arg0): return arg0.to(tl.float64, bitcast=True)
@triton.jit
def double_as_longlong(arg0): return arg0.to(tl.int64, bitcast=True)


@triton.jit
def hiloint2double(arg0, arg1):
    low = arg1.to(tl.uint32, bitcast=True).to(tl.int64)
    return ((arg0.to(tl.int64) << 32) | low).to(tl.float64, bitcast=True)


@triton.jit
def double2loint(arg0):
    return arg0.to(tl.int64, bitcast=True).to(tl.int32)


@triton.jit
def double2hiint(arg0):
    return (arg0.to(tl.int64, bitcast=True) >> 32).to(tl.int32)
