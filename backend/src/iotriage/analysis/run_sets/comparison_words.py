"""The sentences of a comparison: what became of the I/O, and what was changed. No cause is claimed for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.decision.headline_figure import AT_LEAST, AT_MOST
from iotriage.analysis.run_sets.changes import factor_of
from iotriage.analysis.run_sets.phase_rates import also_in_bytes, change_between, phase_change_text
from iotriage.analysis.run_sets.run import WRITTEN_BY_BENCHMARK, Run, is_unread, number_of, word_of
from iotriage.analysis.run_sets.run_settings import (
    AVERAGES,
    BYTES_ON_HOME,
    FILE_NAMES,
    FILE_SYSTEM,
    INTERFACE,
    RANKS_OF_THE_LARGEST,
    STRIPES_OF_THE_READ,
    is_by_program,
)
from iotriage.analysis.run_sets.setting import SettingKind
from iotriage.analysis.run_sets.speed import (
    Speed,
    are_comparable,
    are_opposite,
    may_be_same_program,
    run_that_lost_data,
    run_that_moves_little,
    same_work,
)
from iotriage.analysis.run_sets.step import SettingRow, VerdictText, one_sentence
from iotriage.analysis.run_sets.unread_runs import unread_sentence
from iotriage.metrics.core.listing import listed
from iotriage.metrics.runs.run_set import SAME_WORK
from iotriage.metrics.tables.settings import HINT_VARIABLE
from iotriage.rules.core.words import number, paragraph, plural, seconds, share, size
from iotriage.rules.evidence.io_not_the_bottleneck import FRACTION
from iotriage_parsers.frozen import frozen_identity

KINDS: Mapping[SettingKind, str] = {
    "calls": "how the I/O is done",
    "hint": "hint",
    "striping": "striping",
    "placement": "where the files are",
    "environment": "environment",
    "library": "library",
    "argument": "argument",
    "program": "program",
    "processes": "size of the job",
    "work": "amount",
    "instrumentation": "instrumentation",
}
"""The kinds of setting in words, in the order in which they are named."""

MEANINGS: Mapping[str, str] = {
    "romio_cb_write": "collective buffering of writes",
    "romio_cb_read": "collective buffering of reads",
    "romio_ds_write": "data sieving of writes",
    "romio_ds_read": "data sieving of reads",
    "cb_nodes": "aggregators",
    "striping_factor": "stripe count at creation",
    "striping_unit": "stripe size at creation",
    "cray_cb_nodes_multiplier": "aggregators for each stripe",
    "cray_cb_write_lock_mode": "lock mode of collective writes",
    HINT_VARIABLE: "MPI-IO hints",
    "FI_OFI_RXM_SAR_LIMIT": "size up to which libfabric segments messages",
}
SWITCHES = {"enable": "on", "disable": "off", "automatic": "left to the library"}
MOST_NAMED = 3


@frozen_identity
class RunPair:
    """What a sentence about two runs is made from; `usual` is the factor by which equal runs differ."""

    before: Run
    after: Run
    speed: Speed
    usual: float


def pair_verdict(pair: RunPair, changed: Sequence[str], gone: Sequence[str], came: Sequence[str]) -> VerdictText:
    """The verdict on two runs."""
    unread = unread_sentence(pair.before, pair.after)
    if unread is not None:
        return one_sentence(unread)
    if not are_comparable(pair.before, pair.after):
        a, b = pair.before.label, pair.after.label
        neither = "neither is the faster or the slower"
        return one_sentence(f"{a} and {b} are different programs that do not move the same: {neither}.")
    parts = [_what(pair)]
    if changed:
        more = len(changed) - MOST_NAMED
        parts.append(f"changed: {', '.join(changed[:MOST_NAMED])}" + (f" and {more} more" if more > 0 else ""))
    if gone:
        parts.append(f"gone: {titles_of(gone)}")
    if came:
        parts.append(f"new: {titles_of(came)}")
    return VerdictText("; ".join(parts) + ".", tuple(f"{part[0].upper()}{part[1:]}." for part in parts))


def _what(pair: RunPair) -> str:
    a, b, outcome, factor = pair.before, pair.after, pair.speed.outcome, pair.speed.factor
    if a.phases and b.phases and outcome != "unknown":
        return _of_phases(pair)
    speed = _speed(pair)
    match pair.speed.basis:
        case "findings":
            if outcome == "mixed" and (contrary := _contrary(pair)) is not None:
                return contrary
            word = {"better": "better", "worse": "worse"}.get(outcome, "better in one way and worse in another")
            agrees = factor is not None and outcome == ("better" if factor > pair.usual else "worse")
            why = "too short to tell by time" if pair.speed.short else "without the times of both to tell by"
            return speed if speed and agrees else f"{b.label} is {word} by the findings, {why}"
        case "rereads":
            return f"{b.label} reads its files {_over(b.rereads)} over, {a.label} {_over(a.rereads)}"
        case "nothing" if pair.speed.short and factor is not None:
            return f"{b.label} and {a.label} are too short to be compared ({_figures(pair)})"
        case "nothing":
            return _not_comparable(pair)
        case "rate" if outcome == "mixed" and a.io_time_s and b.io_time_s:
            longer = b.io_time_s > a.io_time_s
            takes = f"{b.label} takes {'more' if longer else 'less'} time for its I/O"
            return f"{takes} ({a.io_time_text} → {b.io_time_text}), {'but' if longer else 'and'} {_rate(pair)}"
        case _:
            return speed or f"{b.label} and {a.label} do not differ"


def _open(pair: RunPair) -> str:
    """That the bounds of the times leave open which of two runs is the faster, or whether by more than is usual."""
    a, b = pair.before, pair.after
    return f"Whether {b.label} does its I/O faster than {a.label} is open ({a.io_time_between} → {b.io_time_between})"


def _not_comparable(pair: RunPair) -> str:
    """That neither is the faster or the slower, and why."""
    a, b = pair.before, pair.after
    failed = run_that_lost_data(a, b)
    if failed is not None:
        other = b if failed is a else a
        return f"Reads or writes of {failed.label} failed: its times are not compared with those of {other.label}"
    less = run_that_moves_little(a, b)
    if less is not None:
        more = b if less is a else a
        return (
            f"{less.label} moves {_moved(less)}, too little for its rate to be compared with that of {more.label} "
            f"({_moved(more)})"
        )
    if are_opposite(a, b):
        writes, reads = (a, b) if (a.written or 0) > (b.written or 0) else (b, a)
        return f"{writes.label} writes and {reads.label} reads: neither is the faster or the slower"
    partial = [run.label for run in (a, b) if run.lacks_records]
    if partial:
        logs = f"the logs of {listed(partial)} lack" if len(partial) > 1 else f"the log of {partial[0]} lacks"
        return f"{b.label} and {a.label} cannot be compared by time: {logs} records"
    if a.phases and b.phases:
        return f"{b.label} and {a.label} have no phase in common that could be compared"
    if pair.speed.open:
        return f"{_open(pair)}: the logs do not say whose seconds in shared files add up"
    return f"{b.label} and {a.label} cannot be compared by time"


def _moved(run: Run) -> str:
    return f"{size(run.work or 0)} in {run.io_time_text}"


def _of_phases(pair: RunPair) -> str:
    """How many of the phases that both have are faster and slower, the one that changed most of each."""
    a, b = pair.before, pair.after
    both = [phase for phase in a.phases if phase in b.phases and not also_in_bytes(phase, a, b)]
    changes = {phase: change_between(phase, a, b, pair.usual) for phase in both}
    parts = []
    for change, word in (("better", "faster"), ("worse", "slower")):
        found = [phase for phase in both if changes[phase] == change]
        if found:
            most = max(found, key=lambda phase: factor_of(a.phases[phase], b.phases[phase]))
            rates = phase_change_text(most, a.phases[most], b.phases[most])
            parts.append(f"{word} ({rates})" if len(both) == 1 else f"{word} in {len(found)} ({rates})")
    if not parts:
        return f"{b.label} is as fast as {a.label} in the {plural(len(both), 'phase')} of both"
    if len(both) == 1:
        return f"{b.label} is {parts[0]}"
    return f"Of the {plural(len(both), 'phase')} of both, {b.label} is {listed(parts)}"


def _contrary(pair: RunPair) -> str | None:
    """That the findings and the times of two runs say opposite things; None where the findings alone are mixed."""
    speed = _speed(pair)
    return None if speed is None or pair.speed.factor is None else f"{speed}, against what the findings say"


def _speed(pair: RunPair) -> str | None:
    factor = pair.speed.factor
    if factor is None:
        return None
    a, b = pair.before, pair.after
    of_writes = is_write_beside_read(a) and is_write_beside_read(b)
    if pair.speed.outcome == "same":
        as_fast = "writes as fast as" if of_writes else "is as fast in I/O as"
        return f"{b.label} {as_fast} {a.label}, within the usual variation ({_figures(pair)})"
    if pair.speed.measured == "rate":
        return f"{b.label} {_rate(pair)}"
    return f"{b.label} {'writes' if of_writes else 'does its I/O'} {_faster_by(pair.speed)} ({_figures(pair)})"


def is_write_beside_read(run: Run) -> bool:
    """Whether it is a benchmark's writing, which read too."""
    return run.rate_of == WRITTEN_BY_BENCHMARK and run.read_rate is not None


