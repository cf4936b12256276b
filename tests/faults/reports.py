"""Runs the bugs of public reports in reports/, and prints as a table what is said of each, word for word.

    /usr/bin/python3 tests/faults/reports.py build/tilescope

It ends with 1 where a bug is not found with its cause, or a right kernel is said to be wrong.
"""

import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reports")


def reports():
    """Each report: what it is of, and its commands with what they must say (None: nothing)."""
    found = []
    for line in open(os.path.join(FOLDER, "reports.txt")):
        key, _, value = line.rstrip("\n").partition(": ")
        if key == "of":
            found.append((value, []))
        elif key in ("run", "right"):
            found[-1][1].append({"command": value, "says": [] if key == "run" else None, "needs": ""})
        elif key == "says":
            found[-1][1][-1]["says"].append(value)
        elif key == "needs":
            found[-1][1][-1]["needs"] = value
    return found


def message(said):
    """What a command says of a fault: its headline and its mending."""
    words = r"^(wrong|why|and): |^\S+:\d+: |^ +\^ |^ +fix: |^tilescope: "
    return [line.strip() for line in said.splitlines() if re.search(words, line)][:5]


def main():
    program = os.path.abspath(sys.argv[1])
    bad = 0
    print("| report | command | what is said |")
    print("| --- | --- | --- |")
    for of, commands in reports():
        for c in commands:
            run = subprocess.run([program, *c["command"].split()], cwd=FOLDER, capture_output=True, text=True, timeout=300)
            said = run.stdout + run.stderr
            is_missing = c["needs"] and re.search(r"no nvcc|no CUDA toolkit|libnvrtc", said)
            if c["says"] is None:
                verdict = "nothing, as it is right" if run.returncode == 0 else "**said to be wrong**: "
                lines = [] if run.returncode == 0 else message(said)
            else:
                lost = [part for part in c["says"] if part not in said]
                asked = [line.strip() for line in said.splitlines() if any(part in line for part in c["says"])]
                verdict = f"needs {c['needs']}" if is_missing else f"**not said: {lost[0]}** " if lost else ""
                lines = [] if is_missing else (c["command"].startswith("run ") and message(said)) or asked
            bad += verdict.startswith("**")
            text = "<br>".join(line.replace("|", "\\|") for line in lines)
            print(f"| {of} | `{c['command']}` | {verdict}{text} |", flush=True)
            of = ""
    print(f"\n{sum(len(c) for _, c in reports())} commands of {len(reports())} reports, {bad} of them not as they should be")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
