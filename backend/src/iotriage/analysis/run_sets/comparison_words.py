"""The sentences of a comparison: what became of the I/O, and what was changed. No cause is claimed for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from iotriage.analysis.run_sets.run_set_finding import RunSetFinding
from iotriage.analysis.run_sets.run_settings import FILE_NAMES, SettingKind
from iotriage.metrics.runs.run_set import RunFigures, RunSetKind, best_by_processes
from iotriage.rules.core.words import counted, number, paragraph, seconds, size
from iotriage_parsers.frozen import frozen

if TYPE_CHECKING:
    from iotriage.analysis.run_sets.comparison import Basis, Outcome, SettingRow, Step

KINDS: Mapping[SettingKind, str] = {
    "calls": "how the I/O is done",
    "hint": "hint",
    "striping": "striping",
    "environment": "environment",
    "library": "library",
    "argument": "argument",
    "program": "program",
    "processes": "processes",
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
    "MPICH_MPIIO_HINTS": "MPI-IO hints",
    "FI_OFI_RXM_SAR_LIMIT": "size up to which libfabric segments messages",
}
SWITCHES = {"enable": "on", "disable": "off", "automatic": "left to the library"}
MOST_NAMED = 3

STILL_THERE = "The finding is still there: what was changed did not touch it."
NOT_DECIDED_THERE = "The other run's sources do not show whether it is still there."
NO_TIMES = "It is gone, but the sources do not have the times of both runs."
TOO_SHORT = "It is gone, but both runs spend under a second in I/O: caches and start-up decide such times."
GONE_AND_FASTER = "It is gone, and the I/O is faster by more than equal runs usually differ."
GONE_WITH_OTHERS = (
    "It is gone, and the I/O is faster, but other findings went with it: which of them did it, nobody can tell."
)
GONE_NOT_FASTER = "It is gone, and the I/O is no faster: it was not what took the time."


@frozen
class Said:
    """What a sentence about two runs is made from."""

    before: RunFigures
    after: RunFigures
    outcome: Outcome
    basis: Basis
    measured: Basis
    factor: float | None
    short: bool
    usual: float
    rereads: tuple[float | None, float | None]


def of_pair(said: Said, changed: Sequence[str], gone: Sequence[str], came: Sequence[str]) -> str:
    """The verdict on two runs in one sentence."""
    parts = [_what(said)]
    if changed:
        more = len(changed) - MOST_NAMED
        parts.append(f"changed: {', '.join(changed[:MOST_NAMED])}" + (f" and {more} more" if more > 0 else ""))
    if gone:
        parts.append(f"gone: {_list(gone)}")
    if came:
        parts.append(f"new: {_list(came)}")
    return "; ".join(parts) + "."


def _what(said: Said) -> str:
    b = said.after.label
    speed = _speed(said)
    match said.basis:
        case "findings":
            if said.outcome == "mixed" and (contrary := _contrary(said)) is not None:
                return contrary
            word = {"better": "better", "worse": "worse"}.get(said.outcome, "better in one way and worse in another")
            agrees = said.factor is not None and said.outcome == ("better" if said.factor > said.usual else "worse")
            why = "too short to tell by time" if said.short else "without the times of both to tell by"
            return speed if speed and agrees else f"{b} is {word} by the findings, {why}"
        case "rereads":
            before, after = said.rereads
            return f"{b} reads its files {_over(after)} over, {said.before.label} {_over(before)}"
        case "nothing":
            return f"{b} and {said.before.label} cannot be held against each other by time"
        case _:
            return speed or f"{b} and {said.before.label} do not differ"


def _contrary(said: Said) -> str | None:
    """That the findings and the times of two runs say opposite things; None where the findings alone are mixed."""
    speed = _speed(said)
    return None if speed is None or said.factor is None else f"{speed}, against what the findings say"


def _speed(said: Said) -> str | None:
    if said.factor is None:
        return None
    a, b = said.before, said.after
    if said.measured == "rate":
        figures = f"{size(a.rate or 0)}/s → {size(b.rate or 0)}/s"
        what = "moves bytes"
    else:
        figures = f"{seconds(a.io_time_s or 0)} → {seconds(b.io_time_s or 0)}"
        what = "does its I/O"
    if said.outcome == "same":
        return f"{b.label} is as fast in I/O as {a.label}, within the usual variation ({figures})"
    faster = said.factor > 1
    factor = said.factor if faster else 1 / said.factor
    return f"{b.label} {what} {_times(factor)} {'faster' if faster else 'slower'} ({figures})"


def _times(factor: float) -> str:
    return f"{number(factor)} times"


def _over(times: float | None) -> str:
    return "once" if times is not None and round(times, 1) <= 1 else f"{number(times or 0)} times"


def _list(titles: Sequence[str]) -> str:
    shown = [t[0].lower() + t[1:] if t[1:2].islower() else t for t in titles[:MOST_NAMED]]
    more = len(titles) - len(shown)
    return ", ".join(shown) + (f" and {counted(more, 'other finding')}" if more > 0 else "")


def notes(
    said: Said,
    changed: Sequence[SettingRow],
    unshown: Sequence[str],
    *,
    same_program: bool,
    read_rates: tuple[float | None, float | None],
) -> str | None:
    """What must be known beside the sentence; None where there is nothing."""
    settings = [row for row in changed if row.kind in ("hint", "environment", "striping", "library", "argument")]
    chosen = settings or [row for row in changed if row.kind == "calls" and not row.counted]
    work = [row.name for row in changed if row.kind == "work" and row.name != FILE_NAMES]
    speed = None
    if said.factor is not None and said.short:
        figures = f"{seconds(said.before.io_time_s or 0)} and {seconds(said.after.io_time_s or 0)}"
        speed = f"Both spend under a second in I/O ({figures}): caches and start-up decide such times."
    found = paragraph(
        None if same_program else "They are not the same program.",
        speed,
        f"They do not move the same ({_and(work)} differ), so rates are compared."
        if said.measured == "rate" and work
        else None,
        None if said.short or any(row.name in READS_CHANGED for row in changed) else _cached(read_rates),
        "They write files of other names: they may not do the same."
        if any(row.name == FILE_NAMES for row in changed) and not settings
        else None,
        f"{counted(len(chosen), 'setting')} changed together: the figures do not say which of them did it."
        if len(chosen) > 1 and said.outcome in ("better", "worse")
        else None,
        f"Only one run's sources state {_few(unshown)}: what was changed may be among these." if unshown else None,
    )
    return found or None


READS_CHANGED = frozenset({"average read", "system reads", "stripe count", "interface", "pattern", "collective calls"})
"""What makes reading faster by itself, where it changed."""

CACHED = 3.0
"""How many times faster reading must be for memory to be named; disks of one system seldom differ by that."""


def _cached(rates: tuple[float | None, float | None]) -> str | None:
    """That one of two runs may have read from memory; None where their reading is about as fast, or not known."""
    one, other = rates
    if not one or not other or max(one, other) < CACHED * min(one, other):
        return None
    return (
        f"Reading ran at {size(one)}/s and at {size(other)}/s: the faster may have come from the memory of nodes or "
        "servers that held the data already. Read what another node wrote, in a run of its own, to know."
    )


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return _and(names) if more <= 0 else f"{', '.join(names[:MOST_NAMED])} and {more} more"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def changes(changed: Sequence[SettingRow], against: int, index: int) -> list[str]:
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


def of_set(
    kind: RunSetKind,
    runs: Sequence[RunFigures],
    found: Sequence[RunSetFinding],
    steps: Sequence[Step],
) -> tuple[str, str | None]:
    """The verdict on the whole set, and what must be known beside it. Of several runs that were each held against the
    first, what became of each; the sentences of the steps say the rest."""
    triggered = next((f for f in found if f.verdict == "triggered"), None)
    clear = next((f for f in found if f.verdict == "clear"), None)
    if kind == "change" or (kind == "repeats" and triggered is None and len(runs) == 2):
        if len(steps) == 1:
            return steps[0].sentence, steps[0].note
        return _of_each(runs, steps), None
    if triggered is not None and triggered.headline is not None:
        return triggered.headline, triggered.summary
    if kind == "scaling":
        return _scaling(runs), None
    if clear is not None:
        return f"{clear.clear_title}.", _spread(kind, runs)
    if len(steps) == 1:
        return steps[0].sentence, steps[0].note
    return _open(kind), None


BECAME: Mapping[Outcome, tuple[str, str]] = {
    "better": ("is better", "are better"),
    "worse": ("is worse", "are worse"),
    "mixed": ("is better in one way and worse in another", "are better in one way and worse in another"),
    "same": ("does not differ", "do not differ"),
    "unknown": ("cannot be told", "cannot be told"),
}


def _of_each(runs: Sequence[RunFigures], steps: Sequence[Step]) -> str:
    said = []
    for outcome, (one, several) in BECAME.items():
        labels = [runs[step.run].label for step in steps if step.outcome == outcome]
        if labels:
            said.append(f"{_and(labels)} {several if len(labels) > 1 else one}")
    return f"Against {runs[steps[0].against].label}, {_and(said)}."


def _scaling(runs: Sequence[RunFigures]) -> str:
    by = best_by_processes(runs)
    if len(by) < 2 or not by[0].rate or not by[-1].rate or not by[0].processes or not by[-1].processes:
        return "The runs differ in their number of processes; their rates are not known."
    grown, more = by[-1].rate / by[0].rate, by[-1].processes / by[0].processes
    figures = f"({size(by[0].rate)}/s on {by[0].processes:,}, {size(by[-1].rate)}/s on {by[-1].processes:,})"
    return f"On {number(more)} times the processes the I/O rate is {_times(grown)} that on the fewest {figures}."


def _spread(kind: RunSetKind, runs: Sequence[RunFigures]) -> str | None:
    rates = [r.rate for r in runs if r.rate]
    if len(rates) < 2:
        return None
    word = "runs" if kind == "repeats" else "stripe counts"
    return f"Best over worst of the {len(rates)} {word}: {number(max(rates) / min(rates))}."


def _open(kind: Literal["repeats", "striping"] | RunSetKind) -> str:
    if kind == "repeats":
        return "Nothing that the sources show differs between the runs."
    return "The runs differ in their stripe count only; they are too short, or lack the rates, to say which is best."
