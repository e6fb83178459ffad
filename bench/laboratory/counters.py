"""Calls to counters, as Darshan's runtime counts them (darshan-posix.c, darshan-mpiio.c, darshan-stdio.c).

One record for each file and rank. Runs of equal calls are counted as if each call came by itself; every rule that looks
at the call before (sequential, consecutive, strides, switches) sees the rank's calls on the file in their order. Not
modelled: alignment in memory, whose counter stays 0, and the limit of 32 different sizes that are followed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .calls import READS, WRITES, Calls, Flags, Floats, Ints, Layer, Op
from .programs import Program
from .running import Timed

BINS = (101, 1025, 10241, 102401, 1048577, 4194305, 10485761, 104857601, 1073741825)
BIN_NAMES = ("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS")
CREATED_MODE = 0o644
MPI_CREATE_RDWR, MPI_RDONLY = 9, 2


@dataclass(frozen=True)
class Records:
    """One module: `file` and `rank` (n,), and each counter by its name (n,). Rank −1 is all ranks, reduced."""

    module: str
    file: Ints
    rank: Ints
    ints: dict[str, Ints]
    floats: dict[str, Floats]

    def __len__(self) -> int:
        return len(self.file)


@dataclass(frozen=True)
class _Rows:
    """Rows of one layer, grouped by record (`group` (n,), ascending), in each rank's order within."""

    timed: Timed
    group: Ints
    groups: int

    @property
    def calls(self) -> Calls:
        return self.timed.calls

    def sums(self, values: Ints | Floats | Flags, where: Flags) -> Ints:
        return np.rint(np.bincount(self.group[where], np.asarray(values)[where], self.groups)).astype(np.int64)

    def seconds(self, where: Flags) -> Floats:
        return np.bincount(self.group[where], self.timed.inside[where], self.groups).astype(float)

    def largest(self, values: Ints, where: Flags) -> Ints:
        out = np.zeros(self.groups, np.int64)
        np.maximum.at(out, self.group[where], values[where])
        return out


