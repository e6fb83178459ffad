"""The sentences of a comparison: how the I/O changed, and what was set differently. They claim no cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.run_sets.changes import factor_of
from iotriage.analysis.run_sets.phase_rates import also_in_bytes, change_between, phase_change_text
from iotriage.analysis.run_sets.run import WRITTEN_BY_BENCHMARK, Run
from iotriage.analysis.run_sets.run_settings import (
    BYTES_ON_HOME,
    FILE_SYSTEM,
    INTERFACE,
    LUSTRE_MOUNT,
    is_by_program,
)
from iotriage.analysis.run_sets.setting import SettingKind
from iotriage.analysis.run_sets.speed import (
    Speed,
    are_comparable,
    are_opposite,
    run_that_lost_data,
    run_that_moves_little,
)
from iotriage.analysis.run_sets.step import SettingRow, VerdictText, one_sentence
from iotriage.analysis.run_sets.unread_runs import unread_sentence
from iotriage.metrics.core.listing import first_of, listed
from iotriage.metrics.tables.settings import HINT_VARIABLE
from iotriage.rules.core.words import number, plural, size, uncapitalised
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
    parts = [_verdict_sentence(pair)]
    if changed:
        parts.append(f"changed: {', '.join(first_of(changed, MOST_NAMED))}")
    if gone:
        parts.append(f"gone: {titles_of(gone)}")
    if came:
        parts.append(f"new: {titles_of(came)}")
    return VerdictText("; ".join(parts) + ".", tuple(f"{part[0].upper()}{part[1:]}." for part in parts))


def _verdict_sentence(pair: RunPair) -> str:
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
            return f"{b.label} reads its files {_times_phrase(b.rereads)} over, {a.label} {_times_phrase(a.rereads)}"
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


def reads_sentence(pair: RunPair) -> str | None:
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


def _times_phrase(times: float | None) -> str:
    return "once" if times is not None and round(times, 1) <= 1 else f"{number(times or 0)} times"


def titles_of(titles: Sequence[str]) -> str:
    shown = [uncapitalised(t) if t[1:2].islower() or t[1:2] == " " else t for t in titles[:MOST_NAMED]]
    more = len(titles) - len(shown)
    return ", ".join(shown) + (f" and {plural(more, 'other finding')}" if more > 0 else "")


def changed_settings(before: Run, changed: Sequence[SettingRow]) -> Sequence[str]:
    """The settings that differ, each once."""
    elsewhere = any(row.name == FILE_SYSTEM for row in changed)
    told = (BYTES_ON_HOME, LUSTRE_MOUNT) if elsewhere else ()
    settings = [row for row in changed if row.kind in TURNED_TOGETHER and row.name not in told]
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
"""Settings that the program does not see: its calls stay the same."""
TURNED_TOGETHER: frozenset[SettingKind] = OF_THE_FILES | {"hint", "environment", "library", "argument"}


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
