"""Every op of the language with every dtype, of blocks, scalars, offsets, masks and arguments: what the interpreter takes
CUDA's compiler takes, and what one refuses the other refuses, both in the language's own words.
Usage: ops_by_dtype.py TILESCOPE, a sample; --all; --only KIND,... of `trials`; --part K/N; --words FILE gets each refusal"""

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile

DTYPES = {"i1": "int1", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
          "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
          "f8e4nv": "float8e4nv", "f8e5": "float8e5"}
NAMES = list(DTYPES.values())
CHANGES = "+ - * / % & | ^ << >>".split()
INFIX = CHANGES + "< <= > >= == !=".split()
MATH = """exp exp2 log log2 sqrt rsqrt sin cos sigmoid erf floor ceil abs tanh log1p expm1 tan asin acos atan sinh cosh asinh
acosh atanh cbrt exp10 log10 erfc lgamma tgamma j0 j1 y0 y1 cyl_bessel_i0 cyl_bessel_i1 round rint trunc sqrt_rn isnan isinf isfinite signbit""".split()
OF_TWO = "minimum maximum cdiv umulhi pow atan2 fmod copysign hypot fdim nextafter fdiv div_rn".split()
LIBDEVICE = """tanh log1p cbrt lgamma round isnan signbit exp exp2 sqrt floor abs nearbyint finitef isfinited fast_expf fast_exp10f fast_logf
fast_log2f fast_log10f fast_sinf fast_cosf fast_tanf rsqrt_rn llrint llround""".split()
ATOMICS = "add max min xchg and or xor".split()
REDUCTIONS = "sum max min argmax argmin xor_sum".split()

# Of x and y, lane by lane; what stands before the last ; comes before.
LANE_BY_LANE = [f"x {op} y" for op in INFIX]
LANE_BY_LANE += [f"x {op} {literal}" for op in INFIX for literal in ("1", "1.5")]
LANE_BY_LANE += [f"x {op} {literal}" for op in "+ / & < <<".split() for literal in ("-1", "300", "3u", "5l", "2_c", "true", "70000")]
LANE_BY_LANE += [f"{literal} {op} x" for op in "- / % & << <".split() for literal in ("1", "1.5", "2_c")]
LANE_BY_LANE += [f"auto z = x; z {op}= {right}; z" for op in CHANGES for right in ("y", "1", "1.5")]
LANE_BY_LANE += ["auto z = x; z = y; z", "auto z = x + 0; z = x; z", "auto z = x; z = x + 1; z", "-x", "~x", "!x", "-x + 1", "x * x - y"]
LANE_BY_LANE += [form.format(d) for d in NAMES for form in ("x.to(tl.{})", "x.to(tl.{}, tl.bitcast)", "x.to(tl.{}, tl.rtz)")]
LANE_BY_LANE += ["tl.cast(x, tl.float32)", "tl.cast(x, y.dtype)", "tl.cast(x, x.dtype, tl.bitcast)"]
LANE_BY_LANE += [f"tl.{f}(x)" for f in MATH] + [f"tl.libdevice.{f}(x)" for f in LIBDEVICE]
LANE_BY_LANE += [f"tl.{f}({a})" for f in OF_TWO for a in ("x, y", "x, 2", "x, 1.5", "1.5, x")]
LANE_BY_LANE.remove("tl.umulhi(1.5, x)")  # a literal does not stand first
LANE_BY_LANE += [f"tl.libdevice.{f}(x, y)" for f in ("pow", "fmod", "copysign", "div_rn", "fast_powf", "fast_dividef")]
LANE_BY_LANE += ["tl.where(x < y, x, y)", "tl.where(x < y, x, 1)", "tl.where(x < y, 1.5, x)", "tl.where(x, x, y)", "tl.where(x, 1, 2)",
                 "tl.clamp(x, 0, 1)", "tl.clamp(x, y, y)", "tl.clamp(x, 0, 1.5)", "tl.fma(x, y, x)", "tl.fma(x, 2, 1)", "tl.fma(x, 1.5, y)"]
