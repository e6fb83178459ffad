"""Which of two runs is the better in its I/O, what that was decided on, and how many times faster it is."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Literal

from iotriage.analysis.decision.significance import FLOORS
from iotriage.analysis.run_sets.phase_rates import change_between
from iotriage.analysis.run_sets.run import OF_TIMERS, Run, lost_data
from iotriage.analysis.run_sets.run_settings import program_of
from iotriage.analysis.run_sets.setting import TWICE
from iotriage.metrics.runs.run_set import SAME_WORK
from iotriage_parsers.frozen import frozen

Outcome = Literal["better", "worse", "same", "mixed", "unknown"]
Basis = Literal["time", "rate", "findings", "rereads", "nothing"]
"""What an outcome was decided on: seconds for the same work; bytes per second where the work differs; where neither run
spends a second in I/O, the findings, then how often the same bytes were read, and nothing where these do not differ."""

CONTRARY, CONTRARY_S = 1.5, 0.2
"""Of two short runs one that is so many times slower, and so many seconds, is not called better by its findings."""
LESS_READING = 1.5
"""Reading the same files over this many times more often is a difference in itself."""


@frozen
class Speed:
    """`factor` is how many times faster the I/O of the later run is, by time or by rate as `measured` says; where times
    are bounds, so many times at least, and `factor_most` at most (of a slower run, both are below 1). `timed` is what
    they alone decide, `outcome` what all decides, on `basis`. `short` where neither spends a second in I/O. `open` are
    times whose bounds leave open which of the two is the faster."""

    outcome: Outcome
    basis: Basis
    measured: Basis
    factor: float | None
    short: bool
    timed: Outcome
    factor_most: float | None = None
    open: bool = False


def speed_of(before: Run, after: Run, usual: float, causes: tuple[bool, bool]) -> Speed:
    """How `after` did against `before`; `usual` is the factor by which equal runs differ. `causes`: whether some of
    what was found in the one went, and whether other came."""
    if before.phases and after.phases:
        outcome = _by_phases(before, after, usual)
        return Speed(
            outcome, "rate" if outcome != "unknown" else "nothing", "nothing", None, short=False, timed=outcome
        )
    if (
        run_that_moves_little(before, after) is not None
        or are_opposite(before, after)
        or run_that_lost_data(before, after) is not None
    ):
        return Speed("unknown", "nothing", "nothing", None, short=False, timed="unknown")
    basis, ends = _factor(before, after)
    timed, factor, most = _of_ends(ends, usual)
    if ends is not None and factor is None and _ends_alike(before, after, usual):
        timed, factor = "same", sqrt(ends[0] * ends[1])
    found = _with_causes(before, after, usual, causes, (basis if factor is not None else "nothing", factor, timed))
    return replace(found, factor_most=most, open=ends is not None and factor is None)


def _with_causes(
    before: Run,
    after: Run,
    usual: float,
    causes: tuple[bool, bool],
    by_clock: tuple[Basis, float | None, Outcome],
) -> Speed:
    """What all decides, where `by_clock` is what the times or the rates do."""
    basis, factor, timed = by_clock
    short = is_short(before) and is_short(after)
    if factor is not None and not short:
        outcome = "mixed" if basis == "rate" and _otherwise_by_time(before, after, usual, timed) else timed
        return Speed(outcome, basis, basis, factor, short, timed)
    gone, came = causes if are_comparable(before, after) else (False, False)
    if gone or came:
        outcome = "mixed" if gone and came else "better" if gone else "worse"
        if factor is not None and _judged(factor, CONTRARY) not in ("same", outcome) and _far_apart(before, after):
            outcome = "mixed"
        return Speed(outcome, "findings", basis, factor, short, timed)
    if before.rereads and after.rereads:
        # Who reads a part of its files reads nothing again.
        less = _judged(max(1.0, before.rereads) / max(1.0, after.rereads), LESS_READING)
        if less != "same":
            return Speed(less, "rereads", basis, factor, short, timed)
    if timed in ("better", "worse"):
        # Start-up and caches make such times: nothing is left that tells the one from the other.
        return Speed("unknown", "nothing", basis, factor, short, timed)
    return Speed(timed, basis, basis, factor, short, timed)


def same_work(before: Run, after: Run) -> bool:
    """Whether the two had about the same bytes to move, and as many of them to write."""
    if not before.work or not after.work or _judged(before.work / after.work, SAME_WORK) != "same":
        return False
    if before.written is None or after.written is None:
        return True
    return abs(before.written - after.written) <= (SAME_WORK - 1) * max(before.work, after.work)


def are_opposite(before: Run, after: Run) -> bool:
    """Whether the one writes and the other reads: no rate of the one says anything of the other."""
    if not before.work or not after.work or before.written is None or after.written is None:
        return False
    less, more = sorted((before.written / before.work, after.written / after.work))
    return less <= SAME_WORK - 1 and more >= 2 - SAME_WORK


def run_that_lost_data(before: Run, after: Run) -> Run | None:
    """The one of two runs whose reads or writes failed while the other's did not: it did not do what the other did."""
    lost = [run for run in (before, after) if lost_data(run.document)]
    return lost[0] if len(lost) == 1 else None


