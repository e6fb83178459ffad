"""Whether the slowest rank can have a server of its own: one that is slow for it alone, and not for all who share the
file with it.

A server that is slow is slow for everybody who uses it. Where each rank uses all OSTs of the file, or each OST serves
more ranks than are slow, the rank is not slow for where its part lies.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from iotriage.metrics.balance.slowest_file import SlowestFile, slowest_file
from iotriage.metrics.balance.storage import StorageTime, worst_file
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, select_rows
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.shared import ranks_of_variance
from iotriage.metrics.tables.mounts import NFS, mount_above
from iotriage.metrics.tables.outliers import median, slow_cutoff
from iotriage.metrics.tables.rank_times import beyond_mean, rank_bytes, rank_times
from iotriage_parsers.evidence import CounterTable

MOSTLY = 0.9
"""Of a file's accesses, from which those of one size, or at one distance, are how it is used."""

_WORDS = (
    '"no" where all ranks that share {} use the same servers: it lies on one OST, or behind one server of NFS; a rank '
    "moves a whole round of its stripes at a time, or goes round all of them by the distance of its accesses; or each "
    'OST has more ranks than are slow; else "unknown"'
)


@metric(
    "balance.own_server",
    "Whether the slowest rank can have a server of its own",
    "word",
    formula=_WORDS.format("balance.file"),
    needs="a Darshan log; without layouts it is unknown",
    scopes=["job"],
)
def own_server(s: Selection) -> Outcome:
    found = slowest_file(s)
    if isinstance(found, Absent):
        return found
    return _answer(found.rows, found.record, _users_and_slow(found))


@metric(
    "balance.storage_own_server",
    "Whether the slowest of the ranks that move the bytes can have a server of its own",
    "word",
    formula=_WORDS.format("balance.storage_file"),
    needs="a Darshan log; without layouts it is unknown",
    scopes=["job"],
)
def storage_own_server(s: Selection) -> Outcome:
    found = worst_file(s)
    if isinstance(found, Absent):
        return found
    return _answer(found.rows, found.record, _movers_and_slow(found))


def _answer(rows: LogRows, record: int, users_and_slow: tuple[float, float]) -> Outcome:
    users, slow = users_and_slow
    if slow >= users:
        # All who use the file are slow, and others use others: or nobody knows how many are.
        return Value("unknown", "inferred")
    mount = mount_above(rows.name_of(record) or "", rows.log.job.mounts)
    if mount is not None and mount.fs_type.lower() in NFS:
        return Value("no", "inferred")
    layout = rows.layout_of(record)
    osts = 0 if layout is None else len(set(layout.osts))
    if layout is None or not osts:
        return Value("unknown", "inferred")
    # More ranks than the slow ones on each OST, however the parts of the file are dealt.
    shared = osts == 1 or slow < users // osts
    every = not layout.composite and layout.stripe_size and _uses_all(rows, record, osts, layout.stripe_size)
    return Value("no" if shared or every else "unknown", "inferred")


def _users_and_slow(found: SlowestFile) -> tuple[float, float]:
    """The ranks that share the file, and at most how many of them are as slow as the slowest."""
    table, n = select_rows(found.table, found.table.ids == found.record), found.rows.nprocs or 1
    if len(table) == 1 and int(table.ranks[0]) < 0:
        prefix = prefix_of(table)
        variances = table.seconds_as_recorded
        users = ranks_of_variance(int(rank_bytes(table)[0]), float(variances(f"{prefix}_F_VARIANCE_RANK_BYTES")[0]), n)
        beyond, variance = float(beyond_mean(table, n)[0]), float(variances(f"{prefix}_F_VARIANCE_RANK_TIME")[0])
        # k ranks that far above the mean make the variance at least k times its square over n.
        known = beyond > 0 and np.isfinite(variance)
        return users or 0.0, n * variance / beyond**2 if known else float(n)
    took, moved = rank_times(table), rank_bytes(table)
    took = took[moved > 0]
    if not len(took):
        return 0.0, 0.0
    return float(len(took)), float((took >= slow_cutoff(float(took.max()), median(took))).sum())


def _movers_and_slow(found: StorageTime) -> tuple[float, float]:
    if found.slow:
        return found.movers, float(len(found.slow))
    alone = found.next_s < slow_cutoff(found.slowest_s, found.mean_s)
    return found.movers, 1.0 if alone else found.movers


def _uses_all(rows: LogRows, record: int, osts: int, stripe_bytes: int) -> bool:
    """Whether a rank's accesses to the file go round all of its OSTs, of ranks that use it alike."""
    posix = rows.posix
    table = None if posix is None else select_rows(posix, posix.ids == record)
    if table is None or not len(table):
        return False
    calls = sum_counters(table, "POSIX_READS", "POSIX_WRITES")
    on = sum_counters(table, "POSIX_CONSEC_READS", "POSIX_CONSEC_WRITES")
    moved, around = float(rank_bytes(table).sum()), osts * stripe_bytes
    if not calls:
        return False
    if moved / max(1.0, calls - on) >= around:
        return True
    size, sized = _commonest(table, "ACCESS")
    stride, apart = _commonest(table, "STRIDE")
    if sized < MOSTLY * calls or apart < MOSTLY * (calls - on) or stride <= 0:
        return False
    step = gcd(size + stride, around)
    each = calls / (rows.nprocs or 1 if bool((table.ranks < 0).any()) else len(table))
    return step <= max(stripe_bytes, size) and each * step >= around


def _commonest(table: CounterTable, what: str) -> tuple[int, int]:
    """The commonest first value of the records, and how many accesses have it."""
    values, counts = table.as_recorded(f"POSIX_{what}1_{what}"), table.as_recorded(f"POSIX_{what}1_COUNT")
    value = int(values[int(counts.argmax())])
    return value, int(np.maximum(counts[values == value], 0).sum())
