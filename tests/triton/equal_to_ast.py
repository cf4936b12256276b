"""The reader's trees beside those of Python's own ast, node by node with their spans: equal_to_ast.py DUMP FILE.."""
import ast
import subprocess
import sys

KINDS = {
    "Name": "name", "Tuple": "tuple", "List": "list", "Set": "set", "Dict": "dictionary", "BinOp": "binary",
    "UnaryOp": "unary", "BoolOp": "logical", "Compare": "comparison", "IfExp": "conditional", "Call": "call",
    "Starred": "starred", "Attribute": "attribute", "Subscript": "subscript", "Slice": "slice",
    "JoinedStr": "format", "FormattedValue": "formatted", "Lambda": "lambda", "ListComp": "list_comprehension",
    "SetComp": "set_comprehension", "GeneratorExp": "generator", "DictComp": "dictionary_comprehension",
    "NamedExpr": "assignment_expression", "Yield": "yield", "YieldFrom": "yield_from", "Expr": "expression",
    "Assign": "assign", "AnnAssign": "annotated", "AugAssign": "augmented", "If": "branch", "For": "for_loop",
    "While": "while_loop", "With": "with", "Try": "try", "FunctionDef": "function", "ClassDef": "class",
    "Return": "return", "Pass": "pass", "Break": "break", "Continue": "continue", "Assert": "assert",
    "Raise": "raise", "Delete": "delete", "Global": "global", "Nonlocal": "nonlocal", "Import": "import",
    "ImportFrom": "import_from"}
SIGNS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "MatMult": "@", "Pow": "**",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>", "UAdd": "+", "USub": "-",
    "Invert": "~", "Not": "not", "And": "and", "Or": "or", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "Eq": "==", "NotEq": "!=", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not"}


def sign(op):
    return SIGNS[type(op).__name__]


def constant(n, source):
    v = n.value
    if v is None: return "none", ""
    if v is ...: return "ellipsis", ""
    if isinstance(v, bool): return "boolean", str(int(v))
    if isinstance(v, int):
        is_short = len(ast.get_source_segment(source, n) or "") < 16
        return "integer", str(v) if is_short else ""
    if isinstance(v, float): return "real", "%.17g" % v
    if isinstance(v, complex): return "imaginary", "%.17g" % v.imag
    if isinstance(v, bytes): return "bytes", v.hex()
    return "string", v.encode("utf-8", "surrogatepass").hex()


