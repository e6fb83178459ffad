"""Every rank of a job, one column a quantity: what the view of all ranks draws, which the document has in bins only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.charts.rank_use import RankColumns, rank_columns, rank_use
from iotriage.analysis.deduplication import deduplicate
from iotriage.analysis.document.charts.rank_use import RankBasis, RankLayer, RankUse
from iotriage.analysis.inputs import ReadSource, unpack_archives
from iotriage.metrics.tables.nodes import nodes_of_source
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.frozen import frozen

MOST_LISTED = 2**20
"""Ranks that are told one by one: of a job with more there is `RankUse` alone."""


@frozen
class RankLayerTable:
    """One layer; element i of each list is rank i. Lists that are null are not told apart by rank in the source."""

    layer: RankLayer
    basis: RankBasis
    source: int
    partial: bool
    bytes_read: list[int]
    bytes_written: list[int]
    read_s: list[float] | None
    write_s: list[float] | None
    metadata_s: list[float] | None


@frozen
class RankTable:
    """`nodes` has each node's name once and `node_of` the index in it of each rank's, −1 where it is not named; both
    are empty where no rank's node is known. `layers` is empty for a job of more than 2²⁰ ranks. `use` is what the
    document has of the same."""

    use: RankUse
    layers: tuple[RankLayerTable, ...]
    nodes: list[str]
    node_of: list[int]


def rank_table(given: Sequence[ReadSource]) -> RankTable:
    job = select_job(deduplicate(unpack_archives(given)).parts)
    columns = tuple(c for c in rank_columns(job) if c.nprocs <= MOST_LISTED)
    hosts = nodes_of_source(job, columns[0].source) if columns else {}
    names = sorted(set(hosts.values()))
    index = {name: i for i, name in enumerate(names)}
    ranks = max((c.nprocs for c in columns), default=0)
    node_of = [index[hosts[rank]] if rank in hosts else -1 for rank in range(ranks)] if hosts else []
    return RankTable(rank_use(job), tuple(_layer(c) for c in columns), names, node_of)


def _layer(columns: RankColumns) -> RankLayerTable:
    return RankLayerTable(
        layer=columns.layer,
        basis=columns.basis,
        source=columns.source,
        partial=columns.partial,
        bytes_read=columns.of_every_rank(columns.bytes_read).tolist(),
        bytes_written=columns.of_every_rank(columns.bytes_written).tolist(),
        read_s=_seconds(columns, columns.read_s),
        write_s=_seconds(columns, columns.write_s),
        metadata_s=_seconds(columns, columns.metadata_s),
    )


def _seconds(columns: RankColumns, column: NDArray[np.float64] | None) -> list[float] | None:
    """To the nanosecond, as Darshan's clock has it: digits beyond would only be sent."""
    if column is None:
        return None
    found: list[float] = np.round(columns.of_every_rank(column), 9).tolist()
    return found
