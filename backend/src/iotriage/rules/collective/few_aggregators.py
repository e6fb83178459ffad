"""Fewer aggregators than the file's stripes or the job's nodes call for.

## What it does
For large files accessed collectively, compares the number of aggregators with the stripe count and with the number of
nodes; a file that lies on nearly all OSTs has as many as the documents ask for. The aggregators are those of
`MPICH_MPIIO_STATS`. Without it they are the ranks that move the bytes below MPI-IO, where Darshan tells ranks apart, by
records of single ranks, traces or its heatmap; then it holds where they are few for the stripes and for the nodes both,
since other libraries take one a node by themselves. Where only the variance of bytes over ranks is there, it holds
where they are far fewer than stripes, at most about half as many as the nodes that the ranks need at least, and the
time in MPI-IO passes in the calls below it. Where every file is spread over all servers (Spectrum Scale, WEKA), it
holds where they are few for the nodes, the time passes below them, and all together are not fast.

## Why it matters
An aggregator is one client. With fewer aggregators than stripes some OSTs wait; with far fewer than nodes, one node's
network link carries the data of many. By default Cray MPICH takes one aggregator a stripe.

## What to do
Stripe the file over more OSTs: the aggregators follow. On Cray systems `cray_cb_nodes_multiplier` raises their number
without more stripes, but only together with lock mode 2: otherwise several clients on one OST contend for its locks.
Give the hint for the file's name rather than for every file.

## Limits
Without `MPICH_MPIIO_STATS`, and without a source that tells the ranks apart or the number of nodes, fewer than the
stripes are left unknown, unless they are very few and share the bytes equally. On one node one aggregator is what ROMIO
chooses, and no fault. More aggregators are not always faster: one published series of 1 to 192 aggregators on one
stripe was noisy and followed no rule.
"""

from __future__ import annotations

from iotriage.rules.access.fast_rates import total_rate_threshold
from iotriage.rules.advice.calls import (
    aggregate_on_every_node,
    hints,
    largest_file_phrase,
    largest_size_phrase,
    mostly_reads,
    site_environment,
    stripe_count_sentence,
)
from iotriage.rules.advice.lock_mode import share_lock
from iotriage.rules.advice.striping import may_stripe, stripe_shared_file
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import SHARED_FILE, Claim
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import aggregators, formatted, number, paragraph, plural, sentence
from iotriage.sites.mounts import types_of

PER_STRIPE = Threshold(
    id="few-aggregators.per-stripe",
    title="Aggregators for each stripe of the file",
    default=1.0,
    unit="ratio",
    stated_by=Statement(
        "theta-io", "Cray MPI-IO Collectives", "The default is as many aggregators as stripes, one client an OST."
    ),
    slider=logarithmic(0.05, 16.0),
)
PER_NODE = Threshold(
    id="few-aggregators.per-node",
    title="Aggregators for each node of the job",
    default=0.50,
    unit="ratio",
    stated_by=ours("aggregators", "Fewer than one for two nodes on a large file; no document gives a number."),
    slider=logarithmic(0.01, 8.0),
)
ALL = Threshold(
    id="few-aggregators.osts",
    title="Share of the OSTs from which one aggregator a stripe is as the documents have it, on however many nodes",
    default=0.8,
    unit="share",
    stated_by=Statement("theta-io", "General striping approaches", "48 of 56 OSTs is what a shared file should have."),
    slider=linear(0.05),
)
SIZE = Threshold(
    id="few-aggregators.file-size",
    title="File size from which the number of aggregators matters",
    default=float(2**30),
    unit="B",
    stated_by=ours("aggregators", "Below 1 GiB a few aggregators are done before it matters."),
    slider=logarithmic(float(2**20), float(2**44)),
)

