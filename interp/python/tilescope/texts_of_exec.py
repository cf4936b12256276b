"""Keeps the texts that exec() and compile() are given: a kernel made of a string has its text then, as one of a file."""

import __future__
import ast
import builtins
import linecache
import sys

_exec, _compile = builtins.exec, builtins.compile
_count = 0


def keep():
    builtins.exec, builtins.compile = _keeping_exec, _keeping_compile


def _keeping_compile(source, filename, mode, flags=0, *more, **named):
    if _may_hold_a_kernel(source) and str(filename).startswith("<") and not flags & ast.PyCF_ONLY_AST:
        filename = _kept(source)
    return _compile(source, filename, mode, flags, *more, **named)


def _keeping_exec(source, globals=None, locals=None, /, **named):
    caller = sys._getframe(1)
    if globals is None:
        globals, locals = caller.f_globals, caller.f_locals if locals is None else locals
    if _may_hold_a_kernel(source):
        source = _compile(source, _kept(source), "exec", caller.f_code.co_flags & _future_flags, True)
    _exec(source, globals, globals if locals is None else locals, **named)


def _may_hold_a_kernel(source):
    return isinstance(source, str) and "jit" in source


def _kept(source):
    global _count
    _count += 1
    name = f"<exec {_count}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    return name


_future_flags = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