LANE_BY_LANE += ["tl.zeros_like(x)", "tl.full_like(x, 1)", "tl.full_like(x, 1.5)", "tl.full_like(x, 300)"]
LANE_BY_LANE += ["tl.rand(7, x)", "tl.randint(7, x)", "tl.randn(7, x)", "auto [a, b, c, d] = tl.rand4x(7, x); a",
                 "auto [a, b, c, d] = tl.philox(7, x, x, x, x); d"]
LANE_BY_LANE += ["tl.multiple_of(x, 1_c)", "tl.max_contiguous(x, 1_c)", "tl.max_constancy(x, 1_c)", "tl.assume(x == x); x",
                 "tl.device_assert(x == x, \"same\"); x", "tl.device_assert(x + 1, \"some\"); x", "tl.print_if(\"{}\", \"=1\", x); x"]
LANE_BY_LANE += ["tl.load(x_ptr + x)", "tl.load(x_ptr + lanes, {.mask = x})", "tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = x})",
                 "tl.store(x_ptr + lanes, x, {.mask = lanes < 5}); x", "tl.store(x_ptr + lanes, y, {.mask = x}); x"]
LANE_BY_LANE += [f"tl.atomic_{op}(x_ptr + AT, {v})" for op in ATOMICS for v in ("x", "1", "1.5")]
LANE_BY_LANE += ["tl.atomic_cas(x_ptr + AT, x, y)", "tl.atomic_cas(x_ptr + AT, 0, 1)", "tl.atomic_add(x_ptr + AT, x, {.mask = x < y})"]
LANE_BY_LANE += ["tl.convert_layout(x)", "auto [a, b] = tl.broadcast(x, y); a", "tl.broadcast_to(x, tl.shape(SHAPE))"]

# Of blocks of 32 lanes, to one, to one row of fewer, to as many.
OF_BLOCKS = [("", form.format(f)) for f in REDUCTIONS for form in ("tl.{}(x, 0)", "tl.{}(x)")]
OF_BLOCKS += [("", f"auto [v, i] = tl.{f}_with_index(x, 0); {one}") for f in ("max", "min") for one in "vi"]
OF_BLOCKS += [("1_c", f"tl.{f}(x, 0, tl.keep_dims)") for f in REDUCTIONS]
OF_BLOCKS += [("", f"tl.reduce(x, 0, [&](auto a, auto b) {{ return {r}; }})") for r in ("a + b", "a * b", "tl.maximum(a, b)", "a | b",
              "tl.where(a < b, a, b)")]
OF_BLOCKS += [("", "auto [v, i] = tl.reduce(tl.tuple(x, lanes), 0, [&](auto a, auto i, auto b, auto j) { auto w = (a > b) | ((a == b) & (i < j)); "
                   "return tl.tuple(tl.where(w, a, b), tl.where(w, i, j)); }); i")]
OF_BLOCKS += [("32_c", form.format(f)) for f in ("cumsum", "cumprod") for form in ("tl.{}(x, 0)", "tl.{}(x, 0, {{.reverse = true}})")]
OF_BLOCKS += [("32_c", f"tl.associative_scan(x, 0, [&](auto a, auto b) {{ return {r}; }})") for r in ("a + b", "tl.minimum(a, b)", "a ^ b")]
OF_BLOCKS += [("32_c", r) for r in ("tl.softmax(x, 0)", "tl.softmax(x)", "tl.flip(x)", "tl.flip(x, 0)", "tl.sort(x)",
              "tl.sort(x, {.descending = true})",
                                    "tl.gather(x, lanes, 0)", "tl.gather(lanes, x, 0)", "tl.ravel(x)", "tl.histogram(x, 32_c)",
                                    "tl.histogram(x, 32_c, lanes < 5)", "tl.histogram(lanes, 32_c, x)")]
