"""Most of the time goes in waiting for collective operations, because ranks come to them late.

## What it does
Reads the phases of `MPICH_MPIIO_TIMERS`, those of all files together, each by how long it took. It holds when `wait for
coll` takes most of the time **and** the `imbalance` row is large too, or that row alone has most of it; or when the
rank that waits least cannot have been there: its waiting and the largest of every other row together are far less than
what the mean rank waits. With `MPICH_MPIIO_TIMERS=2` the ranks that came last are named. Without timers Darshan tells
of one or a few ranks: who comes late spends the least time in the calls, as long as the work takes, and all others
spend far more. What it does in other files meanwhile is said where the log shows that it is in them for as long; where
it alone uses them, or has far more to do there, that is the finding, and this one is explained by it.

## Why it matters
A collective call goes on when the last rank has come. Ranks that come late, from uneven work before the call or from
uneven amounts of data in it, keep all others waiting, and no setting of the file system changes that.

## What to do
Even out the work before the call and the data in it, or collect the data of each node on one of its ranks first, so
that fewer ranks wait for one another.

## Limits
Waiting alone is no fault: while the aggregators write, the others wait for them, and in the healthy run that is
published for Theta half of the time is such waiting, with no imbalance. Such runs are not reported, nor those in which
one rank sends, computes or writes for long. The rows overlap and do not add to the total. The manual does not define
them closely; a tenth as a large imbalance is ours. Where another rank comes late to each call, all of them wait long,
and so they do where another aggregator is slow in each: the rows do not tell which, and nothing is said. By Darshan
nothing is seen where many ranks come late, or another one each time; a rank that opens the file and takes no part in
the calls is told by its being there for less than the storage takes.
"""

from __future__ import annotations

from iotriage.metrics.mpiio.late_arriver import AT_WORK_LEAST, FEW_LATE
from iotriage.rules.advice.calls import collect_by_node, these_files
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Rule,
    Statement,
    Threshold,
    Words,
    advice,
    ours,
    share_of_either_time,
)
from iotriage.rules.core.claim import Claim, LargestOf, SecondsOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import (
    bounded,
    formatted,
    paragraph,
    plural,
    printable,
    rank_name,
    seconds,
    sentence,
    share,
)

SAMPLE = Citation("theta-io", "MPICH_MPIIO_TIMERS=1 Sample Output for IOR")

WAIT = Threshold(
    id="wait-for-coll.wait",
    title="Share of the time in waiting for collective operations",
    default=0.50,
    unit="share",
    stated_by=Statement(
        SAMPLE.document, SAMPLE.section, "In a healthy run half of the time is waiting: alone it says nothing."
    ),
)
IMBALANCE = Threshold(
    id="wait-for-coll.imbalance",
    title="Share of the time lost to imbalance, from which ranks come late",
    default=0.10,
    unit="share",
    stated_by=ours("phases of MPI-IO", "The healthy run on Theta has 0 %; a tenth of the time is ours."),
)
BY_ITSELF = Threshold(
    id="wait-for-coll.imbalance-alone",
    title="Share of the time lost to imbalance, from which ranks come late whatever the waiting is",
    default=0.50,
    unit="share",
    stated_by=ours("phases of MPI-IO", "Half of the time: nothing else can take more."),
)
ABSENT = Threshold(
    id="wait-for-coll.absent",
    title="Share of the time in which the others wait and the last rank is not there, from which ranks come late",
    default=0.30,
    unit="share",
    stated_by=ours("phases of MPI-IO", "In the healthy run on Theta it is 0 %; nearly a third of the time is ours."),
    slider=linear(0.05),
)

LATE = Threshold(
    id="wait-for-coll.late-ranks",
    title="Share of the ranks that are in the calls for a short time, up to which it is they who come late",
    default=FEW_LATE,
    unit="share",
    stated_by=ours("waiting", "Where more of them are quick, they may have less to do in the calls."),
    slider=logarithmic(0.001, 0.5),
)
AT_WORK = Threshold(
    id="wait-for-coll.late-at-work",
    title="Time of the last rank in the calls over the time in the system calls below, from which it takes part",
    default=AT_WORK_LEAST,
    unit="ratio",
    stated_by=ours("waiting", "Who comes last is there while the data is moved; half of it, for who leaves early."),
    slider=logarithmic(0.01, 10.0),
)
BEFORE = Threshold(
    id="wait-for-coll.before-last",
    title="Share of the time in the calls that passes before the last rank comes",
    default=0.50,
    unit="share",
    stated_by=ours("waiting", "Half of the time in the calls: it would be gone."),
    slider=linear(0.05),
)
_BY_IMBALANCE = any_of(
    all_of(
        when_present("timers.wait_for_coll_fraction", Compare("timers.wait_for_coll_fraction", ">=", WAIT.id)),
        when_present("timers.imbalance_fraction", Compare("timers.imbalance_fraction", ">=", IMBALANCE.id)),
    ),
    when_present("timers.imbalance_fraction", Compare("timers.imbalance_fraction", ">=", BY_ITSELF.id)),
)
_BY_WAITING = when_present("timers.late_fraction", Compare("timers.late_fraction", ">=", ABSENT.id))
_BY_RANKS = when_present(
    "mpiio.late_arriver_to_posix_time",
    Compare("mpiio.late_arriver_wait_fraction", ">=", BEFORE.id),
    Compare("mpiio.late_arrivers_fraction", "<=", LATE.id),
    Compare("mpiio.late_arriver_to_posix_time", ">=", AT_WORK.id),
)


