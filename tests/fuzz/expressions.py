"""Random expressions, as a case's `expect` computes them, beside NumPy in double and int64: elementwise arithmetic over
dtypes, comparisons, functions, reductions, products, transposes, slices, indices, lanes moved to
other places. None may differ, none that NumPy takes may be refused.
Usage: expressions.py EVALUATE [SEED [COUNT]]"""

import os
import random
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
except ImportError:
    print("MESSAGE: skipped: no NumPy")
    sys.exit(0)

SHAPES = {"u": (5,), "v": (3,), "a": (3, 5), "b": (5, 3), "s": (5, 5), "t": (4, 4), "r": (1, 5), "c": (3, 1), "k": (2, 3, 5), "z": (2, 5, 3),
          "e": (7,), "w": (8, 2)}
DTYPES = ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bool"]
ONE = ["exp", "sin", "cos", "tanh", "floor", "ceil", "trunc", "rint", "abs", "square", "arctan", "sinh", "exp2", "expm1", "cbrt", "sign"]
OF_POSITIVE = ["sqrt", "log", "log2", "log10", "log1p"]
REDUCTIONS = ["sum", "max", "min", "amax", "amin", "mean", "prod", "any", "all", "argmax", "argmin", "var", "std"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        rng = np.random.default_rng(seed)
        self.arrays = {}
        for name, shape in SHAPES.items():
            dtype = self.random.choice(DTYPES)
            if dtype == "bool":
                values = rng.integers(0, 2, shape).astype(bool)
            elif dtype.startswith("f"):
                values = (rng.random(shape) * 6 - 3).astype(dtype)
            else:
                values = rng.integers(0 if dtype[0] == "u" else -6, 7, shape).astype(dtype)
            self.arrays[name] = values
        self.names = {n: getattr(np, n) for n in
                      set(ONE + OF_POSITIVE + REDUCTIONS + "maximum minimum where clip transpose reshape broadcast_to expand_dims arange zeros ones cumsum cumprod matmul dot outer round squeeze flip sort logical_not power tril triu float64 int64 "
                       "array swapaxes moveaxis concatenate stack hstack vstack roll repeat tile pad diff eye diag trace take take_along_axis count_nonzero ptp median linspace "
                       "logaddexp einsum kron inner bincount searchsorted convolve diagonal rot90".split())}
        self.names["norm"] = np.linalg.norm
        self.names["count_nonzero"] = lambda *x, **axis: np.asarray(np.count_nonzero(*x, **axis))  # an int of Python's else
        self.names["argsort"] = lambda x, axis=-1: np.argsort(x, axis, kind="stable")
        # As tl.dot: matrix by matrix.
        self.names["dot"] = lambda x, y: np.matmul(x, y) if np.ndim(x) and np.ndim(y) else np.dot(x, y)
        for name in set(ONE + OF_POSITIVE) - {"abs", "sign"}:  # of a mask NumPy computes in half precision
            self.names[name] = lambda x, f=getattr(np, name): f(np.asarray(x) * 1)
        for name, values in self.arrays.items():
            wide = np.float64 if values.dtype.kind == "f" else bool if values.dtype.kind == "b" else np.int64
            self.names[name] = values.astype(wide)

    def value(self, text):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # a variance of one value
            warnings.simplefilter("error", DeprecationWarning)  # a == b of shapes that do not fit
            return np.asarray(eval(text, {"__builtins__": {}, **self.names, "True": True, "False": False, "None": None}))

    def takes(self, text):
        try:
            v = self.value(text)
        except Exception:
            return False
        return (v.dtype.kind in "ib" or v.dtype == np.float64) and 0 < v.size < 5000 and v.ndim <= 6 and (v.dtype.kind != "f" or (np.isfinite(v).all() and np.abs(v).max() < 1e12))

    def literal(self):
        return self.random.choice(["1", "2", "3", "0.5", "1.5", "7", "0.25", "-1", "-2.5", "1e-3"])

    def leaf(self):
        r = self.random
        if r.random() < 0.12:
            return r.choice(["arange(5)", "arange(3)", "arange(1, 6)", "arange(0, 10, 2)", "ones((3, 5))", "arange(15).reshape(3, 5)"])
        return r.choice(list(self.arrays))

    def slices(self, ndim):
        r = self.random
        parts = []
        for _ in range(r.randint(1, ndim)):
            parts.append(r.choice([":", "0", "-1", "1:", ":-1", "::2", "::-1", "1:3", "None", "0:2", "-2:", "..."]))
        if parts.count("...") > 1:
            parts = [":"]
        return ", ".join(parts)

    def axis(self, ndim):
        r = self.random
        if ndim == 0 or r.random() < 0.25:
            return None
        if ndim > 1 and r.random() < 0.15:
            return str(tuple(r.sample(range(ndim), 2)))
        return str(r.randint(-ndim, ndim - 1))

    def reduction(self, x):
        r = self.random
        name, axis = r.choice(REDUCTIONS), self.axis(self.value(x).ndim)
        if name in ("argmax", "argmin") and axis and axis[0] == "(":
            axis = "0"
        options = []
        if axis is not None:
            options.append(axis if r.random() < 0.5 else "axis=" + axis)
        if r.random() < 0.3 and name not in ("argmax", "argmin"):
            options.append("keepdims=True")
        if r.random() < 0.35 and name not in ("amax", "amin"):
            return f"({x}).{name}({', '.join(options)})"
        return f"{name}({', '.join([x] + options)})"

    def shaped(self, x):
        r, v = self.random, self.value(x)
        n = v.ndim
        choices = [f"({x}).T", f"({x})[{self.slices(max(n, 1))}]", f"({x})[..., None]", f"transpose({x})", f"({x}).reshape(-1)",
                   f"expand_dims({x}, 0)", f"flip({x}, 0)", f"sort({x})", f"sort({x}, axis=0)", f"({x})[None]"]
        if n == 1:
            choices += [f"({x})[:, None]", f"({x})[None, :]", f"broadcast_to({x}, (3, {v.shape[0]}))", f"outer({x}, {x})"]
        if n >= 1:
            choices += [f"cumsum({x}, axis={r.randint(-n, n - 1)})", f"cumsum({x}, 0)"]
        if n == 2:
            m, k = v.shape
            choices += [f"reshape({x}, ({k}, {m}))", f"({x}).reshape({k * m})", f"({x}) @ ({x}).T", f"({x}).T @ ({x})", f"tril({x})"]
        if n == 3:
            choices += [f"transpose({x}, (2, 0, 1))", f"({x}).transpose(1, 0, 2)"]
        return r.choice(choices)

    def moved(self, x):
        r, v = self.random, self.value(x)
        n = v.ndim
        choices = [f"roll({x}, {r.randint(-3, 3)})", f"repeat({x}, 2)", f"count_nonzero({x})", f"ptp({x})", f"median({x})", f"norm({x})",
                   f"array([{x}, {x}])", f"logaddexp({x}, 1)", f"round({x}, {r.randint(0, 2)})", f"({x}) if {r.choice('01')} else -1",
                   f"stack([{x}, {x}], {r.randint(0, n)})", f"take({x}, [0, -1])"]
        if n:
            axis = r.randint(-n, n - 1)
            i, j = (r.randint(-size, size - 1) for size in (v.shape[0], v.shape[-1]))
            choices += [f"swapaxes({x}, 0, {axis})", f"moveaxis({x}, 0, {axis})", f"concatenate([{x}, {x}], axis={axis})", f"hstack(({x}, {x}))", f"vstack(({x}, {x}))",
                        f"roll({x}, 1, {axis})", f"repeat({x}, 3, axis={axis})", f"pad({x}, 1)", f"pad({x}, ((1, 2),))" if n == 1 else f"pad({x}, (2, 0), constant_values=3)",
                        f"take({x}, [0, 0], {axis})", f"argsort({x}, {axis})", f"take_along_axis({x}, argsort({x}, {axis}), {axis})", f"({x})[[{i}, 0]]",
                        f"({x})[..., [{j}, 0, {j}]]", f"({x})[[[0], [{i}]]]", f"tile({x}, 2)", f"diff({x})", f"count_nonzero({x}, {axis})", f"ptp({x}, {axis})",
                        f"var({x}, axis={axis}, ddof=1)", f"std({x}, {axis}, ddof=0, keepdims=True)", f"norm({x}, axis={axis})"]
        if n == 1:
            choices += [f"diag({x})", f"kron({x}, {x})", f"inner({x}, {x})", f"convolve({x}, [1, 2])", f"searchsorted(sort({x}), {x})", f"einsum('i,j->ij', {x}, {x})",
                        f"einsum('i,i', {x}, {x})", f"linspace(0, 1, {v.size})"]
        if n == 2:
            choices += [f"diag({x})", f"trace({x})", f"rot90({x})", f"einsum('ij,kj->ik', {x}, {x})", f"einsum('ij->j', {x})", f"einsum('ij,ij->i', {x}, {x})",
                        f"einsum('ij,kj,kl->il', {x}, {x}, {x})", f"({x})[[0, {i}], {j}]", f"({x})[{i}, [0, {j}]]", f"({x})[[0, {i}], [{j}, 0]]", f"inner({x}, {x})", f"({x})[None, [0], 0]",
                        f"kron({x}, [[1, 2]])", f"({x}) @ eye({v.shape[1]})"]
        if n == 3:
            choices += [f"einsum('bij,bkj->bik', {x}, {x})", f"einsum('bij->ib', {x})", f"({x})[[0, 0], :, [0, {j}]]", f"({x})[0, :, [{j}, 0]]", f"({x})[:, [0], [[0], [{j}]]]",
                        f"moveaxis({x}, (0, 1), (-1, 0))", f"einsum('bij,kj->bik', {x}, ({x})[0])"]
        return r.choice(choices)

    def expression(self, depth):
        r = self.random
        for _ in range(60):
            text = self.attempt(depth)
            if self.takes(text):
                return text
        return "u + 1"

    def attempt(self, depth):
        r = self.random
        if depth == 0:
            return self.leaf()
        x = self.expression(depth - 1)
        kind = r.random()
        if kind < 0.34:
            y = self.literal() if r.random() < 0.35 else self.expression(r.randint(0, depth - 1))
            op = r.choice(["+", "-", "*", "/", "+", "-", "*", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "**", "<<", ">>"])
            if op == "**":
                y = r.choice(["2", "3", "0"] if self.value(x).dtype == bool else ["2", "3", "0", "2.0"])
            if op in ("<<", ">>"):
                y = r.choice(["1", "2"])
            if op in ("/", "//", "%") and y == "0":
                y = "3"
            return f"({x}) {op} ({y})" if r.random() < 0.8 else f"({y}) {op} ({x})"
        if kind < 0.44:
            return r.choice([f"-({x})", f"~({x})", f"{r.choice(ONE)}({x})", f"{r.choice(OF_POSITIVE)}(abs({x}) + 1)", f"logical_not({x})", f"round({x})"])
        if kind < 0.62:
            return self.reduction(x)
        if kind < 0.75:
            return self.shaped(x)
        if kind < 0.88:
            return self.moved(x)
        y = self.expression(r.randint(0, depth - 1))
        return r.choice([f"maximum({x}, {y})", f"minimum({x}, {y})", f"where({x} > {y}, {x}, {y})", f"clip({x}, -1, 1)", f"({x}) @ ({y})", f"matmul({x}, {y})",
                         f"dot({x}, {y})", f"where(({x}) > 0, {x}, 0)", f"maximum({x}, 0)", f"({x}) - amax({x}, 0)", f"exp({x} - amax({x}, 0))"])


def same(got, want):
    return len(got) == want.size and np.allclose(np.array(got, float).reshape(want.shape), want.astype(float), rtol=1e-9, atol=1e-9, equal_nan=True)


def trial(evaluate, seed, count):
    maker = Maker(seed)
    texts = [maker.expression(maker.random.randint(1, 4)) for _ in range(count)]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, values in maker.arrays.items():
            np.save(os.path.join(folder, name + ".npy"), values)
        lines = [",".join(map(str, maker.value(t).shape)) + ";" + t for t in texts]
        said = subprocess.run([evaluate, folder], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=300)
    answers = said.stdout.splitlines()
    if said.returncode != 0 or len(answers) != len(texts):
        sys.exit(f"seed {seed}: ended with {said.returncode} at {texts[min(len(answers), count - 1)]}\n{said.stderr}")
    for text, answer in zip(texts, answers):
        want = maker.value(text)
        if answer.startswith("refused"):
            wrong.append(f"{text}\n    {answer}")
        elif not same([float(v) for v in answer.split()], want):
            dtypes = {n: str(v.dtype) for n, v in maker.arrays.items()}
            wrong.append(f"{text}\n    is {answer[:100]}\n    NumPy {want.ravel()[:8]} {want.dtype}{want.shape}  {dtypes}")
    return wrong


def broken(maker, text):
    """The text with some of its characters gone, doubled or exchanged."""
    r, chars = maker.random, list(text)
    for _ in range(r.randint(1, 3)):
        i = r.randrange(len(chars))
        chars[i:i + 1] = r.choice([[], [chars[i]] * 2, [r.choice("()[],:.*/%+-0x=\"'@ None")]])
    return "".join(chars) or "x"


def robust(evaluate, seed, count):
    """Whatever is typed is computed or refused."""
    maker = Maker(seed)
    texts = [broken(maker, maker.expression(maker.random.randint(1, 3))) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        for name, values in maker.arrays.items():
            np.save(os.path.join(folder, name + ".npy"), values)
        said = subprocess.run([evaluate, folder], input="".join(f"5;{t}\n" for t in texts), capture_output=True, text=True, timeout=300)
    lines = said.stdout.splitlines()
    return [] if said.returncode == 0 and len(lines) == count else [f"ended with {said.returncode} at {texts[min(len(lines), count - 1)]}: {said.stderr}"]


def main():
    evaluate, seed, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[3]) if len(sys.argv) > 3 else 320
    wrong = trial(evaluate, seed, count) + robust(evaluate, seed, count)
    for w in wrong:
        print(w)
    print(f"seed {seed}: {count} expressions, {len(wrong)} differ or are refused")
    sys.exit(1 if wrong else 0)


main()
