"""The ranks that move the bytes of a shared file."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.metric import Confidence
from iotriage_parsers.frozen import frozen

AggregatingBasis = Literal["placement", "records", "trace", "heatmap", "variance"]


@frozen
class AggregatorRank:
    """`bytes` at the POSIX layer of the files that MPI-IO opened; None where the source shows the placement alone."""

    rank: int
    node: str | None
    bytes: int | None


@frozen
class Aggregating:
    """The ranks that aggregate for `file`, or with None for all files of MPI-IO together. `count` is the number of
    ranks that move the bytes (`movers`); by the variance, where the ranks are not known, it is that of ranks that would
    share them equally, and `ranks` is empty. `nodes` counts theirs, None where some rank's is not named. At most 512
    ranks stand in `ranks`, those with most bytes."""

    file: str | None
    basis: AggregatingBasis
    confidence: Confidence
    count: float
    nprocs: int | None
    nodes: int | None
    ranks: tuple[AggregatorRank, ...]