OF_BLOCKS += [("64_c", "tl.cat(x, y)"), ("64_c", "tl.interleave(x, y)"), ("4_c", "tl.topk(x, 4_c)"), ("32_c, 2_c", "tl.join(x, y)"),
              ("8_c, 4_c", "tl.reshape(x, tl.shape(8_c, 4_c))"), ("32_c, 1_c", "x(_, None)"), ("1_c, 32_c", "tl.expand_dims(x, 0)"),
              ("32_c, 2_c", "tl.broadcast_to(x(_, None), tl.shape(32_c, 2_c))"), ("4_c, 8_c", "tl.trans(tl.reshape(x, tl.shape(8_c, 4_c)))"),
              ("4_c, 8_c", "tl.permute(tl.reshape(x, tl.shape(8_c, 4_c)), tl.axes(1_c, 0_c))"),
              ("16_c", "auto [a, b] = tl.split(tl.reshape(x, tl.shape(16_c, 2_c))); b"), ("32_c", "tl.where(lanes < 5, x, tl.sum(x, 0))"),
              ("32_c, 32_c", "x(_, None) + y(None, _)"), ("32_c, 32_c", "x(_, None) < y(None, _)"),
              ("32_c, 32_c", "tl.maximum(x(_, None), y(None, _))")]
OF_BLOCKS += [("8_c", f"tl.{f}(tl.reshape(x, tl.shape(8_c, 4_c)), {axis})") for f in REDUCTIONS for axis in ("1_c", "-1_c")]
OF_BLOCKS += [("8_c, 4_c", f"tl.{f}(tl.reshape(x, tl.shape(8_c, 4_c)), 1_c)") for f in ("cumsum", "cumprod", "softmax")]
OF_BLOCKS += [("8_c, 4_c", "tl.sort(tl.reshape(x, tl.shape(8_c, 4_c)))")]

OF_SCALARS = ["if (x) tl.store(out_ptr, 1); x", "while (x) { tl.store(out_ptr, 1); break; }; x", "x && y", "x || !y", "x ? 1 : 2",
              "auto z = tl.scalar(0, tl.int32); for (auto i : tl.range(x)) z += 1; z",
              "auto z = tl.scalar(0, tl.int32); for (auto i : tl.range(0, 8, x)) z += 1; z",
              "auto z = tl.scalar(0, tl.int32); for (auto i : tl.range(x, 8)) z += i; z", "auto [i, j] = tl.swizzle2d(x, x, 8, 8, 2); i",
              "tl.load(x_ptr + x)", "auto p = x_ptr; p += x; tl.load(p)", "auto p = x_ptr + 9; tl.load(p - x)",
              "tl.sum(tl.full(tl.shape(32_c), x, tl.float32), 0)",
              "tl.sum(tl.load(tl.make_block_ptr(x_ptr, tl.tuple(1024), tl.tuple(1_c), tl.tuple(x), tl.shape(4_c), tl.axes(0_c))), 0)",
              "tl.rand(x, n)", "tl.sum(tl.randint(x, lanes), 0)", "tl.sum(x)", "tl.max(x, 0)", "auto z = tl.scalar(x, tl.float32); z = x; z",
              "auto z = tl.scalar(0, tl.float32); z += x; z", "auto z = x; z = 1; z", "auto z = x; z = 1.5; z", "auto z = x; z = 300; z",
              "auto z = x; z = -1; z",
              "tl.sort(x)", "tl.cumsum(x, 0)", "tl.breakpoint_if(\"=1\"); x"]

ONE_TO_BLOCKS = [("1_c", "tl.reshape(x, tl.shape(1_c))"), ("4_c", "tl.broadcast_to(x, tl.shape(4_c))"), ("1_c", "x(None)")]

# Of two dtypes.
MIXED = [f"x {op} y" for op in "+ / % & << <".split()] + [f"tl.{f}(x, y)" for f in ("minimum", "cdiv", "umulhi", "pow", "fdiv")]
MIXED += ["tl.where(x < x, x, y)", "tl.clamp(x, y, y)", "tl.fma(x, y, y)", "auto z = x; z = y; z", "auto z = x; z += y; z",
          "auto z = x; z /= y; z",
          "tl.atomic_add(x_ptr + lanes, y)", "tl.atomic_cas(x_ptr + lanes, x, y)", "tl.store(x_ptr + lanes, y); x",
          "tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = y})", "auto [a, b] = tl.broadcast(x, y); b"]
MIXED = [("32_c", r) for r in MIXED] + [("64_c", "tl.cat(x, y)"), ("64_c", "tl.interleave(x, y)"), ("32_c, 2_c", "tl.join(x, y)"), ("32_c",
         "tl.gather(x, y, 0)")]

