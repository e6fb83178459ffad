"""The time in MPI's operations, and what of it is waiting."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class MpiOperation:
    """Calls and bytes summed over ranks, bytes null where the operation has none; seconds of the rank with least, of
    the mean over all ranks, and of the rank with most. `sync_s` is the mean time of waiting, null where not taken."""

    name: str
    calls: int
    bytes: int | None
    least_s: float
    mean_s: float
    most_s: float
    most_rank: int
    sync_s: float | None


@frozen
class MpiRank:
    rank: int
    time_s: float
    sync_s: float | None


@frozen
class MpiTimes:
    """Operations by time, ranks by time, at most 64 of them; `ranks_total` is how many have records. `source` is the
    index of the log."""

    source: int
    operations: tuple[MpiOperation, ...]
    ranks: tuple[MpiRank, ...]
    ranks_total: int
    partial: bool
