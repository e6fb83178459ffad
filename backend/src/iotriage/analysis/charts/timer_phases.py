"""The blocks of MPICH_MPIIO_TIMERS by file and phase, joined with what other sources say: which node a slow rank ran
on, and on which OSTs the file lies."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.document.charts import PhaseShare, TimersPhases, TimersRank
from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.layouts import stated_layouts
from iotriage.metrics.tables.nodes import nodes_by_rank
from iotriage.metrics.tables.texts.phases import TimersBlock, share_of_total, timers_blocks, total_seconds
from iotriage_parsers.evidence import NamedRank, Phase

MOST_TIMERS = 50
MOST_OSTS = 200
NO_NODES = (
    "no source says which node a rank ran on: the calls of DXT do (DXT_ENABLE_IO_TRACE), of the aggregators "
    "MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY"
)
NO_OSTS = "no source lists the OSTs of the file: a Darshan log with the LUSTRE module does, or lfs getstripe"


def timer_phases(job: Selection, uses: Sequence[FileUse]) -> tuple[TimersPhases, ...]:
    """`uses` are the files of the job, which are joined by path, else by the one that has the name."""
    blocks = timers_blocks(job)[:MOST_TIMERS]
    if not blocks:
        return ()
    by_path = {use.path: use for use in uses}
    by_name: dict[str, list[FileUse]] = {}
    for use in uses:
        by_name.setdefault(base_name(use.path), []).append(use)

    def of(path: str) -> FileUse | None:
        named = by_name.get(base_name(path), [])
        return by_path.get(path) or (named[0] if len(named) == 1 else None)

    return tuple(_phases(block, job, of(block.file)) for block in blocks)


def _osts(job: Selection, path: str, use: FileUse | None) -> tuple[int, ...]:
    """The OSTs of the file's stripes, each once, as the Darshan log or `lfs getstripe` lists them."""
    if use is not None and use.layout is not None and use.layout.osts:
        return tuple(dict.fromkeys(use.layout.osts))
    stated = stated_layouts(job).of_file(path, None if use is None else use.size_bytes or use.bytes_written)
    return () if stated is None else tuple(dict.fromkeys(stated.osts))


def _phases(block: TimersBlock, job: Selection, use: FileUse | None) -> TimersPhases:
    b = block.block
    node_of = nodes_by_rank(job)
    named = [n for n in b.named_ranks if n.ticks]
    osts = _osts(job, block.file, use)
    found = total_seconds(block, job)
    known_s = None if isinstance(found, Absent) else found
    return TimersPhases(
        file=block.file,
        direction=b.direction,
        ranks=b.ranks,
        occurrence=b.occurrence,
        total_s=known_s,
        total_reason=found.reason if isinstance(found, Absent) else None,
        active_ranks=b.active_ranks,
        idle_ranks=b.idle_ranks,
        phases=tuple(_phase(block, phase, known_s) for phase in b.phases),
        data_send_bandwidth=b.data_send_bandwidth,
        raw_bandwidth=b.raw_bandwidth,
        net_bandwidth=b.net_bandwidth,
        where=block.at(None)[0],
        named_ranks=tuple(_timers_rank(block, n, node_of.get(n.rank)) for n in named),
        nodes_reason=NO_NODES if named and not any(n.rank in node_of for n in named) else None,
        stripe_count=None if use is None else use.stripe_count,
        osts=osts[:MOST_OSTS],
        osts_reason=None if osts else NO_OSTS,
    )


def _timers_rank(block: TimersBlock, named: NamedRank, node: str | None) -> TimersRank:
    b = block.block
    waited = next((p.ticks.average for p in b.details if p.label == f"wait for coll.{named.call}"), None)
    ticks = waited if named.role == "late arriver" else named.ticks
    return TimersRank(
        role=named.printed if named.role == "unknown" else named.role,
        call=named.call,
        rank=named.rank,
        share=ticks / b.total_ticks if ticks is not None and b.total_ticks else None,
        where=block.at(named.line)[0],
        node=node,
    )


def _phase(block: TimersBlock, phase: Phase, total_s: float | None) -> PhaseShare:
    share, ticks = share_of_total(block, phase), block.block.total_ticks
    return PhaseShare(
        label=phase.label,
        share=share,
        least=phase.ticks.minimum / ticks if ticks and phase.ticks.minimum is not None else None,
        most=phase.ticks.maximum / ticks if ticks and phase.ticks.maximum is not None else None,
        time_s=share * total_s if share is not None and total_s is not None else None,
        where=block.at(phase.line)[0],
    )
