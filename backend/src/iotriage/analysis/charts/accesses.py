"""How the single accesses are: their commonest sizes, their order in the file, and whether they begin on a block."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document.charts.accesses import AccessOrder, Alignment, CommonSize, FileSplit, Way
from iotriage.metrics.core.selection import Selection, unique, unique_inverse
from iotriage.metrics.tables.calls.size_bins import common_accesses, independent_bytes
from iotriage_parsers.evidence import CounterTable

WAYS: tuple[Way, ...] = ("write", "read")
LAYERS: tuple[Literal["MPI-IO", "POSIX"], ...] = ("MPI-IO", "POSIX")

KINDS = ("INDEP", "COLL", "SPLIT")
MOST_SIZES = 4
MOST_FILES = 8


def common_sizes(job: Selection) -> tuple[CommonSize, ...]:
    """Of each layer the commonest sizes of accesses, in bytes, as far as the four of each record tell."""
    found = []
    for layer in LAYERS:
        counts: Counter[int] = Counter()
        for _, table in job.tables(layer):
            sizes, times = common_accesses(table)
            known = (times > 0) & (sizes > 0)
            each, index = unique_inverse(sizes[known])
            sums = np.zeros(len(each), dtype=np.int64)
            np.add.at(sums, index, times[known])
            counts.update(dict(zip(each.tolist(), sums.tolist(), strict=True)))
        top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_SIZES]
        found += [CommonSize(layer, size, count) for size, count in top]
    return tuple(found)


def access_order(job: Selection) -> tuple[AccessOrder, ...]:
    """How many POSIX reads, and writes, begin where the one before ended, or farther on; where the counters agree."""
    found = []
    for way in WAYS:
        name = f"{way.upper()}S"
        made = following = onward = 0
        for _, table in job.tables("POSIX"):
            made += _sum(table, f"POSIX_{name}")
            following += _sum(table, f"POSIX_CONSEC_{name}")
            onward += _sum(table, f"POSIX_SEQ_{name}")
        if made > 0 and following <= onward <= made:
            found.append(AccessOrder(way, made, following, onward - following))
    return tuple(found)


def alignment(job: Selection) -> Alignment | None:
    """How many POSIX accesses begin off the file's block, and off the alignment of memory; None where it is not
    counted."""
    tables = [t for _, t in job.tables("POSIX")]
    accesses = sum(_sum(t, "POSIX_READS", "POSIX_WRITES") for t in tables)
    if not accesses:
        return None
    off = [v for t in tables if (v := t.total("POSIX_FILE_NOT_ALIGNED")) is not None]
    memory = [v for t in tables if (v := t.total("POSIX_MEM_NOT_ALIGNED")) is not None]
    if not off:
        return None
    blocks = {b for t in tables for b in unique(t.count("POSIX_FILE_ALIGNMENT")).tolist() if b > 0}
    return Alignment(
        accesses, min(sum(off), accesses), sum(memory) if memory else None, blocks.pop() if len(blocks) == 1 else None
    )


def file_splits(job: Selection) -> tuple[FileSplit, ...]:
    """The files of MPI-IO with most bytes in either direction, each direction on its own."""
    found = []
    for rows, table in job.tables("MPI-IO"):
        ids, index = table.by_id.ids, table.by_id.index
        for way in WAYS:
            kinds = {
                k: _by_file(table, f"MPIIO_{k}_{way.upper()}S", index, len(ids)) for k in ("INDEP", "COLL", "SPLIT")
            }
            moved = _by_file(table, "MPIIO_BYTES_WRITTEN" if way == "write" else "MPIIO_BYTES_READ", index, len(ids))
            bounds = []
            for upper in (False, True):
                carried = independent_bytes(table, way, upper=upper)
                bounds.append(np.bincount(index, weights=carried, minlength=len(ids)))
            for i in np.argsort(-moved, kind="stable")[:MOST_FILES].tolist():
                if moved[i] > 0:
                    name = rows.shown_name(int(ids[i]))
                    together = int(kinds["COLL"][i] + kinds["SPLIT"][i])
                    limits = (round(float(bounds[0][i])), round(float(bounds[1][i])))
                    found.append(FileSplit(name, way, int(kinds["INDEP"][i]), together, int(moved[i]), *limits))
    return tuple(sorted(found, key=lambda f: (-f.total_bytes, f.file, f.direction))[:MOST_FILES])


def independent_limits(job: Selection, way: Way) -> tuple[int, int, int] | None:
    """Bytes of all MPI-IO calls of one direction, and what independent ones carried at least and at most; None without
    Darshan's MPI-IO records."""
    tables = [t for _, t in job.tables("MPI-IO")]
    if not tables:
        return None
    moved = sum(_sum(t, "MPIIO_BYTES_WRITTEN" if way == "write" else "MPIIO_BYTES_READ") for t in tables)
    least, most = (
        round(sum(float(independent_bytes(t, way, upper=upper).sum()) for t in tables)) for upper in (False, True)
    )
    return moved, least, most


def _by_file(table: CounterTable, counter: str, index: NDArray[np.intp], n: int) -> NDArray[np.int64]:
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, index, np.maximum(table.count(counter), 0))
    return sums


def _sum(table: CounterTable, *counters: str) -> int:
    return sum(table.total(c) or 0 for c in counters)
