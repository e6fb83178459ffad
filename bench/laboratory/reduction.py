"""Records of a file that every rank opened, made one with rank −1, as Darshan does when the job ends.

Sums, largest values and the ranks that were fastest and slowest; the four commonest values are merged from each rank's
own four, two ranks at a time along a binomial tree, as MPI_Reduce does it.
"""

from __future__ import annotations

import numpy as np

from .calls import Floats, Ints
from .counters import Records

_LARGEST = ("_MAX_BYTE_", "_F_MAX_", "_END_TIMESTAMP")
_LAST = ("POSIX_MODE", "POSIX_MEM_ALIGNMENT", "POSIX_FILE_ALIGNMENT", "MPIIO_MODE", "POSIX_RENAMED_FROM")
_PREFIX = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "STDIO": "STDIO"}


def reduced(records: Records, ranks: int) -> Records:
    """Shared records first made one, the others after them as they are, with neither fastest nor slowest rank."""
    order = np.lexsort((records.rank, records.file))
    _, starts, sizes = np.unique(records.file[order], return_index=True, return_counts=True)
    all_ranks = (sizes == ranks) & (ranks > 1)
    if not all_ranks.any():
        return _with_nobody(records)
    shared = np.stack([order[start : start + ranks] for start in starts[all_ranks]])
    own = np.setdiff1d(np.arange(len(records)), shared)
    one = _reduced(records, shared)
    rest = _with_nobody(_chosen(records, own))
    return Records(
        records.module,
        np.r_[one.file, rest.file],
        np.r_[one.rank, rest.rank],
        {name: np.r_[one.ints[name], rest.ints[name]] for name in one.ints},
        {name: np.r_[one.floats[name], rest.floats[name]] for name in one.floats},
    )


def _reduced(records: Records, shared: Ints) -> Records:
    """`shared` (files, ranks) are the rows of each file's records, in the order of the ranks."""
    prefix = _PREFIX[records.module]
    ints: dict[str, Ints] = {}
    for name, column in records.ints.items():
        values = column[shared]
        if name in _LAST:
            ints[name] = values[:, -1]
        elif any(part in name for part in _LARGEST):
            ints[name] = values.max(axis=1)
        else:
            ints[name] = values.sum(axis=1)
    if f"{prefix}_MMAPS" in ints:
        ints[f"{prefix}_MMAPS"] = np.full(len(shared), -1)
    floats: dict[str, Floats] = {}
    for name, seconds in records.floats.items():
        at = seconds[shared]
        if name.endswith("_START_TIMESTAMP"):
            first = np.where(at > 0, at, np.inf).min(axis=1)
            floats[name] = np.where(np.isfinite(first), first, 0.0)
        else:
            floats[name] = at.max(axis=1) if any(part in name for part in _LARGEST) else at.sum(axis=1)
    for word in ("READ", "WRITE"):
        if f"{prefix}_MAX_{word}_TIME_SIZE" in ints:
            slowest = records.floats[f"{prefix}_F_MAX_{word}_TIME"][shared].argmax(axis=1)
            ints[f"{prefix}_MAX_{word}_TIME_SIZE"] = records.ints[f"{prefix}_MAX_{word}_TIME_SIZE"][shared][
                np.arange(len(shared)), slowest
            ]
    for stem in ("ACCESS", "STRIDE"):
        if f"{prefix}_{stem}1_COUNT" in ints:
            ints |= _merged(records, shared, prefix, stem)
    return _with_extremes(records, shared, prefix, ints, floats)


def _with_extremes(
    records: Records, shared: Ints, prefix: str, ints: dict[str, Ints], floats: dict[str, Floats]
) -> Records:
    read, written, meta = (records.floats[f"{prefix}_F_{word}_TIME"][shared] for word in ("READ", "WRITE", "META"))
    time = read + written + meta
    moved = (records.ints[f"{prefix}_BYTES_READ"] + records.ints[f"{prefix}_BYTES_WRITTEN"])[shared]
    each = np.arange(len(shared))
    for word, rank in (("FASTEST", time.argmin(axis=1)), ("SLOWEST", time.argmax(axis=1))):
        ints[f"{prefix}_{word}_RANK"] = records.rank[shared][each, rank]
        ints[f"{prefix}_{word}_RANK_BYTES"] = moved[each, rank]
        floats[f"{prefix}_F_{word}_RANK_TIME"] = time[each, rank]
    floats[f"{prefix}_F_VARIANCE_RANK_TIME"] = time.var(axis=1)
    floats[f"{prefix}_F_VARIANCE_RANK_BYTES"] = moved.astype(float).var(axis=1)
    return Records(records.module, records.file[shared[:, 0]], np.full(len(shared), -1), ints, floats)


def _with_nobody(records: Records) -> Records:
    prefix = _PREFIX[records.module]
    nothing, none = np.zeros(len(records)), np.zeros(len(records), np.int64)
    ints = records.ints | {
        f"{prefix}_{word}_RANK{tail}": none for word in ("FASTEST", "SLOWEST") for tail in ("", "_BYTES")
    }
    floats = records.floats | {
        f"{prefix}_F_{word}": nothing
        for word in ("FASTEST_RANK_TIME", "SLOWEST_RANK_TIME", "VARIANCE_RANK_TIME", "VARIANCE_RANK_BYTES")
    }
    return Records(records.module, records.file, records.rank, ints, floats)


def _chosen(records: Records, rows: Ints) -> Records:
    return Records(
        records.module,
        records.file[rows],
        records.rank[rows],
        {name: column[rows] for name, column in records.ints.items()},
        {name: column[rows] for name, column in records.floats.items()},
    )


def _merged(records: Records, shared: Ints, prefix: str, stem: str) -> dict[str, Ints]:
    values = np.stack([records.ints[f"{prefix}_{stem}{i}_{stem}"] for i in range(1, 5)], axis=1)
    times = np.stack([records.ints[f"{prefix}_{stem}{i}_COUNT"] for i in range(1, 5)], axis=1)
    out = {
        f"{prefix}_{stem}{i}_{kind}": np.zeros(len(shared), np.int64) for i in range(1, 5) for kind in (stem, "COUNT")
    }
    for row, members in enumerate(shared):
        tops = [dict(zip(values[m].tolist(), times[m].tolist(), strict=True)) for m in members]
        for index, (value, count) in enumerate(_along_a_tree(tops).items(), 1):
            out[f"{prefix}_{stem}{index}_{stem}"][row], out[f"{prefix}_{stem}{index}_COUNT"][row] = value, count
    return out


def _along_a_tree(tops: list[dict[int, int]]) -> dict[int, int]:
    distance = 1
    while distance < len(tops):
        for at in range(0, len(tops) - distance, 2 * distance):
            tops[at] = _both(tops[at], tops[at + distance])
        distance *= 2
    return _both(tops[0], {})


def _both(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    counts = dict(one)
    for value, count in other.items():
        counts[value] = counts.get(value, 0) + count
    best = sorted(((count, value) for value, count in counts.items() if value and count), reverse=True)[:4]
    return {value: count for count, value in best}
