"""libdevice's functions that are made of ops: expected values are exact fractions, Python's integers, and its math."""

import math
import struct
import unittest
from fractions import Fraction

import numpy as np

import tilescope

TEXT = """
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def kernel(out_ptr, a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = tl.load(a_ptr + i), tl.load(b_ptr + i), tl.load(c_ptr + i)
    tl.store(out_ptr + i, libdevice.NAME(ARGUMENTS))
"""


def lanes_of(name, out, *inputs):
    """libdevice.NAME of arrays, in an array of that dtype."""
    count = 1 << (len(inputs[0]) - 1).bit_length()
    padded = [np.resize(x, count) for x in inputs]
    result = np.zeros(count, out)
    text = TEXT.replace("NAME", name).replace("ARGUMENTS", ", ".join("abc"[:len(inputs)]))
    tilescope.kernel(text)[1](result, *(padded + [padded[0]] * (3 - len(padded))), N=count)
    return result[:len(inputs[0])]


def rounded(exact, dtype, way):
    """A fraction as a float, by libdevice's way of rounding."""
    nearest = dtype(float(exact)) if dtype is np.float64 else nearest_float32(exact)
    error = exact - Fraction(float(nearest)) if np.isfinite(nearest) else (-1 if nearest > 0 else 1)
    is_beyond = {"rn": False, "rd": error < 0, "ru": error > 0,
                 "rz": error < 0 if nearest > 0 else error > 0}[way]
    if not is_beyond:
        return nearest
    return np.nextafter(nearest, dtype(-np.inf if error < 0 else np.inf))


def nearest_float32(exact):
    guess = np.float32(float(exact))
    if not np.isfinite(guess):
        return guess
    near = [guess, np.nextafter(guess, np.float32(np.inf)), np.nextafter(guess, np.float32(-np.inf))]
    near = [v for v in near if np.isfinite(v)]
    return min(near, key=lambda v: (abs(Fraction(float(v)) - exact), struct.unpack("I", struct.pack("f", v))[0] & 1))


WAYS = ("rn", "rz", "rd", "ru")


