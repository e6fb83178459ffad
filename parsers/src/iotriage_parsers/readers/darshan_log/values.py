"""The values that are possible in a log, declared once for each kind of counter. Nothing else decides this.

The bounds are beyond what any run can reach, rather than near what runs usually do: a value outside them was never
measured. They also keep every sum over records of one counter far below 2^63, so that no total can overflow.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence.darshan import NOT_AVAILABLE, Float64s, Int64s, UInt64s
from iotriage_parsers.evidence.problem import Problem
from iotriage_parsers.frozen import frozen, frozen_identity

Bools = NDArray[np.bool_]

LARGEST_COUNT: Final = 2**60
"""No run moves 1 EiB through a file record or in all, or makes that many calls."""

_LARGEST_OFFSET: Final = 2**62
_LARGEST_VARIANCE: Final = 1e40
_LONGEST_RUN_S: Final = 2.0**32
"""The bound for times where the length of the run is not known."""

_SHORTEST_BIN_S: Final = 1e-6
"""Darshan begins with bins of 0.1 s and makes them longer."""

_SLACK_S: Final = 10.0
_SLACK: Final = 1.01
"""Allows for clocks of nodes that differ, and for threads that go on after the time taken as the end of the run."""

_TIMES_OF_THE_RUN: Final = 100
"""A timer longer than this many times the run time of all ranks cannot be true; threads may exceed it once."""

CountKind = Literal["count", "size", "rank", "record"]
"""A `count` of calls or bytes is added up over records; a `size` is an offset, a length, an alignment, a setting; a
`rank` is one of the job's; a `record` id uses all 64 bits."""

TimeKind = Literal["moment", "longest", "spent", "variance", "other"]
"""A `moment` of the run, in seconds from its start, 0 for never; the `longest` single call; time `spent`, which all
ranks and threads add up to; a `variance` of ranks."""

_RECORDS: Final = re.compile(r"POSIX_RENAMED_FROM")
_RANKS: Final = re.compile(r"\w+_(?:FASTEST|SLOWEST)_RANK")
_SIZES: Final = re.compile(
    r"BGQ_\w+|APXC_(?:GROUP|CHASSIS|BLADE|NODE)"
    r"|\w+_(?:MODE|MAX_BYTE_\w+|(?:MEM|FILE)_ALIGNMENT|MAX_(?:READ|WRITE)_TIME_SIZE|STRIDE\d_STRIDE|ACCESS\d_ACCESS"
    r"|ACCESS\d_(?:LENGTH|STRIDE)_D\d|NDIMS|NPOINTS|DATATYPE_SIZE|CHUNK_SIZE|CELL_SIZE|OTYPE|USE_\w+|IS_\w+"
    r"|(?:FASTEST|SLOWEST)_RANK_BYTES)"
)
_SOMETIMES: Final = re.compile(r"POSIX_(?:MMAPS|FILENOS|DUPS|RENAME_\w+)|STDIO_FDOPENS")
"""Counts that Darshan may mark as not available, −1."""

_SUMMED: Final = re.compile(r"POSIX_MMAPS")
"""Those of which the reduction adds up the marks of all ranks: −4 on 4 ranks is not available."""


def kind_of_count(counter: str) -> CountKind:
    """What the int64 counter of this name is."""
    if _RECORDS.fullmatch(counter):
        return "record"
    if _RANKS.fullmatch(counter):
        return "rank"
    return "size" if _SIZES.fullmatch(counter) else "count"


def kind_of_time(counter: str) -> TimeKind:
    """What the float64 counter of this name is."""
    if counter.startswith("BGQ_"):
        return "other"
    if counter.endswith("_TIMESTAMP"):
        return "moment"
    if "VARIANCE" in counter:
        return "variance"
    return "longest" if re.search(r"_F_MAX_\w+_TIME$", counter) else "spent"


@frozen
class Run:
    """The facts that bound a log's values: ranks and seconds of the run, where they are known."""

    nprocs: int | None
    runtime_s: float | None

    @property
    def ends_s(self) -> float:
        """The latest possible moment of the run."""
        return _LONGEST_RUN_S if self.runtime_s is None else self.runtime_s * _SLACK + _SLACK_S

    @property
    def spent_s(self) -> float:
        """The longest that a timer can be in such a run, in seconds."""
        if self.runtime_s is None:
            return _LONGEST_RUN_S * _TIMES_OF_THE_RUN
        return _TIMES_OF_THE_RUN * (self.nprocs or 1) * (self.runtime_s + 60.0)


@frozen_identity
class _Counts:
    """By column: the largest value where the kind alone gives it, and masks."""

    highest: Int64s
    lowest: Int64s
    rank: Bools
    added_up: Bools
    always: Bools
    marks: Bools


