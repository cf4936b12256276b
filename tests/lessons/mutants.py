"""How often a refusal names the line that is wrong: mutants of the solutions in Python, one line each.

    mutants.py TILESCOPE [--most 12] [--seed 1] [--jobs 2] [--list] [--least RATE] [LESSON ...]

A name, an operator or a number is exchanged, an argument dropped, two lines swapped. Each mutant is judged; of those that
are refused the edited line must be told, by its number, in the finding or as its place. Prints the rate of each lesson and
of all; --list has every refusal that does not name the line. With --least the exit code is 1 below that rate.
"""
import argparse, ast, concurrent.futures, io, json, pathlib, random, re, subprocess, sys, tempfile, tokenize

LESSONS = pathlib.Path(__file__).resolve().parents[2] / "lessons"
OTHER = {"+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "//", "<": "<=", ">": ">=", "&": "|", "+=": "=", "<=": "<",
         ">>": "<<", "-=": "+=", "==": "!=", "!=": "=="}
DROPPED = re.compile(r",\s*(mask|other|boundary_check|padding_option|acc|input_precision)=")


class Mutants:
    def __init__(self, text):
        self.lines = text.split("\n")
        tree = ast.parse(text)
        self.made = {}
        for f in [n for n in tree.body if isinstance(n, ast.FunctionDef)]:
            names = {a.arg for a in f.args.args} | {n.id for n in ast.walk(f)
                                                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for statement in ast.walk(f):
                if isinstance(statement, ast.stmt) and statement is not f:
                    self.statement(statement, sorted(names))
            self.swaps(f)

    def add(self, statement, kind, what, row, begin, end, by):
        lines = list(self.lines)
        lines[row] = lines[row][:begin] + by + lines[row][end:]
        self.keep(range(statement.lineno, head_end(statement) + 1), kind, what, lines)

    def keep(self, truth, kind, what, lines):
        text = "\n".join(lines)
        try:
            ast.parse(text)
        except SyntaxError:
            return
        self.made.setdefault(text, (set(truth), kind, what))

    def statement(self, s, names):
        head = "\n".join(self.lines[s.lineno - 1:head_end(s)])
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(head.lstrip()).readline))
        except (tokenize.TokenError, IndentationError):
            tokens = []
        indent = len(head) - len(head.lstrip())
        for before, t, after in zip(tokens, tokens[1:], tokens[2:]):
            row, shift = s.lineno - 2 + t.start[0], indent if t.start[0] == 1 else 0
            put = lambda kind, by: self.add(s, kind, f"{by} for {t.string}", row, t.start[1] + shift, t.end[1] + shift, by)
            if t.type == tokenize.OP and t.string in OTHER:
                put("operator", OTHER[t.string])
            elif t.type == tokenize.NUMBER:
                put("number", str(int(t.string) + 1) if t.string.isdigit() else f"({t.string} + 0.01)")
            elif t.type == tokenize.NAME and t.string in names and before.string != "." and after.string != "=":
                at = names.index(t.string)
                put("name", names[(at + 1) % len(names)])
                put("name", names[at - 1])
        for row in range(s.lineno - 1, head_end(s)):
            for m in DROPPED.finditer(self.lines[row]):
                end = end_of_argument(self.lines[row], m.end())
                self.add(s, "argument", "without " + self.lines[row][m.start():end], row, m.start(), end, "")

    def swaps(self, f):
        for body in [b for n in ast.walk(f) for b in (getattr(n, "body", None),) if isinstance(b, list)]:
            for a, b in zip(body, body[1:]):
                simple = all(isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)) and s.lineno == s.end_lineno for s in (a, b))
                if simple and b.lineno == a.lineno + 1:
                    lines = list(self.lines)
                    lines[a.lineno - 1], lines[a.lineno] = lines[a.lineno], lines[a.lineno - 1]
                    self.keep((a.lineno, b.lineno), "swapped", "after the line below", lines)


def head_end(s):
    body = getattr(s, "body", None)
    return body[0].lineno - 1 if isinstance(body, list) and body[0].lineno > s.lineno else s.end_lineno


def end_of_argument(line, begin):
    depth = 0
    for i in range(begin, len(line)):
        depth += (line[i] in "([{") - (line[i] in ")]}")
        if depth < 0 or (depth == 0 and line[i] == ","):
            return i
    return len(line)


def judge(program, lesson, text, seed):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernel.py"
        file.write_text(text)
        out = subprocess.run([program, "judge", str(file), "--like", lesson, "--json", "--seed", str(seed)],
                             capture_output=True, text=True).stdout
    return json.loads(out) if out else {"verdict": "not judged"}


def lines_of(finding):
    words = " ".join(finding.get(k, "") for k in ("headline", "detail", "fix"))
    named = {int(n) for m in re.findall(r"lines? (\d+)(?: and (\d+))?", words) for n in m if n}
    return named | ({finding["line"]} if finding.get("line") else set())


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("program")
    p.add_argument("lessons", nargs="*")
    p.add_argument("--most", type=int, default=12)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--list", action="store_true")
    p.add_argument("--least", type=float, default=0)
    o = p.parse_args()
    files = sorted(LESSONS.glob("*/solution.py")) + sorted(LESSONS.glob("puzzles/*/solution.py"))
    all_told, all_refused, by_kind = 0, 0, {}
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for file in files:
            name = file.parent.name[3:]
            if o.lessons and name not in o.lessons:
                continue
            made = list(Mutants(file.read_text()).made.items())
            random.Random(o.seed).shuffle(made)
            chosen = made[:o.most]
            verdicts = list(pool.map(lambda m: judge(o.program, name, m[0], o.seed), chosen))
            refused = [(m[1], v["finding"]) for m, v in zip(chosen, verdicts)
                       if v["verdict"] in ("wrong", "wasteful") and v.get("finding")]
            passed = [m[1] for m, v in zip(chosen, verdicts) if v["verdict"] == "right"]
            told = [r for r in refused if r[0][0] & lines_of(r[1])]
            print(f"{name}: {len(told)} of {len(refused)} refusals name the line, {len(passed)} pass", flush=True)
            for (truth, kind, what), finding in refused:
                count = by_kind.setdefault(kind, [0, 0])
                count[0] += bool(truth & lines_of(finding))
                count[1] += 1
                if o.list and not truth & lines_of(finding):
                    print(f"  line {min(truth)}: {what}\n    {finding.get('line', 0)}: {finding['headline']}\n    " +
                          (finding["detail"] + "\n" + finding["fix"]).replace("\n", "\n    "))
            if o.list:
                for truth, _, what in passed:
                    print(f"  passes: line {min(truth)}: {what}")
            all_told += len(told)
            all_refused += len(refused)
    for kind, (told, of) in sorted(by_kind.items()):
        print(f"{kind}: {told} of {of}")
    rate = all_told / max(1, all_refused)
    print(f"all: {all_told} of {all_refused} refusals name the edited line, {rate:.0%}")
    return int(rate < o.least)


if __name__ == "__main__":
    sys.exit(main())
