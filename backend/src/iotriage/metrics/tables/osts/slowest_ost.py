"""How long each OST took for a byte: by files that lie on one OST each and that one rank each used, or, where a trace
compares more of them, by the calls that lie on one OST each.

A transfer to several servers is timed as one. Of those on two OSTs, the quicker ones of all that touch a server tell of
it: each takes as long as the slower of its two, and half of them have another neighbour.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent, Where
from iotriage.metrics.core.missing_evidence import DARSHAN, LAYOUT
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows, Selection, unique, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.tables.osts.on_mounts import UNKNOWN, mounts_of_layouts
from iotriage.metrics.tables.osts.one_rank_files import one_rank_files
from iotriage.metrics.tables.osts.pace import SlowestPace, slowest_pace
from iotriage.metrics.tables.osts.traced_osts import LargeCalls, compared_calls, ranks_apart, source_and_rank
from iotriage.metrics.tables.outliers import NEARLY_ALL, median, quantile
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen, frozen_identity

SEVERAL_SYSTEMS = Absent("the files lie on several file systems: the index of an OST names one only within its own")

SMALLER = 2.0
"""Factor between the sizes of accesses on two OSTs from which a slow access may be slow for its size, and not for its
OST."""

ENOUGH_FILES = 2
"""Number of files of different ranks from which an OST is judged: a single slow file may be slow for other reasons."""


@frozen
class Cured:
    """Seconds of the compared calls, were none on a slow OST longer than its bytes take on the others: of the rank that
    has most, and of all ranks."""

    slowest_s: float
    all_s: float


@frozen
class SlowestOst:
    """`per_byte_s` is what nearly all ranks needed that used it, `others_s` the median over ranks on the other OSTs,
    `at_least_s` what the quickest of the slow OSTs needs, `at_most_s` what nearly all ranks need at most on OSTs that
    are not slow: seconds a byte; the share `as_slow` of these ranks needs as long as those on slow OSTs. `calls` by
    which it was compared; None where files were. `load` is the bytes on it over the median of the others: what shares a
    server shares its rate; `load_of_most` the same over what nearly all files, or calls, on OSTs that are not slow
    share with.
    `slow` OSTs are about as slow, and accesses elsewhere are `smaller` times as large as on them; `ranks` used the
    slowest, each with its source. `cured` is known of calls that lie on one OST each. `where` has no place for calls of
    a trace."""

    ost: int
    files: int
    calls: int | None
    compared: int
    per_byte_s: float
    others_s: float
    at_least_s: float
    at_most_s: float | None
    as_slow: float
    load: float
    load_of_most: float
    slow: tuple[int, ...]
    smaller: float
    ranks: frozenset[tuple[int, int]]
    where: tuple[Where, ...]
    cured: Cured | None = None


@cached_per_selection
def slowest_ost(s: Selection) -> SlowestOst | Absent:
    """The OST whose files, or calls, took longest for a byte, beside the others."""
    of_files, of_calls = _by_files(s), _by_calls(s)
    if of_calls is None or (isinstance(of_files, SlowestOst) and of_files.compared >= of_calls.compared):
        return of_files
    return of_calls


def _by_calls(s: Selection) -> SlowestOst | None:
    compared = compared_calls(s)
    if compared is None:
        return None
    calls = compared.calls
    if _on_several_systems(s, calls.record):
        return None
    length = calls.length.astype(np.float64)
    found = slowest_pace(calls.ost, calls.rank, _paces(calls.seconds, length, length), quickest=compared.cross)
    if found is None:
        return None
    mine = calls.ost == found.ost
    files = len(unique(calls.record[mine]))
    calls_on_it = int(mine.sum())
    ranks = frozenset(map(source_and_rank, unique(calls.rank[mine]).tolist()))
    by_calls = _slowest(found, files, calls_on_it, calls.ost, length, length, ranks, ())
    return by_calls if compared.cross else replace(by_calls, cured=_cured(calls, found))


def _cured(calls: LargeCalls, found: SlowestPace) -> Cured:
    at_most = np.where(np.isin(calls.ost, found.slow), calls.length * found.others_s, np.inf)
    _, rank = unique_inverse(calls.rank)
    by_rank = np.bincount(rank, np.minimum(calls.seconds, at_most))
    return Cured(float(by_rank.max()), float(by_rank.sum()))


def _slowest(
    found: SlowestPace,
    files: int,
    calls: int | None,
    ost: NDArray[np.int64],
    moved: NDArray[np.float64],
    size: NDArray[np.float64],
    ranks: frozenset[tuple[int, int]],
    where: tuple[Where, ...],
) -> SlowestOst:
    """`ost`, `moved` bytes and `size` of an access, of each file or call, shape (n,) each."""
    osts, index = unique_inverse(ost)
    sums = np.bincount(index, moved).astype(np.float64, copy=False)
    mine = float(sums[osts == found.ost][0])
    usual = median(sums[osts != found.ost])
    beside = sums[index[~np.isin(ost, found.slow)]]
    most = quantile(beside, NEARLY_ALL) if len(beside) else 0.0
    return SlowestOst(
        ost=found.ost,
        files=files,
        calls=calls,
        compared=found.compared,
        per_byte_s=found.per_byte_s,
        others_s=found.others_s,
        at_least_s=found.at_least_s,
        at_most_s=found.at_most_s,
        as_slow=found.as_slow,
        load=mine / usual if usual > 0 else 1.0,
        load_of_most=mine / most if most > 0 else 1.0,
        slow=found.slow,
        smaller=_smaller(np.isin(ost, found.slow), size),
        ranks=ranks,
        where=where,
    )


def _paces(seconds: NDArray[np.float64], moved: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seconds a byte of each file or call. A small access takes longer for a byte on any server: those that are far
    smaller than usual are slow only as far as each of them takes longer than a usual one, and never quick."""
    paces = seconds / moved
    usual = median(size) if len(size) else 0.0
    small = size * SMALLER <= usual
    if not small.any():
        return paces
    of_calls = np.maximum(paces * size / usual, median(paces[~small]))
    return np.where(small, np.minimum(paces, of_calls), paces)