@cache
def _counts_of(names: tuple[str, ...]) -> _Counts:
    kinds = np.array([kind_of_count(name) for name in names])
    sometimes = np.array([bool(_SOMETIMES.fullmatch(name)) for name in names])
    record = kinds == "record"
    whole = np.iinfo(np.int64)
    return _Counts(
        highest=np.where(record, whole.max, LARGEST_COUNT),
        lowest=np.where(record, whole.min, NOT_AVAILABLE),
        rank=kinds == "rank",
        added_up=kinds == "count",
        always=(kinds == "count") & ~sometimes,
        marks=np.array([bool(_SUMMED.fullmatch(name)) for name in names]),
    )


@cache
def _times_of(names: tuple[str, ...]) -> tuple[NDArray[np.str_], tuple[tuple[int, int], ...]]:
    """The kind of each column, and the columns that are the start and end of one span."""
    pairs = tuple(
        (i, names.index(end))
        for i, name in enumerate(names)
        if (end := name.replace("_START_TIMESTAMP", "_END_TIMESTAMP")) != name and end in names
    )
    return np.array([kind_of_time(name) for name in names], dtype=np.str_), pairs


@frozen_identity
class Records:
    """What the values of one module are: the names of their columns, and `ids` and `ranks` (n,) of their records, to
    name the first one that cannot be."""

    module: str
    int_names: tuple[str, ...]
    float_names: tuple[str, ...]
    ids: UInt64s
    ranks: Int64s


