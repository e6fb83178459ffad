"""The case document for a terminal: what is wrong, what to do, the figures behind it; 100 columns at the most."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from iotriage.analysis.document import CaseDocument, Finding, KnownMetric, SourceReport
from iotriage.reports.account_text import cost_of, time_lines
from iotriage.reports.clear_rules import clear_rules
from iotriage.reports.expected import expected_lines
from iotriage.reports.grounds import evidence_to_decide, figures_of
from iotriage.reports.how_read import how_read
from iotriage.reports.located import located, stated
from iotriage.reports.moved_thresholds import moved_thresholds
from iotriage.reports.quantities import bound_of_io_time, figure_of
from iotriage.reports.text_evidence import text_evidence_lines
from iotriage.rules.core.advice import Advice, in_words
from iotriage.rules.core.words import plural, printable, share

WIDTH = 100
MARKS = {"high": "▲", "medium": "◆", "low": "●", "info": "○"}
COLOURS = {"high": "31", "medium": "33", "low": "33", "info": "36", "clear": "32", "bold": "1", "faint": "2"}
FACTS = ("job.nprocs", "job.runtime", "job.io_time", "io.bytes_written", "io.bytes_read", "io.bandwidth", "io.pattern")
MOST_STATEMENTS = 6
"""An archive may bring hundreds of sources that each say the same of the job."""


class _Paint:
    """Wraps text in SGR sequences, or leaves it as it is."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, name: str) -> str:
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self._colour and name in COLOURS else text


def as_text(document: CaseDocument, *, colour: bool = False) -> str:
    """Everything a person needs to act, most important first. Names from logs are escaped."""
    paint = _Paint(colour)
    top = document.headline
    lines = [paint(line, "bold") for line in _wrap(top.said)]
    if top.action:
        lines += _wrap(top.action)
    if top.command:
        lines += ["", *(f"    {line}" for line in top.command.splitlines())]
    lines += ["", *_facts(document, paint)]
    for said in (*time_lines(document), *expected_lines(document)):
        lines += _wrap(said, "  ")
    lines.append("")
    lines += _sources(document.sources, paint)
    lines += _disagreements(document)
    for said in text_evidence_lines(document):
        lines += [paint(line, "faint") for line in _wrap(said, "        ", first="      ")]
    triggered = [f for f in document.findings if f.verdict == "triggered"]
    shown = [f for f in triggered if f.explained_by is None]
    for rule in dict.fromkeys(f.rule for f in shown):
        first, *others = [f for f in shown if f.rule == rule]
        lines += ["", *_finding(first, [g for g in triggered if g.explained_by == rule], document, paint)]
        lines += [_also(f) for f in others]
    folded = [f for f in triggered if f.explained_by is not None and not any(f.explained_by == g.rule for g in shown)]
    for finding in folded:
        lines += ["", f"{MARKS['info']} {finding.rule}: explained by {finding.explained_by}"]
    lines += _unknown([f for f in document.findings if f.verdict == "unknown"], document, paint)
    lines += _errors([f for f in document.findings if f.verdict == "error"])
    fine = clear_rules(document.findings)
    if fine is not None:
        lines += ["", *_wrap(f"{paint('Checked and fine', 'clear')}: {fine}", "  ")]
    own = [
        line for said in moved_thresholds(document.thresholds.values()) for line in _wrap(said, "      ", first="  ")
    ]
    if own:
        lines += ["", "your own thresholds", *own]
    if document.next_run is not None:
        proven = ", ".join(e.rule for e in document.next_run.experiments)
        lines += ["", *_wrap(f"to prove it: --next-run prints the lines of a job script that test {proven}", "  ")]
    return "\n".join(lines) + "\n"


def _facts(document: CaseDocument, paint: _Paint) -> list[str]:
    job = document.job
    name = printable(job.executable.rsplit("/", 1)[-1]) if job.executable else None
    said = [f"job {job.job_id}" if job.job_id else None, name]
    said += [_fact(m, document) for m in FACTS if m in document.metrics]
    part = document.metrics.get("job.io_time_fraction")
    if isinstance(part, KnownMetric) and isinstance(part.value, int | float):
        said.append(f"{bound_of_io_time(document)}{share(part.value)} of the run in I/O")
    return [
        paint(line, "faint")
        for line in _wrap(" · ".join(s for s in said if s))
        + _wrap(f"site: {document.site.title} ({document.site.because})")
    ]


