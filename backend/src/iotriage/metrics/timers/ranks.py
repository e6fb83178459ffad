"""Which ranks were slow or late, from the details of level 2 below an MPICH_MPIIO_TIMERS block.

Of all of these, the leading block's, as for its phases. A rank named with no time at all is none: MPICH prints rank 0
where nothing was measured.
"""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.texts.phases import TimersBlock, named_ranks, no_timers, share_of_total
from iotriage.metrics.timers.phases import LEADING, NEEDS
from iotriage_parsers.evidence import NamedRank, Phase


def _named_rank(s: Selection, role: str) -> tuple[TimersBlock, NamedRank] | Absent:
    found = named_ranks(s)
    if isinstance(found, Absent):
        return found
    block, named = found
    rank = next((n for n in named if n.role == role and n.ticks), None)
    return (block, rank) if rank is not None else Absent(f"the details of {block.file} name no {role} with a time")


def _declare_rank(name: str, role: str, title: str) -> None:
    word = "Slow" if role == "slowest access" else "Quick"

    @metric(
        f"timers.{name}_rank",
        f"Rank that is {title} the file",
        "1",
        formula=f"`Rank` of `{word} writer file write` (of reads: `{word} reader file read`) in the details of level 2 "
        f"{LEADING}",
        needs=NEEDS,
        unless=no_timers,
    )
    def rank(s: Selection) -> Outcome:
        found = _named_rank(s, role)
        return found if isinstance(found, Absent) else Value(found[1].rank, where=found[0].at(found[1].line))

    @metric(
        f"timers.{name}_over_total",
        f"Time in the file of the rank {title} it, over the time in MPI-IO",
        "ratio",
        about=About(time=True),
        formula=f"`Time` of that rank / `total` {LEADING}; the total is that of the average rank, so it may be above 1",
        needs=NEEDS,
        unless=no_timers,
    )
    def over_total(s: Selection) -> Outcome:
        found = _named_rank(s, role)
        if isinstance(found, Absent):
            return found
        block, named = found
        if not block.block.total_ticks:
            return Absent(f"the MPICH_MPIIO_TIMERS block of {block.file} prints no `total`")
        at = joined(block.at(named.line), block.at(block.block.line_of("total")))
        return Value(named.ticks / block.block.total_ticks, where=at)


_declare_rank("slowest_access", "slowest access", "slowest to write or read")
_declare_rank("quickest_access", "quickest access", "quickest to write or read")


def _waited_for(s: Selection) -> tuple[TimersBlock, list[tuple[Phase, NamedRank]]] | Absent:
    """The collective calls in which the ranks waited, at least one, and who came last to each."""
    found = named_ranks(s)
    if isinstance(found, Absent):
        return found
    block, named = found
    last = {f"wait for coll.{n.call}": n for n in named if n.role == "late arriver"}
    calls = [(p, last[p.label]) for p in block.block.details if p.label in last and p.ticks.average]
    if not calls:
        return Absent(f"the details of {block.file} name nobody who came late to a collective call")
    return block, calls


def _waited_most(s: Selection) -> tuple[TimersBlock, Phase, NamedRank] | Absent:
    """The collective call in which the ranks waited most on average, and who came to it last."""
    found = _waited_for(s)
    if isinstance(found, Absent):
        return found
    block, calls = found
    return (block, *max(calls, key=lambda call: call[0].ticks.average or 0))


WAITED_MOST = "of the collective call with the largest average of `wait for coll.N`"


_metrics_of_waited_most = MetricsOf(_waited_most, needs=NEEDS)
_metrics_of_waited_most.value(
    "timers.late_arriver_rank",
    "Rank that came last to the collective call that was waited for most",
    "1",
    lambda found: Value(found[2].rank, where=found[0].at(found[2].line)),
    formula=f"`Rank` of `Late arriver among all ranks` {WAITED_MOST}, {LEADING}",
)


@_metrics_of_waited_most(
    "timers.late_arriver_call",
    "Collective call that was waited for most, counted from 1",
    "1",
    formula=f"N {WAITED_MOST}, {LEADING}",
)
def late_arriver_call(found: tuple[TimersBlock, Phase, NamedRank]) -> Outcome:
    block, phase, named = found
    return Absent("the call has no number") if named.call is None else Value(named.call, where=block.at(phase.line))


@_metrics_of_waited_most(
    "timers.late_arriver_fraction",
    "Time that the ranks waited in the collective call that was waited for most",
    "share",
    about=About(time=True),
    formula=f"average {WAITED_MOST} / `total`, {LEADING}",
)
def late_arriver_fraction(found: tuple[TimersBlock, Phase, NamedRank]) -> Outcome:
    block, phase, _ = found
    share = share_of_total(block, phase)
    if share is None:
        return Absent(f"the MPICH_MPIIO_TIMERS block of {block.file} prints no `total`")
    return Value(share, where=block.at(phase.line))


@metric(
    "timers.late_arriver_again",
    "Share of the waiting in collective calls to which the same rank came last",
    "share",
    about=About(time=True),
    formula="averages of `wait for coll.N` of the calls with the `Rank` of timers.late_arriver_rank / those of all "
    f"calls of which a late arriver is named, {LEADING}",
    needs=NEEDS,
    unless=no_timers,
)
def late_arriver_again(s: Selection) -> Outcome:
    found, most = _waited_for(s), _waited_most(s)
    if isinstance(found, Absent):
        return found
    if isinstance(most, Absent):
        return most
    block, calls = found
    its = [phase for phase, named in calls if named.rank == most[2].rank]
    waited = sum(phase.ticks.average or 0 for phase, _ in calls)
    share = sum(phase.ticks.average or 0 for phase in its) / waited
    return Value(share, where=joined(*(block.at(phase.line) for phase in its)))
