"""What MPI-IO and stdio make of a program's calls: system calls, as ROMIO and libc issue them.

ROMIO: `adio/common/ad_write_str.c` and `ad_read_str.c` for data sieving (a window begins at the next byte wanted and
ends at the buffer's), `ad_write_coll.c` for two phases over equal parts, `ad_lustre_aggregate.c` for parts by stripe.
"""

from __future__ import annotations

import numpy as np

from .calls import COLLECTIVES, METADATA, READS, WRITES, Calls, Flags, Ints, Layer, Op, calls, joined
from .laws import MiB
from .programs import Program

SIEVE_WRITE_BYTES, SIEVE_READ_BYTES = 512 * 1024, 4 * MiB

Lowered = tuple[Calls, Ints]
"""System calls, and for each the row that issued it."""


def aggregates(program: Program, given: Calls) -> bool:
    """Whether the calls are collective and go through aggregators. "automatic" asks whether ranks interleave."""
    if not len(given) or not given.among(COLLECTIVES).all():
        return False
    hints = program.hints_of(int(given.file[0]))
    chosen = hints.read_buffering if given.op[0] == Op.READ_ALL else hints.write_buffering
    return chosen == "enable" or (chosen == "automatic" and _interleaved(given))


def _interleaved(given: Calls) -> bool:
    first = given.take(_turn(given) == 0)
    end = (
        first.offset
        + (first.pieces - 1) * first.gap
        + np.where(first.pieces > 1, first.size // first.pieces, first.size)
    )
    order = np.argsort(first.rank, kind="stable")
    return bool((end[order][:-1] > first.offset[order][1:]).any())


def _turn(given: Calls) -> Ints:
    """Which row of its rank each row is, counted from 0: shape (n,)."""
    order = np.argsort(given.rank, kind="stable")
    ranks = given.rank[order]
    starts = np.flatnonzero(np.r_[True, ranks[1:] != ranks[:-1]])
    place = np.arange(len(ranks)) - np.repeat(starts, np.diff(np.r_[starts, len(ranks)]))
    turn = np.empty(len(ranks), np.int64)
    turn[order] = place
    return turn


def lowered(program: Program, given: Calls) -> Lowered:
    """The system calls of rows that no aggregator takes over, in each rank's order."""
    rows = np.arange(len(given))
    mpi, stdio = given.layer == Layer.MPIIO, given.layer == Layer.STDIO
    moves = mpi & given.among((*READS, *WRITES))
    reads = given.among(READS)
    views = moves & (given.pieces > 1)
    by_library = mpi & given.among((Op.VIEW, Op.SEEK))
    parts = [
        _same(given, given.layer == Layer.POSIX),
        _same(given, moves & reads & ~views, op=Op.READ),
        _same(given, moves & ~reads & ~views, op=Op.WRITE),
        _same(given, mpi & given.among((Op.OPEN, Op.CLOSE, Op.SYNC))),
        _same(given, mpi & (given.op == Op.CREATE), op=Op.OPEN),
        (calls(Layer.KERNEL, Op.LIBRARY, given.rank[by_library], given.file[by_library]), rows[by_library]),
        *_creations(given, rows),
        *_through_views(program, given, np.flatnonzero(views)),
    ]
    if stdio.any():
        parts.extend(_streamed(program, given.take(stdio), rows[stdio]))
    low, parent = joined([part for part, _ in parts]), np.concatenate([parents for _, parents in parts])
    order = np.argsort(parent, kind="stable")
    low, parent = low.take(order), parent[order]
    order = np.argsort(low.rank, kind="stable")
    return low.take(order), parent[order]


def _same(given: Calls, chosen: Flags, op: Op | None = None) -> Lowered:
    """One row of POSIX for each row, with the same places."""
    taken = given.take(chosen)
    low = calls(
        Layer.POSIX,
        taken.op if op is None else op,
        taken.rank,
        taken.file,
        taken.offset,
        taken.size,
        count=taken.count,
        step=taken.step,
    )
    return low, np.flatnonzero(chosen)


def _creations(given: Calls, rows: Ints) -> list[Lowered]:
    """A collective open for writing: one rank creates the file and closes it, before all open it."""
    chosen = np.flatnonzero((given.layer == Layer.MPIIO) & (given.op == Op.CREATE))
    if not len(chosen):
        return []
    order = chosen[np.argsort(given.rank[chosen], kind="stable")]
    _, firsts = np.unique(given.file[order], return_index=True)
    first = order[firsts]
    taken = given.take(first)
    both = [calls(Layer.POSIX, op, taken.rank, taken.file) for op in (Op.CREATE, Op.CLOSE)]
    return [(part, rows[first]) for part in both]


def _through_views(program: Program, given: Calls, chosen: Ints) -> list[Lowered]:
    """Calls of many pieces: sieved through a buffer, or piece by piece where that is switched off."""
    parts: list[Lowered] = []
    kinds = np.stack(
        [given.op[chosen], given.file[chosen], given.size[chosen], given.pieces[chosen], given.gap[chosen]], axis=1
    )
    for kind in np.unique(kinds, axis=0):
        rows = chosen[(kinds == kind).all(axis=1)]
        rows = np.repeat(rows, given.count[rows])
        turn = np.arange(len(rows)) - np.searchsorted(rows, rows)
        at = given.offset[rows] + turn * given.step[rows]
        op, file, size, pieces, gap = (int(value) for value in kind)
        reading = op in READS
        hints = program.hints_of(file)
        if (hints.read_sieving if reading else hints.write_sieving) == "disable":
            low = calls(
                Layer.POSIX,
                Op.READ if reading else Op.WRITE,
                given.rank[rows],
                file,
                at,
                size // pieces,
                count=pieces,
                step=gap,
            )
            parts.append((low, rows))
        else:
            parts.append(
                _sieved(given.rank[rows], file, at, _windows(size // pieces, gap, pieces, reading), reading, rows)
            )
    return parts


def _windows(block: int, gap: int, pieces: int, reading: bool) -> tuple[Ints, Ints]:
    """Where the windows over one call begin, from its first byte, and their sizes."""
    end = (pieces - 1) * gap + block
    limit = SIEVE_READ_BYTES if reading else SIEVE_WRITE_BYTES
    begins: list[int] = []
    position = 0
    while position < end:
        begins.append(position)
        position += min(limit, end - position)
        if position % gap >= block:
            position = (position // gap + 1) * gap
    starts = np.array(begins, np.int64)
    return starts, np.minimum(limit, end - starts)


def _sieved(rank: Ints, file: int, at: Ints, windows: tuple[Ints, Ints], reading: bool, rows: Ints) -> Lowered:
    begins, sizes = windows
    starts = (at[:, None] + begins).reshape(-1)
    size = np.tile(sizes, len(at))
    ranks, parents = np.repeat(rank, len(begins)), np.repeat(rows, len(begins))
    if reading:
        return calls(Layer.POSIX, Op.READ, ranks, file, starts, size), parents
    three = np.repeat(np.arange(len(starts)), 3)
    op = np.tile([Op.LOCK, Op.READ, Op.WRITE], len(starts))
    low = calls(Layer.POSIX, op, ranks[three], file, starts[three], size[three])
    low.layer[low.op == Op.LOCK] = Layer.KERNEL
    return low, parents[three]


def _streamed(program: Program, given: Calls, rows: Ints) -> list[Lowered]:
    buffers = np.array([file.stream_buffer for file in program.files], np.int64)[given.file]
    kernel, parts = Layer.KERNEL, list[Lowered]()
    for ops, op in (((Op.READ,), Op.READ), ((Op.WRITE, Op.FLUSHED_WRITE), Op.WRITE)):
        chosen = given.among(ops)
        taken = given.take(chosen)
        total = taken.size * taken.count
        flushed = (taken.op == Op.FLUSHED_WRITE) | ((taken.size > buffers[chosen]) | (taken.step != taken.size))
        size = np.where(flushed, taken.size, np.minimum(buffers[chosen], total))
        count = np.where(flushed, taken.count, np.maximum(1, total // np.maximum(1, size)))
        step = np.where(flushed, taken.step, size)
        low = calls(kernel, op, taken.rank, taken.file, taken.offset, size, count=count, step=step)
        parts.append((low, rows[chosen]))
    chosen = given.among((*METADATA, Op.FLUSH))
    taken = given.take(chosen & ~given.among((Op.SEEK, Op.FLUSH)))
    parts.append((calls(kernel, taken.op, taken.rank, taken.file), rows[chosen & ~given.among((Op.SEEK, Op.FLUSH))]))
    parts.append((calls(kernel, Op.LIBRARY, given.rank, given.file, count=given.count), rows))
    return parts


def aggregated(program: Program, given: Calls) -> Lowered:
    """The system calls of the aggregators for collective rows on one file, and the turn of the call each belongs to."""
    file = int(given.file[0])
    turn = _turn(given)
    block = np.where(given.pieces > 1, given.size // given.pieces, given.size)
    ends = given.offset + (given.pieces - 1) * given.gap + block
    turns = int(turn.max()) + 1
    low, high = np.full(turns, np.iinfo(np.int64).max), np.zeros(turns, np.int64)
    np.minimum.at(low, turn, given.offset)
    np.maximum.at(high, turn, ends)
    moved = np.bincount(turn, given.size, turns)
    if program.hints_of(file).by_stripe:
        owners, starts, stops, of_turn = _by_stripe(program, file, low, high)
    else:
        owners, starts, stops, of_turn = _by_part(program, file, low, high, given.offset, ends, turn)
    if given.op[0] == Op.READ_ALL:
        return calls(Layer.POSIX, Op.READ, owners, file, starts, stops - starts), of_turn
    # Where the ranks leave holes, what lies there is read first and written back.
    twice = np.repeat(np.arange(len(owners)), np.where(moved < high - low, 2, 1)[of_turn])
    first = np.r_[twice[1:] == twice[:-1], False]
    op = np.where(first, Op.READ, Op.WRITE)
    return calls(Layer.POSIX, op, owners[twice], file, starts[twice], (stops - starts)[twice]), of_turn[twice]


def _by_stripe(program: Program, file: int, low: Ints, high: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Owner, beginning, end and turn of each stripe that each call touches."""
    size = program.files[file].stripe_size
    aggregators = program.aggregators_of(file)
    first, number = low // size, -(-high // size) - low // size
    turn = np.repeat(np.arange(len(low)), number)
    stripes = first[turn] + np.arange(len(turn)) - np.repeat(np.cumsum(number) - number, number)
    owners = aggregators[stripes % len(aggregators)]
    return owners, np.maximum(stripes * size, low[turn]), np.minimum((stripes + 1) * size, high[turn]), turn


def _by_part(
    program: Program, file: int, low: Ints, high: Ints, offsets: Ints, ends: Ints, turn: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """The same for equal parts of each call, from the first byte wanted of each to the last, by the buffer's size."""
    aggregators = program.aggregators_of(file)
    rows: list[tuple[int, int, int, int]] = []
    for k in range(len(low)):
        part = -(-int(high[k] - low[k]) // len(aggregators))
        for index, owner in enumerate(aggregators):
            begin, end = int(low[k]) + index * part, min(int(low[k]) + (index + 1) * part, int(high[k]))
            wanted = (turn == k) & (offsets < end) & (ends > begin)
            if wanted.any():
                first, last = max(begin, int(offsets[wanted].min())), min(end, int(ends[wanted].max()))
                size = program.hints_of(file).buffer_bytes
                rows.extend((int(owner), at, min(at + size, last), k) for at in range(first, last, size))
    owners, starts, stops, turns = np.array(rows, np.int64).reshape(-1, 4).T
    return owners, starts, stops, turns