def _fact(name: str, document: CaseDocument) -> str | None:
    said = figure_of(document, name)
    words = {
        "job.runtime": "run ",
        "job.io_time": "I/O ",
        "io.bytes_written": "written ",
        "io.bytes_read": "read ",
    }.get(name, "")
    return None if said is None else f"{words}{said}"


def _sources(sources: Sequence[SourceReport], paint: _Paint) -> list[str]:
    lines = []
    for source in sources:
        what = ", ".join(source.holds) or source.title or "not read"
        lines += _wrap(f"{printable(source.name)}: {how_read(source)}; {printable(what)}", "    ")
        if source.failure:
            lines += _wrap(printable(source.failure), "    ", first="    ")
            lines += _wrap(printable(source.next_step or ""), "    ", first="    ")
        for warning in source.warnings[:5]:
            lines += _wrap(printable(located(warning)), "      ", first="    ! ")
        more = len(source.warnings) - 5
        if more > 0:
            lines.append(paint(f"    … and {plural(more, 'more warning')} (--format json has all)", "faint"))
    return lines


def _disagreements(document: CaseDocument) -> list[str]:
    lines = []
    for found in document.agreement:
        if found.agrees:
            continue
        shown = found.statements[:MOST_STATEMENTS]
        said = "; ".join(stated(s, found, document) for s in shown)
        more = len(found.statements) - len(shown)
        said += f"; and {plural(more, 'more source')}" if more > 0 else ""
        where = f" of {printable(found.file)}" if found.file else ""
        reason = f" ({found.reason})" if found.reason else ""
        lines += _wrap(f"sources differ on {found.quantity}{where}: {said}{reason}", "      ", first="    ! ")
    return lines


def _finding(finding: Finding, explained: Sequence[Finding], document: CaseDocument, paint: _Paint) -> list[str]:
    mark = paint(MARKS[finding.severity], finding.severity)
    grade = f"{finding.severity}, {finding.confidence}"
    where = "" if finding.scope.kind == "job" else f" · {printable(finding.scope.label)}"
    lines = [f"{mark} {paint(finding.title, 'bold')}  {finding.rule} ({grade}){where}"]
    if finding.summary:
        lines += _wrap(finding.summary, "  ", first="  ")
    cost = cost_of(finding, document)
    if cost is not None:
        lines += _wrap(cost, "  ", first="  ")
    for said in figures_of(finding, document):
        lines += _wrap(said, "        ", first="    ")
    for advice in finding.advice:
        lines += _advice(advice)
    cited = "; ".join(f"{c.document}, {c.section}" for c in document.rules[finding.rule].citations)
    lines += [paint(line, "faint") for line in _wrap(f"see {cited}", "      ", first="  ")]
    lines += [f"  explains: {title} ({rule})" for rule, title in {f.rule: f.title for f in explained}.items()]
    return lines


def _also(finding: Finding) -> str:
    return f"  also on {printable(finding.scope.label)} ({finding.severity}, {finding.confidence})"


def _advice(advice: Advice) -> list[str]:
    lines = _wrap(in_words(advice), "    ", first="  → ")
    if advice.command:
        lines += [f"        {line}" for line in advice.command.splitlines()]
    if advice.fortran:
        lines += ["      in Fortran:", *(f"        {line}" for line in advice.fortran.splitlines())]
    return lines


def _unknown(findings: Sequence[Finding], document: CaseDocument, paint: _Paint) -> list[str]:
    if not findings:
        return []
    lines = ["", *_wrap(f"not decided: {', '.join(sorted({f.rule for f in findings}))}", "  ")]
    for missing in evidence_to_decide(findings, document):
        lines += [paint(line, "faint") for line in _wrap(f"would be settled by {missing.text}:", "    ", first="  ")]
        lines += [f"      {line}" for line in missing.lines]
    return lines


def _errors(findings: Sequence[Finding]) -> list[str]:
    return [line for f in findings for line in _wrap(f"! {f.rule}: {f.error}", "  ")]


def _wrap(text: str, indent: str = "", *, first: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first if first is not None else "",
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
