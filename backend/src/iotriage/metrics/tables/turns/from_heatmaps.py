"""Ranks that take turns in one file: its record has the first and the last time of all ranks together, and of each rank
nothing, but a heatmap has in which parts of the run each moved bytes. Ranks that come in order are told from others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.rank_times import timer
from iotriage_parsers.evidence import CounterTable, Heatmap
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

IN_ORDER = 0.95
"""Share of the ranks that begin no earlier than the one before them, from which they come in the order of ranks."""
ALL_ALONG = 0.75
"""Part of the time in which any moves bytes, after which the last begins."""
FILLED, OVERFILLED = 0.75, 1.25
"""Seconds of all ranks together over those that as many at a time take."""
MOST_BYTES = 0.8
"""Share of the bytes that pass while ranks take turns, from which the seconds are those of turns."""
EVENLY = 0.9
"""Share of the ranks that begin when as many turns have passed as have ranks before them."""
FEWEST_TURNS = 4
"""One after the other, from which several ranks at a time take turns: two or three groups may be by chance."""
BINS_AT_AN_END = 2
"""Parts of the run that a turn may begin or end in, and share with another."""


@frozen
class InOrder:
    """Seconds in which one rank after the other moves bytes, the `ranks` that do, how many `at_once`, and a `record` of
    it."""

    seconds: float
    ranks: int
    at_once: int
    turn_s: float
    reads: bool
    record: int


def turns_in_heatmap(rows: LogRows, fewest: int, *, several: bool) -> InOrder | None:
    """The longest of any layer, of `fewest` ranks or more; of `several` ranks at a time too."""
    every = (turns for layer in _layers(rows) for way in DIRECTIONS if (turns := _turns_of_layer(*layer, way, fewest)))
    found = [turns for turns in every if several or turns.at_once == 1]
    return max(found, key=lambda turns: turns.seconds, default=None)


def ranks_in_heatmap(rows: LogRows) -> int:
    """How many ranks a heatmap shows to move bytes."""
    return max((int((h.read + h.written).any(axis=1).sum()) for h, _ in _layers(rows)), default=0)


def _layers(rows: LogRows) -> Iterator[tuple[Heatmap, CounterTable]]:
    """The heatmaps of layers whose calls a rank makes itself, one after the other."""
    for layer, table in (("POSIX", rows.posix), ("STDIO", rows.stdio)):
        heat = rows.heatmap(layer)
        if heat is None or heat.bin_width_s <= 0 or table is None or not len(table) or is_partial(rows, layer):
            continue
        yield heat, table


def _turns_of_layer(heat: Heatmap, table: CounterTable, way: Direction, fewest: int) -> InOrder | None:
    moved = heat.read if way == "read" else heat.written
    took = timer(table, f"{way.upper()}_TIME")
    seconds, every = float(took.sum()), int(moved.sum())
    if seconds <= 0 or every <= 0:
        return None
    rounds = [part for part in _stretches(moved) if _one_after_another(part, fewest)]
    if not rounds or sum(int(part.sum()) for part in rounds) < MOST_BYTES * every:
        return None
    passed = heat.bin_width_s * sum(part.shape[1] for part in rounds)
    ranks = max(int(part.any(axis=1).sum()) for part in rounds)
    turn_s = seconds / (ranks * len(rounds))
    spread = heat.bin_width_s * BINS_AT_AN_END * len(rounds)
    # The first and the last bin of a round are half filled.
    at_once = max(1, round(seconds / max(passed - heat.bin_width_s * len(rounds), heat.bin_width_s)))
    if not FILLED * (passed - spread) <= seconds / at_once <= OVERFILLED * passed:
        return None
    length = turn_s / heat.bin_width_s
    if any(_bins_of_a_turn(part) > BINS_AT_AN_END + length for part in rounds):
        return None
    if at_once > 1 and (ranks < FEWEST_TURNS * at_once or not all(_evenly(part, length) for part in rounds)):
        return None
    record = int(table.ids[int(took.argmax())])
    return InOrder(passed, ranks, at_once, turn_s, way == "read", record)


def _stretches(moved: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The parts of the run in which some rank moves bytes all the time."""
    busy = moved.any(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], busy, [False])).astype(np.int8)))
    for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        yield moved[:, first:end]


def _active(part: NDArray[np.int64]) -> NDArray[np.bool_]:
    """In which bins each rank moves bytes, without ranks that move none."""
    return part[part.any(axis=1)] > 0


def _one_after_another(part: NDArray[np.int64], fewest: int) -> bool:
    active = _active(part)
    if len(active) < fewest or active.shape[1] < fewest:
        return False
    begins = active.argmax(axis=1)
    forward, back = (float((np.diff(way) >= 0).mean()) for way in (begins, begins[::-1]))
    all_along = int(begins.max() - begins.min()) >= ALL_ALONG * active.shape[1]
    return max(forward, back) >= IN_ORDER and all_along


def _evenly(part: NDArray[np.int64], length: float) -> bool:
    """Whether as many ranks begin in any part of the time, to one turn's length."""
    active = _active(part)
    begins = np.sort(active.argmax(axis=1))
    expected = np.arange(len(begins)) / len(begins) * active.shape[1]
    return float((abs(begins - expected) <= length + BINS_AT_AN_END).mean()) >= EVENLY


def _bins_of_a_turn(part: NDArray[np.int64]) -> float:
    active = _active(part)
    return float(np.median(active.shape[1] - active[:, ::-1].argmax(axis=1) - active.argmax(axis=1)))
