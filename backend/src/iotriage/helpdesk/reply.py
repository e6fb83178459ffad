"""The answer to a ticket: three numbers, one cause, what to do, one command, one link, of the findings that a person
ticked.

Pure: everything is the case document's. A number is given with where it stands in the evidence, the threshold that it
was held against, and who states that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Literal

from iotriage.analysis.decision.basis import DecisionBasis, Grounds, basis_of, grounds_of
from iotriage.analysis.decision.condition import Answered, AnsweredLeaf, answered, binding, deciding
from iotriage.analysis.decision.evidence_headlines import MEASURE, benchmark_alone
from iotriage.analysis.decision.headline import little_lost_sentence
from iotriage.analysis.decision.headline_figure import (
    WITHOUT_QUANTITY,
    at_least,
    bound_of,
    bound_of_io_time,
    figure_of,
)
from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.portrait import length_s, portrait_of
from iotriage.helpdesk.portrait_svg import portrait_svg
from iotriage.helpdesk.support_wording import worded_by_support
from iotriage.helpdesk.templates import Template, filled
from iotriage.metrics.core.metric import Metric, Where
from iotriage.reports.blocks import Block, Command, Link, Paragraph, Points
from iotriage.reports.html_fragment import render_html
from iotriage.reports.jira import render_jira
from iotriage.reports.markdown import render_markdown
from iotriage.reports.plain_text import render_plain_text
from iotriage.reports.sections.grounds import evidence_to_decide
from iotriage.rules.core.action import AskFor
from iotriage.rules.core.advice import Advice, Citation, advice_text
from iotriage.rules.core.condition import SIGNS, Compare
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Statement
from iotriage.rules.core.words import bounded, exact_quantity, paragraph, printable, quantity
from iotriage_parsers.evidence import Counter, Lines
from iotriage_parsers.frozen import frozen

MOST_NUMBERS = 3
OF_A_JOB = "Of a job of yours that is slow, we need what it leaves itself."
MOST_COUNTERS = 3
"""Of one number: a metric may be worked out of ten."""


ReplyForm = Literal["plain", "markdown", "jira", "html"]

WRITERS: Mapping[ReplyForm, Callable[[Iterable[Block]], str]] = {
    "plain": render_plain_text,
    "markdown": render_markdown,
    "jira": render_jira,
    "html": render_html,
}


Then = Literal["closing", "sending", "clear"]


class UnknownFindingError(ValueError):
    """A finding that the case does not have, or that is not triggered."""


@frozen
class Figure:
    """One number. `stated_by` is None where the threshold is the program's own, `counters` where no place in the
    evidence is known."""

    title: str
    value: str
    inferred: bool
    threshold: str
    stated_by: str | None
    counters: str | None


@frozen
class Reply:
    """`cause` is a sentence and its number; `advice` what to do in words, first what comes first, then what has the
    `command`; `then` what a run with it is for: it shows whether it helped, or what is missing; of a job with which
    nothing is wrong, what would tell more. `read` names the document that says so, with its address where it has
    one."""

    figures: tuple[Figure, ...]
    cause: str
    advice: tuple[str, ...]
    command: tuple[str, ...]
    then: Then | None
    read: Link | Paragraph | None


@frozen
class RerunShown:
    """What a rerun showed of what was advised: whether it `helped`, what was `measured` of both runs, the rules whose
    findings are `gone`, and its own `document`, None where it was deleted since."""

    helped: bool
    measured: str | None
    gone: frozenset[str]
    document: CaseDocument | None


def findings_of(document: CaseDocument, keys: Sequence[str]) -> tuple[Finding, ...]:
    """Those of these keys, in the document's order; without keys the one that the sentence on top is of.
    UnknownFindingError."""
    triggered = {f.key: f for f in document.findings if f.verdict == "triggered"}
    unknown = next((key for key in keys if key not in triggered), None)
    if unknown is not None:
        raise UnknownFindingError(f"{unknown!r} is not a finding that holds in this case.")
    if keys:
        return tuple(f for key, f in triggered.items() if key in keys)
    top = next((f for f in triggered.values() if f.rule == document.headline.rule), None)
    return () if top is None else (top,)


def reply_of(document: CaseDocument, chosen: Sequence[Finding]) -> Reply:
    """`chosen` in the document's order: the first that no other explains is the cause."""
    keys = {f.key for f in chosen}
    document = worded_by_support(document)
    chosen = [f for f in document.findings if isinstance(f, Finding) and f.key in keys]
    basis = basis_of(document)
    rules = {f.rule for f in chosen}
    cause = next((f for f in chosen if f.explained_by not in rules), None)
    figures = tuple(_figures(chosen, basis, document))
    top = document.headline
    if cause is None:
        words = () if top.to_do is None else (Advice(top.to_do, top.command),)
        asks = top.severity == "unknown" and not benchmark_alone(document.sources)
        if top.to_do == MEASURE:
            # A site's profile is the support's: who sent the result has a job that is slow.
            words, asks = (Advice(f"{OF_A_JOB} {document.headlines.to_add}", document.headlines.added),), True
        then: Then | None = "sending" if asks else "clear" if top.severity == "clear" else None
        return _reply(document, figures, top.said, words, (), then)
    ordered = (cause, *(f for f in chosen if f is not cause))
    in_force = [a for f in ordered for a in f.advice if a.withheld is None]
    typed = next((a for a in in_force if a.command is not None), None)
    advice = in_force[:1] if typed is None or typed is in_force[0] else (in_force[0], typed)
    asked = document.rules.get(cause.rule)
    own = tuple(a.citation for a in advice[::-1] if a.citation is not None)
    cited = (*own, *(() if asked is None else asked.citations))
    # A run in which the job prints more has nothing that could help.
    prints = typed is not None and all(isinstance(action, AskFor) for action in typed.actions)
    then = "sending" if prints else "closing" if cause.weighed else None
    return _reply(document, figures, _cause_sentence(cause, document, basis), advice, cited, then)


