"""Where the aggregators of a job's largest shared file are, as Cray MPICH prints it."""

from __future__ import annotations

from iotriage.metrics.core.metric import Value
from iotriage.metrics.core.registry import outcome
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.shared import largest_shared_file
from iotriage.metrics.tables.texts.stats_fields import leading
from iotriage_parsers.evidence import AggregatorPlacement


@cached_per_selection
def placement_table(s: Selection) -> tuple[int, AggregatorPlacement] | None:
    """The placement table of the largest shared file, by the log or else by the statistics: the one that was printed
    last before the file's statistics, where it was opened several times. Else that of another file with as many
    aggregators, or where nobody counts them the one with the most. One that was cut off does not say how many there
    are, and one with ranks or nodes that the job had not is another's."""
    tables = [(i, t) for i, t in s.of(AggregatorPlacement) if t.complete and t.aggregators and _may_be_of(t, s)]
    file, block = largest_shared_file(s), leading(s.writes) or leading(s.reads)
    by_statistics = "" if block is None else block.block.file
    name = base_name(by_statistics if file is None else file.rows.name_of(file.record) or "")
    mine = [(i, t) for i, t in tables if base_name(t.file) == name]
    if block is not None:
        before = [(i, t) for i, t in mine if i == block.source and t.lines.last < block.block.lines.first]
        mine = before[-1:] or mine
        counted = block.block.aggregators
        tables = [(i, t) for i, t in tables if counted in (None, len(t.aggregators))]
    return max(mine or tables, key=lambda t: len(t[1].aggregators), default=None)


def _may_be_of(table: AggregatorPlacement, s: Selection) -> bool:
    nodes = outcome(s, "job.nnodes")
    too_many = isinstance(nodes, Value) and nodes.bound is None and len(table.nodes) > float(nodes.value)
    return not too_many and (s.nprocs is None or max(a.rank for a in table.aggregators) < s.nprocs)