def counted(program: Program, trace: Timed, layer: Layer) -> Records | None:
    """The module's records, one for each rank and file; None where nothing was called."""
    timed = trace.of(layer)
    if not len(timed.calls):
        return None
    order = np.lexsort((np.arange(len(timed.calls)), timed.calls.rank, timed.calls.file))
    timed = Timed(timed.calls.take(order), timed.start[order], timed.end[order], timed.inside[order])
    key = timed.calls.file * program.ranks + timed.calls.rank
    keys, group = np.unique(key, return_inverse=True)
    rows = _Rows(timed, group.reshape(-1), len(keys))
    build = {Layer.POSIX: _posix, Layer.MPIIO: _mpiio, Layer.STDIO: _stdio}[layer]
    return build(program, rows, keys // program.ranks, keys % program.ranks)


def _posix(program: Program, rows: _Rows, file: Ints, rank: Ints) -> Records:
    given = rows.calls
    reads, writes = given.among(READS), given.among(WRITES)
    ints = {
        "POSIX_OPENS": rows.sums(given.count, given.among((Op.OPEN, Op.CREATE))),
        "POSIX_FILENOS": np.zeros(rows.groups, np.int64),
        "POSIX_SEEKS": rows.sums(given.count, given.op == Op.SEEK),
        "POSIX_STATS": rows.sums(given.count, given.op == Op.STAT),
        "POSIX_MMAPS": np.full(rows.groups, -1),
        "POSIX_FSYNCS": rows.sums(given.count, given.op == Op.SYNC),
        "POSIX_RENAMED_FROM": np.zeros(rows.groups, np.int64),
        "POSIX_MODE": np.where(rows.sums(given.count, given.op == Op.CREATE) > 0, CREATED_MODE, 0),
        "POSIX_MEM_ALIGNMENT": np.full(rows.groups, 8),
        "POSIX_FILE_ALIGNMENT": np.full(rows.groups, program.file_alignment),
        "POSIX_FILE_NOT_ALIGNED": rows.sums(_unaligned(given, program.file_alignment), reads | writes),
    }
    ints |= _moved(rows, "POSIX", reads, writes)
    strides = []
    for name, chosen, word in (("READ", reads, "READS"), ("WRITE", writes, "WRITES")):
        gaps, found = _places(rows, chosen)
        ints |= {f"POSIX_{key}_{word}": value for key, value in gaps.items()}
        strides.extend(found)
        ends = given.offset + (given.count - 1) * given.step + given.size - 1
        ints[f"POSIX_MAX_BYTE_{'READ' if name == 'READ' else 'WRITTEN'}"] = rows.largest(ends, chosen)
    ints |= common_values("POSIX_STRIDE", "STRIDE", rows.groups, strides)
    moving = reads | writes
    ints |= common_values(
        "POSIX_ACCESS", "ACCESS", rows.groups, [(rows.group[moving], given.size[moving], given.count[moving])]
    )
    floats = _times(rows, "POSIX", reads, writes | (given.op == Op.SYNC))
    return Records("POSIX", file, rank, ints, floats)


def _mpiio(program: Program, rows: _Rows, file: Ints, rank: Ints) -> Records:
    given = rows.calls
    reads, writes = given.among(READS), given.among(WRITES)
    opens = given.among((Op.OPEN, Op.CREATE))
    hinted = np.array([program.hints_of(f).given for f in range(len(program.files))], bool)[file]
    created = rows.sums(given.count, given.op == Op.CREATE) > 0
    counts = {
        "MPIIO_INDEP_READS": given.op == Op.READ,
        "MPIIO_INDEP_WRITES": given.op == Op.WRITE,
        "MPIIO_COLL_READS": given.op == Op.READ_ALL,
        "MPIIO_COLL_WRITES": given.op == Op.WRITE_ALL,
        "MPIIO_SPLIT_WRITES": given.op == Op.SPLIT_WRITE,
        "MPIIO_NB_WRITES": given.among((Op.NB_WRITE, Op.NB_WRITE_ALL)),
        "MPIIO_SYNCS": given.op == Op.SYNC,
        "MPIIO_VIEWS": given.op == Op.VIEW,
        "MPIIO_COLL_OPENS": opens,
    }
    ints = {name: rows.sums(given.count, chosen) for name, chosen in counts.items()}
    ints["MPIIO_HINTS"] = np.where(hinted, ints["MPIIO_COLL_OPENS"], 0)
    ints["MPIIO_MODE"] = np.where(created, MPI_CREATE_RDWR, MPI_RDONLY)
    ints |= {
        name: value
        for name, value in _moved(rows, "MPIIO", reads, writes).items()
        if name not in ("MPIIO_READS", "MPIIO_WRITES")
    }
    moving = reads | writes
    ints |= common_values(
        "MPIIO_ACCESS", "ACCESS", rows.groups, [(rows.group[moving], given.size[moving], given.count[moving])]
    )
    return Records("MPI-IO", file, rank, ints, _times(rows, "MPIIO", reads, writes | (given.op == Op.SYNC)))


def _stdio(program: Program, rows: _Rows, file: Ints, rank: Ints) -> Records:  # noqa: ARG001
    given = rows.calls
    reads, writes = given.among(READS), given.among(WRITES)
    ends = given.offset + (given.count - 1) * given.step + given.size - 1
    ints = {
        "STDIO_OPENS": rows.sums(given.count, given.among((Op.OPEN, Op.CREATE))),
        "STDIO_FDOPENS": np.full(rows.groups, 0),
        "STDIO_READS": rows.sums(given.count, reads),
        "STDIO_WRITES": rows.sums(given.count, writes),
        "STDIO_SEEKS": rows.sums(given.count, given.op == Op.SEEK),
        "STDIO_FLUSHES": rows.sums(given.count, given.among((Op.FLUSH, Op.FLUSHED_WRITE))),
        "STDIO_BYTES_WRITTEN": rows.sums(given.bytes, writes),
        "STDIO_BYTES_READ": rows.sums(given.bytes, reads),
        "STDIO_MAX_BYTE_READ": rows.largest(ends, reads),
        "STDIO_MAX_BYTE_WRITTEN": rows.largest(ends, writes),
    }
    floats = _times(rows, "STDIO", reads, writes | (given.op == Op.FLUSH))
    return Records("STDIO", file, rank, ints, {k: v for k, v in floats.items() if "_F_MAX_" not in k})


def _moved(rows: _Rows, prefix: str, reads: Flags, writes: Flags) -> dict[str, Ints]:
    given = rows.calls
    size_bin = np.searchsorted(BINS, given.size, side="right")
    aggregate = "AGG_" if prefix == "MPIIO" else ""
    ints = {
        f"{prefix}_READS": rows.sums(given.count, reads),
        f"{prefix}_WRITES": rows.sums(given.count, writes),
        f"{prefix}_BYTES_READ": rows.sums(given.bytes, reads),
        f"{prefix}_BYTES_WRITTEN": rows.sums(given.bytes, writes),
        f"{prefix}_RW_SWITCHES": _switches(rows, reads, writes),
        f"{prefix}_MAX_READ_TIME_SIZE": _slowest_size(rows, reads),
        f"{prefix}_MAX_WRITE_TIME_SIZE": _slowest_size(rows, writes),
    }
    for index, name in enumerate(BIN_NAMES):
        ints[f"{prefix}_SIZE_READ_{aggregate}{name}"] = rows.sums(given.count, reads & (size_bin == index))
        ints[f"{prefix}_SIZE_WRITE_{aggregate}{name}"] = rows.sums(given.count, writes & (size_bin == index))
    return ints


def _seconds_each(rows: _Rows) -> Floats:
    return np.asarray(rows.timed.inside / np.maximum(1, rows.calls.count))


def _slowest_size(rows: _Rows, chosen: Flags) -> Ints:
    out = np.zeros(rows.groups, np.int64)
    at = np.flatnonzero(chosen)
    order = at[np.argsort(_seconds_each(rows)[at], kind="stable")]
    out[rows.group[order]] = rows.calls.size[order]
    return out


def _switches(rows: _Rows, reads: Flags, writes: Flags) -> Ints:
    at = np.flatnonzero(reads | writes)
    changes = (reads[at][1:] != reads[at][:-1]) & (rows.group[at][1:] == rows.group[at][:-1])
    return np.bincount(rows.group[at][1:][changes], minlength=rows.groups).astype(np.int64)


def _unaligned(given: Calls, alignment: int) -> Ints:
    """(n,) calls of each run that do not begin at a multiple of the alignment."""
    out = np.where(given.offset % alignment != 0, given.count, 0)
    for row in np.flatnonzero((given.count > 1) & (given.step % alignment != 0)):
        step, count, offset = int(given.step[row]), int(given.count[row]), int(given.offset[row])
        shared = int(np.gcd(step, alignment))
        if offset % shared:
            out[row] = count
            continue
        period = alignment // shared
        first = (-offset // shared * pow(step // shared, -1, period)) % period
        out[row] = count - (0 if first >= count else 1 + (count - 1 - first) // period)
    return out


Found = tuple[Ints, Ints, Ints]
"""Records, values and how often each."""


def _places(rows: _Rows, chosen: Flags) -> tuple[dict[str, Ints], list[Found]]:
    """Sequential and consecutive calls by record, and the strides with their number. An open begins anew."""
    at = np.flatnonzero(chosen)
    given, group = rows.calls.take(at), rows.group[at]
    opened = np.cumsum(rows.calls.among((Op.OPEN, Op.CREATE)))[at]
    other = (group[1:] != group[:-1]) | (opened[1:] != opened[:-1])
    fresh = np.r_[True, other] if len(at) else np.zeros(0, bool)
    last_of_row = given.offset + (given.count - 1) * given.step + given.size - 1
    before = np.where(fresh, 0, np.r_[0, last_of_row[:-1]]) if len(at) else last_of_row
    onwards = given.offset > before
    follows = given.offset == before + 1
    more = given.count - 1
    later = given.step >= given.size
    sequential = onwards + more * later
    consecutive = follows + more * (given.step == given.size)
    stride = np.where(onwards & (before != 0), given.offset - before - 1, 0)
    inner = np.where(later, given.step - given.size, 0)
    first = stride > 0
    within = (inner > 0) & (more > 0)
    found = [
        (group[first], stride[first], np.ones(int(first.sum()), np.int64)),
        (group[within], inner[within], more[within]),
    ]
    counts = {"SEQ": sequential, "CONSEC": consecutive}
    sums = {name: np.bincount(group, values, rows.groups).astype(np.int64) for name, values in counts.items()}
    return sums, found


def common_values(prefix: str, word: str, groups: int, found: list[Found]) -> dict[str, Ints]:
    """The four values that are found most often, the larger first where two are as frequent; 0 is not a value."""
    group, value, times = (
        (np.concatenate([part[i] for part in found]) for i in range(3)) if found else (np.zeros(0, np.int64),) * 3
    )
    keep = (value != 0) & (times > 0)
    group, value, times = group[keep], value[keep], times[keep]
    out = {f"{prefix}{i}_{kind}": np.zeros(groups, np.int64) for i in range(1, 5) for kind in (word, "COUNT")}
    if not len(group):
        return out
    pairs, place = np.unique(np.stack([group, value], axis=1), axis=0, return_inverse=True)
    total = np.bincount(place.reshape(-1), times).astype(np.int64)
    order = np.lexsort((-pairs[:, 1], -total, pairs[:, 0]))
    pairs, total = pairs[order], total[order]
    starts = np.flatnonzero(np.r_[True, pairs[1:, 0] != pairs[:-1, 0]])
    turn = np.arange(len(pairs)) - np.repeat(starts, np.diff(np.r_[starts, len(pairs)]))
    for index in range(4):
        at = turn == index
        out[f"{prefix}{index + 1}_{word}"][pairs[at, 0]] = pairs[at, 1]
        out[f"{prefix}{index + 1}_COUNT"][pairs[at, 0]] = total[at]
    return out


def _times(rows: _Rows, prefix: str, reads: Flags, writes: Flags) -> dict[str, Floats]:
    given = rows.calls
    opens, closes = given.among((Op.OPEN, Op.CREATE)), given.op == Op.CLOSE
    meta = given.among((Op.OPEN, Op.CREATE, Op.CLOSE, Op.STAT, Op.SEEK, Op.VIEW))
    floats = {
        f"{prefix}_F_READ_TIME": rows.seconds(reads),
        f"{prefix}_F_WRITE_TIME": rows.seconds(writes),
        f"{prefix}_F_META_TIME": rows.seconds(meta),
    }
    for name, chosen in (("OPEN", opens), ("READ", reads), ("WRITE", writes), ("CLOSE", closes)):
        first = np.full(rows.groups, np.inf)
        last = np.zeros(rows.groups)
        np.minimum.at(first, rows.group[chosen], rows.timed.start[chosen])
        np.maximum.at(last, rows.group[chosen], rows.timed.end[chosen])
        floats[f"{prefix}_F_{name}_START_TIMESTAMP"] = np.where(np.isfinite(first), first, 0.0)
        floats[f"{prefix}_F_{name}_END_TIMESTAMP"] = last
    each = _seconds_each(rows)
    for name, chosen in (("READ", given.among(READS)), ("WRITE", given.among(WRITES))):
        longest = np.zeros(rows.groups)
        np.maximum.at(longest, rows.group[chosen], each[chosen])
        floats[f"{prefix}_F_MAX_{name}_TIME"] = longest
    return floats
