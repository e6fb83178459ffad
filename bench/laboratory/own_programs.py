"""The programs of own-logs' patterns.c, described: what each run of them called, to be held against its real log.

A local file system without stripes, ranks in fours on a node, MPICH's ROMIO with the common driver. The programs' stat
and fstat are left out: the C library of those runs issues them past Darshan's wrappers, and the real logs count none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .calls import Calls, Ints, Layer, Op, calls, joined
from .laws import HOME, MiB
from .programs import File, Hints, Phase, Program, Switch

Program_ = Callable[[], Program]
POSIX, MPIIO, STDIO = Layer.POSIX, Layer.MPIIO, Layer.STDIO


def _job(ranks: int, phases: Sequence[Calls], files: int = 1, hints: Hints | None = None) -> Program:
    paths = [File(f"/scratch/file.{i:05d}") for i in range(files)]
    given = dict.fromkeys(range(files), hints) if hints else {}
    return Program(ranks, 4, (HOME,), paths, [Phase(part) for part in phases], given, file_alignment=4096)


def _hints(
    ranks: Sequence[int] = (), buffering: Switch = "automatic", sieving: Switch = "automatic", given: bool = True
) -> Hints:
    return Hints(buffering, buffering, sieving, sieving, ranks, by_stripe=False, given=given)


ENABLED = _hints((0, 4), "enable")
NONE = _hints(given=False)


def _ranks(ranks: int) -> Ints:
    return np.arange(ranks)


def _opened(ranks: int, op: Op = Op.CREATE, layer: Layer = MPIIO, file: int = 0) -> Calls:
    return calls(layer, op, _ranks(ranks), file)


def _closed(ranks: int, layer: Layer = MPIIO) -> Calls:
    return calls(layer, Op.CLOSE, _ranks(ranks), 0)


def serial() -> Program:
    written = calls(POSIX, Op.WRITE, 0, 0, 0, MiB, count=8 * 16)
    return _job(8, [joined([calls(POSIX, Op.CREATE, 0, 0), written, calls(POSIX, Op.CLOSE, 0, 0)])])


def own_files() -> Program:
    ranks = _ranks(8)
    return _job(
        8,
        [
            joined(
                [
                    calls(POSIX, Op.CREATE, ranks, ranks),
                    calls(POSIX, Op.WRITE, ranks, ranks, 0, MiB, count=16),
                    calls(POSIX, Op.CLOSE, ranks, ranks),
                ]
            )
        ],
        files=8,
    )


def small_files(per_rank: int = 250, size: int = 700) -> Program:
    rank = np.repeat(_ranks(8), per_rank)
    file = np.arange(8 * per_rank)

    def each(*ops: Op) -> Calls:
        rows = [calls(POSIX, op, rank, file, 0, size if op in (Op.READ, Op.WRITE) else 0) for op in ops]
        return joined(rows)

    return _job(8, [each(Op.CREATE, Op.WRITE, Op.CLOSE), each(Op.OPEN, Op.READ, Op.CLOSE)], files=8 * per_rank)


def packed() -> Program:
    ranks, n = _ranks(8), 250 * 700
    moved = [calls(MPIIO, op, ranks, 0, ranks * n, n) for op in (Op.WRITE_ALL, Op.READ_ALL)]
    return _job(8, [_opened(8), *moved, _closed(8)], hints=ENABLED)


def independent(size: int, per_step: int, steps: int = 8) -> Program:
    ranks = _ranks(8)
    written = calls(MPIIO, Op.WRITE, ranks, 0, ranks * size, size, count=per_step * steps, step=8 * size)
    return _job(8, [_opened(8), written, _closed(8)], hints=NONE)


def strided_collective() -> Program:
    turns = np.repeat(np.arange(10), 8)
    ranks = np.tile(_ranks(8), 10)
    written = calls(MPIIO, Op.WRITE_ALL, ranks, 0, ranks * 1000 + turns * 800_000, 100_000, pieces=100, gap=8000)
    return _job(8, [_opened(8), calls(MPIIO, Op.VIEW, _ranks(8), 0), written, _closed(8)], hints=ENABLED)


def subarray(hints: Hints) -> Program:
    dim, steps = 1152, 8
    down, across = dim // 4, dim // 2
    ranks = np.tile(_ranks(8), steps)
    turns = np.repeat(np.arange(steps), 8)
    corner = (ranks // 2) * down * dim * 8 + (ranks % 2) * across * 8
    size = down * across * 8
    written = calls(MPIIO, Op.WRITE_ALL, ranks, 0, corner + turns * dim * dim * 8, size, pieces=down, gap=dim * 8)
    read = calls(MPIIO, Op.READ_ALL, ranks[:8], 0, corner[:8], size, pieces=down, gap=dim * 8)
    return _job(8, [_opened(8), calls(MPIIO, Op.VIEW, _ranks(8), 0), written, read, _closed(8)], hints=hints)


def subfiles() -> Program:
    ranks, turns = np.tile(_ranks(16), 8), np.repeat(np.arange(8), 16)
    groups = _ranks(16) // 4
    written = calls(MPIIO, Op.WRITE_ALL, ranks, ranks // 4, (turns * 4 + ranks % 4) * MiB, MiB)
    program = _job(
        16, [calls(MPIIO, Op.CREATE, _ranks(16), groups), written, calls(MPIIO, Op.CLOSE, _ranks(16), groups)], files=4
    )
    hints = {i: _hints((4 * i,), "enable") for i in range(4)}
    return Program(16, 4, program.systems, program.files, program.phases, hints, file_alignment=4096)


def imbalanced(n: int, factor: int) -> Program:
    size, steps = 262_144, 4
    mine = np.r_[n * factor, np.full(7, n)]
    base = np.r_[0, n * factor + np.arange(7) * n]
    total = int(mine.sum())
    parts = [
        calls(MPIIO, Op.WRITE, _ranks(8), 0, (step * total + base) * size, size, count=mine) for step in range(steps)
    ]
    return _job(8, [_opened(8), *parts, _closed(8)], hints=NONE)


def swept(size: int = 32 * MiB) -> Program:
    ranks, share = _ranks(8), size // 8
    read = calls(POSIX, Op.READ, ranks, 0, ranks * share, MiB, count=share // MiB)
    return _job(8, [joined([calls(POSIX, Op.OPEN, ranks, 0), read, calls(POSIX, Op.CLOSE, ranks, 0)])])


def lines(flushed: bool, number: int = 2000, length: int = 57) -> Program:
    ranks = _ranks(8)
    op = Op.FLUSHED_WRITE if flushed else Op.WRITE
    return _job(
        8,
        [
            joined(
                [
                    calls(STDIO, Op.CREATE, ranks, ranks),
                    calls(STDIO, op, ranks, ranks, 0, length, count=number),
                    calls(STDIO, Op.CLOSE, ranks, ranks),
                ]
            )
        ],
        files=8,
    )


def configuration(everybody: bool, piece: int) -> Program:
    size = 11_500
    readers = _ranks(12) if everybody else np.array([0])
    rest = size % piece
    last = [calls(POSIX, Op.READ, readers, 0, size - rest, rest)] if rest else []
    read = joined(
        [
            calls(POSIX, Op.OPEN, readers, 0),
            calls(POSIX, Op.READ, readers, 0, 0, piece, count=size // piece),
            *last,
            calls(POSIX, Op.READ, readers, 0, size, 0),
            calls(POSIX, Op.CLOSE, readers, 0),
        ]
    )
    written = joined(
        [calls(POSIX, Op.CREATE, 0, 1), calls(POSIX, Op.WRITE, 0, 1, 0, MiB, count=4), calls(POSIX, Op.CLOSE, 0, 1)]
    )
    return _job(12, [read, written], files=2)


def checkpoint(again: bool, steps: int = 10, variables: int = 8, size: int = 32_768) -> Program:
    ranks = _ranks(8)
    base = [(step * 8 + ranks) * variables * size for step in range(steps)]
    opened, closed = calls(POSIX, Op.CREATE, ranks, 0), calls(POSIX, Op.CLOSE, ranks, 0)
    synced = calls(POSIX, Op.SYNC, ranks, 0)
    if not again:
        whole = [calls(POSIX, Op.WRITE, ranks, 0, at, size * variables) for at in base]
        return _job(8, [opened, *whole, synced, closed])
    phases = []
    for at in base:
        pieces = [
            part for v in range(variables) for part in (calls(POSIX, Op.WRITE, ranks, 0, at + v * size, size), synced)
        ]
        phases.append(joined([opened, *pieces, closed]))
    return _job(8, phases)


def whole_input(size: int = 24 * MiB) -> Program:
    ranks = _ranks(8)
    read = calls(POSIX, Op.READ, ranks, 0, 0, MiB, count=size // MiB)
    return _job(8, [joined([calls(POSIX, Op.OPEN, ranks, 0), read, calls(POSIX, Op.CLOSE, ranks, 0)])])


def partitioned(piece: int) -> Program:
    ranks, share = _ranks(8), 3 * MiB
    asked = calls(POSIX, Op.SEEK, ranks, 0, count=2)
    reads = [calls(MPIIO, Op.READ_ALL, ranks, 0, ranks * share + at, piece) for at in range(0, share, piece)]
    return _job(8, [_opened(8, Op.OPEN), asked, *reads, _closed(8)], hints=ENABLED)


def mixed(size: int = 131_072, n: int = 4, rounds: int = 8) -> Program:
    ranks = _ranks(8)
    phases: list[Calls] = []
    for turn in range(rounds):
        base = turn * n * 8
        phases.append(calls(MPIIO, Op.WRITE, ranks, 0, (base + ranks) * size, size, count=n, step=8 * size))
        phases.append(calls(MPIIO, Op.SYNC, ranks, 0))
        phases.append(calls(MPIIO, Op.READ, ranks, 0, (base + (ranks + 1) % 8) * size, size, count=n, step=8 * size))
    return _job(8, [_opened(8), *phases, _closed(8)], hints=NONE)


def nonblocking(op: Op, hints: Hints, size: int = 524_288, n: int = 16) -> Program:
    ranks = _ranks(8)
    if op == Op.NB_WRITE:
        written = calls(MPIIO, op, ranks, 0, ranks * size, size, count=n, step=8 * size)
    else:
        turns = np.repeat(np.arange(n), 8)
        written = calls(MPIIO, op, np.tile(ranks, n), 0, (turns * 8 + np.tile(ranks, n)) * size, size)
    return _job(8, [_opened(8), written, _closed(8)], hints=hints)


OWN: Mapping[str, Program_] = {
    "01-serial-gather": serial,
    "02-fpp-posix": own_files,
    "03-fpp-many-small-files": small_files,
    "04-packed-one-file-collective": packed,
    "05-shared-indep-1m-aligned": lambda: independent(MiB, 2),
    "06-shared-indep-1000b-unaligned": lambda: independent(1000, 125),
    "08-shared-strided-collective": strided_collective,
    "09-coll-subarray-cb-enable": lambda: subarray(ENABLED),
    "11-coll-subarray-cb-ds-disable": lambda: subarray(_hints((), "disable", "disable")),
    "12-subfile-per-node": subfiles,
    "13-imbalanced-rank0": lambda: imbalanced(8, 10),
    "14-balanced": lambda: imbalanced(17, 1),
    "16-sequential-reads": swept,
    "17-stdio-flush-per-line": lambda: lines(True),
    "18-stdio-buffered": lambda: lines(False),
    "19-config-all-ranks-read": lambda: configuration(True, 512),
    "20-config-broadcast": lambda: configuration(False, 65_536),
    "21-ckpt-reopen-fsync": lambda: checkpoint(True),
    "22-ckpt-keep-open": lambda: checkpoint(False),
    "33-redundant-reads": whole_input,
    "34-partitioned-collective-reads": lambda: partitioned(3 * MiB),
    "35-write-readback-mixed": mixed,
    "36-nonblocking-iwrite": lambda: nonblocking(Op.NB_WRITE, NONE),
    "37-nonblocking-iwrite-all": lambda: nonblocking(Op.NB_WRITE_ALL, ENABLED),
    "38-split-collective": lambda: nonblocking(Op.SPLIT_WRITE, ENABLED),
    "42-collective-read-holes": lambda: partitioned(MiB),
}
"""Not described: 07 and 10, whose pre-reads end where other ranks have got to; 15, whose places are drawn by libc."""

NOT_COMPARED = ("MEM_NOT_ALIGNED", "_TIME_SIZE", "_RANK", "MPIIO_MODE")
"""What depends on addresses or on which call happened to be slow, as the fastest and slowest rank do."""