def _smaller(slow: NDArray[np.bool_], size: NDArray[np.float64]) -> float:
    """How many times as large an access is where it is not slow."""
    return median(size[~slow]) / max(1.0, median(size[slow])) if slow.any() and not slow.all() else 1.0


def _by_files(s: Selection) -> SlowestOst | Absent:
    if not s.logs:
        return Absent("no source lists the OSTs of files with their times", (DARSHAN,))
    if not any(layout.osts for rows in s.logs for layout in rows.lustre):
        return Absent("no log lists the OSTs of its files", (LAYOUT,))
    files = [(rows.source, _files(rows)) for rows in s.logs]
    if _on_several_systems(s, np.concatenate([one.record for _, one in files])):
        return SEVERAL_SYSTEMS
    ost, moved = np.concatenate([one.ost for _, one in files]), np.concatenate([one.moved for _, one in files])
    rank = np.concatenate([ranks_apart(source, one.rank) for source, one in files])
    seconds, calls = (
        np.concatenate(each) for each in zip(*((one.seconds, one.calls) for _, one in files), strict=True)
    )
    size = moved / np.maximum(1.0, calls)
    found = slowest_pace(ost, rank, _paces(seconds, moved, size)) if len(ost) else None
    if found is None:
        return Absent(
            f"OSTs are compared by files of one stripe that one rank each used; none has {ENOUGH_FILES} of them, of "
            "different ranks or of one that used other OSTs too"
        )
    where = joined(*(rows.where(t, *_times(t)) for rows in s.logs if rows.lustre for t in _timed(rows)))
    mine = ost == found.ost
    ranks = frozenset(map(source_and_rank, rank[mine].tolist()))
    return _slowest(found, int(mine.sum()), None, ost, moved, size, ranks, where)


def _on_several_systems(s: Selection, records: NDArray[np.uint64]) -> bool:
    known = (mounts_of_layouts(rows) for rows in s.logs)
    mounts = {of[record] for of in known if of for record in unique(records).tolist() if record in of}
    return len(mounts - {UNKNOWN}) > 1


def _timed(rows: LogRows) -> tuple[CounterTable, ...]:
    return tuple(table for table in (rows.posix, rows.stdio) if table is not None and len(table))


def _times(table: CounterTable) -> tuple[str, ...]:
    return tuple(f"{prefix_of(table)}_F_{way}_TIME" for way in ("READ", "WRITE", "META"))


@frozen_identity
class _Files:
    """Files by their record, the OST that each lies on and the rank that used it, with seconds, bytes, and reads and
    writes; shape (n,) each."""

    record: NDArray[np.uint64]
    ost: NDArray[np.int64]
    rank: NDArray[np.int64]
    seconds: NDArray[np.float64]
    moved: NDArray[np.float64]
    calls: NDArray[np.float64]


_NO_FILES = _Files(
    np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0)
)


@cached_per_log
def _files(rows: LogRows) -> _Files:
    """Every file that one rank used and that has one stripe."""
    on = {layout.record: layout.osts[0] for layout in rows.lustre if len(layout.osts) == 1 and layout.stripe_count == 1}
    if not on:
        return _NO_FILES
    found = one_rank_files(rows)
    osts = list(map(on.get, found.record.tolist()))
    mine = found.rows(np.array([ost is not None for ost in osts], dtype=np.bool_))
    ost = np.array([ost for ost in osts if ost is not None], dtype=np.int64)
    return _Files(mine.record, ost, mine.rank, mine.seconds, mine.moved, mine.calls)
