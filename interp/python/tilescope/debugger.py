"""The debugger at a launch of a script: the commands of `tilescope debug`, asked where the script runs."""

import contextlib
import sys

from tilescope.errors import Fault


def debug(core, launched, is_asked):
    """Asks for commands until one ends it; returns the launch's faults. Unless `is_asked`, only where a breakpoint of
    the kernel's own holds."""
    if is_asked or core.breaks:
        print(f"tilescope: launch {launched.number}, {launched.title()}")
        print(core.greeting() if is_asked else core.execute("c"), end="")
        with _completion(core):
            _ask(core)
    return [Fault(*f) for f in core.faults]


def _ask(core):
    while not core.is_done:
        try:
            line = input(core.prompt())
        except EOFError:
            print()
            return
        if not sys.stdin.isatty():
            print(line)
        print(core.execute(line), end="", flush=True)


@contextlib.contextmanager
def _completion(core):
    """Tab completes commands and names, where the terminal has that."""
    try:
        import readline
    except ImportError:
        yield
        return
    before = readline.get_completer(), readline.get_completer_delims()

    def complete(text, number):
        found = core.completions(readline.get_line_buffer()[:readline.get_endidx()])
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])
