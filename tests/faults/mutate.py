"""Plants faults in right kernels by changing their syntax tree, and prints, by kind, how many `tilescope run` finds.

    /usr/bin/python3 tests/faults/mutate.py build/tilescope [--seed 1] [--count 200] [--list] [KERNEL.py ..]
    .. --count 120 --rates tests/faults/rates.txt [--write]

The change itself is the truth: its line, and the lines that use what it changes. A mutant whose outputs are the right
kernel's is none. Each is run with the case's reference and without one.
"""

import argparse
import ast
import collections
import glob
import concurrent.futures
import copy
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
FLIPS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}


def name_of(call):
    """tl.load of a call of it, tl.sum of x.sum(..) it is not: the attribute's name."""
    return call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def without_keyword(call, *names):
    made = copy.deepcopy(call)
    made.keywords = [k for k in made.keywords if k.arg not in names]
    return made if len(made.keywords) < len(call.keywords) else None


def with_arguments(call, change):
    made = copy.deepcopy(call)
    return made if change(made) else None


def mutations(node):
    """(kind, new node) of what a slip of the pen could make of this node. None: the statement is left out."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in FLIPS:
        flipped = copy.deepcopy(node)
        flipped.ops[0] = FLIPS[type(node.ops[0])]()
        yield "comparison flipped", flipped
    if name_of(node) in ("load", "store"):
        if name_of(node) == "load" and without_keyword(node, "mask", "other") and any(k.arg == "mask" for k in node.keywords):
            yield "mask dropped of a load", without_keyword(node, "mask", "other")
        if name_of(node) == "store" and without_keyword(node, "mask"):
            yield "mask dropped of a store", without_keyword(node, "mask")
        if without_keyword(node, "other"):
            yield "other dropped", without_keyword(node, "other")
            wrong = copy.deepcopy(node)
            for k in wrong.keywords:
                if k.arg == "other":
                    k.value = ast.parse("1.0" if ast.unparse(k.value) in ("0.0", "0") else "0.0", mode="eval").body
            yield "wrong other", wrong
        if without_keyword(node, "boundary_check"):
            yield "boundary check dropped", without_keyword(node, "boundary_check")
    if name_of(node) in ("sum", "max", "min", "argmax", "argmin", "cumsum", "softmax"):
        other = copy.deepcopy(node)
        for k in other.keywords:
            if k.arg == "axis" and isinstance(k.value, ast.Constant) and k.value.value in (0, 1):
                k.value = ast.Constant(1 - k.value.value)
                yield "wrong axis", other
        if name_of(node) in ("max", "min", "sum"):
            other = copy.deepcopy(node)
            other.func.attr = {"max": "min", "min": "max", "sum": "max"}[name_of(node)]
            yield "wrong reduction", other
    if name_of(node) == "to" and node.args:
        yield "cast dropped", node.func.value
        if ast.unparse(node.args[0]) == "tl.float32":
            narrow = copy.deepcopy(node)
            narrow.args[0] = ast.parse("tl.float16", mode="eval").body
            yield "cast too narrow", narrow
    if name_of(node) == "zeros" and "float32" in ast.unparse(node):
        narrow = ast.parse(ast.unparse(node).replace("float32", "float16"), mode="eval").body
        yield "accumulator too narrow", narrow
    if name_of(node) == "trans":
        yield "transposition dropped", node.args[0]
    if name_of(node) == "cdiv":
        yield "cdiv rounds down", ast.BinOp(node.args[0], ast.FloorDiv(), node.args[1])
    if name_of(node) in ("exp", "abs", "sqrt", "rsqrt"):
        yield "function dropped", node.args[0]
    if name_of(node) == "where":
        swapped = copy.deepcopy(node)
        swapped.args[1], swapped.args[2] = swapped.args[2], swapped.args[1]
        yield "where's sides exchanged", swapped
        yield "where dropped", node.args[1]
    if name_of(node) == "atomic_add":
        stored = copy.deepcopy(node)
        stored.func.attr = "store"
        stored.keywords = [k for k in stored.keywords if k.arg == "mask"]
        yield "atomic dropped", stored
    if name_of(node) and any(k.arg == "sem" for k in node.keywords):
        relaxed = copy.deepcopy(node)
        for k in relaxed.keywords:
            if k.arg == "sem":
                k.value = ast.Constant("relaxed")
        yield "order relaxed", relaxed
    if name_of(node) == "program_id" and node.args and isinstance(node.args[0], ast.Constant):
        yield "wrong program id", ast.parse(f"tl.program_id({1 - min(node.args[0].value, 1)})", mode="eval").body
    if isinstance(node, ast.Call) and name_of(node) in ("range", "static_range") or \
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        last = 0 if len(node.args) == 1 else 1
        short = copy.deepcopy(node)
        short.args[last] = ast.BinOp(short.args[last], ast.Sub(), ast.Constant(1))
        yield "range one short", short
        if len(node.args) > 1:
            late = copy.deepcopy(node)
            late.args[0] = ast.BinOp(late.args[0], ast.Add(), node.args[2] if len(node.args) > 2 else ast.Constant(1))
            yield "range begins late", late
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) in (":, None", "None, :", "(:, None)", "(None, :)"):
        other = copy.deepcopy(node)
        other.slice.elts.reverse()
        yield "axes exchanged", other
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, (ast.Sub, ast.Div)):
            yield "operands exchanged", ast.BinOp(node.right, node.op, node.left)
        if isinstance(node.op, ast.Mult) and isinstance(node.right, (ast.Name, ast.Constant)) \
                and isinstance(node.left, (ast.Name, ast.Subscript)):
            yield "factor dropped", node.left
        if isinstance(node.op, ast.Add):
            yield "+ becomes -", ast.BinOp(node.left, ast.Sub(), node.right)
            yield "summand dropped", node.left
        if isinstance(node.op, ast.BitAnd):
            yield "half a mask dropped", node.left
            yield "half a mask dropped", node.right
    if isinstance(node, ast.AugAssign):
        yield "+= becomes =", ast.Assign([node.target], node.value)
        yield "update dropped", None
    if isinstance(node, ast.Expr) and name_of(node.value) == "debug_barrier":
        yield "barrier dropped", None
    if isinstance(node, ast.Constant) and node.value == 1e-5:
        yield "epsilon dropped", ast.Constant(0.0)


class Kernel:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        with open(path) as f:
            self.text = f.read()
        self.tree = ast.parse(self.text)
        self.lines = self.text.split("\n")

    def strides(self):
        """Pairs of parameters that a slip could exchange: stride_am, stride_ak."""
        for f in self.tree.body:
            if isinstance(f, ast.FunctionDef):
                names = [a.arg for a in f.args.args if a.arg.startswith("stride")]
                return [(a, b) for i, a in enumerate(names) for b in names[i + 1:i + 2]]
        return []

    def mutants(self):
        all = []
        for f in self.tree.body:
            if not isinstance(f, ast.FunctionDef):
                continue
            for statement in f.body:
                for node in ast.walk(statement):
                    if not hasattr(node, "lineno"):
                        continue
                    for kind, made in mutations(node):
                        all.append((kind, node, made))
            for a, b in self.strides():
                uses = [n for s in f.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id in (a, b)]
                for n in uses[:1]:
                    all.append(("strides exchanged", n, ast.Name(b if n.id == a else a)))
        return all

    def text_with(self, node, made):
        """The text with one node written anew; every other line stays where it is."""
        text = "pass" if made is None else ast.unparse(ast.fix_missing_locations(made))
        is_nested = isinstance(made, (ast.BinOp, ast.Compare)) or (made is not None and " " in text)
        if made is not None and is_nested and isinstance(node, ast.expr):
            text = f"({text})"
        begin = sum(len(l.encode()) + 1 for l in self.lines[:node.lineno - 1]) + node.col_offset
        end = sum(len(l.encode()) + 1 for l in self.lines[:node.end_lineno - 1]) + node.end_col_offset
        data = self.text.encode()
        old = data[begin:end].decode()
        return (data[:begin] + (text + "\n" * old.count("\n")).encode() + data[end:]).decode()

    def lines_of(self, node):
        """The lines that a message may name: the changed one, and those that use what it makes, or make what it uses."""
        function = next(f for f in self.tree.body if isinstance(f, ast.FunctionDef)
                        and f.lineno <= node.lineno <= f.end_lineno)
        statements = [s for s in ast.walk(function) if isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.If,
                                                                       ast.While, ast.Return))]
        made, used = {}, {}
        for s in statements:
            if isinstance(s, (ast.For, ast.If, ast.While)):
                head = [s.target, s.iter] if isinstance(s, ast.For) else [s.test]
                nodes = [n for h in head for n in ast.walk(h)]
            else:
                nodes = list(ast.walk(s))
            names = [n for n in nodes if isinstance(n, ast.Name)]
            made[s] = {n.id for n in names if isinstance(n.ctx, ast.Store)}
            used[s] = {n.id for n in names if isinstance(n.ctx, ast.Load)}
            if isinstance(s, ast.AugAssign):
                used[s] |= made[s]
        inner = [s for s in statements if s.lineno <= node.lineno and node.end_lineno <= s.end_lineno
                 and not isinstance(s, (ast.If, ast.While))]
        reached = {max(inner, key=lambda s: s.lineno)} if inner else set()
        for _ in range(3):
            names = set().union(*(made[s] for s in reached)) if reached else set()
            reached |= {s for s in statements if used[s] & names}
        # Where what the changed expression takes was made.
        taken = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        reached |= {s for s in statements if made[s] & taken and s.lineno <= node.lineno and not isinstance(s, ast.For)}
        lines = {node.lineno}
        for s in reached:
            end = s.end_lineno if not isinstance(s, (ast.For, ast.If, ast.While)) else s.lineno
            lines |= set(range(s.lineno, end + 1))
        return lines


class Tried:
    def __init__(self, kind, kernel, node, made):
        self.kind, self.kernel, self.node, self.made = kind, kernel, node, made


def run(program, kernel, text, *more, keep=False):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, kernel.name), "w") as f:
            f.write(text)
        outputs = re.findall(r"(\w+?)(?:_ptr)?=(?:out|inout):", text)
        saved = [w for o in outputs for w in ("--save", f"{o}={o}.npy")] if keep else []
        try:
            done = subprocess.run([program, "run", kernel.name, *more, *saved], cwd=folder, capture_output=True, text=True,
                                  timeout=60, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return -1, "", {}
        values = {}
        for o in outputs if keep else []:
            path = os.path.join(folder, o + ".npy")
            if os.path.exists(path):
                values[o] = numpy.load(path)
        return done.returncode, done.stdout + done.stderr, values


def without_reference(text):
    text = re.sub(r"^(# case:.*?) ?expect='[^']*'", r"\1", text, flags=re.M)
    text = re.sub(r"^(# case:.*?) ?expect=\S+", r"\1", text, flags=re.M)
    return re.sub(r"^(# case:.*?) ?tolerance=\S+", r"\1", text, flags=re.M)


def is_explained(out, kernel, lines, kind):
    """Does a fault or a `why` name a line of the truth, or elements or programs that nobody wrote?"""
    # Up to `who:`, which names the last writer, whatever the cause.
    said = re.sub(r"^who: .*$", "", out, flags=re.M)
    if re.search(r"nothing wrote|result depends on which", said):
        return True
    blocks = [b for b in re.split(rf"(?m)^(?=(?:why: )?{re.escape(kernel.name)}:)", said)]
    for b in blocks:
        is_vague = re.search(r"is it (what|the element)", b)  # who made the value, and no more
        places = re.findall(rf"(?:why: )?{re.escape(kernel.name)}:(\d+)|line (\d+)", b)
        if not is_vague and any(int(a or l) in lines for a, l in places) or "debug_barrier()" in b and "barrier" in kind:
            return True
    return False


def try_one(program, t):
    """What became of it: None, it is no mutant or none that differs; else found, explained, found without a reference."""
    text = t.kernel.text_with(t.node, t.made)
    if text == t.kernel.text:
        return None
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    code, out, values = run(program, t.kernel, text, keep=True)
    if code == 2:  # it is refused before it runs: whoever wrote it knows
        return None
    alone, said, _ = run(program, t.kernel, without_reference(text))
    if code == 0 and alone == 0:
        right = t.kernel.right
        same = all(n in values and numpy.array_equal(values[n], right[n], equal_nan=True) for n in right)
        close = all(n in values and values[n].shape == right[n].shape and
                    numpy.allclose(values[n].astype(float), right[n].astype(float), 1e-2, 1e-3, equal_nan=True) for n in right)
        if same or close:
            return None
    lines = t.kernel.lines_of(t.node)
    t.out, t.said, t.lines = out, said, lines
    t.text = text
    return code == 1 or code == -1, code == 1 and is_explained(out, t.kernel, lines, t.kind), alone == 1, \
        alone == 1 and is_explained(said, t.kernel, lines, t.kind)


def known_rates(path):
    with open(path) as f:
        for line in f.read().split("\n")[2:]:
            if line:
                yield line[:26].strip(), [int(n) for n in line[26:].split()]


def falls(kind, rates, known):
    """Does a kind have fewer found or explained, of as many?"""
    now = rates.get(kind, [0] * 5)
    is_worse = any(a - a_n < k - k_n for a, a_n, k, k_n in zip(now[1:], [now[0]] * 4, known[1:], [known[0]] * 4))
    if is_worse:
        print(f"{kind}: {now[1:]} of {now[0]}, and it was {known[1:]} of {known[0]}")
    return is_worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="prints what is not found or not explained")
    parser.add_argument("--rates", help="a file of rates: ends with 1 where a kind falls below them")
    parser.add_argument("--write", action="store_true", help="writes that file")
    o = parser.parse_args()
    program = os.path.abspath(o.program)
    paths = o.kernels or sorted(glob.glob(os.path.join(HERE, "kernels", "*.py")))
    by_kind = collections.defaultdict(list)
    for path in paths:
        if not path.endswith(".py"):
            continue
        kernel = Kernel(path)
        code, out, kernel.right = run(program, kernel, kernel.text, keep=True)
        if code:
            sys.exit(f"{kernel.name} is not right itself:\n{out}")
        for kind, node, made in kernel.mutants():
            by_kind[kind].append(Tried(kind, kernel, node, made))
    chance = random.Random(o.seed)
    for kind in sorted(by_kind):
        chance.shuffle(by_kind[kind])
    chosen = []  # of each kind in turn
    while len(chosen) < o.count and any(by_kind.values()):
        for kind in sorted(by_kind):
            if by_kind[kind]:
                chosen.append(by_kind[kind].pop())
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        results = list(pool.map(lambda t: try_one(program, t), chosen[:o.count]))
    rates = collections.defaultdict(lambda: [0] * 5)
    for t, r in zip(chosen, results):
        if r is None:
            continue
        for i, is_so in enumerate((True, *r)):
            rates[t.kind][i] += is_so
        if o.list and not (r[0] and r[1]):
            print(f"--- {t.kind}, {t.kernel.name}:{t.node.lineno}: {ast.unparse(t.node)} -> "
                  f"{'nothing' if t.made is None else ast.unparse(t.made)}; lines {sorted(t.lines)}\n{t.out}")
    rates["sum"] = [sum(r[i] for r in rates.values()) for i in range(5)]
    text = "".join(f"{kind:26}" + "".join(f"{n:8}" for n in rates[kind]) + "\n" for kind in rates)
    head = f"{'kind':26}{'planted':>8}{'found':>8}{'cause':>8}{'alone':>8}{'cause':>8}\n"
    print("alone: without the case's reference\n" + head + text, end="")
    if o.rates and o.write:
        with open(o.rates, "w") as f:
            f.write(f"# Of tests/faults/mutate.py --seed {o.seed} --count {o.count}\n" + head + text)
    elif o.rates:
        sys.exit(any([falls(kind, rates, line) for kind, line in known_rates(o.rates)]))


if __name__ == "__main__":
    main()
