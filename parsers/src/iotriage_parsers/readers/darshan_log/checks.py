"""What a record may hold. Values that cannot be true are taken out and reported; nothing is altered silently."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import Problem
from iotriage_parsers.evidence.darshan import SHARED_RANK, UInt64s
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES, Rows
from iotriage_parsers.readers.darshan_log.values import Records, Run, checked_counts, checked_times

_NAMELESS = frozenset({"BG/Q"})
"""Modules whose records are no files and have no name."""

_BLOCK = 16 * 1024


@frozen_identity
class Checked:
    """`records_lost` is true where records that may have been real were taken out, not copies or single values."""

    rows: Rows
    problems: tuple[Problem, ...]
    records_lost: bool


def checked(module: str, rows: Rows, nprocs: int | None, runtime_s: float | None, names: Collection[int]) -> Checked:
    """`rows` in the current shape without what cannot be true, and what that was.

    Taken out: records of ranks that the job does not have, and repeated records (same id, rank and values).
    Set to −1 or NaN, not available: values that `values` says cannot be. Kept and reported: records without a name,
    several different records of one file and rank, and datasets of files without a name.
    """
    problems: list[Problem] = []
    possible = _without_impossible_ranks(module, rows, nprocs, problems)
    records_lost = len(possible.ids) < len(rows.ids)
    rows = _without_repeats(module, possible, problems)
    of, run = Records(module, *ALL_NAMES[module], rows.ids, rows.ranks), Run(nprocs, runtime_s)
    ints = checked_counts(of, rows.ints, run, problems)
    floats = checked_times(of, rows.floats, run, problems)
    _report_nameless(module, rows.ids, names, problems)
    if rows.file_ids is not None:
        _report_fileless(module, rows.file_ids[rows.file_ids != 0], names, problems)
    return Checked(Rows(rows.ids, rows.ranks, ints, floats, rows.file_ids), tuple(problems), records_lost)


def _without_impossible_ranks(module: str, rows: Rows, nprocs: int | None, problems: list[Problem]) -> Rows:
    bad = rows.ranks < SHARED_RANK
    if nprocs is not None:
        bad |= rows.ranks >= nprocs
    if not bad.any():
        return rows
    example = int(rows.ranks[bad][0])
    job = f"a job of {nprocs} ranks" if nprocs is not None else "any job"
    problems.append(
        Problem(
            "out-of-range",
            f"{module}: {int(bad.sum())} of {len(bad)} records name a rank that {job} cannot have (first: {example}); "
            "they are left out, so totals are lower bounds.",
            loses_data=True,
            where=module,
        )
    )
    return rows.where(~bad)


def _without_repeats(module: str, rows: Rows, problems: list[Problem]) -> Rows:
    by_id = np.sort(rows.ids)
    if not (by_id[1:] == by_id[:-1]).any():
        return rows
    order = np.lexsort((rows.ranks, rows.ids))
    ids, ranks = rows.ids[order], rows.ranks[order]
    again = (ids[1:] == ids[:-1]) & (ranks[1:] == ranks[:-1])
    if not again.any():
        return rows
    later, earlier = order[1:][again], order[:-1][again]
    equal = _equal_rows(rows, later, earlier)
    keep = np.ones(len(rows.ids), np.bool_)
    keep[later[equal]] = False
    copies, differing = int(equal.sum()), int((~equal).sum())
    if copies:
        problems.append(
            Problem(
                "damaged",
                f"{module}: {copies} records are exact copies of another one of the same file and rank; "
                "each is counted once, and what they stand in place of may be missing.",
                loses_data=True,
                where=module,
            )
        )
    if differing:
        problems.append(
            Problem(
                "damaged",
                f"{module}: {differing} records repeat a file and rank with other values; all are counted, "
                "so totals may be too high.",
                loses_data=True,
                where=module,
            )
        )
    return rows.where(keep)


def _equal_rows(rows: Rows, one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether each pair of rows is the same bit by bit; in blocks, since a log may be nothing but copies."""
    equal = np.empty(len(one), np.bool_)
    for start in range(0, len(one), _BLOCK):
        block = slice(start, start + _BLOCK)
        a, b = one[block], other[block]
        equal[block] = (rows.ints[a] == rows.ints[b]).all(axis=1)
        equal[block] &= (rows.floats[a].view(np.int64) == rows.floats[b].view(np.int64)).all(axis=1)
    return equal


def _not_among(ids: UInt64s, names: Collection[int]) -> int:
    """How many of `ids` have no name; 0 where no name is known at all."""
    if not names:
        return 0
    # Both sides sorted: np.isin would hash or sort both again for every module.
    known, wanted = np.sort(np.fromiter(names, np.uint64, len(names))), np.sort(ids)
    found = known[np.minimum(np.searchsorted(known, wanted), len(known) - 1)] == wanted
    return int((~found).sum())


def _report_nameless(module: str, ids: UInt64s, names: Collection[int], problems: list[Problem]) -> None:
    nameless = 0 if module in _NAMELESS else _not_among(ids, names)
    if nameless:
        problems.append(
            Problem(
                "damaged",
                f"{module}: {nameless} records have no name in the name table; they are counted without one.",
                where=module,
            )
        )


def _report_fileless(module: str, file_ids: UInt64s, names: Collection[int], problems: list[Problem]) -> None:
    fileless = _not_among(file_ids, names)
    if fileless:
        problems.append(
            Problem(
                "damaged",
                f"{module}: {fileless} records belong to a file that is not in the name table; "
                "they are counted for the job, but for none of its files.",
                where=module,
            )
        )