INFERRED_STRIPES = Threshold(
    id="few-aggregators.inferred-per-stripe",
    title="Ranks that moved the bytes, by their variance or on an unknown number of nodes, for each stripe of the file",
    default=0.25,
    unit="ratio",
    stated_by=ours("aggregators", "A quarter leaves no doubt where nobody counts the aggregators themselves."),
    slider=logarithmic(0.01, 1.0),
)
INFERRED_NODES = Threshold(
    id="few-aggregators.inferred-per-node",
    title="Ranks that moved the bytes, by their variance, for each node of the job",
    default=0.60,
    unit="ratio",
    stated_by=ours(
        "aggregators",
        "About one for two nodes at most, and what a variance leaves open: one a node is a usual default.",
    ),
    slider=logarithmic(0.01, 8.0),
)
WHOLE_SPREAD = types_of("gpfs", "weka")
"""Types of the mounts that spread every file over all their servers: there are no stripes to count."""
UNSTRIPED_NODES = Threshold(
    id="few-aggregators.unstriped-per-node",
    title="Ranks that moved the bytes for each node of the job, of a file that is spread over all servers",
    default=0.25,
    unit="ratio",
    stated_by=ours("aggregators", "One for four nodes; libraries take one a node by themselves."),
    slider=logarithmic(0.01, 8.0),
)
TOGETHER = total_rate_threshold("few-aggregators", "Rate of all ranks together, from which such aggregators are enough")
BELOW = Threshold(
    id="few-aggregators.time-ratio",
    title="Time in MPI-IO over the time in the POSIX calls below, up to which those who make these are waited for",
    default=2.0,
    unit="ratio",
    stated_by=ours("time in MPI-IO and in POSIX", "Where the storage decided, the two were within a factor of two."),
    slider=logarithmic(1.0, 100.0),
)

COLLECTIVES = Citation("theta-io", "Cray MPI-IO Collectives")
MULTIPLIED = Citation("intro-mpi", "MPI-IO hints")
ALL_OSTS = Citation("archer2-io", "Environment variables")


def _do(context: Context, count: float | None) -> str:
    """What so many ranks do, as a verb with its object."""
    if mostly_reads(context):
        return "reads for all" if count == 1 else "read for all"
    return "writes the collective output" if count == 1 else "write the collective output"


