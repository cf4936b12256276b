"""What can go wrong: its text is what the terminal shows."""

import json
import operator
import re


class Error(Exception):
    """Wrong use. `fact` says what is wrong, `fix` what to do instead."""

    def __init__(self, fact, fix=""):
        self.fact, self.fix = fact, fix
        super().__init__(fact + ("\n  fix: " + fix.replace("\n", "\n       ") if fix else ""))


class Unavailable(Error):
    """The machine lacks something: a compiler, a GPU."""


class UnknownParameter(Error, KeyError):
    """A grid that asks for a parameter which the kernel lacks."""
    __str__ = Exception.__str__  # KeyError's puts quotes around it


class CompileError(Error):
    """A kernel's text that does not compile; `line` is where."""

    def __init__(self, fact, fix=""):
        super().__init__(fact, fix)
        place = re.match(r"[^:\n]*:(\d+)", fact)
        self.line = int(place[1]) if place else None


class Fault(Error):
    """A kernel that failed: `kind`, `file`, `line`, `column`, `program`, `lane`, `tensor`, `element`, `fix`."""

    def __init__(self, text, parts):
        Exception.__init__(self, text.rstrip("\n"))
        parts = json.loads(parts)
        self.fact, self.fix, self.kind = parts["headline"], parts["fix"], parts["kind"]
        self.file, self.line, self.column = parts["file"], parts["line"], parts["column"]
        self.program = tuple(parts["program"])
        self.lane, self.tensor, self.element = parts.get("lane"), parts.get("tensor"), parts.get("element")


def whole(name, value):
    """`value` as an int of 64 bits, or an Error that names it."""
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return value
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}, and a whole number is taken there", "pass an int") from None
    if not -(1 << 63) <= number < 1 << 63:
        raise Error(f"{name} is {number}, which 64 bits do not hold", "pass a smaller number")
    return number
