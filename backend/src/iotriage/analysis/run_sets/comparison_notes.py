"""Notes that qualify the verdict on two runs: one of them did less, read from a cache, was cut off, or was traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.decision.headline_figure import AT_LEAST, AT_MOST
from iotriage.analysis.rates import known_word
from iotriage.analysis.run_sets.comparison_words import (
    MOST_NAMED,
    TURNED_TOGETHER,
    RunPair,
    changed_settings,
    reads_sentence,
)
from iotriage.analysis.run_sets.run import Run, is_unread, number_of
from iotriage.analysis.run_sets.run_settings import (
    AVERAGES,
    FILE_NAMES,
    RANKS_OF_THE_LARGEST,
    STRIPES_OF_THE_READ,
)
from iotriage.analysis.run_sets.speed import (
    are_comparable,
    may_be_same_program,
    same_work,
)
from iotriage.analysis.run_sets.step import SettingRow
from iotriage.metrics.core.listing import first_named, listed
from iotriage.metrics.runs.run_set import SAME_WORK
from iotriage.rules.core.words import paragraph, plural, printable, seconds, share, size
from iotriage.rules.evidence.io_not_the_bottleneck import FRACTION


def pair_notes(pair: RunPair, changed: Sequence[SettingRow], unshown: Sequence[str]) -> str | None:
    """The notes to the sentence about two runs; None where there is nothing to note."""
    before, after = pair.before, pair.after
    if is_unread(before.document) or is_unread(after.document):
        return None
    settings = [row for row in changed if row.kind in TURNED_TOGETHER]
    names = changed_settings(before, changed)
    found = paragraph(
        reads_sentence(pair),
        "They are not the same program." if _other_program(before, after) else None,
        _short(pair),
        _work(pair, [row.name for row in changed if row.kind == "work" and row.name != FILE_NAMES]),
        _one_reads_besides(before, after),
        None
        if pair.speed.short or any(row.name in READS_CHANGED for row in changed) or _all_went_alike(before, after)
        else _cached(before.read_rate, after.read_rate),
        "They write files of other names: they may not do the same."
        if any(row.name == FILE_NAMES for row in changed) and not settings and are_comparable(before, after)
        else None,
        f"{plural(len(names), 'setting')} changed together, {_few(names)}: the figures do not say which of them did it."
        if len(names) > 1 and pair.speed.outcome in ("better", "worse")
        else None,
        _where_it_went(pair),
        _neither_waits(before, after),
        _rest_of_the_run(pair),
        _cut_off(before, after),
        _traced_alone(before, after),
        f"Only {_one_sided(unshown)}" if unshown else None,
    )
    return found or None


def one_sided_note(first: Run, others: Sequence[Run], unshown: Sequence[str]) -> str:
    """What `pair_notes` says of each of them, once for all."""
    each = listed([run.label for run in others])
    return f"Between {first.label} and each of {each}, only {_one_sided(unshown)}"


def _one_sided(unshown: Sequence[str]) -> str:
    return f"one run's sources state {_few(unshown)}: what was changed may be among these."


def _other_program(before: Run, after: Run) -> bool:
    """Whether that must be said beside what is compared all the same."""
    return are_comparable(before, after) and not may_be_same_program(before, after)


def _short(pair: RunPair) -> str | None:
    if pair.speed.factor is None or not pair.speed.short:
        return None
    figures = f"{pair.before.io_time_text} and {pair.after.io_time_text}"
    return f"Both spend under a second in I/O ({figures}): caches and start-up decide such times."


def _work(pair: RunPair, differing: Sequence[str]) -> str | None:
    """That rates are compared, with the times beside them: a run that moves half as much need not be faster to take
    half the time."""
    a, b = pair.before, pair.after
    if pair.speed.measured != "rate" or not differing:
        return None
    why = f"They do not move the same ({listed(differing)} differ), so rates are compared"
    if not a.io_time_s or not b.io_time_s or pair.speed.outcome == "mixed":
        return f"{why}."
    return f"{why}; the I/O takes {a.io_time_text} in {a.label} and {b.io_time_text} in {b.label}."


def _one_reads_besides(before: Run, after: Run) -> str | None:
    """How the writing of two runs went that write the same, where one of them reads besides, as a restart does."""
    figures = [
        (run, number_of(run.document, "io.write_bandwidth"), number_of(run.document, "io.bytes_read") or 0.0)
        for run in (before, after)
        if run.of_job and run.written
    ]
    if len(figures) < 2 or same_work(before, after):
        return None
    (one, rate, _), (other, rate_of_other, _) = figures
    alone, reads = sorted(figures, key=lambda figure: figure[2])
    most, least = max(one.written or 0.0, other.written or 0.0), min(one.written or 0.0, other.written or 0.0)
    if not rate or not rate_of_other or most > SAME_WORK * least or alone[2] > (SAME_WORK - 1) * reads[2]:
        return None
    return (
        f"Both write {size(least)}, at {size(rate)}/s in {one.label} and {size(rate_of_other)}/s in {other.label}; "
        f"{reads[0].label} reads {size(reads[2])} besides."
    )


def _where_it_went(pair: RunPair) -> str | None:
    """The one group of files that took longer or less, where all others took about as long in both; None where the runs
    do not move the same, or use one group each."""
    a, b = pair.before, pair.after
    was, is_now = _seconds_by_group(a), _seconds_by_group(b)
    if pair.speed.outcome not in ("better", "worse") or not same_work(a, b) or was.keys() != is_now.keys():
        return None
    went = sorted(was, key=lambda name: abs(is_now[name] - was[name]))
    if len(went) < 2 or not went[-1]:
        return None
    most = went.pop()
    rest, rest_now = (sum(of[name] for name in went) for of in (was, is_now))
    changed = abs(is_now[most] - was[most])
    if min(rest, rest_now) < LEAST_BESIDE * changed or _differ(rest, rest_now, pair.usual):
        return None
    if not _differ(was[most], is_now[most], pair.usual):
        return None
    return (
        f"Only the time for {printable(most)} changed: {seconds(was[most])} of its slowest rank in {a.label} and "
        f"{seconds(is_now[most])} in {b.label}; all other files took {seconds(rest)} and {seconds(rest_now)}."
    )


def _differ(one: float, other: float, usual: float) -> bool:
    return max(one, other) > usual * min(one, other)


LEAST_BESIDE = 0.01
"""Of the difference: the time of all other files together, from which it says something that it stayed as it was."""


def _seconds_by_group(run: Run) -> Mapping[str, float]:
    """The slowest rank's seconds for each group of files, by its name; none where a source lacks some, or two groups
    have one name."""
    account, groups = run.document.account, run.document.groups
    names = [group.name for group in groups]
    if account is None or account.partial or len(set(names)) < len(names):
        return {}
    return {group.name: account.groups[group.id].total for group in groups if group.id in account.groups}


def _neither_waits(before: Run, after: Run) -> str | None:
    """That the I/O of neither run matters, however much faster one of them is."""
    one, other = before.io_share, after.io_share
    if one is None or other is None or before.io_matters or after.io_matters:
        return None
    if one >= before.threshold(FRACTION) or other >= after.threshold(FRACTION):
        return None
    return (
        f"Neither run waits for its I/O: it takes {share(one)} of {before.label} and {share(other)} of {after.label}."
    )


def _cut_off(before: Run, after: Run) -> str | None:
    """That one run's log has no end, where the other's has."""
    if (before.runtime_s is None) == (after.runtime_s is None):
        return None
    open_ = before if before.runtime_s is None else after
    if open_.document.job.start_time is None:
        return None
    return f"The log of {open_.label} has no end: if it was cut off, the rest is missing."


def _traced_alone(before: Run, after: Run) -> str | None:
    """That one run kept each of its calls for DXT, which takes memory and time of its own."""
    run_by_word = {known_word(run.document.metrics, "io.traced"): run for run in (before, after)}
    if set(run_by_word) != {"yes", "no"}:
        return None
    traced, other = run_by_word["yes"].label, run_by_word["no"].label
    return f"{traced} was traced by DXT and {other} was not: tracing itself may take some of the time."


def _rest_of_the_run(pair: RunPair) -> str | None:
    """That the run became longer or shorter by more than its I/O did; None where its I/O has half of that or more."""
    a, b = pair.before, pair.after
    was, is_now = a.io_time_ends, b.io_time_ends
    if not (a.runtime_s and b.runtime_s and was and is_now) or a.processes != b.processes:
        return None
    run = b.runtime_s - a.runtime_s
    # Of times between two ends, as much of the run as they can be.
    io = is_now[1] - was[0] if run > 0 else is_now[0] - was[1]
    exact = was[0] == was[1] and is_now[0] == is_now[1]
    if not same_work(a, b) or abs(run) < LONGER_S or not _differ(a.runtime_s, b.runtime_s, pair.usual):
        return None
    if io * run >= 0 and abs(io) >= abs(run) / 2:
        return None
    went = f"The run itself took {seconds(abs(run))} {'longer' if run > 0 else 'less'}"
    if io * run < 0 and abs(io) >= 1:
        other = f"{'' if exact else AT_LEAST}{seconds(abs(io))} {'less' if run > 0 else 'more'}"
        return f"{went}, its I/O {other}: look for that outside the I/O."
    return f"{went}, of which {'' if exact else AT_MOST}{seconds(abs(io))} is I/O: look for the rest outside it."


LONGER_S = 60.0
"""Seconds by which a run must be longer for this to be noted beside its I/O."""

READS_CHANGED = frozenset(
    {name for name in AVERAGES if name.startswith("average") and " read" in name}
    | {"system reads", "stripe count", "interface", "pattern", "collective calls"}
    | {STRIPES_OF_THE_READ, RANKS_OF_THE_LARGEST}
)
"""Changes that make reading faster by themselves."""

CACHED = 3.0
"""How many times faster reading must be for memory to be named; disks of one system seldom differ by that."""


def _all_went_alike(before: Run, after: Run) -> bool:
    """Whether writing, which no memory of an earlier run spares, became faster or slower by as much."""
    one, other = (number_of(run.document, "io.write_bandwidth") for run in (before, after))
    if not one or not other or not before.read_rate or not after.read_rate:
        return False
    return max(one, other) >= CACHED * min(one, other) and (one < other) == (before.read_rate < after.read_rate)


def _cached(one: float | None, other: float | None) -> str | None:
    """That one of two runs may have read from memory; None where their reading is about as fast, or not known."""
    if not one or not other or max(one, other) < CACHED * min(one, other):
        return None
    return (
        f"Reading ran at {size(one)}/s and at {size(other)}/s: the faster may have come from the memory of nodes or "
        "servers that held the data already. Read what another node wrote, in a run of its own, to know."
    )


def _few(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= MOST_NAMED else first_named(names, MOST_NAMED)
