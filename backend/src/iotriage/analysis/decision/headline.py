"""The headline: what is wrong, with its number, what to do, and which finding says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iotriage.analysis.decision.allotment import shortest_ranked
from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.headline_figure import (
    TIME_THE_WAITS,
    bound_of,
    bound_of_io_time,
    figure_of,
    io_time_sentence,
    posted_seconds,
)
from iotriage.analysis.decision.order import endangers_data
from iotriage.analysis.document import Finding, Findings, Headline
from iotriage.analysis.document.account import Unexplained
from iotriage.analysis.document.finding import DocumentRule
from iotriage.analysis.rates import bounded_rate_text, known_number, rates_text
from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.missing_evidence import IN_JOB_SCRIPT
from iotriage.rules.collective import collective_on_large_contiguous, subfile
from iotriage.rules.core.advice import advice_text
from iotriage.rules.core.claim import STORAGE
from iotriage.rules.core.fixed_numbers import MOST_OF_IT, SHORT_IO, TIMES_A_NOTE
from iotriage.rules.core.words import bounded, seconds, share, size

NOTHING_WRONG = "Nothing wrong was found with this job's I/O."
AS_ONE_OST = "no more than one OST gives; no source says how the file is striped."
NOT_SHOWN = "and these sources do not show why."
NOTHING_SURE = "Nothing wrong was found in what could be read; some questions stay open."

NOTHING_WRONG_UNTIL_THEN = "Nothing wrong was found with its I/O until then."
NOTHING_SURE_UNTIL_THEN = "Nothing wrong was found in what could be read until then; some questions stay open."
ENDED_AND_NOTHING_WRONG = (
    "The job, or a step of it, did not come to its end; nothing wrong was found with its I/O until then."
)
ENDED_AND_NOTHING_SURE = (
    "The job, or a step of it, did not come to its end; nothing wrong was found in what could be read, and some "
    "questions stay open."
)

NONE_FOUND = ", but none of the known causes was found."
LITTLE = ": little, and none of the known causes was found."
MAY_BE_ALL = ", which may be all that the file system gives: "
ALL_IT_GIVES = f"{MAY_BE_ALL}none of the known causes was found."
IN_METADATA = ", most of it in opening, closing and asking about files"

PARTIAL_EVIDENCE = "partial-evidence"
ANOTHER_WAY = frozenset({collective_on_large_contiguous.rule.id, subfile.rule.id})
"""Rules that suggest another way to write the same file, without naming anything wrong with the present one."""


def headline_of(findings: Findings, basis: DecisionBasis, left: Unexplained | None) -> Headline:
    """The headline, from `findings` in reading order and the unexplained time, `left`. The first of these speaks: a
    finding about endangered data, whatever the I/O took; the reason why the job was ended early; the first triggered
    finding. The finding about incomplete evidence comes last, and is combined with what can be said about the rest."""
    if basis.headlines.nothing_read is not None:
        return basis.headlines.nothing_read
    about_io, end = _headline_of_io(findings, basis, left), basis.headlines.end
    if end is None:
        return about_io
    if any(endangers_data(f) for f in findings if f.verdict == "triggered" and f.rule == about_io.rule):
        return replace(about_io, sentence=f"{about_io.sentence} {end.sentence}")
    remedied = end.remedy is not None and (end.urgent or about_io.rule is None)
    action = " ".join(said for said in (end.remedy if remedied else None, about_io.action) if said)
    return replace(about_io, sentence=f"{end.sentence} {about_io.sentence}", action=action or None)


def _headline_of_io(findings: Findings, basis: DecisionBasis, left: Unexplained | None) -> Headline:
    of_evidence = basis.headlines
    triggered = [f for f in findings if f.verdict == "triggered" and f.headline is not None]
    about_io = [f for f in triggered if _judges_io(f, basis)]
    partial = next((f for f in triggered if f.rule == PARTIAL_EVIDENCE), None)
    # What shows nothing and is not whole shows nothing.
    if of_evidence.no_io is not None and partial is None:
        return of_evidence.no_io
    dangers = [f for f in triggered if endangers_data(f)]
    most = None if dangers else _mostly_unexplained(triggered, left, basis)
    if most is not None:
        return most if partial is None else _with_what_is_missing(most, _headline_of_finding(partial), left)
    for finding in dangers or about_io or [f for f in triggered if f is not partial]:
        said, little = _headline_of_finding(finding), little_lost_sentence(finding, basis)
        figure = None if little else figure_of(finding, findings, basis, left)
        # What is about the evidence says itself what is missing.
        lacks = partial is not None and _judges_io(finding, basis)
        sentence = _and_something_is_missing(said.sentence) if lacks else said.sentence
        return replace(said, sentence=f"{sentence}{little}", figure=figure)
    otherwise = _nothing_triggered(findings, basis, left)
    if partial is None:
        return otherwise
    return _with_what_is_missing(otherwise, _headline_of_finding(partial), left)


def _mostly_unexplained(
    triggered: Sequence[Finding], left: Unexplained | None, basis: DecisionBasis
) -> Headline | None:
    """What is said where notes, and what rules of low severity are about, are all that was found, and nearly all time
    of I/O that matters is none of theirs, or most of it where each cause takes little of the run; else None."""
    first = next((f for f in triggered if f.rule != PARTIAL_EVIDENCE), None)
    if first is None or basis.significant is not True or basis.small_share:
        return None
    if left is None or left.experiment is None or left.share < MOST_OF_IT:
        return None
    if not all(_is_small(f, basis.rules[f.rule]) for f in triggered):
        return _beside_a_cause(first, triggered, left, basis)
    # What claims no seconds is advice about all of them, and no cause of few, unless it asks for evidence alone, or
    # has another way to do it, which is the cause of none.
    asks = first.takes_s is None and first.severity == "info" and not _judges_io(first, basis)
    no_cause = asks or first.rule in ANOTHER_WAY
    if not no_cause and (first.takes_s is None or left.seconds < TIMES_A_NOTE * first.takes_s):
        return None
    most, asked = _most_has_no_cause(left, basis), _headline_of_finding(first)
    if most is None or not asks or asked.to_do is None:
        return most
    return replace(most, action=asked.action, lead=asked.lead, command=asked.command, investigates=False)


def _beside_a_cause(
    first: Finding, triggered: Sequence[Finding], left: Unexplained, basis: DecisionBasis
) -> Headline | None:
    """What is said where without its causes the run would be hardly shorter: that most is not explained, and the first
    of them behind it. What leads does so whatever it takes, and of a cause without seconds nobody knows that they are
    few."""
    timed = first.takes_s is not None and first.takes_s >= max(shortest_ranked(basis), NO_TIME)
    low = all(f.severity in ("info", "low") for f in triggered)
    if not timed or not low or basis.rules[first.rule].leads:
        return None
    most, known = _most_has_no_cause(left, basis), figure_of(first, triggered, basis, None)
    return None if most is None else replace(most, figure=f"{first.headline or first.title} {known}")


def _most_has_no_cause(left: Unexplained, basis: DecisionBasis) -> Headline | None:
    """None where nothing says how much of the run the I/O is."""
    takes = _takes(left, basis)
    if takes is None:
        return None
    opening = MAY_BE_ALL if left.kind == "perhaps-fine" else ", and "
    none_found = f"{opening}{share(left.share)} of that time has no known cause."
    return _unexplained(takes, left, basis, checked=True, none_found=none_found)


def _is_small(finding: Finding, rule: DocumentRule) -> bool:
    """A note, or of a rule of low severity: the cause of few seconds is a cause all the same."""
    return not rule.leads and (finding.severity == "info" or rule.severity in ("info", "low"))


def _headline_of_finding(finding: Finding) -> Headline:
    advice = finding.advice[0] if finding.advice else None
    if advice is None:
        action = lead = command = None
    elif advice.withheld is not None:
        action, lead, command = advice_text(advice), None, None
    else:
        action, lead, command = advice.text or None, advice.lead, advice.command
    return Headline(finding.headline or finding.title, action, command, finding.severity, finding.rule, lead=lead)


def little_lost_sentence(finding: Finding, basis: DecisionBasis) -> str:
    """What is said after a cause that is true, and costs this run next to nothing."""
    rule = basis.rules[finding.rule]
    if rule.leads or not finding.weighed or basis.significant is not False:
        return ""
    time, moved = known_number(basis.metrics, "job.io_time"), known_number(basis.metrics, "io.bytes")
    # Of few bytes the library prints no rate, and so no seconds: they may be many.
    if time is None and known_number(basis.metrics, "timers.weight") is not None:
        return ""
    if time is not None and time < SHORT_IO:
        bound = bound_of_io_time(basis.metrics, basis.account)
        return f" This run lost little by it: all its I/O took {bound}{seconds(time)}."
    return "" if moved is None else f" This run lost little by it: all its I/O was {size(moved)}."


def _nothing_triggered(findings: Findings, basis: DecisionBasis, left: Unexplained | None) -> Headline:
    metrics = basis.metrics
    counted = metrics["io.bytes"].value is not None
    # Bytes that are not all, and no time: a heatmap alone, of which every count is small.
    judged = not (metrics["io.bytes"].bound == "lower" and known_number(metrics, "job.io_time") is None)
    checked = counted and judged and any(f.verdict == "clear" and f.weighed for f in findings)
    takes = _takes(left, basis)
    if takes is not None:
        return _unexplained(takes, left, basis, checked)
    if not checked:
        return basis.headlines.not_enough
    unsettled = any(f.verdict == "unknown" for f in findings) or _lacks_times_of_storage(basis)
    ended = basis.headlines.ended
    if ended is not None:
        # Of files that were open at its end there is nothing to find anything in.
        said_before = basis.headlines.end is not None
        if said_before:
            sentence = NOTHING_SURE_UNTIL_THEN if unsettled else NOTHING_WRONG_UNTIL_THEN
        else:
            sentence = ENDED_AND_NOTHING_SURE if unsettled else ENDED_AND_NOTHING_WRONG
        return Headline(sentence, ended, None, "unknown", None, io_time_sentence(metrics, basis.account))
    sentence = NOTHING_SURE if unsettled else NOTHING_WRONG
    figure = io_time_sentence(metrics, basis.account)
    if posted_seconds(metrics) is not None:
        return Headline(sentence, TIME_THE_WAITS, None, "unknown", None, figure, gives_way=True)
    return Headline(sentence, None, None, "clear", None, figure, gives_way=True)


def _unexplained(
    takes: str, left: Unexplained | None, basis: DecisionBasis, checked: bool, none_found: str | None = None
) -> Headline:
    """`checked` where some rule could look; `none_found` is how the sentence then ends, where notes were found."""
    if basis.small_share:
        none_found = LITTLE
    elif none_found is None:
        none_found = ALL_IT_GIVES if left is not None and left.kind == "perhaps-fine" else NONE_FOUND
    sentence = f"{takes}{none_found}" if checked else f"{takes}, {NOT_SHOWN}"
    if basis.small_share:
        return Headline(sentence, None, None, "clear", None)
    if left is not None and left.kind == "as-one-ost":
        sentence = f"{takes}, {AS_ONE_OST}"
    investigates, lead = left is not None and left.experiment is not None, None
    if left is not None and left.experiment is not None:
        action, command = left.experiment, left.command
    elif checked:
        otherwise = basis.investigations.otherwise
        action, command = otherwise.sentence, otherwise.command
    else:
        action, command, lead = basis.headlines.to_add, basis.headlines.added, IN_JOB_SCRIPT
    rates = _rates(basis) if _has_rate(left, basis) else ""
    return Headline(sentence, f"{rates}{action}", command, "unknown", None, lead=lead, investigates=investigates)


def _takes(left: Unexplained | None, basis: DecisionBasis) -> str | None:
    """A phrase that says what share of the run the I/O takes, or how long it took where the run time is not known; None
    where it is not known to matter."""
    time, part = (basis.metrics.get(id) for id in ("job.io_time", "job.io_time_fraction"))
    rate = known_number(basis.metrics, "io.bandwidth")
    bound = bound_of_io_time(basis.metrics, basis.account)
    of_rate, moved = (basis.metrics.get(id) for id in ("io.bandwidth", "io.bytes"))
    at = "" if rate is None else f", at {bounded_rate_text(f'{size(rate)}/s', of_rate, moved, bound, after_at=True)}"
    at = f"{at if _has_rate(left, basis) else ''}{IN_METADATA if _is_in_metadata(left, basis) else ''}"
    if basis.significant is True and part is not None and isinstance(part.value, int | float):
        return f"I/O takes {bounded(bound_of(part, bound), share(part.value))} of the run{at}"
    if left is None or left.experiment is None or time is None or not isinstance(time.value, int | float):
        return None
    return f"I/O takes {bound}{seconds(time.value)}{at}"


def _is_in_metadata(left: Unexplained | None, basis: DecisionBasis) -> bool:
    """Whether metadata calls without a known cause take most of the I/O time, including time that is not split; not
    where nobody knows how long reads or writes took. A text has the time of all calls."""
    account = basis.account
    if left is None or account is None or _lacks_times_of_storage(basis):
        return False
    return left.cells.metadata >= MOST_OF_IT * account.cells.total > 0


def _lacks_times_of_storage(basis: DecisionBasis) -> bool:
    """Whether a log does not say how long its reads or writes took."""
    account = basis.account
    return account is not None and account.basis == "Darshan" and any(one.cell in STORAGE for one in account.unknown)


def _has_rate(left: Unexplained | None, basis: DecisionBasis) -> bool:
    """What passes in calls that move no bytes has none; closes may send what was written."""
    return not _is_in_metadata(left, basis) or (left is not None and left.kind == "at-close")


def _rates(basis: DecisionBasis) -> str:
    """What an unexplained rate is for each rank, node and OST that is known."""
    ranks, nodes = (
        None if (n := known_number(basis.metrics, metric)) is None else round(n)
        for metric in ("job.nprocs", "job.nnodes")
    )
    known = rates_text(basis.investigations.rates, ranks, nodes)
    if not known:
        return ""
    bound = bound_of_io_time(basis.metrics, basis.account)
    of_rate, moved = (basis.metrics.get(id) for id in ("io.bandwidth", "io.bytes"))
    return f"That is {bounded_rate_text(', '.join(known), of_rate, moved, bound)}. "


def _with_what_is_missing(otherwise: Headline, partial: Headline, left: Unexplained | None) -> Headline:
    """Incomplete evidence speaks for itself where nothing else is worth saying; else it stands beside it, and what to
    do about it comes behind a look at the file, which needs no other run. Of sources without a total there is none to
    be a lower bound."""
    if otherwise.gives_way:
        return partial
    sentence = _and_something_is_missing(otherwise.sentence)
    if otherwise.investigates and left is not None and left.kind in ("look", "as-one-ost"):
        return replace(otherwise, sentence=sentence)
    return replace(partial, sentence=sentence)


def _and_something_is_missing(sentence: str) -> str:
    return f"{sentence.removesuffix('.')}; part of the evidence is missing."


def _judges_io(finding: Finding, basis: DecisionBasis) -> bool:
    """Whether the rule is about the I/O, and not about warnings in a text or about the case itself."""
    return finding.weighed or basis.rules[finding.rule].leads
