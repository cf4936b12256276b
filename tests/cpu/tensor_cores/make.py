#!/usr/bin/env python3
"""Writes sums.txt beside it: products of small matrices as tensor cores add them, in whole numbers of any length.

The rules are those of MMA-Sim (Xie et al., arXiv 2511.10909), which agreed with an H200 in every bit: see `step`.
A line is a case, as `Case` names its numbers, and 128 sums of 8 x 16, f32 bits in hexadecimal. Both sides make the
inputs from the same hash, so that the table holds results alone.
"""
import collections
import pathlib
import sys

ROWS, COLS = 8, 16
# Of a dtype: bits of exponent and fraction, the exponent's bias.
FORMATS = {"f16": (5, 10, 15), "bf16": (8, 7, 127), "tf32": (8, 10, 127), "f32": (8, 23, 127),
           "f8e4nv": (4, 3, 7), "f8e5": (5, 2, 15)}
# Exponents, as stored, of a, of b and of the accumulator lie between two bounds; `ones` sets all fractions' bits and no sign.
Case = collections.namedtuple("Case", "a b terms aligned kept k a_from a_to b_from b_to c_from c_to ones")
CASES = [
    Case("f16", "f16", 16, 25, 23, 64, 13, 17, 13, 17, 120, 130, 0),
    Case("f16", "f16", 16, 25, 23, 512, 1, 30, 1, 30, 0, 0, 0),
    Case("f16", "f16", 16, 25, 23, 64, 0, 3, 0, 12, 90, 110, 0),
    Case("f16", "f16", 16, 25, 23, 64, 0, 1, 0, 1, 1, 60, 0),
    Case("f16", "f16", 16, 25, 23, 32, 15, 15, 15, 15, 127, 131, 1),
    Case("bf16", "bf16", 16, 25, 23, 64, 120, 132, 120, 132, 120, 135, 0),
    Case("bf16", "bf16", 16, 25, 23, 32, 0, 254, 0, 254, 0, 254, 0),
    Case("bf16", "bf16", 16, 25, 23, 32, 185, 195, 185, 195, 240, 254, 0),
    Case("bf16", "bf16", 16, 25, 23, 32, 50, 60, 50, 60, 0, 20, 0),
    Case("tf32", "tf32", 8, 25, 23, 64, 117, 133, 117, 133, 117, 140, 0),
    Case("tf32", "tf32", 8, 25, 23, 32, 0, 254, 0, 254, 0, 254, 0),
    Case("f8e4nv", "f8e4nv", 32, 13, 13, 256, 0, 14, 0, 14, 0, 0, 0),
    Case("f8e5", "f8e5", 32, 13, 13, 64, 0, 30, 0, 30, 110, 140, 0),
    Case("f8e4nv", "f8e5", 32, 13, 13, 64, 4, 10, 12, 18, 120, 130, 0),
    Case("f8e4nv", "f8e4nv", 16, 13, 13, 64, 3, 11, 3, 11, 120, 130, 0),
    Case("f8e4nv", "f8e4nv", 32, 25, 23, 64, 7, 7, 7, 7, 120, 130, 1),
    Case("f16", "f16", 8, 24, 23, 64, 8, 20, 8, 20, 100, 135, 0),
    Case("f16", "f16", 4, 23, 23, 64, 8, 20, 8, 20, 100, 135, 0),
    Case("tf32", "tf32", 4, 24, 23, 64, 117, 133, 117, 133, 117, 140, 0),
]


def hashed(number):  # splitmix64
    z = (number * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def element(dtype, lowest, highest, ones, number):
    """Sign, exponent and fraction as stored; one of sixteen is 0, unless bounds of 0 make all 0."""
    h = hashed(number)
    bits = FORMATS[dtype][1]
    if highest == 0 or (h >> 60 == 0 and not ones):
        return 0, 0, 0
    exponent = lowest + (h >> 32) % (highest - lowest + 1)
    return (0, exponent, 2**bits - 1 - h % 2) if ones else (h & 1, exponent, (h >> 1) % 2**bits)


def value(dtype, stored):
    """(n, e, p): the number is n 2^p; e is its exponent, None of 0."""
    (_, fraction_bits, bias), (sign, exponent, fraction) = FORMATS[dtype], stored
    n = fraction + (2**fraction_bits if exponent else 0)
    e = max(exponent, 1) - bias
    return (-n if sign else n), (e if n else None), e - fraction_bits


def towards_zero(n, shift):  # n 2^shift
    if shift >= 0:
        return n << shift
    return (abs(n) >> -shift) * (1 if n > 0 else -1)


def step(terms, aligned, kept):
    """Terms (n, e, p) added: cut off `aligned` bits below the largest exponent, then to `kept` bits of fraction."""
    exponents = [e for _, e, _ in terms if e is not None]
    if not exponents:
        return 0, None, 0
    unit = max(exponents) - aligned
    total = sum(towards_zero(n, p - unit) for n, e, p in terms if e is not None)
    if total == 0:
        return 0, None, 0
    e = max(abs(total).bit_length() - 1 + unit, -126)
    return towards_zero(total, unit - (e - kept)), e, e - kept


def f32_bits(n, e, p):
    if n == 0:
        return 0
    sign = 0x80000000 if n < 0 else 0
    if e > 127:
        return sign | 0x7F800000
    significand = towards_zero(abs(n), p - (e - 23))
    return sign | (significand if significand < 2**23 else (e + 127) << 23 | significand - 2**23)


def sums(number, case):
    def at(which, dtype, bounds, i, j, ones=case.ones):
        return value(dtype, element(dtype, *bounds, ones, number << 40 | which << 36 | i << 16 | j))

    for i in range(ROWS):
        for j in range(COLS):
            c = at(2, "f32", (case.c_from, case.c_to), i, j)
            for first in range(0, case.k, case.terms):
                terms = [c]
                for k in range(first, first + case.terms):
                    x = at(0, case.a, (case.a_from, case.a_to), i, k)
                    y = at(1, case.b, (case.b_from, case.b_to), k, j)
                    terms.append((x[0] * y[0], None if None in (x[1], y[1]) else x[1] + y[1], x[2] + y[2]))
                c = step(terms, case.aligned, case.kept)
                if c[1] is not None and c[1] > 127:  # infinite: it stays so
                    break
            yield f32_bits(*c)


lines = []
for number, case in enumerate(CASES):
    lines.append(" ".join(str(x) for x in case) + " " + " ".join(f"{s:x}" for s in sums(number, case)))
path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("sums.txt")
path.write_text("\n".join(lines) + "\n")