def _cause_sentence(cause: Finding, document: CaseDocument, basis: DecisionBasis) -> str:
    """What the case's page says on top, where that is of this finding: with how the job ended, and what is missing."""
    if findings_of(document, ())[:1] == (cause,):
        return document.headline.said
    figure = little_lost_sentence(cause, basis).strip() or figure_of(cause, document.findings, basis, None)
    return paragraph(cause.headline or f"{cause.title}.", figure)


def render_reply(blocks: Sequence[Block], form: ReplyForm, document: CaseDocument) -> str:
    """As `form` has it; HTML has the picture of the job below the text. Empty where there are no blocks."""
    if not blocks:
        return ""
    text = WRITERS[form](blocks)
    portrait = portrait_of(document) if form == "html" else None
    return text if portrait is None else f"{text}<p>{portrait_svg(portrait, length_s(document))}</p>\n"


def reply_blocks(reply: Reply, template: Template, document: CaseDocument) -> tuple[Block, ...]:
    """What is empty in the template, or missing in the reply, is left out."""
    return tuple(_blocks(reply, template, document))


def run_of_reply(shown: RerunShown | None, document: CaseDocument) -> CaseDocument:
    """The run that a reply is about: the rerun where the advice did not help, since no reply has told of it yet."""
    return document if shown is None or shown.helped or shown.document is None else shown.document


def rerun_blocks(
    shown: RerunShown, chosen: Sequence[Finding], template: Template, document: CaseDocument
) -> tuple[Block, ...]:
    """The reply to who sent a rerun: that it came, what it was worth, and what is left to do."""
    measured = () if shown.measured is None else (Paragraph(f"{shown.measured[0].upper()}{shown.measured[1:]}."),)
    return (_helped_blocks if shown.helped else _no_help_blocks)(shown, measured, chosen, template, document)


