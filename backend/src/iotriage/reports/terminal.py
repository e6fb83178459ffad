"""The case document for a terminal: what is wrong, what to do, the figures behind it; 100 columns at the most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iotriage.analysis.decision.headline_figure import bound_in_document
from iotriage.analysis.document import CaseDocument, Finding, Headline, KnownMetric
from iotriage.analysis.run_sets.run import is_unread
from iotriage.metrics.core.clock import clock_words
from iotriage.reports.moved_thresholds import moved_thresholds
from iotriage.reports.sections.account_text import cost_of, explained_symptoms, taken_of, time_lines
from iotriage.reports.sections.clear_rules import clear_rules
from iotriage.reports.sections.expected import expected_lines
from iotriage.reports.sections.grounds import evidence_by_rule, figures_of
from iotriage.reports.sections.how_read import how_read, listed_sources, step_of
from iotriage.reports.sections.located import stated_text, with_location
from iotriage.reports.sections.quantities import figure_of
from iotriage.reports.text_evidence import text_evidence_lines
from iotriage.reports.wrapped import TERMINAL, Page
from iotriage.rules.core.advice import Advice, advice_text
from iotriage.rules.core.words import plural, printable, share

MARKS = {"high": "▲", "medium": "◆", "low": "●", "info": "○"}
COLOURS = {"high": "31", "medium": "33", "low": "33", "info": "36", "clear": "32", "bold": "1", "faint": "2"}
FACTS = ("job.nprocs", "job.runtime", "job.io_time", "io.bytes_written", "io.bytes_read", "io.bandwidth", "io.pattern")
MOST_STATEMENTS = 6
"""An archive may bring hundreds of sources that each say the same of the job."""


class _Page(Page):
    """One that wraps text in SGR sequences, or leaves it as it is."""

    def __init__(self, colour: bool, width: int) -> None:
        super().__init__(width)
        self._colour = colour

    def paint(self, text: str, name: str) -> str:
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self._colour and name in COLOURS else text


def as_text(document: CaseDocument, *, colour: bool = False, width: int = TERMINAL) -> str:
    """Everything a person needs to act, most important first. Names from logs are escaped."""
    page = _Page(colour, width)
    lines = [*_headline(document.headline, page), *_about_the_run(document, page), ""]
    lines += _sources(document, page)
    lines += _disagreements(document, page)
    for text in text_evidence_lines(document):
        lines += [page.paint(line, "faint") for line in page.wrap(text, "        ", first="      ")]
    lines += _triggered([f for f in document.findings if f.verdict == "triggered"], document, page)
    lines += _unknown([f for f in document.findings if f.verdict == "unknown"], document, page)
    lines += _errors([f for f in document.findings if f.verdict == "error"], page)
    # Of what was not read, not even that it is whole.
    fine = None if is_unread(document) else clear_rules(document.findings)
    if fine is not None:
        lines += ["", *page.wrap(f"{page.paint('Checked and fine', 'clear')}: {fine}", "  ")]
    own = list(moved_thresholds(document.thresholds.values()))
    if own:
        moved = (line for text in own for line in page.wrap(text, "      ", first="  "))
        lines += ["", "your own thresholds", *moved]
    if document.next_run is not None:
        proven = ", ".join(e.rule for e in document.next_run.experiments)
        lines += ["", *page.wrap(f"to prove it: --next-run prints the lines of a job script that test {proven}", "  ")]
    return "\n".join(lines) + "\n"


def _headline(top: Headline, page: _Page) -> Iterator[str]:
    yield from (page.paint(line, "bold") for line in page.wrap(top.said))
    if top.to_do:
        yield from page.wrap(top.to_do)
    if top.command:
        yield ""
        yield from (f"    {line}" for line in top.command.splitlines())


def _about_the_run(document: CaseDocument, page: _Page) -> Iterator[str]:
    if facts := _facts(document, page):
        yield ""
        yield from facts
    for text in (*time_lines(document), *expected_lines(document)):
        yield from page.wrap(text, "  ")


def _triggered(triggered: Sequence[Finding], document: CaseDocument, page: _Page) -> Iterator[str]:
    """Of each rule its first finding whole, with what it explains; its others in a line each."""
    shown = [f for f in triggered if f.explained_by is None]
    for rule in dict.fromkeys(f.rule for f in shown):
        first, *others = [f for f in shown if f.rule == rule]
        yield ""
        yield from _finding(first, [g for g in triggered if g.explained_by == rule], document, page)
        yield from (line for f in others for line in page.wrap(_also(f, document), "    ", first="  "))
    causes = {f.rule for f in shown}
    for finding in triggered:
        if finding.explained_by is not None and finding.explained_by not in causes:
            yield from ("", f"{MARKS['info']} {finding.rule}: explained by {finding.explained_by}")


def _facts(document: CaseDocument, page: _Page) -> list[str]:
    job = document.job
    name = printable(job.executable.rsplit("/", 1)[-1]) if job.executable else None
    began = clock_words(job.start_time)
    facts = [f"job {job.job_id}" if job.job_id else None, name, None if began is None else f"began {began}"]
    facts += [_fact(m, document) for m in FACTS if m in document.metrics]
    part = document.metrics.get("job.io_time_fraction")
    if isinstance(part, KnownMetric) and isinstance(part.value, int | float):
        facts.append(f"{bound_in_document(document)}{share(part.value)} of the run in I/O")
    lines = page.wrap(" · ".join(s for s in facts if s))
    if not is_unread(document):
        lines += page.wrap(f"site: {document.site.title} ({document.site.because})")
    return [page.paint(line, "faint") for line in lines]


def _fact(name: str, document: CaseDocument) -> str | None:
    figure = figure_of(document, name)
    words = {
        "job.runtime": "run ",
        "job.io_time": "I/O ",
        "io.bytes_written": "written ",
        "io.bytes_read": "read ",
    }.get(name, "")
    return None if figure is None else f"{words}{figure}"


def _sources(document: CaseDocument, page: _Page) -> list[str]:
    lines = []
    listed, others = listed_sources(document.sources)
    for source in listed:
        what = ", ".join(source.holds) or source.title
        text = how_read(source) if what is None else f"{how_read(source)}; {printable(what)}"
        lines += page.wrap(f"{printable(source.name)}: {text}", "    ")
        if source.failure:
            lines += page.wrap(printable(source.failure), "    ", first="    ")
            lines += page.wrap(printable(step_of(source, document) or ""), "    ", first="    ")
        for warning in source.warnings[:5]:
            lines += page.wrap(printable(with_location(warning)), "      ", first="    ! ")
        more = len(source.warnings) - 5
        if more > 0:
            lines.append(page.paint(f"    … and {plural(more, 'more warning')} (--format json has all)", "faint"))
    lines += [page.paint(f"… and {other} (--format json has all)", "faint") for other in others]
    return lines


def _disagreements(document: CaseDocument, page: _Page) -> list[str]:
    lines = []
    for found in document.agreement:
        if found.agrees:
            continue
        shown = found.statements[:MOST_STATEMENTS]
        values = "; ".join(stated_text(s, found, document) for s in shown)
        more = len(found.statements) - len(shown)
        values += f"; and {plural(more, 'more source')}" if more > 0 else ""
        where = f" of {printable(found.file)}" if found.file else ""
        reason = f" ({found.reason})" if found.reason else ""
        lines += page.wrap(f"sources differ on {found.quantity}{where}: {values}{reason}", "      ", first="    ! ")
    return lines


def _finding(finding: Finding, explained: Sequence[Finding], document: CaseDocument, page: _Page) -> list[str]:
    mark = page.paint(MARKS[finding.severity], finding.severity)
    grade = f"{finding.severity}, {finding.confidence}"
    where = "" if finding.scope.kind == "job" else f" · {printable(finding.scope.label)}"
    title, which = page.paint(finding.title, "bold"), f"{finding.rule} ({grade}){where}"
    beside = len(f"{MARKS[finding.severity]} {finding.title}  {which}") <= page.width
    lines = [f"{mark} {title}  {which}"] if beside else [f"{mark} {title}", *page.wrap(which, "  ", first="  ")]
    if finding.summary:
        lines += page.wrap(finding.summary, "  ", first="  ")
    cost = cost_of(finding, document)
    if cost is not None:
        lines += page.wrap(cost, "  ", first="  ")
    for figure in figures_of(finding, document):
        lines += page.wrap(figure, "        ", first="    ")
    for advice in finding.advice:
        lines += _advice(advice, page)
    cited = "; ".join(f"{c.document}, {c.section}" for c in document.rules[finding.rule].citations)
    if cited:
        lines += [page.paint(line, "faint") for line in page.wrap(f"see {cited}", "      ", first="  ")]
    for title, rule, more in explained_symptoms(explained, document):
        also = "" if more is None else f", which takes {more} more"
        lines += page.wrap(f"explains: {title} ({rule}){also}", "    ", first="  ")
    return lines


def _also(finding: Finding, document: CaseDocument) -> str:
    taken = taken_of(finding, document)
    grade = f"({finding.severity}, {finding.confidence})"
    return f"also on {printable(finding.scope.label)} {grade}" + (f": takes {taken}" if taken else "")


def _advice(advice: Advice, page: _Page) -> list[str]:
    lines = page.wrap(advice_text(advice), "    ", first="  → ")
    if advice.command:
        lines += [f"        {line}" for line in advice.command.splitlines()]
    if advice.fortran:
        lines += ["      in Fortran:", *(f"        {line}" for line in advice.fortran.splitlines())]
    return lines


def _unknown(findings: Sequence[Finding], document: CaseDocument, page: _Page) -> list[str]:
    if not findings:
        return []
    lines = ["", *page.wrap(f"not decided: {', '.join(sorted({f.rule for f in findings}))}", "  ")]
    for one in evidence_by_rule(findings, document):
        said = f"{', '.join(one.rules)} would be settled by {one.evidence.text}:".lstrip()
        lines += [page.paint(line, "faint") for line in page.wrap(said, "    ", first="  ")]
        lines += [f"      {line}" for line in one.evidence.lines]
    return lines


def _errors(findings: Sequence[Finding], page: _Page) -> list[str]:
    return [line for f in findings for line in page.wrap(f"! {f.rule}: {f.error}", "  ")]
