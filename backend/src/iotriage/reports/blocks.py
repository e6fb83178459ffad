"""What a case's report says, as headings, paragraphs, tables and commands: each format is a way to write these blocks.

The order is the page's: the sentence, what to do, the job, the findings with their figures and sources, what could not
be decided, what is clear, the evidence, and the thresholds that are not the documents' own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iotriage.analysis.document import CaseDocument, Finding, SourceReport, ThresholdInForce
from iotriage.analysis.run_sets.run import is_unread
from iotriage.metrics.core.clock import clock_words
from iotriage.reports.sections.account_text import cost_of, explained_symptoms, taken_of, time_lines
from iotriage.reports.sections.clear_rules import clear_rules, within
from iotriage.reports.sections.expected import expected_lines
from iotriage.reports.sections.grounds import evidence_by_rule, figures_of
from iotriage.reports.sections.how_read import how_read, listed_sources, step_of
from iotriage.reports.sections.located import stated_text, with_location
from iotriage.reports.sections.quantities import figure_of
from iotriage.rules.core.advice import Advice, advice_text
from iotriage.rules.core.words import exact_quantity, number, paragraph, plural, printable, seconds, share
from iotriage_parsers.frozen import frozen

MOST_WARNINGS = 3


@frozen
class Heading:
    """`level` 1 is the report's title."""

    level: int
    text: str


@frozen
class Paragraph:
    text: str


@frozen
class Points:
    items: tuple[str, ...]


@frozen
class Command:
    """Lines to paste. Nothing in them is escaped or broken."""

    lines: tuple[str, ...]


@frozen
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@frozen
class Link:
    """`address` is one of a document that is cited: http or https."""

    text: str
    address: str


Block = Heading | Paragraph | Points | Command | Table | Link


def report_blocks(document: CaseDocument) -> tuple[Block, ...]:
    """The report of a case. Names from logs are made printable; a format escapes what it has to."""
    return tuple(_blocks(document))


def _blocks(document: CaseDocument) -> Iterator[Block]:
    top = document.headline
    yield Heading(1, top.sentence)
    if top.figure or top.to_do:
        yield Paragraph(paragraph(top.figure, top.to_do))
    if top.command:
        yield Command(tuple(top.command.splitlines()))
    # Of what was not read there is nothing to judge, and no site by whose figures.
    read = not is_unread(document)
    if facts := tuple(_facts(document)) if read else ():
        yield Table(("Job", ""), facts)
    goes = time_lines(document)
    if goes:
        yield Points(goes)
    triggered = [f for f in document.findings if f.verdict == "triggered"]
    yield from _findings(triggered, document)
    expected = expected_lines(document)
    if expected:
        yield Heading(2, "What the site's documents measured")
        yield Points(tuple(expected))
    yield from _undecided([f for f in document.findings if f.verdict == "unknown"], document)
    fine = clear_rules(document.findings) if read else None
    if fine is not None:
        yield Heading(2, "Checked and fine")
        yield Paragraph(fine)
    errors = [f for f in document.findings if f.verdict == "error"]
    if errors:
        yield Heading(2, "Failed")
        yield Points(tuple(f"{f.rule}: {printable(f.error or '')}" for f in errors))
    yield from _evidence(document)
    if read:
        yield from _thresholds(list(document.thresholds.values()))
    yield Paragraph(_made_by(document))


def _facts(document: CaseDocument) -> Iterator[tuple[str, str]]:
    job, metrics = document.job, document.metrics
    if job.job_id:
        yield "Job id", printable(job.job_id)
    if job.executable:
        yield "Program", printable(job.executable.rsplit("/", 1)[-1])
    if job.nprocs is not None:
        nodes = "" if job.nnodes is None else f" on {plural(job.nnodes, 'node')}"
        yield "Ranks", f"{number(job.nprocs)}{nodes}"
    if job.runtime_s is not None:
        yield "Run time", seconds(job.runtime_s)
    began = clock_words(job.start_time)
    if began is not None:
        yield "Began", began
    fraction = metrics.get("job.io_time_fraction")
    part = f" ({share(fraction.value)} of the run)" if fraction and isinstance(fraction.value, int | float) else ""
    single = job.nprocs == 1
    for name, metric, more in (
        ("In I/O" if single else "In I/O, slowest rank", "job.io_time", part),
        ("Written", "io.bytes_written", ""),
        ("Read", "io.bytes_read", ""),
        ("Rate" if single else "Rate, by the slowest rank", "io.bandwidth", ""),
        ("Pattern", "io.pattern", ""),
    ):
        figure = figure_of(document, metric)
        if figure is not None:
            yield name, figure + more
    yield "Site", f"{document.site.title} ({document.site.because}; profile checked {document.site.checked})"


def _findings(triggered: Sequence[Finding], document: CaseDocument) -> Iterator[Block]:
    causes = [f for f in triggered if f.explained_by is None]
    if not causes:
        return
    yield Heading(2, "Findings")
    for rule in dict.fromkeys(f.rule for f in causes):
        first, *others = [f for f in causes if f.rule == rule]
        explained = [f for f in triggered if f.explained_by == rule]
        yield from _finding(first, others, explained, document)