def _reading(pair: RunPair) -> str | None:
    """How the reads of a benchmark went, of which the sentence says nothing."""
    a, b = pair.before, pair.after
    if not (is_write_beside_read(a) and is_write_beside_read(b) and a.read_rate and b.read_rate):
        return None
    factor = b.read_rate / a.read_rate
    rates = f"({size(a.read_rate)}/s → {size(b.read_rate)}/s)"
    if max(factor, 1 / factor) <= pair.usual:
        return f"The reads of {b.label} are as fast {rates}."
    return f"The reads of {b.label} are {_faster(factor)} {rates}."


def _rate(pair: RunPair) -> str:
    return f"moves bytes {_faster_by(pair.speed)} ({_figures(pair)})"


def _faster_by(speed: Speed) -> str:
    return times_faster(speed.factor or 1.0, speed.factor_most)


def times_faster(factor: float, most: float | None) -> str:
    """ "4.85 times faster", "13.9 to 16.2 times faster": how many times at least, and at most where that is another."""
    ends = [number(max(end, 1 / end)) for end in (factor, most) if end is not None]
    return f"{' to '.join(dict.fromkeys(ends))} times {'faster' if factor > 1 else 'slower'}"


def _faster(factor: float) -> str:
    return f"{times_as(factor)} faster" if factor > 1 else f"{times_as(1 / factor)} slower"


