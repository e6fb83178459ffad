"""Of files alike that a group of ranks shares each: whether all ranks of one, or of a few, take far longer than those
of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, own_records
from iotriage.metrics.tables.files.alike import ALIKE, calls_of, near_median
from iotriage.metrics.tables.outliers import FEW, NEARLY_ALL, median, quantile, slow_outliers
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times
from iotriage.metrics.tables.steps import main_step
from iotriage_parsers.evidence import CounterTable

FEWEST, SEVERAL_RANKS = 4, 2
"""Files alike, from which one can be told to be unlike the others; and ranks that share each."""


@metric(
    "balance.slow_group",
    "Time of the ranks of a slow file over that of the ranks of similar files",
    "ratio",
    about=About(time=True),
    formula=f"of {FEWEST} files or more that some ranks share each, not all, with bytes, calls and ranks within a "
    f"factor of {ALIKE} of the median and as many stripes, where those whose median rank is nearer to the slowest than "
    f"to the median are {FEW:.0%} at most: the quickest rank of these files / what {NEARLY_ALL:.0%} of the ranks of "
    "the others take at most; the largest over the modules",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
)
def slow_group(s: Selection) -> Outcome:
    rows = main_step(s)
    if rows is None:
        return Absent("files are compared within one step, and none has nearly all of the I/O", (DARSHAN,))
    tables = [t for t in rows.highest if t.module not in rows.cut]
    found = [times for t in tables if (times := _of_table(rows, own_records(t))) is not None]
    if not found:
        return Absent(
            f"no {FEWEST} files alike that groups of ranks share have a few whose ranks are slower", (DARSHAN,)
        )
    return Value(max(found), "inferred")


def _of_table(rows: LogRows, own: CounterTable) -> float | None:
    if not len(own):
        return None
    records, index = own.by_id.ids, own.by_id.index
    users, moved, calls = (
        np.bincount(index, of, len(records)).astype(np.float64)
        for of in (np.ones(len(own)), rank_bytes(own), calls_of(own))
    )
    shared = np.flatnonzero(users >= SEVERAL_RANKS)
    if len(shared) < FEWEST:
        return None
    alike = shared[near_median(users[shared]) & near_median(moved[shared]) & near_median(calls[shared])]
    if len(alike) < FEWEST or len({_stripes(rows, int(records[at])) for at in alike}) > 1:
        return None
    took = rank_times(own)
    of_file = [took[index == at] for at in alike]
    return _apart(of_file)


def _stripes(rows: LogRows, record: int) -> int | None:
    layout = rows.layout_of(record)
    return None if layout is None else layout.stripe_count


def _apart(of_file: list[NDArray[np.float64]]) -> float | None:
    """`of_file` has the seconds of each rank of a file."""
    slow = slow_outliers(np.array([median(took) for took in of_file]))
    if not slow.any() or slow.all():
        return None
    theirs, others = (
        np.concatenate([t for t, of in zip(of_file, slow, strict=True) if of == which]) for which in (True, False)
    )
    usual = quantile(others, NEARLY_ALL)
    return float(theirs.min()) / usual if usual >= NO_TIME else None
