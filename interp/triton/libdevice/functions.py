"""libdevice's functions that are made of others: in float64, so that those of float32 are right to less than an ulp."""

import triton
import triton.language as tl
from rounding import _wide


@triton.jit
def rcp64h(arg0):
    bits = (1.0 / arg0).to(tl.int64, bitcast=True)
    return ((bits >> 32) << 32).to(tl.float64, bitcast=True)


@triton.jit
def saturatef(arg0):
    return tl.clamp(arg0, 0.0, 1.0)


# sin(pi x / 2) of a quarter turn's number and of what is left.
@triton.jit
def _of_quarter(quarter, sine, cosine):
    turn = quarter - 4 * tl.floor(quarter / 4)
    even = tl.where(turn == 0, sine, -sine)
    return tl.where((turn == 1) | (turn == 3), tl.where(turn == 1, cosine, -cosine), even)


@triton.jit
def sinpi(arg0):
    quarter = tl.rint(2 * _wide(arg0))
    angle = (_wide(arg0) - quarter * 0.5) * 3.141592653589793
    return _of_quarter(quarter, tl.sin(angle), tl.cos(angle)).to(arg0.dtype)


@triton.jit
def cospi(arg0):
    quarter = tl.rint(2 * _wide(arg0))
    angle = (_wide(arg0) - quarter * 0.5) * 3.141592653589793
    return _of_quarter(quarter + 1, tl.sin(angle), tl.cos(angle)).to(arg0.dtype)


@triton.jit
def rhypot(arg0, arg1):
    return (1.0 / tl.hypot(_wide(arg0), _wide(arg1))).to((arg0 * arg1).dtype)


@triton.jit
def norm3d(arg0, arg1, arg2):
    return tl.hypot(tl.hypot(_wide(arg0), _wide(arg1)), _wide(arg2)).to(arg0.dtype)


@triton.jit
def rnorm3d(arg0, arg1, arg2):
    return (1.0 / norm3d(_wide(arg0), _wide(arg1), _wide(arg2))).to(arg0.dtype)


@triton.jit
def norm4d(arg0, arg1, arg2, arg3):
    return tl.hypot(tl.hypot(_wide(arg0), _wide(arg1)), tl.hypot(_wide(arg2), _wide(arg3))).to(arg0.dtype)


@triton.jit
def rnorm4d(arg0, arg1, arg2, arg3):
    return (1.0 / norm4d(_wide(arg0), _wide(arg1), _wide(arg2), _wide(arg3))).to(arg0.dtype)


@triton.jit
def rcbrt(arg0):
    return (1.0 / tl.cbrt(_wide(arg0))).to(arg0.dtype)


@triton.jit
def normcdf(arg0):
    return (0.5 * tl.erfc(_wide(arg0) * -0.7071067811865476)).to(arg0.dtype)


# y of erfc(y) = q, for q from 0 to 1: Winitzki's formula, and four steps of Halley's.
@triton.jit
def _erfc_inverse(q):
    log = tl.log(q * (2 - q))
    part = 4.330746750799873 + log / 2
    y = tl.sqrt(tl.sqrt(part * part - log / 0.147) - part)
    for _ in tl.static_range(4):
        step = (q - tl.erfc(y)) / (1.1283791670955126 * tl.exp(-y * y))
        y = y - step / (1 + y * step)
    return tl.where(q == 1, 0.0, tl.where(q == 0, float("inf"), y))


@triton.jit
def erfcinv(arg0):
    q = _wide(arg0)
    return tl.where(q <= 1, _erfc_inverse(q), -_erfc_inverse(2 - q)).to(arg0.dtype)


@triton.jit
def normcdfinv(arg0):
    return (erfcinv(2 * _wide(arg0)) * -1.4142135623730951).to(arg0.dtype)


# Near 0 by erf itself, which keeps its digits there.
@triton.jit
def erfinv(arg0):
    x = tl.abs(_wide(arg0))
    y = _erfc_inverse(1 - x)
    small = x * 0.886226925452758
    for _ in tl.static_range(4):
        step = (tl.erf(small) - x) / (1.1283791670955126 * tl.exp(-small * small))
        small = small - step / (1 + small * step)
    return tl.copysign(tl.where(x < 0.5, small, y), _wide(arg0)).to(arg0.dtype)


# exp(x^2) erfc(x); from 25 on its series in 1 / x.
@triton.jit
def erfcx(arg0):
    x = _wide(arg0)
    square = x * x
    near = tl.exp(square) * (1 + tl.fma(x, x, -square)) * tl.erfc(x)
    term = tl.full(x.shape, 1, tl.float64)
    series = term
    for i in tl.static_range(1, 8):
        term = term * (1 - 2 * i) / (2 * square)
        series += term
    return tl.where(x < 25, near, series * 0.5641895835477563 / x).to(arg0.dtype)


# 2^n as a float64.
@triton.jit
def _power_of_two(n):
    return ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)


@triton.jit
def ldexp(arg0, arg1):
    n = tl.minimum(tl.maximum(tl.cast(arg1, tl.int32), -2200), 2200)
    third = tl.minimum(tl.maximum(n // 3, -1000), 1000)
    return (_wide(arg0) * _power_of_two(third) * _power_of_two(third) * _power_of_two(n - 2 * third)).to(arg0.dtype)


@triton.jit
def scalbn(arg0, arg1):
    return ldexp(arg0, arg1)


@triton.jit
def remainder(arg0, arg1):
    y = tl.abs(_wide(arg1))
    x = tl.abs(tl.fmod(_wide(arg0), 2 * y))
    x = tl.where(2 * x > y, tl.where(2 * (x - y) >= y, x - 2 * y, x - y), x)
    return tl.where(_wide(arg0) < 0, -x, x).to((arg0 * arg1).dtype)


@triton.jit
def _exponent(x):
    is_small = tl.abs(x) < 2.2250738585072014e-308
    bits = tl.where(is_small, x * 18014398509481984.0, x).to(tl.int64, bitcast=True)
    return ((bits >> 52) & 0x7ff).to(tl.int32) - tl.where(is_small, 1077, 1023)


@triton.jit
def ilogb(arg0):
    x = _wide(arg0)
    least = tl.full(x.shape, -2147483648, tl.int32)
    return tl.where((x == 0) | (x != x), least, tl.where(tl.isinf(x), -(least + 1), _exponent(x)))


@triton.jit
def logb(arg0):
    x = _wide(arg0)
    special = tl.where(x == 0, float("-inf"), x * x)
    return tl.where((x == 0) | (x != x) | tl.isinf(x), special, _exponent(x).to(tl.float64)).to(arg0.dtype)