def _figures(pair: RunPair) -> str:
    a, b = pair.before, pair.after
    if pair.speed.measured == "rate":
        return f"{a.rate_text} → {b.rate_text}"
    return f"{a.io_time_between} → {b.io_time_between}"


def times_as(factor: float) -> str:
    return f"{number(factor)} times"


def _over(times: float | None) -> str:
    return "once" if times is not None and round(times, 1) <= 1 else f"{number(times or 0)} times"


def titles_of(titles: Sequence[str]) -> str:
    shown = [t[0].lower() + t[1:] if t[1:2].islower() or t[1:2] == " " else t for t in titles[:MOST_NAMED]]
    more = len(titles) - len(shown)
    return ", ".join(shown) + (f" and {plural(more, 'other finding')}" if more > 0 else "")


def pair_notes(pair: RunPair, changed: Sequence[SettingRow], unshown: Sequence[str]) -> str | None:
    """What must be known beside the sentence; None where there is nothing."""
    before, after = pair.before, pair.after
    if is_unread(before.document) or is_unread(after.document):
        return None
    settings = [row for row in changed if row.kind in TURNED_TOGETHER]
    names = changed_settings(before, changed)
    found = paragraph(
        _reading(pair),
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
        _neither_waits(before, after),
        _rest_of_the_run(pair),
        _cut_off(before, after),
        _traced_alone(before, after),
        f"Only {_one_sided(unshown)}" if unshown else None,
    )
    return found or None


def one_sided_note(first: Run, others: Sequence[Run], unshown: Sequence[str]) -> str:
    """What `notes` says of each of them, once for all."""
    each = listed([run.label for run in others])
    return f"Between {first.label} and each of {each}, only {_one_sided(unshown)}"


def _one_sided(unshown: Sequence[str]) -> str:
    return f"one run's sources state {_few(unshown)}: what was changed may be among these."


def changed_settings(before: Run, changed: Sequence[SettingRow]) -> Sequence[str]:
    """What was set otherwise, each once."""
    elsewhere = any(row.name == FILE_SYSTEM for row in changed)
    settings = [row for row in changed if row.kind in TURNED_TOGETHER and not (elsewhere and row.name == BYTES_ON_HOME)]
    ways = _ways([row for row in changed if row.kind == "calls" and not row.counted])
    if not before.of_job:
        chosen = [*ways, *settings]
    elif any(row.kind not in OF_THE_FILES for row in settings):
        # What a job's arguments and hints ask for shows in its calls; a benchmark's are options of their own.
        chosen = settings
    else:
        chosen = [*settings, *(ways or (_requested(before, changed)[:1] if settings else ()))]
    # Ranks and nodes are one choice.
    job_size = [row.name for row in changed if row.kind == "processes"][:1]
    return [*(row.name for row in _of_reads_and_writes(chosen)), *job_size]