def says(context: Context) -> Words:
    printed = context.number("mpiio.aggregators") is not None
    movers, inferred = context.number("mpiio.movers"), context.number("mpiio.effective_aggregators")
    count = movers if movers is not None or inferred is None else max(1.0, float(round(inferred)))
    allowed = "nodes allow" if context.word("file.mount_type") in WHOLE_SPREAD else "stripes and nodes allow"
    return Words(
        sentence(
            f"{{}}{{}} {_do(context, count)}, fewer than the file's {allowed}.",
            "About " if movers is None else "",
            formatted(count, lambda n: plural(n, "rank")),
        )
        or f"Fewer ranks {_do(context, None)} than the file's stripes and nodes allow.",
        paragraph(
            sentence(
                "{} ({}) went through {}.",
                largest_file_phrase(context),
                largest_size_phrase(context),
                formatted(count, aggregators),
            ),
            sentence("{}.", stripe_count_sentence(context)),
            sentence("The job had {}.", formatted(context.number("job.nnodes"), lambda n: plural(n, "node"))),
            "The number of aggregators is inferred from the variance of bytes over ranks." if movers is None else None,
            None if printed or movers is None else "The aggregators are the ranks that Darshan shows moving the bytes.",
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    environment = site_environment(context)
    if environment:
        return (*stripe_shared_file(context), *environment)
    stripes = context.number("file.stripe_count") or 0.0
    if may_stripe(context) and stripes >= 2 and context.holds(_FEWER_THAN_STRIPES):
        wanted = number(min(stripes, context.number("job.nprocs") or stripes))
        text = "Ask for one aggregator a stripe; where a hint asks for fewer now, take that out."
        return hints(context, text, COLLECTIVES, ("cb_nodes", wanted))
    if not may_stripe(context):
        return (*stripe_shared_file(context), *aggregate_on_every_node(context, COLLECTIVES))
    striped = stripe_shared_file(context)
    # The lock is one of writes.
    only_read = mostly_reads(context) and not context.number("io.bytes_written")
    beside = "" if only_read else ", together with lock mode 2"
    first = "Or r" if any(one.withheld is None for one in striped) else "R"
    multiplied = hints(
        context,
        f"{first}aise the number of aggregators for each stripe{beside}.",
        MULTIPLIED if _multiplier(context) == 2 else ALL_OSTS,
        *(() if only_read else (("cray_cb_write_lock_mode", "2"),)),
        ("cray_cb_nodes_multiplier", number(_multiplier(context))),
    )
    return (*striped, *multiplied[:1], *(() if only_read else (share_lock(context),)))


_FEWER_THAN_STRIPES = AnyOf(
    tuple(Compare(f"mpiio.{movers}_per_stripe", "<", PER_STRIPE.id) for movers in ("movers", "effective"))
)


def _multiplier(context: Context) -> int:
    """2 or more is usually best with lock mode 2 (intro_mpi); ARCHER2 asks for 4 with all OSTs in use."""
    per_stripe = context.number("mpiio.aggregators_per_stripe")
    return 2 if per_stripe is not None and per_stripe >= 1 else 4


rule = Rule(
    id="few-aggregators",
    title="Few aggregators for a large collective file",
    clear_title="Enough aggregators for the file",
    scope="group",
    severity="medium",
    priority=30,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("io.pattern", ("shared-collective",)),
            IsOneOf("file.on_nodes", ("several", "unknown")),
            when_present("file.size", Compare("file.size", ">=", SIZE.id)),
        )
    ),
    condition=AnyOf(
        (
            when_present("mpiio.aggregators_per_stripe", Compare("mpiio.aggregators_per_stripe", "<", PER_STRIPE.id)),
            AllOf(
                (
                    Compare("mpiio.movers_per_stripe", "<", PER_STRIPE.id),
                    Compare("mpiio.movers_per_node", "<", PER_NODE.id),
                )
            ),
            when_present(
                "mpiio.movers_per_node_at_most",
                Compare("mpiio.movers_per_node_at_most", "<=", INFERRED_NODES.id),
                when_present("mpiio.movers_per_stripe", Compare("mpiio.movers_per_stripe", "<=", INFERRED_STRIPES.id)),
                when_present("mpiio.to_posix_time", Compare("mpiio.to_posix_time", "<", BELOW.id)),
            ),
            when_present(
                "file.mount_type",
                IsOneOf("file.mount_type", WHOLE_SPREAD),
                when_present("mpiio.movers_per_node", Compare("mpiio.movers_per_node", "<", UNSTRIPED_NODES.id)),
                when_present("mpiio.to_posix_time", Compare("mpiio.to_posix_time", "<", BELOW.id)),
                Compare("io.bandwidth", "<", TOGETHER.id),
            ),
            when_present(
                "mpiio.effective_per_stripe",
                Compare("mpiio.effective_per_stripe", "<=", INFERRED_STRIPES.id),
                when_present("mpiio.effective_per_node", Compare("mpiio.effective_per_node", "<=", INFERRED_NODES.id)),
                when_present("mpiio.to_posix_time", Compare("mpiio.to_posix_time", "<", BELOW.id)),
            ),
            when_present(
                "mpiio.aggregators_per_node",
                Compare("mpiio.aggregators_per_node", "<", PER_NODE.id),
                when_present("file.osts_fraction", Compare("file.osts_fraction", "<", ALL.id)),
            ),
        )
    ),
    thresholds=(
        PER_STRIPE,
        PER_NODE,
        ALL,
        SIZE,
        INFERRED_STRIPES,
        INFERRED_NODES,
        UNSTRIPED_NODES,
        TOGETHER,
        BELOW,
    ),
    citations=(COLLECTIVES, Citation("archer2-io", "Environment variables"), Citation("intro-mpi", "MPI-IO hints")),
    says=says,
    advise=advise,
    explains=("below-expectation", "subfile", "aggregator-skew", "wait-for-coll", "data-send-bound"),
    claims=(Claim(SHARED_FILE),),
)
