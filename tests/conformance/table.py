"""The table of the results: by file and by test function, both ways side by side; what fails, by message."""

import collections
import glob
import json
import os
import re

import differences


def results_of(folder, way):
    found = {}
    for file in sorted(glob.glob(os.path.join(folder, way + "-*.jsonl"))):
        for line in open(file):
            test = json.loads(line)
            found[test["id"]] = test
    return {name: test for name, test in found.items() if test["outcome"] != "begun"}


def show(folder, with_failures):
    ours, theirs = results_of(folder, "tilescope"), results_of(folder, "triton")
    every = {**theirs, **ours}
    _show_rows("file", every, ours, theirs, lambda name: name.split("::")[0].split("/")[-1])
    print()
    _show_rows("test function", every, ours, theirs, _function_of)
    for name, tests in (("tilescope", ours), ("triton", theirs)):
        if tests:
            passed = [t for t in tests.values() if t["outcome"] == "pass"]
            print(f"\n{name}: {len(passed):,} of {len(tests):,} pass, {sum(t['seconds'] for t in passed):.1f} s in those")
    if theirs:
        both = [n for n in ours if n in theirs and ours[n]["outcome"] == theirs[n]["outcome"] == "pass"]
        times = [sum(way[n]["seconds"] for n in both) for way in (ours, theirs)]
        print(f"in the {len(both):,} that pass both ways: tilescope {times[0]:.1f} s, Triton {times[1]:.1f} s")
    _show_differences(ours, theirs)
    if with_failures:
        _show_failures(ours, theirs)


def _function_of(name):
    return f"{name.split('::')[0].split('/')[-1][:-3]}::{name.split('::')[1].split('[')[0]}"


def _show_rows(head, every, ours, theirs, key):
    groups = collections.OrderedDict()
    for name in every:
        groups.setdefault(key(name), []).append(name)
    width = max(map(len, [head, *groups]), default=0)
    print(f"{head:{width}}   cases    tilescope pass fail skip    Triton pass fail skip")
    for group, names in groups.items():
        print(f"{group:{width}}  {len(names):6,}        {_counts(names, ours)}        {_counts(names, theirs)}")


def _counts(names, tests):
    if not any(n in tests for n in names):
        return "     -    -    -"
    counts = collections.Counter(tests[n]["outcome"] for n in names if n in tests)
    return f"{counts['pass']:6,} {counts['fail']:4,} {counts['skip'] + counts['expected failure']:4,}"


def _show_differences(ours, theirs):
    """What fails here on purpose, and what fails here alone."""
    failed = [n for n in ours if ours[n]["outcome"] == "fail"]
    meant = [n for n in failed if differences.reason(ours[n])]
    for reason, count in collections.Counter(differences.reason(ours[n]) for n in meant).items():
        print(f"{count:6,} differ or cannot run: {reason}")
    alone = [n for n in failed if n not in meant and theirs.get(n, {}).get("outcome") == "pass"]
    rest = len(failed) - len(meant)
    print(f"{rest:6,} fail otherwise" + (f", {len(alone):,} of them pass on Triton's interpreter" if theirs else ""))


def _show_failures(ours, theirs):
    counts, examples = collections.Counter(), {}
    for name, test in ours.items():
        if test["outcome"] != "fail" or differences.reason(test):
            continue
        message = re.sub(r"^[^\n]*?\.py:\d+(:\d+)?: ", "", test["message"].replace("\n", " "))
        kind = (theirs.get(name, {}).get("outcome", "-"), _function_of(name), re.sub(r"\d+(\.\d+)?", "#", message)[:200])
        counts[kind] += 1
        examples.setdefault(kind, name)
    print()
    for kind, count in counts.most_common():
        print(f"{count:6,}  Triton: {kind[0]}  {kind[1]}  {kind[2]}  e.g. {examples[kind].split('::')[1]}")
