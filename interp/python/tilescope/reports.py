"""What a session's launches did, as files: a page for people, JUnit for CI, SARIF for code review."""

import html as html_text
import json
import os
from xml.sax.saxutils import escape, quoteattr

from tilescope.errors import CompileError

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3em .8em .3em 0 }
th { border-bottom: 1px solid #888; font-weight: 600 } td.number { text-align: right }
pre { background: #f6f6f6; padding: .8em; overflow-x: auto } .wrong { color: #b00020 }
svg { max-width: 100%; height: auto }
"""


def html(session, file):
    """Each launch; the text of what is wrong; the model's time, traffic and drawing where a GPU was asked."""
    rows = "".join(_row(launched) for launched in session.launches)
    wrong = "".join(f'<h2 id="{launched.number}">Launch {launched.number}: {html_text.escape(launched.title())}</h2>'
                    f"<pre>{html_text.escape(str(launched.wrong))}</pre>" for launched in session.wrong())
    drawings = "".join(f"<h2>{html_text.escape(title)}</h2>{schedule.drawing.svg}" for title, schedule in _pictured(session))
    model = f"<th>DRAM read</th><th>written</th><th>model's time, {session.gpu}</th>" if session.gpu else ""
    with open(file, "w", encoding="utf-8") as out:
        out.write(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html_text.escape(session.summary())}</title><style>{_STYLE}</style></head>
<body><h1>{html_text.escape(session.summary())}</h1>
<table><tr><th>#</th><th>launch</th><th>from</th><th>verdict</th><th>here, ms</th>{model}</tr>{rows}</table>
{wrong}{drawings}</body></html>
""")


def _row(launched):
    verdict = f'<a class="wrong" href="#{launched.number}">{_kind(launched.wrong)}</a>' if launched.wrong else "ok"
    figures = launched.schedule or {}
    model = ""
    if figures:
        model = (f'<td class="number">{figures["dram_read_bytes"]:,} B</td>'
                 f'<td class="number">{figures["dram_write_bytes"]:,} B</td>'
                 f'<td class="number">{figures["model_ms"] * 1000:.2f} us</td>')
    return (f"<tr><td>{launched.number}</td><td><code>{html_text.escape(launched.title())}</code></td>"
            f"<td>{html_text.escape(_place(launched))}</td><td>{verdict}</td>"
            f'<td class="number">{launched.milliseconds:.2f}</td>{model}</tr>')


def _pictured(session):
    """A drawing of each launch that differs from those before it."""
    titles = {}
    for launched in session.launches:
        if launched.schedule is not None:
            titles.setdefault(launched.title(), launched.schedule)
    return titles.items()


def junit(session, file):
    """A test case a launch."""
    cases = ""
    for launched in session.launches:
        name, of = quoteattr(f"{launched.number}: {launched.title()}"), quoteattr(_relative(launched.kernel.file))
        cases += f'  <testcase name={name} classname={of} time="{launched.milliseconds / 1000:.6f}"'
        if launched.wrong:
            cases += (f">\n    <failure type={quoteattr(_kind(launched.wrong))} "
                      f"message={quoteattr(launched.wrong.fact)}>{escape(str(launched.wrong))}</failure>\n  </testcase>\n")
        else:
            cases += "/>\n"
    with open(file, "w", encoding="utf-8") as out:
        out.write(f'<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="tilescope" '
                  f'tests="{len(session.launches)}" failures="{len(session.wrong())}">\n{cases}</testsuite>\n')


def sarif(session, file):
    """A result a fault, at the kernel's line."""
    kinds = sorted({_kind(launched.wrong) for launched in session.wrong()})
    report = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "tilescope", "rules": [{"id": kind} for kind in kinds]}},
            "results": [_result(launched) for launched in session.wrong()],
        }],
    }
    with open(file, "w", encoding="utf-8") as out:
        json.dump(report, out, indent=2)


def _result(launched):
    wrong = launched.wrong
    file, line = getattr(wrong, "file", None) or launched.kernel.file, wrong.line or 1
    region = {"startLine": line}
    if getattr(wrong, "column", None):
        region["startColumn"] = wrong.column
    where = {"physicalLocation": {"artifactLocation": {"uri": _relative(file).replace(os.sep, "/")}, "region": region}}
    text = wrong.fact + (f" ({wrong.fix})" if wrong.fix else "") + f"; launched at {_place(launched)}"
    return {"ruleId": _kind(wrong), "level": "error", "message": {"text": text}, "locations": [where]}


def _kind(wrong):
    return "does not compile" if isinstance(wrong, CompileError) else wrong.kind


def _place(launched):
    file, line = launched.place
    return f"{_relative(file)}:{line}"


def _relative(file):
    """Beneath the working folder from there, else as it is."""
    relative = os.path.relpath(file)
    return file if relative.startswith(os.pardir) else relative
