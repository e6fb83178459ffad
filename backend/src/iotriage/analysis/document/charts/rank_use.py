"""What each rank did at each layer."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen

RankLayer = Literal["MPI-IO", "POSIX", "STDIO", "DFS", "DAOS", "calls"]
"""`calls`: CrayPAT's tables of reads and writes, whatever layer the program called."""

RankBasis = Literal["records", "trace", "heatmap", "craypat"]


@frozen
class RankAmounts:
    """One rank at one layer."""

    rank: int
    bytes_read: int
    bytes_written: int
    read_s: float | None
    write_s: float | None
    metadata_s: float | None
    node: str | None


@frozen
class RankSeries:
    """All ranks of one layer in at most 128 bins of `ranks_per_bin` neighbours, so that no rank is lost: bin i begins
    with rank i · ranks_per_bin and has the bytes of its busiest rank, the bytes of its least busy one, and the seconds
    of its slowest. `active` ranks moved any bytes, `movers` most of them; the means are over all ranks of the job."""

    layer: RankLayer
    basis: RankBasis
    source: int
    partial: bool
    ranks: int
    active: int
    movers: float
    total_bytes: int
    mean_s: float | None
    busiest: RankAmounts
    slowest: RankAmounts | None
    ranks_per_bin: int
    most_read: tuple[int, ...]
    most_written: tuple[int, ...]
    least_bytes: tuple[int, ...]
    most_s: tuple[float, ...] | None


@frozen
class ReducedFile:
    """The two ends of the ranks of a file, by time, and the standard deviation over them. `ranks` are those that used
    it and have records of their own; None where Darshan reduced these to one and keeps no more than this."""

    layer: RankLayer
    file: str
    ranks: int | None
    total_bytes: int
    slowest_rank: int
    slowest_s: float
    slowest_bytes: int | None
    fastest_rank: int | None
    fastest_s: float | None
    fastest_bytes: int | None
    deviation_bytes: float | None
    deviation_s: float | None


@frozen
class RankUse:
    """`series` by layer, from the call to the disk; `reduced` are the files with the slowest ranks, of
    `reduced_total` at the layers that have no series with seconds: a file's records one after the other, from the call
    to the disk, since the ranks that wait in a collective call are not those that touch the storage."""

    nprocs: int | None
    series: tuple[RankSeries, ...]
    reduced: tuple[ReducedFile, ...]
    reduced_total: int
