"""Which ranks move the bytes of collective calls, on which nodes, and how many bytes each."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.analysis.document.charts.aggregating import Aggregating, AggregatingBasis, AggregatorRank
from iotriage.metrics.core.metric import Value
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.files.below_mpiio import ranks_below
from iotriage.metrics.tables.files.shared import effective_ranks, largest_shared_file, movers
from iotriage.metrics.tables.nodes import nodes_of_source
from iotriage_parsers.evidence import AggregatorPlacement, CounterTable

MOST_TABLES = 8
MOST_RANKS = 512


def aggregating(job: Selection) -> tuple[Aggregating, ...]:
    """Placement tables as they were printed, and one view of the ranks that moved bytes below MPI-IO."""
    moved = _moved(job)
    of_ranks = {} if moved is None else {r.rank: r.bytes for r in moved.ranks}
    found = [_placed(table, job, of_ranks) for _, table in job.of(AggregatorPlacement) if table.aggregators]
    return (*found[:MOST_TABLES], *([] if moved is None else [moved]))


def _placed(table: AggregatorPlacement, job: Selection, moved: Mapping[int, int | None]) -> Aggregating:
    """The table's ranks are those of the communicator that opened the file: taken for the job's, as they are where
    that is MPI_COMM_WORLD."""
    ranks = tuple(AggregatorRank(a.rank, a.node, moved.get(a.rank)) for a in table.aggregators)
    count = len({a.rank for a in table.aggregators})
    return Aggregating(table.file, "placement", "measured", count, job.nprocs, len(table.nodes), ranks[:MOST_RANKS])


def _moved(job: Selection) -> Aggregating | None:
    if not any((below := rows.posix_below_mpiio) is not None and len(below) for rows in job.logs):
        return None
    found = ranks_below(job)
    if found is not None:
        return _of_bytes(job, *found)
    file = largest_shared_file(job)
    effective = effective_ranks(file) if file is not None else None
    if file is None or not isinstance(effective, Value) or not isinstance(effective.value, int | float):
        return None
    name = file.rows.name_of(file.record)
    return Aggregating(name, "variance", "inferred", float(effective.value), file.rows.nprocs, None, ())


def _only_name(rows: LogRows, table: CounterTable) -> str | None:
    """The name of the table's files, where all have the same."""
    names = map(rows.log.names.get, table.ids.tolist())
    first = next(names, None)
    return first if all(name == first for name in names) else None


def _of_bytes(job: Selection, rows: LogRows, basis: AggregatingBasis, moved: Mapping[int, int]) -> Aggregating:
    hosts = nodes_of_source(job, rows.source)
    below = rows.posix_below_mpiio
    ordered = sorted(moved.items(), key=lambda item: (-item[1], item[0]))
    ranks = tuple(AggregatorRank(rank, hosts.get(rank), amount) for rank, amount in ordered)
    count = movers(moved.values())
    named = {r.node for r in ranks[: round(count)]}
    return Aggregating(
        file=None if below is None else _only_name(rows, below),
        basis=basis,
        confidence="inferred" if basis == "heatmap" else "measured",
        count=count,
        nprocs=rows.nprocs,
        nodes=None if None in named else len(named),
        ranks=ranks[:MOST_RANKS],
    )