def _by_ranks_alone(context: Context) -> bool:
    """Whether a log tells it, and MPICH_MPIIO_TIMERS are not there or do not."""
    if context.number("timers.wait_for_coll_fraction") is None:
        return True
    return context.holds(_BY_RANKS) and not context.holds(any_of(_BY_IMBALANCE, _BY_WAITING))


def says(context: Context) -> Words:
    if _by_ranks_alone(context):
        return _of_ranks(context)
    return Words(
        "Ranks come late to the collective calls, and all others wait for them.",
        paragraph(
            sentence(
                "Of the time in MPI-IO on {}, {} is waiting for collective operations and {} is imbalance.",
                these_files(context),
                formatted(context.number("timers.wait_for_coll_fraction"), share),
                formatted(context.number("timers.imbalance_fraction"), share),
            ),
            sentence(
                "Writing the file takes {} of it, at the same time.",
                formatted(context.number("timers.file_write_fraction"), share),
            ),
            _absent(context),
            sentence("That time is {}.", formatted(context.number("timers.total_time"), seconds)),
            _last_arriver(context),
        ),
    )


def _absent(context: Context) -> str | None:
    missed = context.number("timers.late_fraction")
    if not missed:
        return None
    return f"For {bounded('at least ', share(missed))} of it, the rank that waits least is not in these calls."


def _last_arriver(context: Context) -> str | None:
    """Who came last, where the details of level 2 name it."""
    rank, again = context.number("timers.late_arriver_rank"), context.number("timers.late_arriver_again")
    if rank is None or again is None:
        return None
    if again >= AGAIN:
        return f"{rank_name(rank).capitalize()} came last to the calls with {share(again)} of the waiting."
    return f"{rank_name(rank).capitalize()} came last to the call that was waited for most; to others, other ranks did."


AGAIN = 0.8
"""Share of the waiting from which it is one and the same rank that comes late."""


def _of_ranks(context: Context) -> Words:
    rank, ranks = context.number("mpiio.late_arriver_rank"), context.number("job.nprocs")
    late = round((context.number("mpiio.late_arrivers_fraction") or 0.0) * (ranks or 1))
    who = f"{rank_name(rank or 0).capitalize()} comes" if late <= 1 else f"About {plural(late, 'rank')} come"
    file = context.word("mpiio.late_arriver_file")
    meanwhile = "" if file is None or late > 1 else f": it is in {printable(file)} meanwhile"
    return Words(
        f"{who} late to the collective calls, and all others wait{meanwhile}.",
        paragraph(
            sentence(
                "The mean rank is in the calls of MPI-IO on {} {} longer than {},",
                these_files(context),
                formatted(context.number("mpiio.late_arriver_wait"), seconds),
                formatted(rank, rank_name),
            ),
            sentence("{} of its time there.", formatted(context.number("mpiio.late_arriver_wait_fraction"), share)),
            _elsewhere(context),
        ),
    )


def _elsewhere(context: Context) -> str | None:
    """What the log shows the late rank do meanwhile."""
    rank, name = context.number("mpiio.late_arriver_rank"), context.word("mpiio.late_arriver_file")
    return sentence(
        "As long as {} of that, {} is in other files, longest in {}.",
        formatted(context.number("mpiio.late_arriver_elsewhere"), seconds),
        formatted(rank, rank_name),
        None if name is None else printable(name),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    if _by_ranks_alone(context):
        rank, file = context.number("mpiio.late_arriver_rank"), context.word("mpiio.late_arriver_file")
        return (_find_out_about(rank) if file is None else _share_out(rank, file),)
    if (context.number("timers.late_arriver_again") or 0.0) >= AGAIN:
        return (_find_out_about(context.number("timers.late_arriver_rank")),)
    even = advice(
        "Give every rank as much to do before the call, and as much data in it, as the others have; put work that only "
        "some ranks have after the output.",
        citation=SAMPLE,
    )
    return (even, collect_by_node(SAMPLE))


def _share_out(late: float | None, file: str) -> Advice:
    rank = "the late rank" if late is None else rank_name(late)
    return advice(
        f"Divide what {rank} does in {printable(file)} before these calls among the ranks, or do it after the output: "
        "they wait for that, and not for the storage.",
        citation=SAMPLE,
    )


def _find_out_about(late: float | None) -> Advice:
    rank = "the late rank" if late is None else rank_name(late)
    find = f"Find what {rank} does before these calls and the others do not: they do not wait for the storage."
    after = "Give it as much to do as the others have, or do what it alone has to do after the output."
    return advice(f"{find} {after}", citation=SAMPLE)


rule = Rule(
    id="wait-for-coll",
    title="Ranks come late to collective calls",
    clear_title="No single rank comes late to the collective calls",
    scope="group",
    severity="high",
    priority=56,
    carries=share_of_either_time,
    requires=any_of(
        all_of(when_present("timers.wait_for_coll_fraction"), when_present("timers.imbalance_fraction")),
        all_of(
            IsOneOf("io.pattern", ("shared-collective",)),
            when_present("mpiio.late_arriver_to_posix_time"),
            when_present("mpiio.time_excess"),
        ),
    ),
    condition=any_of(_BY_IMBALANCE, _BY_WAITING, _BY_RANKS),
    thresholds=(WAIT, IMBALANCE, BY_ITSELF, ABSENT, BEFORE, LATE, AT_WORK),
    citations=(SAMPLE,),
    says=says,
    advise=advise,
    explains=("below-expectation",),
    claims=(
        Claim(
            ("exchange",),
            LargestOf((SecondsOf("timers.wait_for_coll_time"), SecondsOf("timers.imbalance_time"))),
        ),
        Claim(("exchange",), SecondsOf("mpiio.late_arriver_wait"), _BY_RANKS, up_to=True),
    ),
)