def _finding(
    finding: Finding, others: Sequence[Finding], explained: Sequence[Finding], document: CaseDocument
) -> Iterator[Block]:
    yield Heading(3, f"{finding.title} ({finding.severity}, {finding.confidence})")
    if finding.scope.kind != "job":
        also = f" (also on {'; '.join(_also(o, document) for o in others)})" if others else ""
        yield Paragraph(f"On {printable(finding.scope.label)}{also}.")
    if finding.summary:
        yield Paragraph(finding.summary)
    figures = figures_of(finding, document)
    if figures:
        yield Points(figures)
    cost = cost_of(finding, document)
    if cost is not None:
        yield Paragraph(cost)
    for advice in finding.advice:
        yield from _advice(advice)
    titles = {d.key: d for d in document.documents}
    cited = [
        titles[c.document].title + f", {c.section}"
        for c in document.rules[finding.rule].citations
        if c.document in titles
    ]
    if cited:
        yield Paragraph(f"Sources: {'; '.join(cited)}.")
    if explained:
        names = ", ".join(
            within(title) + ("" if more is None else f" ({more} more)")
            for title, _, more in explained_symptoms(explained, document)
        )
        yield Paragraph(f"This explains: {names}.")


def _also(finding: Finding, document: CaseDocument) -> str:
    """Other files of which the same is said, with their own seconds."""
    taken = taken_of(finding, document)
    return printable(finding.scope.label) + (f", which takes {taken}" if taken else "")


def _advice(advice: Advice) -> Iterator[Block]:
    yield Paragraph(advice_text(advice))
    if advice.command:
        yield Command(tuple(advice.command.splitlines()))
    if advice.fortran:
        yield Paragraph("In Fortran:")
        yield Command(tuple(advice.fortran.splitlines()))


def _undecided(findings: Sequence[Finding], document: CaseDocument) -> Iterator[Block]:
    if not findings:
        return
    yield Heading(2, "Not decided")
    yield Paragraph(f"The evidence does not tell: {', '.join(sorted({f.rule for f in findings}))}.")
    for one in evidence_by_rule(findings, document):
        which = f"{', '.join(one.rules)} would" if one.rules else "Would"
        yield Paragraph(f"{which} be settled by {one.evidence.text}:")
        yield Command(one.evidence.lines)


def _evidence(document: CaseDocument) -> Iterator[Block]:
    yield Heading(2, "Evidence")
    listed, others = listed_sources(document.sources)
    yield Table(
        ("Source", "What it is", "Read"),
        tuple(
            (printable(s.name), printable(", ".join(s.holds) or s.title or "not known"), how_read(s)) for s in listed
        ),
    )
    lines = [f"And {other}." for other in others]
    lines += [line for source in listed for line in _problems(source, document)]
    for found in document.agreement:
        if not found.agrees:
            figures = "; ".join(stated_text(s, found, document) for s in found.statements)
            where = f" of {printable(found.file)}" if found.file else ""
            reason = f" ({found.reason})" if found.reason else ""
            lines.append(f"The sources differ on {found.quantity}{where}: {figures}{reason}.")
    if lines:
        yield Points(tuple(lines))


def _problems(source: SourceReport, document: CaseDocument) -> Iterator[str]:
    name = source.name
    if source.failure:
        failure = source.failure if source.failure.endswith((".", "?", "!")) else f"{source.failure}."
        yield printable(f"{name}: {failure} {step_of(source, document) or ''}".rstrip())
    for warning in source.warnings[:MOST_WARNINGS]:
        yield printable(f"{name}, {with_location(warning)}")
    if len(source.warnings) > MOST_WARNINGS:
        yield f"{printable(name)}: {plural(len(source.warnings) - MOST_WARNINGS, 'more warning')}"


def _thresholds(thresholds: Sequence[ThresholdInForce]) -> Iterator[Block]:
    yield Heading(2, "Thresholds")
    differing = [t for t in thresholds if t.value != t.default or t.moved_from is not None]
    if not differing:
        yield Paragraph(f"All {len(thresholds)} thresholds are at the values of the rules and their documents.")
        return
    same = len(thresholds) - len(differing)
    yield Paragraph(f"These differ from the rules' own; the other {same} are at the values of the documents.")
    yield Table(
        ("Threshold", "Used", "Instead of", "Why"),
        tuple(
            (
                f"{t.title} ({t.id})",
                exact_quantity(t.value, t.unit),
                exact_quantity(t.default if t.moved_from is None else t.moved_from, t.unit),
                "moved by the reader" if t.moved_from is not None else t.site_says or "",
            )
            for t in differing
        ),
    )


def _made_by(document: CaseDocument) -> str:
    made_by = document.made_by
    return f"IOtriage {made_by.iotriage}, site {document.site.id} {made_by.site}."