TILE = "tl.load({} + tl.arange(0, {}_c)(_, None) * 32 + tl.arange(0, {}_c)(None, _))"
A, B = TILE.format("x_ptr", 32, 32), TILE.format("y_ptr", 32, 32)
TILES = f"auto a = {A}; auto b = {B}; "
DOTS = [("32_c, 32_c", TILES + r) for r in
        ["tl.dot(a, b)", "tl.dot(a, tl.trans(b))", "tl.dot(a, b, tl.float16)", "tl.dot(a, b, tl.float32)",
         "auto c = tl.dot(a, b); tl.dot(a, b, c)",
         "auto c = tl.zeros(tl.shape(32_c, 32_c), tl.float32); tl.dot(a, b, c, tl.ieee)",
         "auto c = tl.zeros(tl.shape(32_c, 32_c), tl.float32); tl.dot(a, b, c, tl.tf32x3)",
         "auto c = tl.zeros(tl.shape(32_c, 32_c), tl.float32); tl.dot(a, b, c, tl.tf32)"] +
        [f"auto c = tl.zeros(tl.shape(32_c, 32_c), tl.{d}); tl.dot(a, b, c)" for d in ("float16", "bfloat16", "float32", "float64", "int32",
         "float8e5")]]
DOTS += [("8_c, 8_c", f"auto a = {TILE.format('x_ptr', 8, 8)}; auto b = {TILE.format('y_ptr', 8, 8)}; tl.dot(a, b)"),
         ("2_c, 16_c, 16_c", "auto a = tl.load(x_ptr + tl.arange(0, 512_c)); auto b = tl.load(y_ptr + tl.arange(0, 512_c)); auto s = tl.shape(2_c, 16_c, 16_c); "
                             "tl.dot(tl.reshape(a, s), tl.reshape(b, s))")]

# By pointers, block pointers and descriptors, of a tensor's dtype.
OF_TENSORS = [("32_c", f"auto p = tl.make_block_ptr(x_ptr, tl.tuple(30), tl.tuple(1_c), tl.tuple(0), tl.shape(32_c), tl.axes(0_c)); {r}") for r in
              ["tl.load(p, {.boundary_check = tl.axes(0_c)})", "tl.load(p, {.boundary_check = tl.axes(0_c), .padding = tl.nan})",
               "tl.store(p, lanes, {.boundary_check = tl.axes(0_c)}); lanes",
               "tl.load(tl.advance(p, tl.tuple(2)), {.boundary_check = tl.axes(0_c)})"]]
OF_TENSORS += [("8_c, 32_c", "auto d = tl.make_tensor_descriptor(x_ptr, tl.tuple(32, 32), tl.tuple(32, 1_c), tl.shape(8_c, 32_c)); auto t = d.load({0, 0}); " + r) for r in
               ["t", "d.store({8, 0}, t); t"] + [f"d.atomic_{op}({{8, 0}}, t); t" for op in ATOMICS if op != "xchg"]]
OF_TENSORS += [("8_c, 32_c", "auto d = tl.make_tensor_descriptor(x_ptr, tl.tuple(32, 32), tl.tuple(32, 1_c), tl.shape(1_c, 32_c)); auto rows = tl.arange(0, 8_c); "
                             "auto t = d.gather(rows, 0); " + r) for r in ["t", "d.scatter(t, rows, 0); t"]]
OF_TENSORS += [("32_c", r) for r in
               ["tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = 1})", "tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = 1.5})",
                "tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = -300})",
                "tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = inf})", "tl.load(x_ptr + lanes, {.cache_modifier = \".cg\"})",
                "tl.load(x_ptr + lanes, {.is_volatile = true})",
                "tl.store(x_ptr + lanes, 1); lanes", "tl.store(x_ptr + lanes, -1.5); lanes", "tl.store(x_ptr + lanes, lanes); lanes",
                "tl.store(x_ptr + lanes, lanes < 5); lanes",
                "tl.store(x_ptr + lanes, lanes, {.cache_modifier = \".wt\", .eviction_policy = \"evict_first\"}); lanes",
                "tl.zeros(tl.shape(32_c), x_ptr.dtype)", "tl.full(tl.shape(32_c), 1, x_ptr.dtype)", "tl.full(tl.shape(32_c), -1, x_ptr.dtype)",
                "tl.full(tl.shape(32_c), 1.5, x_ptr.dtype)",
                "tl.full(tl.shape(32_c), 3000000000, x_ptr.dtype)", "tl.full(tl.shape(32_c), inf, x_ptr.dtype)",
                "tl.full(tl.shape(32_c), true, x_ptr.dtype)", "lanes.to(x_ptr.dtype)",
                "(lanes < 5).to(x_ptr.dtype)", "tl.static_if(x_ptr.dtype == tl.float32, [&] { return lanes; }, [&] { return lanes + 1; })",
                "auto z = tl.zeros(tl.shape(32_c), x_ptr.dtype); z += 1; z",
                "auto z = tl.zeros(tl.shape(32_c), x_ptr.dtype); for (auto i : tl.range(3)) z += tl.load(x_ptr + i * 32 + lanes); z"]]