def _helped_blocks(
    shown: RerunShown,
    measured: tuple[Block, ...],
    chosen: Sequence[Finding],
    template: Template,
    document: CaseDocument,
) -> tuple[Block, ...]:
    """Who sent it is asked for no rerun, nor told what to do about what is gone; of other findings that are chosen, the
    reply follows."""
    left = [f for f in chosen if f.rule not in shown.gone]
    rerun = () if shown.document is None else (Paragraph(shown.document.headline.said),)
    opening = tuple(_paragraphs(template.opening, document))
    said = (*_paragraphs(template.rerun, document), *rerun) if rerun else ()
    others = reply_blocks(reply_of(document, left), template, document)[len(opening) :] if left else ()
    return (*opening, *_paragraphs(template.helped, document), *measured, *said, *others)


def _no_help_blocks(
    shown: RerunShown,
    measured: tuple[Block, ...],
    chosen: Sequence[Finding],
    template: Template,
    document: CaseDocument,
) -> tuple[Block, ...]:
    """Of the rerun what is chosen of the run before, else what its page says first. Where all of that is there still,
    nobody knows whether the change was made."""
    run = run_of_reply(shown, document)
    rules = {f.rule for f in chosen}
    still = [f for f in run.findings if f.verdict == "triggered" and f.rule in rules]
    stayed = shown.document is not None and rules == {f.rule for f in still} != set()
    opening = tuple(_paragraphs(template.opening, run))
    others = reply_blocks(reply_of(run, still or findings_of(run, ())), template, run)[len(opening) :]
    return (
        *opening,
        *_paragraphs(template.no_help, run),
        *measured,
        *(_paragraphs(template.stayed, run) if stayed else ()),
        *others,
    )


def asking_blocks(document: CaseDocument, template: Template) -> tuple[Block, ...]:
    """What would settle the findings that are not decided: the lines for the job script. Nothing where all are."""
    missing = evidence_to_decide([f for f in document.findings if f.verdict == "unknown"], document)
    if not missing:
        return ()
    lines = tuple(dict.fromkeys(line for one in missing for line in one.lines))
    return (
        *_paragraphs(template.asking, document),
        Points(tuple(one.text for one in missing)),
        *_paragraphs(template.lines, document),
        Command(lines),
        *_paragraphs(template.sending, document),
    )


def _reply(
    document: CaseDocument,
    figures: tuple[Figure, ...],
    cause: str,
    advice: Sequence[Advice],
    cited: Sequence[Citation],
    then: Then | None,
) -> Reply:
    command = next((tuple(a.command.splitlines()) for a in advice if a.command is not None), ())
    sources = {d.key: d for d in document.documents}
    named = [(sources[c.document], f"{sources[c.document].title}, {c.section}") for c in cited if c.document in sources]
    links = (Link(name, source.url) for source, name in named if source.url is not None)
    read = next(links, None) or next((Paragraph(name) for _, name in named), None)
    words = tuple(advice_text(a) for a in advice)
    said = command or then == "clear" or (then == "closing" and words)
    return Reply(figures, cause, words, command, then if said else None, read)


def _blocks(reply: Reply, template: Template, document: CaseDocument) -> Iterator[Block]:
    yield from _paragraphs(template.opening, document)
    yield Paragraph(reply.cause)
    if reply.figures:
        yield from _paragraphs(template.measured, document)
        yield Points(tuple(_in_words(figure, template) for figure in reply.figures))
    if reply.command and not benchmark_alone(document.sources):
        yield from _paragraphs(template.advice, document)
    yield from (Paragraph(words) for words in reply.advice)
    if reply.command:
        yield Command(reply.command)
    if reply.read is not None:
        yield from _paragraphs(template.read, document)
        yield reply.read
    if reply.then is not None:
        last = {"closing": template.closing, "sending": template.sending, "clear": template.clear}
        yield from _paragraphs(last[reply.then], document)


def _paragraphs(text: str, document: CaseDocument) -> Iterator[Paragraph]:
    """A paragraph for each of the template's."""
    parts = (" ".join(part.split()) for part in filled(text, document).split("\n\n"))
    yield from (Paragraph(part) for part in parts if part)


def _in_words(figure: Figure, template: Template) -> str:
    stated = figure.stated_by or template.ours
    counters = f"; {template.source} {figure.counters}" if figure.counters else ""
    value = f"{figure.value}, {template.inferred}" if figure.inferred and template.inferred else figure.value
    return f"{figure.title}: {value} ({template.threshold} {figure.threshold}: {stated}{counters})"


