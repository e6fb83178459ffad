"""Calls of a program, as columns: one row is a run of `count` equal calls of one rank on one file.

A row's calls lie at `offset`, `offset + step`, …; each moves `size` bytes. A call through a file view has `pieces`
blocks of `size / pieces` bytes, `gap` bytes from the start of one to the start of the next. Rows of a rank stand in the
order in which it issues them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Layer(IntEnum):
    """KERNEL has the system calls that no module of Darshan sees: those of stdio inside libc."""

    POSIX = 0
    MPIIO = 1
    STDIO = 2
    KERNEL = 3


class Op(IntEnum):
    OPEN = 0
    CREATE = 1
    CLOSE = 2
    READ = 3
    WRITE = 4
    STAT = 5
    SEEK = 6
    SYNC = 7
    FLUSH = 8
    VIEW = 9
    READ_ALL = 10
    WRITE_ALL = 11
    NB_WRITE = 12
    NB_WRITE_ALL = 13
    SPLIT_WRITE = 14
    FLUSHED_WRITE = 15
    """A write of stdio with a flush behind each."""
    LOCK = 16
    """A range of bytes locked and given back (fcntl), which no module sees."""
    LIBRARY = 17
    """Work of a library that calls nothing below."""


READS = (Op.READ, Op.READ_ALL)
WRITES = (Op.WRITE, Op.WRITE_ALL, Op.NB_WRITE, Op.NB_WRITE_ALL, Op.SPLIT_WRITE, Op.FLUSHED_WRITE)
COLLECTIVES = (Op.READ_ALL, Op.WRITE_ALL, Op.NB_WRITE_ALL, Op.SPLIT_WRITE)
METADATA = (Op.OPEN, Op.CREATE, Op.CLOSE, Op.STAT, Op.SEEK, Op.VIEW)


@dataclass(frozen=True)
class Calls:
    """n rows; every column is an int64 array (n,)."""

    layer: Ints
    op: Ints
    rank: Ints
    file: Ints
    offset: Ints
    size: Ints
    count: Ints
    step: Ints
    pieces: Ints
    gap: Ints

    def __len__(self) -> int:
        return len(self.op)

    def take(self, chosen: Ints | Flags) -> Calls:
        return Calls(*(column[chosen] for column in self.columns()))

    def columns(self) -> list[Ints]:
        return [getattr(self, field.name) for field in fields(self)]

    def among(self, ops: Sequence[Op]) -> Flags:
        return np.isin(self.op, ops)

    @property
    def bytes(self) -> Ints:
        """(n,) bytes that each row moves."""
        return np.where(self.among((*READS, *WRITES)), self.size * self.count, 0)


def calls(
    layer: Layer,
    op: ArrayLike,
    rank: ArrayLike,
    file: ArrayLike,
    offset: ArrayLike = 0,
    size: ArrayLike = 0,
    *,
    count: ArrayLike = 1,
    step: ArrayLike | None = None,
    pieces: ArrayLike = 1,
    gap: ArrayLike | None = None,
) -> Calls:
    """Rows from columns that are broadcast against each other; calls of a row follow on each other unless `step`."""
    given = (
        int(layer),
        op,
        rank,
        file,
        offset,
        size,
        count,
        size if step is None else step,
        pieces,
        0 if gap is None else gap,
    )
    columns = [np.asarray(column, np.int64) for column in given]
    rows = min((column.size for column in columns if column.ndim), default=1)
    return Calls(*(np.full(rows, column) if column.ndim == 0 else column.reshape(-1).copy() for column in columns))


def joined(parts: Sequence[Calls]) -> Calls:
    """All rows, in the order given."""
    if not parts:
        return Calls(*(np.zeros(0, np.int64) for _ in fields(Calls)))
    return Calls(*(np.concatenate(columns) for columns in zip(*(part.columns() for part in parts), strict=True)))
