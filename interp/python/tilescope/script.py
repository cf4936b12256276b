"""python -m tilescope script.py: runs a script of Triton's as it is; its kernels run on the interpreter, checked."""

import argparse
import atexit
import os
import runpy
import shlex
import sys
import traceback

from tilescope import _core, command, reports, session, texts_of_exec, triton_here
from tilescope.errors import Error


def activate(is_imported_now=False):
    """Kernels of Triton's run on the interpreter from here on; before anything imports triton, or while it does."""
    os.environ["TRITON_INTERPRET"] = "1"  # scripts and Triton itself ask it
    os.environ.pop("TILESCOPE", None)  # it is done
    texts_of_exec.keep()
    triton_here.take_over(is_imported_now)


def main(words):
    asked = _parser().parse_args(words)
    if not os.path.isfile(asked.script):
        print(f'tilescope: there is no file "{asked.script}"\n  fix: pass the path of a Python script', file=sys.stderr)
        return 2
    try:
        current = session.begin(_session_of(asked))
    except Error as e:
        print(f"tilescope: {e}", file=sys.stderr)
        return 2
    activate()
    sys.argv = [asked.script, *asked.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(asked.script))
    code = _run(asked.script, current)
    _finish(current, asked)
    return code or (1 if current.wrong() else 0)


def activate_by_environment(words):
    """TILESCOPE=1, or options of `python -m tilescope`: what those do from outside; the spec of the module triton, which
    is being imported. A fault makes the exit code 1."""
    asked = _parser(has_script=False).parse_args([] if words == "1" else shlex.split(words))
    try:
        current = session.begin(_session_of(asked))
    except Error as e:
        sys.exit(f"tilescope: TILESCOPE={words!r}: {e}")
    activate(is_imported_now=True)

    def at_exit():
        _finish(current, asked)
        if current.wrong():
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)  # Python settles its exit code before

    atexit.register(at_exit)
    return triton_here.spec()


def _session_of(asked):
    _core.require_checks(asked.check.split(","))
    if asked.breaks_at:
        _core.require_condition(asked.breaks_at)
    return session.Session(asked.check, asked.gpu if asked.report or asked.schedule else None, asked.schedule,
                           asked.breaks_at, asked.view, debugs=True)


def _finish(current, asked):
    for write, file in (reports.html, asked.report), (reports.junit, asked.junit), (reports.sarif, asked.sarif):
        if file:
            write(current, file)
    print(current.summary(), file=sys.stderr)
    if asked.view and current.recording is None:
        print(f"tilescope: there is no launch {asked.view}", file=sys.stderr)
    elif asked.view:
        command.run(["view", current.recording])


def _parser(has_script=True):
    parser = argparse.ArgumentParser(
        prog="python -m tilescope" if has_script else "TILESCOPE", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs a script; every launch of a Triton kernel runs on the interpreter and is checked.\n"
        "The exit code is 1 where one is wrong.", epilog=_EXAMPLES)
    parser.add_argument("--check", metavar="WORDS", default=session.CHECKS,
                        help=f"beside bounds: {session.WORDS} (default: {session.CHECKS})")
    parser.add_argument("--break", metavar="CONDITION", dest="breaks_at",
                        help="debug every launch from the first program on that meets it: '=0', ',>1', '>1,=0'")
    parser.add_argument("--view", metavar="N", type=_launch_number, help="open launch N, from 1, in the window")
    parser.add_argument("--schedule", action="store_true", help="print a GPU's model of each launch: time, traffic")
    parser.add_argument("--gpu", default="h200", help="whose model --schedule and --report ask (default: h200)")
    parser.add_argument("--report", metavar="F.html", help="each launch: what is wrong, traffic, the model's time")
    parser.add_argument("--junit", metavar="F.xml", help="each launch as a test case")
    parser.add_argument("--sarif", metavar="F.sarif", help="what is wrong, for code review")
    if has_script:
        parser.add_argument("script")
        parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    return parser


_EXAMPLES = """\
A kernel's own breakpoint(), set_trace() or breakpoint_if('=0') opens the debugger as well; `help` lists its commands.

Examples:
  python -m tilescope softmax.py
  python -m tilescope --break '=1,=0' --check all matmul.py --size 512
  python -m tilescope --schedule --report launches.html train.py
  TILESCOPE=1 python softmax.py
  TILESCOPE='--report launches.html' python train.py
  pytest --tilescope
"""


def _launch_number(word):
    if not word.isdigit() or int(word) == 0:
        raise argparse.ArgumentTypeError(f"{word!r} is no launch: they count from 1")
    return int(word)


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