def _figures(chosen: Sequence[Finding], basis: DecisionBasis, document: CaseDocument) -> Iterator[Figure]:
    """What decided that the I/O matters, then what decided each finding, in turns; what only supports them last."""
    grounds = [found for f in chosen if (found := grounds_of(f, basis)) is not None]
    matters = answered(basis.significance, basis.metrics, basis.thresholds)
    first = list(_compared(matters, basis)) if matters.answer is True and any(f.weighed for f in chosen) else []
    decided = _in_turns([list(_compared(g.condition, basis)) for g in grounds])
    supports = [leaf for g in grounds for leaf in _supporting(g, basis)]
    seen: set[tuple[str, str]] = set()
    for leaf, metric in chain(first[:1], decided, supports, first[1:]):
        if metric.unit in WITHOUT_QUANTITY or (metric.title, _value(metric)) in seen:
            continue
        seen.add((metric.title, _value(metric)))
        yield _figure(leaf, metric, basis, document)
        if len(seen) == MOST_NUMBERS:
            return


Compared = tuple[Compare, Metric]


def _compared(node: Answered, basis: DecisionBasis) -> Iterator[Compared]:
    """As the case's page has them: of two that follow from one another the one that says more."""
    yield from _numbers(binding(deciding(node), basis.thresholds))


def _supporting(grounds: Grounds, basis: DecisionBasis) -> Iterator[Compared]:
    found = [leaf for node in grounds.supports if node.answer is True for leaf in deciding(node)]
    return _numbers(binding(found, basis.thresholds))


def _numbers(found: Iterable[AnsweredLeaf]) -> Iterator[Compared]:
    for leaf in found:
        metric = leaf.metric
        if isinstance(leaf.leaf, Compare) and metric is not None and isinstance(metric.value, int | float):
            yield leaf.leaf, metric


def _in_turns(lists: Sequence[Sequence[Compared]]) -> Iterator[Compared]:
    return (one for turn in zip_longest(*lists) for one in turn if one is not None)


def _figure(leaf: Compare, metric: Metric, basis: DecisionBasis, document: CaseDocument) -> Figure:
    threshold = basis.thresholds[leaf.threshold]
    bound = bound_of(metric, bound_of_io_time(basis.metrics, basis.account))
    assert metric.value is not None
    return Figure(
        metric.title,
        bounded(bound, quantity(metric.value, metric.unit)),
        metric.confidence == "inferred",
        f"{SIGNS[leaf.operator]} {exact_quantity(threshold.value, threshold.unit)}",
        _stated_by(threshold.stated_by, document),
        _counters(metric.where, document),
    )


def _value(metric: Metric) -> str:
    assert metric.value is not None
    return bounded(at_least(metric), quantity(metric.value, metric.unit))


def _stated_by(statement: Statement, document: CaseDocument) -> str | None:
    if statement.document == PROJECT:
        return None
    title = next((d.title for d in document.documents if d.key == statement.document), statement.document)
    return f"{title}, {statement.section}"


def _counters(where: Sequence[Where], document: CaseDocument) -> str | None:
    """ "POSIX_WRITES, POSIX_SEQ_WRITES of out.dat", or the lines of a text."""
    named = dict.fromkeys(w.at.counter for w in where if isinstance(w.at, Counter))
    if named:
        files = {w.at.file for w in where if isinstance(w.at, Counter) and w.at.file is not None}
        more = f" and {len(named) - MOST_COUNTERS} more" if len(named) > MOST_COUNTERS else ""
        of = f" of {printable(files.pop().rsplit('/', 1)[-1])}" if len(files) == 1 else ""
        return f"{', '.join(list(named)[:MOST_COUNTERS])}{more}{of}"
    lines = next(((w.source, w.at) for w in where if isinstance(w.at, Lines)), None)
    if lines is None:
        return None
    source, at = lines
    span = f"line {at.first}" if at.first == at.last else f"lines {at.first} to {at.last}"
    return f"{span} of {printable(document.sources[source].name)}"