def checked_counts(of: Records, ints: Int64s, run: Run, problems: list[Problem]) -> Int64s:
    """`ints` (n, counters) with −1, not available, for what cannot be; the same array where nothing is wrong."""
    if ints.size == 0:
        return ints
    kinds, rows = _counts_of(of.int_names), len(ints)
    low, high = ints.min(axis=0), ints.max(axis=0)
    highest = kinds.highest.copy()
    if run.nprocs is not None:
        highest[kinds.rank] = run.nprocs - 1
    for column in np.flatnonzero(kinds.added_up & (high > LARGEST_COUNT // rows)).tolist():
        if float(np.maximum(ints[:, column], 0).astype(np.float64).sum()) > LARGEST_COUNT:
            highest[column] = LARGEST_COUNT // rows
    beyond = (low < kinds.lowest) | (high > highest)
    partly = kinds.always & (low == NOT_AVAILABLE) & (high > NOT_AVAILABLE)
    if not (beyond | partly).any():
        return ints
    report = _Report(of, of.int_names)
    ints = ints.copy()
    for column in np.flatnonzero(beyond | partly).tolist():
        values = ints[:, column]
        over = values > highest[column]
        under = values < kinds.lowest[column]
        marks = under & (of.ranks < 0) & (values >= -(run.nprocs or 0)) & kinds.marks[column]
        report.add("marks", column, marks)
        report.add("count", column, (under & ~marks) | (over & ~kinds.rank[column]))
        report.add("rank", column, over & kinds.rank[column])
        if partly[column]:
            report.add("partly", column, values == NOT_AVAILABLE)
        ints[over | under, column] = NOT_AVAILABLE
    problems += report.problems()
    return ints


def checked_times(of: Records, floats: Float64s, run: Run, problems: list[Problem]) -> Float64s:
    """`floats` (n, counters) with NaN for what cannot be; −1 is Darshan's own mark and stays. The same array where
    nothing is wrong."""
    if floats.size == 0:
        return floats
    kinds, pairs = _times_of(of.float_names)
    highest = np.select(
        [(kinds == "moment") | (kinds == "longest"), kinds == "spent", kinds == "variance"],
        [run.ends_s, run.spent_s, _LARGEST_VARIANCE],
        _LARGEST_VARIANCE,
    )
    with np.errstate(invalid="ignore"):
        low, high = floats.min(axis=0), floats.max(axis=0)
        usual = ((low >= 0.0) | ((low == NOT_AVAILABLE) & (high == NOT_AVAILABLE))) & (high <= highest)
        backwards = {s: _backwards(floats[:, s], floats[:, e]) for s, e in pairs}
        wrong = ~usual
        if not wrong.any() and not any(bad.any() for bad in backwards.values()):
            return floats
        report = _Report(of, of.float_names)
        checked = floats.copy()
        for column in np.flatnonzero(wrong).tolist():
            values = floats[:, column]
            unreadable = ~np.isfinite(values)
            negative = (values < 0.0) & (values != NOT_AVAILABLE) & ~unreadable
            over = (values > highest[column]) & ~unreadable
            report.add("not a number", column, unreadable)
            report.add("negative", column, negative)
            report.add("moment" if kinds[column] in ("moment", "longest") else "spent", column, over)
            checked[unreadable | negative | over, column] = np.nan
        for start, end in pairs:
            bad = backwards[start]
            if bad.any():
                report.add("backwards", start, bad & ~np.isnan(checked[:, start]) & ~np.isnan(checked[:, end]))
                checked[bad, start] = np.nan
                checked[bad, end] = np.nan
    problems += report.problems()
    return checked


def _backwards(start: Float64s, end: Float64s) -> Bools:
    """Whether both times were recorded and the end is before the start."""
    return (end < start - 1e-3) & (end > 0.0) & (start > 0.0)


def untrue_calls(calls: NDArray[np.void], run: Run) -> tuple[tuple[Bools, str], ...]:
    """Which traced calls cannot be, each with why; a call is under one reason only."""
    offset, length, start, end = (calls[name] for name in ("offset", "length", "start", "end"))
    most = LARGEST_COUNT
    if len(calls) and float(np.clip(length, 0, LARGEST_COUNT).astype(np.float64).sum()) > LARGEST_COUNT:
        most = LARGEST_COUNT // len(calls)
    place = (length < 0) | (length > most) | (offset < NOT_AVAILABLE) | (offset > _LARGEST_OFFSET)
    with np.errstate(invalid="ignore"):
        time = ~(np.isfinite(start) & np.isfinite(end) & (start >= 0) & (end >= start)) & ~place
        late = (end > run.ends_s) & ~time & ~place
    reasons = ((place, "a length or offset that cannot be"), (time, "times that cannot be"))
    return tuple((bad, why) for bad, why in (*reasons, (late, "times beyond the end of the run")) if bad.any())


def untrue_heatmap_rows(widths: Float64s, cells: Int64s, run: Run) -> tuple[tuple[Bools, str], ...]:
    """Which heatmap records cannot be, each with why; a record may be under several reasons, and the first is said.
    `widths` (n,) are seconds a bin, `cells` (n, 2 · bins) bytes read and written."""
    with np.errstate(invalid="ignore", over="ignore"):
        beyond = widths * (cells.shape[1] // 2) > 4 * (run.ends_s + 60.0)
    return (
        (~((widths > 0.0) & (widths < np.inf)), "have a bin width that is not a positive number"),
        (widths < _SHORTEST_BIN_S, "have bins shorter than any clock tells"),
        (beyond, "reach far beyond the end of the run"),
        (cells.min(axis=1, initial=0) < 0, "have bins of less than 0 bytes"),
        (cells.sum(axis=1, dtype=np.float64) > LARGEST_COUNT, "have bins of more bytes than can be"),
    )


_SAID: Final[dict[str, tuple[Literal["note", "out-of-range", "not-a-number"], str, str]]] = {
    "marks": ("note", "counters that are sums of the mark for not available", "taken as not available"),
    "count": ("out-of-range", "counters below −1 or above 2^60", "taken as not available"),
    "rank": ("out-of-range", "counters that name a rank that the job does not have", "taken as not available"),
    "partly": ("out-of-range", "counters that Darshan always has, marked as not available", "totals lack them"),
    "not a number": ("not-a-number", "timers that are not a number or infinite", "left out"),
    "negative": ("out-of-range", "negative timers", "left out"),
    "moment": ("out-of-range", "times after the end of the run", "left out"),
    "spent": ("out-of-range", "timers far longer than the run", "left out"),
    "backwards": ("out-of-range", "times of a first start after the last end", "left out"),
}
"""Descriptions of impossible values, in the order in which they are reported."""


class _Report:
    """Counts what is wrong by its reason, and where it first is."""

    def __init__(self, of: Records, names: tuple[str, ...]) -> None:
        self._of = of
        self._names = names
        self._found: dict[str, int] = {}
        self._first: dict[str, str] = {}

    def add(self, reason: str, column: int, bad: Bools) -> None:
        at = np.flatnonzero(bad)
        if not len(at):
            return
        self._found[reason] = self._found.get(reason, 0) + len(at)
        row = int(at[0])
        where = f"{self._names[column]} of record {self._of.ids[row]}, rank {self._of.ranks[row]}"
        self._first.setdefault(reason, where)

    def problems(self) -> list[Problem]:
        module = self._of.module
        return [
            Problem(
                code,
                f"{module}: {what}: {self._found[reason]} (first: {self._first[reason]}); {then}.",
                loses_data=code != "note",
                where=module,
            )
            for reason, (code, what, then) in _SAID.items()
            if reason in self._found
        ]