class Libdevice(unittest.TestCase):
    def numbers(self, dtype, count=64):
        random = np.random.default_rng(7)
        return ((random.standard_normal(count) * 10.0 ** random.integers(-6, 6, count)).astype(dtype)
                for _ in range(3))

    def test_sums_products_quotients_round_as_asked(self):
        works = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
                 "div": lambda a, b: a / b}
        for dtype in (np.float32, np.float64):
            a, b, _ = self.numbers(dtype)
            for work, of in works.items():
                for way in WAYS:
                    expected = [rounded(of(Fraction(float(x)), Fraction(float(y))), dtype, way) for x, y in zip(a, b)]
                    np.testing.assert_array_equal(lanes_of(f"{work}_{way}", dtype, a, b), expected, f"{work}_{way}")

    def test_fused_products_and_reciprocals_round_as_asked(self):
        for dtype in (np.float32, np.float64):
            a, b, c = self.numbers(dtype)
            exact = [Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)) for x, y, z in zip(a, b, c)]
            for way in WAYS:
                np.testing.assert_array_equal(lanes_of(f"fma_{way}", dtype, a, b, c),
                                              [rounded(e, dtype, way) for e in exact], way)
                np.testing.assert_array_equal(lanes_of(f"rcp_{way}", dtype, a),
                                              [rounded(1 / Fraction(float(x)), dtype, way) for x in a], way)

    def test_roots_round_as_asked(self):
        for dtype in (np.float32, np.float64):
            a = np.abs(next(self.numbers(dtype)))
            for way, holds in (("rd", lambda r, up, x: r * r <= x < up * up), ("rz", lambda r, up, x: r * r <= x < up * up)):
                roots = lanes_of(f"sqrt_{way}", dtype, a)
                for r, x in zip(roots, a):
                    up = np.nextafter(r, dtype(np.inf))
                    self.assertTrue(holds(Fraction(float(r)), Fraction(float(up)), Fraction(float(x))))
            for r, x in zip(lanes_of("sqrt_ru", dtype, a), a):
                below = Fraction(float(np.nextafter(r, dtype(0))))
                self.assertTrue(below * below < Fraction(float(x)) <= Fraction(float(r)) ** 2)

    def test_the_ends_of_float32_round_inwards_or_to_infinity(self):
        most = np.finfo(np.float32).max
        a = np.array([most, -most, 1, np.inf], np.float32)
        b = np.array([most, -most, -1, 1], np.float32)
        np.testing.assert_array_equal(lanes_of("add_rz", np.float32, a, b), [most, -most, 0, np.inf])
        np.testing.assert_array_equal(lanes_of("add_rd", np.float32, a, b), [most, -np.inf, 0, np.inf])
        self.assertTrue(np.signbit(lanes_of("add_rd", np.float32, a, b)[2]))

    def test_floats_become_integers(self):
        x = np.array([2.5, -2.5, 1.2, -1.2, 3e9, -3e9, np.inf, np.nan], np.float32)
        np.testing.assert_array_equal(lanes_of("float2int_rn", np.int32, x),
                                      [2, -2, 1, -1, 2**31 - 1, -2**31, 2**31 - 1, 0])
        np.testing.assert_array_equal(lanes_of("float2int_rd", np.int32, x)[:4], [2, -3, 1, -2])
        np.testing.assert_array_equal(lanes_of("float2int_ru", np.int32, x)[:4], [3, -2, 2, -1])
        np.testing.assert_array_equal(lanes_of("float2uint_rz", np.uint32, x),
                                      [2, 0, 1, 0, 3000000000, 0, 2**32 - 1, 0])
        np.testing.assert_array_equal(lanes_of("float2ll_rz", np.int64, x),
                                      [2, -2, 1, -1, 3 * 10**9, -3 * 10**9, 2**63 - 1, -2**63])
        large = np.array([1e19, 1.5, -1, np.nan], np.float64)
        np.testing.assert_array_equal(lanes_of("double2ull_rn", np.uint64, large),
                                      np.array([10**19, 2, 0, 2**63], np.uint64))

    def test_integers_become_floats_as_asked(self):
        whole = [2**63 - 1, -2**63, 2**53 + 1, -(2**53 + 1), 123456789123456789, 7, 0, -1]
        x = np.array(whole, np.int64)
        for way in WAYS:
            np.testing.assert_array_equal(lanes_of(f"ll2float_{way}", np.float32, x),
                                          [rounded(Fraction(n), np.float32, way) for n in whole], way)
            np.testing.assert_array_equal(lanes_of(f"ll2double_{way}", np.float64, x),
                                          [rounded(Fraction(n), np.float64, way) for n in whole], way)
        d = np.array([0.1, -0.1, 1e300, 3], np.float64)
        for way in WAYS:
            np.testing.assert_array_equal(lanes_of(f"double2float_{way}", np.float32, d),
                                          [rounded(Fraction(float(v)), np.float32, way) for v in d], way)

    def test_bits_are_counted_and_exchanged(self):
        random = np.random.default_rng(3)
        for signed, unsigned, bits in ((np.int32, np.uint32, 32), (np.int64, np.uint64, 64)):
            x = np.concatenate([random.integers(-2**(bits - 1), 2**(bits - 1), 28, signed), np.array([0, 1, -1, 8], signed)])
            raw = [int(v) for v in x.view(unsigned)]
            np.testing.assert_array_equal(lanes_of("popc", np.int32, x), [bin(v).count("1") for v in raw])
            np.testing.assert_array_equal(lanes_of("clz", np.int32, x), [bits - v.bit_length() for v in raw])
            np.testing.assert_array_equal(lanes_of("ffs", np.int32, x), [(v & -v).bit_length() for v in raw])
            turned = np.array([int(format(v, f"0{bits}b")[::-1], 2) for v in raw], unsigned).view(signed)
            np.testing.assert_array_equal(lanes_of("brev", signed, x), turned)
            y = np.roll(x, 1)
            np.testing.assert_array_equal(lanes_of("mulhi", signed, x, y),
                                          [(int(a) * int(b)) >> bits for a, b in zip(x, y)])
        a, b = np.array([0x03020100], np.int32), np.array([0x07060504], np.int32)
        np.testing.assert_array_equal(lanes_of("byte_perm", np.int32, a, b, np.array([0x1357], np.int32)), [0x01030507])
        x, y = np.array([7, -7, 2**31 - 1], np.int32), np.array([2, 2, 2**31 - 2], np.int32)
        np.testing.assert_array_equal(lanes_of("hadd", np.int32, x, y), [(int(p) + int(q)) >> 1 for p, q in zip(x, y)])
        np.testing.assert_array_equal(lanes_of("rhadd", np.int32, x, y), [(int(p) + int(q) + 1) >> 1 for p, q in zip(x, y)])
        np.testing.assert_array_equal(lanes_of("mul24", np.int32, np.array([3, -3], np.int32), np.array([5, 5], np.int32)), [15, -15])

    def test_functions_made_of_others_are_right_to_an_ulp(self):
        x = np.linspace(-3, 3, 64).astype(np.float32)
        works = {"sinpi": lambda v: math.sin(math.pi * v), "cospi": lambda v: math.cos(math.pi * v),
                 "normcdf": lambda v: 0.5 * math.erfc(-v / math.sqrt(2)), "erfcx": lambda v: math.exp(v * v) * math.erfc(v),
                 "rcbrt": lambda v: math.copysign(abs(v) ** (-1 / 3), v)}
        for name, of in works.items():
            np.testing.assert_allclose(lanes_of(name, np.float32, x), [of(float(v)) for v in x], 1.3e-7, 1e-15, err_msg=name)
        np.testing.assert_allclose(lanes_of("erfcx", np.float64, np.array([30.0, 1e4])),
                                   [0.018795888861416754, 5.641895807268084e-05], 1e-14)  # scipy's

    def test_inverses_give_back_what_they_were_given(self):
        p = np.array([1e-30, 1e-6, 0.01, 0.3, 0.5, 0.9, 1, 1.2, 1.99])
        np.testing.assert_allclose([math.erfc(v) for v in lanes_of("erfcinv", np.float64, p)], p, 1e-13)
        x = np.array([1e-9, -0.25, 0.5, 0.75, -0.999, 0])
        np.testing.assert_allclose([math.erf(v) for v in lanes_of("erfinv", np.float64, x)], x, 1e-14)
        np.testing.assert_array_equal(lanes_of("erfinv", np.float32, np.array([1, -1], np.float32)), [np.inf, -np.inf])

    def test_exponents_and_remainders(self):
        x = np.array([1, 0.75, -1024, 1e-40, 0, np.inf, np.nan], np.float32)
        np.testing.assert_array_equal(lanes_of("ilogb", np.int32, x), [0, -1, 10, -133, -2**31, 2**31 - 1, -2**31])
        np.testing.assert_array_equal(lanes_of("logb", np.float32, x), [0, -1, 10, -133, -np.inf, np.inf, np.nan])
        n = np.array([3, -2, 100, -149], np.int32)
        one = np.array([1, 3, 0.5, 1], np.float32)
        np.testing.assert_array_equal(lanes_of("ldexp", np.float32, one, n), [np.float32(math.ldexp(float(a), int(b))) for a, b in zip(one, n)])
        a, b = np.array([5, -5, 7, 5.5, 1e20]), np.array([3, 3, 2, -2, 3])
        np.testing.assert_array_equal(lanes_of("remainder", np.float64, a, b), [math.remainder(p, q) for p, q in zip(a, b)])


if __name__ == "__main__":
    unittest.main()
