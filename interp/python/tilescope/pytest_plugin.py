"""pytest --tilescope: kernels of Triton's run on the interpreter, checked; a fault fails the test that launched it."""

import pytest

from tilescope import session
from tilescope.errors import CompileError, Fault


def pytest_addoption(parser):
    group = parser.getgroup("tilescope")
    group.addoption("--tilescope", action="store_true", help="run Triton's kernels on tilescope's interpreter, checked")
    group.addoption("--tilescope-check", metavar="WORDS", default=session.CHECKS,
                    help=f"beside bounds: {session.WORDS} (default: {session.CHECKS})")
    group.addoption("--tilescope-sarif", metavar="F.sarif", help="writes what is wrong, for code review")
    group.addoption("--tilescope-report", metavar="F.html", help="writes a page of all launches")


def pytest_load_initial_conftests(early_config):
    """Before any conftest or test imports triton."""
    options = early_config.known_args_namespace
    if options.tilescope:
        from tilescope import _core
        from tilescope.errors import Error
        from tilescope.script import activate
        try:
            _core.require_checks(options.tilescope_check.split(","))
        except Error as e:
            raise pytest.UsageError(f"--tilescope-check: {e}") from None
        session.begin(session.Session(options.tilescope_check))
        activate()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A kernel's fault is told in its own words, without Python's frames."""
    outcome = yield
    wrong = call.excinfo.value if call.excinfo else None
    if isinstance(wrong, (Fault, CompileError)) and item.config.option.tilescope:
        file, line = session.current().launches[-1].place
        outcome.get_result().longrepr = f"{wrong}\n\nlaunched at {file}:{line}"


def pytest_terminal_summary(terminalreporter, config):
    if config.option.tilescope:
        terminalreporter.write_line(session.current().summary())


def pytest_sessionfinish(session):
    from tilescope import reports
    from tilescope.session import current
    options = session.config.option
    for write, file in (reports.sarif, options.tilescope_sarif), (reports.html, options.tilescope_report):
        if options.tilescope and file:
            write(current(), file)
