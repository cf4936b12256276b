"""libdevice's sums, products, quotients and roots that round in a given way: rd down, ru up, rz toward zero. Each follows from the
result that is nearest and from what that is wrong by, which has a float64 of its own."""

import triton
import triton.language as tl


@triton.jit
def _wide(x):
    return tl.cast(x, tl.float64)


# The neighbour of `nearest` that an exact value beside it, greater by `error`, rounds to.
@triton.jit
def _toward(nearest, error, WAY: tl.constexpr):
    down, up = tl.full(nearest.shape, float("-inf"), nearest.dtype), tl.full(nearest.shape, float("inf"), nearest.dtype)
    if WAY == "rd":
        return tl.where(error < 0, tl.nextafter(nearest, down), nearest)
    elif WAY == "ru":
        return tl.where(error > 0, tl.nextafter(nearest, up), nearest)
    elif WAY == "rz":
        smaller = tl.where(nearest > 0, tl.nextafter(nearest, down), tl.nextafter(nearest, up))
        return tl.where(((nearest > 0) & (error < 0)) | ((nearest < 0) & (error > 0)), smaller, nearest)
    else:
        return nearest


# Of a float64 and what it is wrong by.
@triton.jit
def _rounded(value, error, dtype: tl.constexpr, WAY: tl.constexpr):
    if WAY == "rn":
        return value.to(dtype)
    nearest = value.to(dtype)
    cut = value - nearest.to(tl.float64)
    return _toward(nearest, tl.where(cut != 0, cut, error), WAY)


@triton.jit
def _error_of_sum(a, b, total):
    part = total - a
    error = (a - (total - part)) + (b - part)
    overflows = tl.isinf(total) & tl.isfinite(a) & tl.isfinite(b)
    return tl.where(overflows, -total, error)


@triton.jit
def _error_of_product(a, b, product):
    overflows = tl.isinf(product) & tl.isfinite(a) & tl.isfinite(b)
    return tl.where(overflows, -product, tl.fma(a, b, -product))


@triton.jit
def _add(x, y, WAY: tl.constexpr):
    a, b = _wide(x), _wide(y)
    total = a + b
    r = _rounded(total, _error_of_sum(a, b, total), (x + y).dtype, WAY)
    return tl.where((total == 0) & (a != 0), -r, r) if WAY == "rd" else r  # 1 - 1 is -0 then


@triton.jit
def _mul(x, y, WAY: tl.constexpr):
    a, b = _wide(x), _wide(y)
    product = a * b
    return _rounded(product, _error_of_product(a, b, product), (x * y).dtype, WAY)


@triton.jit
def _div(x, y, WAY: tl.constexpr):
    a, b = _wide(x), _wide(y)
    quotient = a / b
    return _rounded(quotient, tl.fma(-quotient, b, a) / b, (x * y).dtype, WAY)


@triton.jit
def _sqrt(x, WAY: tl.constexpr):
    a = _wide(x)
    root = tl.sqrt_rn(a) if x.dtype == tl.float32 else tl.sqrt(a)
    return _rounded(root, tl.fma(-root, root, a), x.dtype, WAY)


@triton.jit
def _fma(x, y, z, WAY: tl.constexpr):
    a, b, c = _wide(x), _wide(y), _wide(z)
    product = a * b
    rest = _error_of_product(a, b, product)
    total = tl.fma(a, b, c)
    low = c + rest
    high = product + low
    error = ((high - total) + _error_of_sum(product, low, high)) + _error_of_sum(c, rest, low)
    return _rounded(total, error, (x * y + z).dtype, WAY)


@triton.jit
def add_rn(arg0, arg1): return _add(arg0, arg1, "rn")
@triton.jit
def add_rz(arg0, arg1): return _add(arg0, arg1, "rz")
@triton.jit
def add_rd(arg0, arg1): return _add(arg0, arg1, "rd")
@triton.jit
def add_ru(arg0, arg1): return _add(arg0, arg1, "ru")
@triton.jit
def sub_rn(arg0, arg1): return _add(arg0, -arg1, "rn")
@triton.jit
def sub_rz(arg0, arg1): return _add(arg0, -arg1, "rz")
@triton.jit
def sub_rd(arg0, arg1): return _add(arg0, -arg1, "rd")
@triton.jit
def sub_ru(arg0, arg1): return _add(arg0, -arg1, "ru")
@triton.jit
def mul_rn(arg0, arg1): return _mul(arg0, arg1, "rn")
@triton.jit
def mul_rz(arg0, arg1): return _mul(arg0, arg1, "rz")
@triton.jit
def mul_rd(arg0, arg1): return _mul(arg0, arg1, "rd")
@triton.jit
def mul_ru(arg0, arg1): return _mul(arg0, arg1, "ru")
@triton.jit
def div_rz(arg0, arg1): return _div(arg0, arg1, "rz")
@triton.jit
def div_rd(arg0, arg1): return _div(arg0, arg1, "rd")
@triton.jit
def div_ru(arg0, arg1): return _div(arg0, arg1, "ru")
@triton.jit
def rcp_rn(arg0): return _div(tl.full(arg0.shape, 1, arg0.dtype), arg0, "rn")
@triton.jit
def rcp_rz(arg0): return _div(tl.full(arg0.shape, 1, arg0.dtype), arg0, "rz")
@triton.jit
def rcp_rd(arg0): return _div(tl.full(arg0.shape, 1, arg0.dtype), arg0, "rd")
@triton.jit
def rcp_ru(arg0): return _div(tl.full(arg0.shape, 1, arg0.dtype), arg0, "ru")
@triton.jit
def sqrt_rz(arg0): return _sqrt(arg0, "rz")
@triton.jit
def sqrt_rd(arg0): return _sqrt(arg0, "rd")
@triton.jit
def sqrt_ru(arg0): return _sqrt(arg0, "ru")
@triton.jit
def fma_rn(arg0, arg1, arg2): return tl.fma(arg0, arg1, arg2)
@triton.jit
def fma_rz(arg0, arg1, arg2): return _fma(arg0, arg1, arg2, "rz")
@triton.jit
def fma_rd(arg0, arg1, arg2): return _fma(arg0, arg1, arg2, "rd")
@triton.jit
def fma_ru(arg0, arg1, arg2): return _fma(arg0, arg1, arg2, "ru")
