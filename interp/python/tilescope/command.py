"""The command `tilescope`: the program that the wheel brings, or the one of TILESCOPE_PROGRAM or PATH."""

import os
import shutil
import subprocess
import sys


def program():
    """Its path; None: there is no such program."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tilescope")
    return own if os.path.exists(own) else os.environ.get("TILESCOPE_PROGRAM") or shutil.which("tilescope")


def run(words):
    """Its exit code."""
    found = program()
    return subprocess.run([found, *words]).returncode if found else _missing()


def main():
    """What `tilescope ...` of the wheel does."""
    found = program()
    if not found:
        return _missing()
    os.execv(found, [found, *sys.argv[1:]])


def _missing():
    print("tilescope: the program tilescope is not there\n  fix: install the wheel, or set TILESCOPE_PROGRAM to it",
          file=sys.stderr)
    return 2