OF_TENSORS += [("", f"auto z = tl.scalar({a}, x_ptr.dtype); z = {b}; z") for a, b in (("0", "1"), ("0", "1.5"), ("-inf", "0"), ("1", "300"),
               ("true", "false"), ("0", "tl.load(x_ptr)"))]
OF_TENSORS += [("", r) for r in ("tl.load(x_ptr)", "tl.atomic_add(x_ptr, 1)", "tl.atomic_cas(x_ptr, 0, 1)",
               "tl.atomic_xchg(x_ptr, 1, {.sem = \"release\"})")]

TO = {"": "out_ptr", "1_c": "out_ptr + tl.arange(0, 1_c)", "4_c": "out_ptr + tl.arange(0, 4_c)", "32_c": "out_ptr + lanes"}


def place(dims):
    size = eval(dims.replace("_c", "").replace(",", "*")) if dims else 1
    return TO.get(dims, f"out_ptr + tl.reshape(tl.arange(0, {size}_c), tl.shape({dims}))")


def shaped(dims, texts):
    at = {"": "0", "32_c": "lanes"}[dims]
    return [(dims, t.replace("AT", at).replace("SHAPE", dims)) for t in texts]


SAMPLE = "scalar-f8e5,mask,tensor-u16,dot-bf16"
LOADED = "auto x = tl.load(x_ptr + lanes); auto y = tl.load(y_ptr + lanes);"
# What there is to try: a name, what declares x and y, dtypes of the tensors, ops with the shape of what they give.
def trials():
    of_lanes, of_one = shaped("32_c", LANE_BY_LANE) + OF_BLOCKS, shaped("", LANE_BY_LANE + OF_SCALARS) + ONE_TO_BLOCKS
    for d in DTYPES:
        yield f"block-{d}", LOADED, (d, d), of_lanes
        yield f"scalar-{d}", "auto x = tl.load(x_ptr); auto y = tl.load(y_ptr + 1);", (d, d), of_one
        yield f"dot-{d}", "", (d, d), DOTS
        yield f"tensor-{d}", "", (d, d), OF_TENSORS
    yield "offsets-i32", "auto x = lanes; auto y = lanes * 2 + 1;", ("i32", "i32"), of_lanes
    yield "offsets-i64", "auto x = lanes.to(tl.int64); auto y = x + 1;", ("i64", "i64"), of_lanes
    yield "mask", "auto x = lanes < 5; auto y = (lanes > 2) & x;", ("i1", "i1"), of_lanes
    yield "int", "auto x = n; auto y = n + 1;", ("i32", "i32"), of_one
    yield "program_id", "auto x = tl.program_id(0); auto y = tl.num_programs(0);", ("i32", "i32"), of_one
    yield "float", "auto x = s; auto y = s * 2;", ("f32", "f32"), of_one
    for d, e in itertools.product(DTYPES, DTYPES):
        if d != e:
            yield f"mixed-{d}-{e}", LOADED, (d, e), MIXED + DOTS[:1]


def op_text(dims, text, number=None):
    ends = [m.end() for m in re.finditer("; ", text)]
    value = next((e for e in reversed(ends) if text.count("{", e) == text.count("}", e)), 0)  # not within a lambda
    opened = "{" if number is None else f"if (op == {number}) {{"
    return f"    {opened} {text[:value]}auto r = {text[value:]}; tl.store({place(dims)}, r); }}\n"