def _of_reads_and_writes(rows: Sequence[SettingRow]) -> Sequence[SettingRow]:
    """Without those that set for reads what another sets for writes: the two are one choice."""
    seen = {(row.name, row.values) for row in rows}
    return [r for r in rows if not (r.name.endswith("_read") and (f"{r.name[:-5]}_write", r.values) in seen)]


def _requested(before: Run, changed: Sequence[SettingRow]) -> Sequence[SettingRow]:
    """The accesses of which the program asks for others, through the same interface."""
    interface = before.settings.get(INTERFACE)
    interfaces = () if interface is None else (interface.value,)
    return [row for row in changed if row.kind == "calls" and row.counted and is_by_program(row.name, interfaces)]


def _ways(rows: Sequence[SettingRow]) -> Sequence[SettingRow]:
    """How the program does its I/O; that calls are collective is not told once more by the pattern, nor by the layer
    that has such calls."""
    patterns = {v.value for row in rows if row.name == "pattern" for v in row.values}
    shared = all(value is None or value.startswith("shared-") for value in patterns)
    same = shared and any(row.name == "collective calls" for row in rows)
    return [row for row in rows if not (same and row.name in ("pattern", "interface"))]


OF_THE_FILES: frozenset[SettingKind] = frozenset({"striping", "placement"})
"""What no program knows of: its calls are the same."""
TURNED_TOGETHER: frozenset[SettingKind] = OF_THE_FILES | {"hint", "environment", "library", "argument"}


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


def _neither_waits(before: Run, after: Run) -> str | None:
    """That the I/O of neither run matters, however much faster one of them is."""
    one, other = before.io_share, after.io_share
    if one is None or other is None or max(one, other) >= FRACTION.default or before.io_matters or after.io_matters:
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
    run_by_word = {word_of(run.document, "io.traced"): run for run in (before, after)}
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
    if (
        not same_work(a, b)
        or abs(run) < LONGER_S
        or max(a.runtime_s, b.runtime_s) <= pair.usual * min(a.runtime_s, b.runtime_s)
    ):
        return None
    if io * run >= 0 and abs(io) >= abs(run) / 2:
        return None
    went = f"The run itself took {seconds(abs(run))} {'longer' if run > 0 else 'less'}"
    if io * run < 0 and abs(io) >= 1:
        other = f"{'' if exact else AT_LEAST}{seconds(abs(io))} {'less' if run > 0 else 'more'}"
        return f"{went}, its I/O {other}: look for that outside the I/O."
    return f"{went}, of which {'' if exact else AT_MOST}{seconds(abs(io))} is I/O: look for the rest outside it."


LONGER_S = 60.0
"""Seconds by which a run must be longer for that to be told beside its I/O."""


READS_CHANGED = frozenset(
    {name for name in AVERAGES if name.startswith("average") and " read" in name}
    | {"system reads", "stripe count", "interface", "pattern", "collective calls"}
    | {STRIPES_OF_THE_READ, RANKS_OF_THE_LARGEST}
)
"""What makes reading faster by itself, where it changed."""

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
    more = len(names) - MOST_NAMED
    return listed(names) if more <= 0 else f"{', '.join(names[:MOST_NAMED])} and {more} more"


def changed_words(changed: Sequence[SettingRow], against: int, index: int) -> list[str]:
    """What was changed between the run `against` and this one, most telling first; amounts and what only makes a run
    say more are left out."""
    rows = sorted((r for r in changed if r.kind not in ("work", "instrumentation")), key=lambda row: row.counted)
    return [_change(row, row.values[against].value or "", row.values[index].value or "") for row in rows]


def _change(row: SettingRow, before: str, after: str) -> str:
    went = f"{row.name} {before} → {after}"
    switch = SWITCHES.get(after)
    if row.meaning is not None and switch is not None and row.kind == "hint":
        return f"{row.meaning} is {switch} ({went})"
    return f"{row.meaning} ({went})" if row.meaning is not None else went