def _by_phases(before: Run, after: Run, usual: float) -> Outcome:
    """Better where no phase that both have is worse, and the other way round."""
    changes = {change_between(p, before, after, usual) for p in before.phases if p in after.phases}
    if not changes:
        return "unknown"
    if {"better", "worse"} <= changes:
        return "mixed"
    return "better" if "better" in changes else "worse" if "worse" in changes else "same"


def run_that_moves_little(before: Run, after: Run) -> Run | None:
    """The one of two runs that spends under a second on less than half of what the other moves in longer: its rate is
    that of caches and of start-up, and what is not found in it may want for bytes alone."""
    if not before.work or not after.work or same_work(before, after):
        return None
    less, more = sorted((before, after), key=lambda run: run.work or 0.0)
    little = is_short(less) and not is_short(more) and more.io_time_s is not None
    return less if little and (more.work or 0.0) >= TWICE * (less.work or 0.0) else None


def are_comparable(before: Run, after: Run) -> bool:
    """Whether a rate of the one says anything of the other: different programs that do not move the same have nothing
    in common."""
    return same_work(before, after) or may_be_same_program(before, after)


def may_be_same_program(before: Run, after: Run) -> bool:
    """Whether no source names them differently: statistics alone, and names made anonymous, name none. A benchmark
    has a name."""
    one, other = program_of(before.settings), program_of(after.settings)
    return one == other or (None in (one, other) and before.of_job == after.of_job)


def is_short(run: Run) -> bool:
    """Whether start-up and caches decide the run's times."""
    return run.io_time_s is not None and run.io_time_s < run.threshold(FLOORS[0])


def _factor(before: Run, after: Run) -> tuple[Basis, tuple[float, float] | None]:
    """How many times faster the I/O of `after` is, at least and at most, by time where the work is the same and by rate
    where it is not."""
    was, is_now = before.io_time_ends, after.io_time_ends
    if same_work(before, after) and was is not None and is_now is not None:
        return "time", (was[0] / is_now[1], was[1] / is_now[0])
    alike = before.rate_of == after.rate_of or OF_TIMERS not in (before.rate_of, after.rate_of)
    if before.rate and after.rate and alike and are_comparable(before, after):
        # A rate is by the most that the time can be: it may be higher by as much as that may be less.
        faster, slower = (1.0 if ends is None else ends[1] / ends[0] for ends in (is_now, was))
        return "rate", (after.rate / (before.rate * slower), after.rate * faster / before.rate)
    return "nothing", None


def _ends_alike(before: Run, after: Run, usual: float) -> bool:
    """Whether the least and the most of both are alike, as those of one run and of its like are."""
    was, is_now = before.io_time_ends, after.io_time_ends
    if was is None or is_now is None or not same_work(before, after):
        return False
    return all(_judged(one / other, usual) == "same" for one, other in zip(was, is_now, strict=True))


def _of_ends(ends: tuple[float, float] | None, usual: float) -> tuple[Outcome, float | None, float | None]:
    """What a factor between two ends decides; the end that claims less, and the other where there is another, or of
    runs that are alike what lies in the middle. None where the two ends decide otherwise."""
    if ends is None:
        return "unknown", None, None
    least, most = ends
    outcome = _judged(least, usual)
    if outcome != _judged(most, usual):
        return "unknown", None, None
    if least == most or outcome == "same":
        return outcome, sqrt(least * most), None
    return (outcome, least, most) if outcome == "better" else (outcome, most, least)


def _otherwise_by_time(before: Run, after: Run, usual: float, by_rate: Outcome) -> bool:
    """Whether the times say the opposite of the rates, as of a run that moves a fifth of the bytes in a quarter of the
    time. More processes are given more to do."""
    if before.processes != after.processes or not before.io_time_s or not after.io_time_s:
        return False
    return {by_rate, _judged(before.io_time_s / after.io_time_s, usual)} == {"better", "worse"}


def _judged(factor: float, usual: float) -> Literal["better", "worse", "same"]:
    return "better" if factor > usual else "worse" if 1 / factor > usual else "same"


def _far_apart(before: Run, after: Run) -> bool:
    return abs((before.io_time_s or 0.0) - (after.io_time_s or 0.0)) >= CONTRARY_S
