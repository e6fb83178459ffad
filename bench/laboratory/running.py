"""A program run on its model: when each call began and ended, in seconds from the job's start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .calls import COLLECTIVES, Calls, Floats, Ints, Layer, Op, joined
from .lowering import aggregated, aggregates, lowered
from .programs import Phase, Program
from .storage import seconds

START_S, END_S = 1.0, 0.5
"""What a program does before its first call and after its last."""


@dataclass(frozen=True)
class Timed:
    """n rows of calls with the beginning of the first and the end of the last of each, and the seconds inside."""

    calls: Calls
    start: Floats
    end: Floats
    inside: Floats

    def of(self, layer: Layer) -> Timed:
        chosen = np.flatnonzero(self.calls.layer == layer)
        return Timed(self.calls.take(chosen), self.start[chosen], self.end[chosen], self.inside[chosen])


@dataclass(frozen=True)
class Run:
    """`trace` has the calls of all layers that Darshan sees, each rank's in order; `wall_s` is the whole job."""

    program: Program
    trace: Timed
    wall_s: float


def run(program: Program) -> Run:
    clock = np.full(program.ranks, START_S)
    parts: list[Timed] = []
    for index, phase in enumerate(program.phases):
        rng = np.random.default_rng([program.seed, 5, index])
        clock = clock + phase.compute_s * np.exp(rng.normal(0, 0.002, program.ranks))
        if len(phase.late_s):
            clock = clock + np.asarray(phase.late_s)
        if len(phase.calls):
            timed, clock = _phase(program, phase, clock)
            parts.extend(timed)
        if phase.barrier:
            clock = np.full(program.ranks, clock.max())
    return Run(program, _joined(parts), float(clock.max()) + END_S)


def _phase(program: Program, phase: Phase, clock: Floats) -> tuple[list[Timed], Floats]:
    if aggregates(program, phase.calls):
        return _collective(program, phase.calls, clock)
    low, parent = lowered(program, phase.calls)
    if phase.calls.among(COLLECTIVES).any():
        clock = np.full(program.ranks, clock.max())
    took = seconds(program, low)
    start = clock[low.rank] + _before(low.rank, took)
    end = start + took
    after = clock + np.bincount(low.rank, took, minlength=program.ranks)
    parts = [Timed(low, start, end, took)] if (low.layer == Layer.POSIX).any() else []
    upper = np.flatnonzero(phase.calls.layer != Layer.POSIX)
    if len(upper):
        parts.append(_above(phase.calls, upper, parent, start, end))
    return parts, after


def _above(given: Calls, upper: Ints, parent: Ints, start: Floats, end: Floats) -> Timed:
    """The calls of MPI-IO and stdio around the system calls that they issued; who opens together waits for the last."""
    first, last = np.full(len(given), np.inf), np.full(len(given), -np.inf)
    np.minimum.at(first, parent, start)
    np.maximum.at(last, parent, end)
    together = (given.layer == Layer.MPIIO) & np.isin(given.op, (Op.OPEN, Op.CREATE, Op.CLOSE))
    for file in np.unique(given.file[together]):
        chosen = together & (given.file == file)
        last[chosen] = last[chosen].max()
    taken = given.take(upper)
    return Timed(taken, first[upper], last[upper], (last - first)[upper])


def _collective(program: Program, given: Calls, clock: Floats) -> tuple[list[Timed], Floats]:
    """Aggregators of several files work at once; the ranks of each file wait for their own."""
    files = [np.flatnonzero(given.file == file) for file in np.unique(given.file)]
    each = [aggregated(program, given.take(rows)) for rows in files]
    low, turn = joined([part for part, _ in each]), np.concatenate([turns for _, turns in each])
    took = seconds(program, low, aggregating=True)
    parts: list[Timed] = []
    after = clock.copy()
    at = 0
    for rows, (part, _) in zip(files, each, strict=True):
        here = slice(at, at + len(part))
        at += len(part)
        timed = _around(program, given.take(rows), part, turn[here], took[here], clock)
        parts.extend(timed)
        after[given.rank[rows]] = timed[1].end.max()
    return parts, after


def _around(program: Program, given: Calls, low: Calls, turn: Ints, took: Floats, clock: Floats) -> list[Timed]:
    """The aggregators' system calls and the collective calls of all ranks around them."""
    order = np.lexsort((np.arange(len(low)), turn, low.rank))
    low, turn, took = low.take(order), turn[order], took[order]
    turns = int(turn.max()) + 1
    busy = np.bincount(low.rank * turns + turn, took, minlength=program.ranks * turns).reshape(program.ranks, turns)
    prepares = _prepares(program, given, turns)
    begin = clock[given.rank].max()
    ends = begin + np.cumsum(prepares + busy.max(axis=0))
    begins = np.r_[begin, ends[:-1]]
    start = begins[turn] + prepares[turn] + _before(low.rank * turns + turn, took)
    turn_of = _turns(given)
    called = np.where(turn_of == 0, clock[given.rank], begins[turn_of])
    returned = ends[turn_of]
    return [Timed(low, start, start + took, took), Timed(given, called, returned, returned - called)]


def _prepares(program: Program, given: Calls, turns: int) -> Floats:
    """(turns,) start-up and exchange of each collective call."""
    laws = program.systems[0]
    aggregators = program.aggregators_of(int(given.file[0]))
    receiving = len(np.unique(program.node_of(aggregators)))
    moved = np.bincount(_turns(given), given.bytes, minlength=turns)
    startup = laws.collective_startup + laws.collective_per_rank * program.ranks
    return np.asarray((startup + moved / receiving / laws.exchange_rate) * program.weather.exchange)


def _turns(given: Calls) -> Ints:
    order = np.argsort(given.rank, kind="stable")
    turn = np.empty(len(given), np.int64)
    turn[order] = _place(given.rank[order])
    return turn


def _place(keys: Ints) -> Ints:
    """(n,) the how-manieth of its key each is; equal keys stand together."""
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return np.arange(len(keys)) - np.repeat(starts, np.diff(np.r_[starts, len(keys)]))


def _before(keys: Ints, took: Floats) -> Floats:
    """(n,) the seconds of rows before each with the same key; equal keys stand together."""
    if not len(keys):
        return np.zeros(0)
    total = np.cumsum(took) - took
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return np.asarray(total - np.repeat(total[starts], np.diff(np.r_[starts, len(keys)])))


def _joined(parts: list[Timed]) -> Timed:
    if not parts:
        return Timed(joined([]), np.zeros(0), np.zeros(0), np.zeros(0))
    start, end, inside = (np.concatenate([getattr(p, name) for p in parts]) for name in ("start", "end", "inside"))
    return Timed(joined([p.calls for p in parts]), start, end, inside)