class Dump:
    def __init__(self, source):
        self.source, self.lines = source, []

    def line(self, depth, text):
        self.lines.append(" " * depth + text)

    def node(self, n, depth, places=True):
        if n is None: return self.line(depth, "-")
        kind = type(n).__name__
        name, text, children = KINDS.get(kind, kind), "", []
        if kind == "Constant": name, text = constant(n, self.source)
        elif kind == "Name": text = n.id
        elif kind in ("Tuple", "List", "Set"): children = n.elts
        elif kind == "Dict": children = [x for pair in zip(n.keys, n.values) for x in pair]
        elif kind == "BinOp": text, children = sign(n.op), [n.left, n.right]
        elif kind == "UnaryOp": text, children = sign(n.op), [n.operand]
        elif kind == "BoolOp": text, children = sign(n.op), n.values
        elif kind == "Compare": children = [n.left] + list(zip(n.ops, n.comparators))
        elif kind == "IfExp": children = [n.test, n.body, n.orelse]
        elif kind == "Call":
            children = [n.func] + sorted(n.args + n.keywords, key=lambda a: (a.lineno, a.col_offset))
        elif kind == "keyword": text, children = n.arg or "", [n.value]
        elif kind == "Attribute": text, children = n.attr, [n.value]
        elif kind == "Subscript": children = [n.value, n.slice]
        elif kind == "Slice": children = [n.lower, n.upper, n.step]
        elif kind == "JoinedStr": children = n.values
        elif kind == "FormattedValue":
            text = chr(n.conversion) if n.conversion >= 0 else ""
            children = [n.value] + ([n.format_spec] if n.format_spec else [])
        elif kind == "Lambda": children = [n.body]
        elif kind in ("ListComp", "SetComp", "GeneratorExp"): children = [n.elt] + n.generators
        elif kind == "DictComp": children = [n.key, n.value] + n.generators
        elif kind == "comprehension": name, children = "clause", [n.target, n.iter] + n.ifs
        elif kind == "NamedExpr": children = [n.target, n.value]
        elif kind == "Assign": children = n.targets + [n.value]
        elif kind == "AnnAssign": children = [n.target, n.annotation, n.value]
        elif kind == "AugAssign": text, children = sign(n.op), [n.target, n.value]
        elif kind in ("If", "While"): children = [n.test]
        elif kind == "For": children = [n.target, n.iter]
        elif kind == "With": children = n.items
        elif kind == "withitem": name, children = "with_item", [n.context_expr, n.optional_vars]
        elif kind == "ExceptHandler": name, text, children = "handler", n.name or "", [n.type]
        elif kind == "FunctionDef": text, children = n.name, [n.returns]
        elif kind == "ClassDef": text, children = n.name, n.bases + n.keywords
        elif kind == "Assert": children = [n.test] + ([n.msg] if n.msg else [])
        elif kind == "Raise": children = [x for x in (n.exc, n.cause) if x]
        elif kind == "Return": children = [n.value] if n.value else []
        elif kind == "Delete": children = n.targets
        elif kind in ("Global", "Nonlocal"): children = n.names
        elif kind == "Import": children = n.names
        elif kind == "ImportFrom": text, children = f"{n.level}{n.module or ''}", n.names
        elif kind == "alias": text, children = n.name, [n.asname] if n.name != "*" else []
        elif hasattr(n, "value"): children = [n.value]
        places = places and kind != "JoinedStr"
        head = f"{name} {text}"
        if places and hasattr(n, "lineno"):
            head += f" {n.lineno}:{n.col_offset + 1}-{n.end_lineno}:{n.end_col_offset + 1}"
        self.line(depth, head)
        if getattr(n, "decorator_list", None):
            self.line(depth + 1, "decorators")
            for d in n.decorator_list: self.node(d, depth + 2, places)
        if kind in ("FunctionDef", "Lambda"): self.parameters(n.args, depth + 1, places)
        for child in children:
            if isinstance(child, tuple):  # of a comparison
                self.line(depth + 1, f"link {sign(child[0])}")
                self.node(child[1], depth + 2, places)
            elif isinstance(child, str): self.names.append((len(self.lines), child)) or self.line(depth + 1, f"name {child}")
            else: self.node(child, depth + 1, places)
        for part, name in (("body", "body"), ("handlers", "handlers"), ("orelse", "otherwise"), ("finalbody", "finally")):
            body = getattr(n, part, None)
            if not isinstance(body, list) or not body: continue
            self.line(depth + 1, name)
            for s in body: self.node(s, depth + 2, places)

    names = []

    def parameters(self, a, depth, places):
        usual = a.posonlyargs + a.args
        fallbacks = [None] * (len(usual) - len(a.defaults)) + a.defaults
        all = [(0 if i < len(a.posonlyargs) else 1, p, d) for i, (p, d) in enumerate(zip(usual, fallbacks))]
        if a.vararg: all.append((2, a.vararg, None))
        all += [(3, p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
        if a.kwarg: all.append((4, a.kwarg, None))
        for kind, p, d in all:
            self.line(depth, f"parameter {kind} {p.arg} {p.lineno}:{p.col_offset + 1}-{p.end_lineno}:{p.end_col_offset + 1}")
            self.node(p.annotation, depth + 1, places)
            self.node(d, depth + 1, places)


def without_place_of_names(lines):
    """`import a as b` and `global a` hold names without places in Python's ast."""
    out, within = [], False
    for line in lines:
        kind = line.split()[0]
        if kind == "name" and within: line = " ".join(line.rstrip().rsplit(" ", 1)[:-1] if "-" in line else [line.rstrip()])
        else: within = kind in ("alias", "global", "nonlocal")
        out.append(line.rstrip())
    return out


def main():
    dump, files = sys.argv[1], sys.argv[2:]
    nodes, wrong = 0, 0
    for file in files:
        text = open(file, encoding="utf-8", newline="").read()
        expected = Dump(text)
        for s in ast.parse(text).body: expected.node(s, 0)
        r = subprocess.run([dump, file], capture_output=True, text=True)
        want, got = without_place_of_names(expected.lines), without_place_of_names(r.stdout.split("\n")[:-1])
        nodes += len(want)
        if want == got and not r.stderr: continue
        wrong += 1
        print(f"{file}: {r.stderr.strip()}")
        for i, (a, b) in enumerate(zip(want + [""] * len(got), got + [""] * len(want))):
            if a != b:
                print(f"  ast:    {a}\n  reader: {b}")
                break
    print(f"{nodes} nodes of {len(files)} files, {wrong} files differ")
    sys.exit(wrong > 0)


main()
