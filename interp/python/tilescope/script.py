"""python -m tilescope script.py: runs a script of Triton's as it is; its kernels run on the interpreter, checked."""

import argparse
import os
import runpy
import sys
import traceback

from tilescope import reports, session, texts_of_exec
from tilescope.errors import Error


def activate():
    """Kernels of Triton's run on the interpreter from here on; before anything imports triton."""
    os.environ["TRITON_INTERPRET"] = "1"  # scripts and Triton itself ask it
    texts_of_exec.keep()
    from tilescope import triton_here
    triton_here.take_over()


def main(words):
    asked = _parser().parse_args(words)
    if not os.path.isfile(asked.script):
        print(f'tilescope: there is no file "{asked.script}"\n  fix: pass the path of a Python script', file=sys.stderr)
        return 2
    current = session.begin(session.Session(asked.check, asked.gpu if asked.report else None))
    activate()
    sys.argv = [asked.script, *asked.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(asked.script))
    code = _run(asked.script, current)
    for write, file in (reports.html, asked.report), (reports.junit, asked.junit), (reports.sarif, asked.sarif):
        if file:
            write(current, file)
    print(current.summary(), file=sys.stderr)
    return code or (1 if current.wrong() else 0)


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m tilescope", description="Runs a script; every launch of a Triton kernel runs on the "
        "interpreter and is checked. The exit code is 1 where one is wrong.")
    parser.add_argument("--check", metavar="WORDS", default=session.CHECKS,
                        help=f"beside bounds: race, undef, hints, nan, all, none (default: {session.CHECKS})")
    parser.add_argument("--gpu", default="h200", help="whose model the report asks (default: h200)")
    parser.add_argument("--report", metavar="F.html", help="each launch: what is wrong, traffic, the model's time")
    parser.add_argument("--junit", metavar="F.xml", help="each launch as a test case")
    parser.add_argument("--sarif", metavar="F.sarif", help="what is wrong, for code review")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    return parser


def _run(script, current):
    """The script's exit code; what it raises is said as Python would, a kernel's fault in the terminal's words."""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as e:
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
            return 1
        return e.code or 0
    except KeyboardInterrupt:
        print("\ntilescope: stopped", file=sys.stderr)
        return 130
    except Error as e:
        place = _place_in(script, e.__traceback__)
        print(f"{e}\n  at {place}" if place else e, file=sys.stderr)
        return 1
    except BaseException as e:
        return _say_traceback(e)
    return 0


def _say_traceback(e):
    e.__traceback__ = _without_ours(e.__traceback__)
    traceback.print_exception(type(e), e, e.__traceback__)
    return 1


def _without_ours(frames):
    """From the script's own frame on."""
    while frames and (session.is_ours(frames.tb_frame.f_code.co_filename) or _is_of_runpy(frames)):
        frames = frames.tb_next
    return frames


def _is_of_runpy(frames):
    return "runpy" in frames.tb_frame.f_code.co_filename


def _place_in(script, frames):
    """script.py:40: the launch's own line where the script launched, called from wherever."""
    places = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(_without_ours(frames))]
    places = [p for p in places if not session.is_ours(p[0])]
    return f"{os.path.relpath(places[-1][0])}:{places[-1][1]}" if places else ""
