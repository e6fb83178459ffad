"""Sizes, order and alignment of the accesses, and how files are split between kinds of calls."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen

Way = Literal["read", "write"]


@frozen
class CommonSize:
    """At least `count` accesses of exactly this size: Darshan keeps the four commonest sizes of each record."""

    layer: Literal["MPI-IO", "POSIX"]
    size_bytes: int
    count: int


@frozen
class AccessOrder:
    """POSIX accesses of one direction. `consecutive` begin where the rank's last one ended, `onward` beyond it with a
    gap; the others go back, or are the first at the file's beginning."""

    direction: Way
    accesses: int
    consecutive: int
    onward: int


@frozen
class Alignment:
    """POSIX accesses that do not begin on a multiple of `block_bytes`, the alignment that Darshan assumed for the files
    with most accesses: not the stripe size. None where it differs between files, or is not recorded."""

    accesses: int
    not_aligned: int
    not_aligned_in_memory: int | None
    block_bytes: int | None


@frozen
class FileSplit:
    """Calls and bytes of one file in one direction. Darshan counts calls by kind, never bytes: independent calls
    carried at least `least` and at most `most` of `total_bytes`, by the sizes of the accesses."""

    file: str
    direction: Way
    independent: int
    collective: int
    total_bytes: int
    least: int
    most: int
