"""A pytest plugin: one line of JSON a test. A run goes on where one ended."""

import json
import os
import signal
import time

import pytest

result, seconds = os.environ["CONFORMANCE_RESULT"], int(os.environ["CONFORMANCE_SECONDS"])


def _known():
    """The tests that have a result; the one that was begun last and has none has crashed."""
    known, begun = set(), None
    if os.path.exists(result):
        for line in open(result):
            test = json.loads(line)
            known.add(test["id"])
            begun = test if test["outcome"] == "begun" else None
    if begun:
        with open(result, "a") as out:
            out.write(json.dumps({**begun, "outcome": "fail", "message": "the process died"}) + "\n")
    return known


known = _known()
out = open(result, "a", buffering=1)


def pytest_collection_modifyitems(items):
    every = int(os.environ["CONFORMANCE_EVERY"])
    items[:] = [item for i, item in enumerate(items) if i % every == 0 and item.nodeid not in known]
    if os.environ["CONFORMANCE_LIFT"]:
        for module in {item.module for item in items}:
            module.pytest = _WithoutSkips()


class _WithoutSkips:
    """pytest, as the tests see it, which does not skip what only Triton's interpreter lacks."""

    def __getattr__(self, name):
        return getattr(pytest, name)

    def skip(self, reason="", **more):
        if "interpreter" not in reason:
            pytest.skip(reason, **more)


class Slow(Exception):
    pass


def _ring(*_):
    raise Slow(f"over {seconds} s")


signal.signal(signal.SIGALRM, _ring)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    item.recorded = {"id": item.nodeid, "outcome": "begun", "seconds": 0, "message": "",
                     "is_marked": item.get_closest_marker("interpreter") is not None}
    out.write(json.dumps(item.recorded) + "\n")
    yield
    if item.recorded["outcome"] == "begun":
        item.recorded["outcome"] = "pass"
    out.write(json.dumps(item.recorded) + "\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    signal.alarm(seconds)
    begin = time.perf_counter()
    try:
        yield
    finally:
        signal.alarm(0)
        item.recorded["seconds"] = round(time.perf_counter() - begin, 4)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    recorded = item.recorded
    if report.skipped:
        recorded["outcome"] = "expected failure" if hasattr(report, "wasxfail") else "skip"
        recorded["message"] = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)[:300]
    elif report.failed and recorded["outcome"] == "begun":
        recorded["outcome"] = "fail"
        recorded["message"] = _chain(call.excinfo.value)


def _chain(error):
    words = []
    while error is not None and len(words) < 4:
        words.append(f"{type(error).__name__}: {error}"[:700])
        error = error.__cause__
    return " <= ".join(words)