def kernel(declared, ops):
    return f"""#pragma once
#include "interp/tl.h"
// case: x=inout:f32[1024]:each(i%7+1) y=f32[1024]:each(i%5+1) out=out:f64[1024] n=5 s=0.5 op=0 grid=1
struct op_kernel {{
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto out_ptr, int_ auto n, float_ auto s, int_ auto op) const {{
    auto lanes = tl.arange(0, 32_c);
    {declared}
{ops}  }}
}};
"""


class Executors:
    def __init__(self, program):
        self.program, self.compiled = program, 0

    def said(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=600)
        return done.returncode, done.stdout + done.stderr

    def refused_by_interpreter(self, declared, dtypes, ops):
        with open("interpreter.h", "w") as out:
            out.write(kernel(declared, "".join(op_text(*op, i) for i, op in enumerate(ops))))
        refused = {}
        for i in range(len(ops)):
            code, words = self.said("run", "interpreter.h", f"x={dtypes[0]}", f"y={dtypes[1]}", f"op={i}", "--check", "none")
            if code:
                refused[i] = words
        return refused

    # One compilation tells many lines that are wrong, but not all: those are left out, and the others compiled again.
    def refused_by_cuda(self, declared, dtypes, ops):
        refused, left = {}, list(range(len(ops)))
        while left:
            self.compiled += 1
            text = kernel(declared, "".join(op_text(*ops[i]) for i in left))
            first = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("    {"))
            with open("cuda.h", "w") as out:
                out.write(text)
            code, words = self.said("compile", "cuda.h", f"x={dtypes[0]}", f"y={dtypes[1]}")
            if not code:
                break
            wrong = {int(line) - first: fact for line, fact in re.findall(r"(?:cuda\.h:|and in line )(\d+): (.*)", words)}
            if not wrong and len(left) > 1:  # the assembler names no line
                for some in left[::2], left[1::2]:
                    again = self.refused_by_cuda(declared, dtypes, [ops[i] for i in some])
                    refused.update((some[at], fact) for at, fact in again.items())
                break
            refused.update((left[at], fact) for at, fact in (wrong or {0: words}).items())
            left = [i for at, i in enumerate(left) if at not in (wrong or {0: words})]
        return refused


# A refusal says nothing of C++ templates.
def is_readable(words):
    return not re.search(r"static assertion|no instance|template|constraint|std::|detail::|Storage<|LANGUAGE.md|__nv_bool|signed char|short", words)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--all", action="store_true")  # an hour of a core
    arguments.add_argument("--part")
    arguments.add_argument("--only")
    arguments.add_argument("--words")
    given = arguments.parse_args()
    both = Executors(os.path.abspath(given.program))
    no_code, words = both.said("compile", "copy")
    if no_code and "toolkit" in words:
        print("MESSAGE: skipped: " + words)
        return 0
    is_sample = not (given.all or given.part or given.only)
    only = given.only or (SAMPLE if is_sample else "")
    part, parts = (int(w) for w in (given.part or ("1/16" if is_sample else "1/1")).split("/"))
    wrong = tried = 0
    listing = open(given.words, "w") if given.words else None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, (name, declared, dtypes, ops) in enumerate(trials()):
            if not any(name.startswith(w) for w in only.split(",")):
                continue
            ops = [op for i, op in enumerate(ops) if (i + number) % parts == part - 1]
            refused = both.refused_by_interpreter(declared, dtypes, ops)
            by_cuda = both.refused_by_cuda(declared, dtypes, ops)
            for i in sorted({*refused, *by_cuda}):
                words, cuda = refused.get(i, "takes it"), by_cuda.get(i, "takes it")
                is_wrong = (i in refused) != (i in by_cuda) or not is_readable(words) or not is_readable(cuda)
                wrong += is_wrong
                for out in [sys.stdout] * is_wrong + [listing] * bool(listing):
                    print(f"{name}: {ops[i][1]}\n  interpreter: {words.strip()}\n  CUDA: {cuda.strip()}", file=out, flush=True)
            tried += len(ops)
            print(f"{name}: {len(ops)} ops, {len(refused)} refused", file=sys.stderr, flush=True)
    print(f"{tried} ops, {both.compiled} compilations: {wrong} taken by one executor alone, or refused in poor words")
    return wrong != 0


sys.exit(main())
