"""The calls are collective, yet one rank does all the reading and writing.

## What it does
Looks at files that are accessed with collective calls and counts the ranks that really moved their bytes: from
`MPICH_MPIIO_STATS` (`aggregators`), or from Darshan's variance of bytes over ranks. It holds when that is one, on a
file large enough for several: one with a single stripe has one by default, which is no fault of a file that is too
small for two.

## Why it matters
Collective buffering gathers the data on a few ranks, the aggregators, which then access the file. By default Cray
MPICH takes as many as the file has stripes, so a large file on one OST has one aggregator: all data passes through
one rank and one OST, while the ratio of collective to independent calls looks perfect.

## What to do
Stripe the directory of the output over more OSTs before the files are made. Where there are stripes enough, look for
a hint that limits the aggregators (`cb_nodes`, `cb_config_list`).

## Limits
Where each node or group has a file of its own (subfiling), one aggregator a file is as it should be; such files are
left out. From Darshan the number is inferred: B²/(N·V + B²/N) with B the bytes of the record, N the ranks and V the
variance of bytes over ranks. It is exact where the shares are equal and too low where they are not. A header written
by one rank beside large blocks by others does not matter to it. On one node one aggregator is what ROMIO chooses, and
no fault.
"""

from __future__ import annotations

from iotriage.metrics.core.missing_evidence import HINTS, STATS
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.rules.advice.calls import (
    aggregate_on_every_node,
    hints,
    of_ranks_phrase,
    reads_or_writes,
    site_environment,
    stripe_count_sentence,
    these_files,
)
from iotriage.rules.advice.striping import (
    FILE_OF_SERIES_BYTES,
    FOR_FEW_RANKS,
    may_stripe,
    stripe_shared_file,
    stripes_advised,
)
from iotriage.rules.collective.shared_files import called_often
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.action import AskFor, Export
from iotriage.rules.core.claim import SHARED_FILE, Claim
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, any_when_present, when_present
from iotriage.rules.core.saving import LIE_ON, documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import aggregators, formatted, number, paragraph, plural, sentence, size, times_as_long

EFFECTIVE = Threshold(
    id="single-aggregator.effective-aggregators",
    title="Ranks that moved the bytes, up to which it is one",
    default=1.5,
    unit="ranks",
    stated_by=ours("single aggregator", "The inferred count is exact for equal shares; half a rank is its margin."),
    slider=logarithmic(1.0, 64.0),
)
EXPECTED = Threshold(
    id="single-aggregator.expected-aggregators",
    title="Aggregators that ranks and file size allow, from which one is too few",
    default=8.0,
    unit="ranks",
    stated_by=ours("single aggregator", "Fewer ranks fit on a node, and one aggregator a node is a usual default."),
    slider=logarithmic(2.0, 1024.0),
)
CALLS = Threshold(
    id="single-aggregator.collective-calls",
    title="Collective calls, summed over ranks, that stand for as many ranks where their number is not known",
    default=8.0,
    unit="calls",
    stated_by=ours("single aggregator", "MPICH counts a collective call once for each rank that takes part."),
    slider=logarithmic(2.0, 1e6),
)
BYTES = Threshold(
    id="single-aggregator.bytes",
    title="Bytes of a file from which one aggregator is too few; of several files, on average",
    default=float(2**22),
    unit="B",
    stated_by=ours("single aggregator", "Four stripes of the usual default size of 1 MiB."),
    slider=logarithmic(float(2**20), float(2**40)),
)
ON_ONE_STRIPE = Threshold(
    id="single-aggregator.bytes-on-one-stripe",
    title="Bytes of a file with one stripe from which one aggregator is too few; of several files, on average",
    default=float(FILE_OF_SERIES_BYTES),
    unit="B",
    stated_by=ours(
        "single aggregator",
        "Libraries take one aggregator for each stripe, and a smaller file is not striped: one OST is enough for it.",
    ),
    slider=logarithmic(float(2**20), float(2**40)),
)
SKEW = Threshold(
    id="single-aggregator.time-ratio",
    title="MPI-IO time over POSIX time that supports it",
    default=5.0,
    unit="ratio",
    stated_by=ours("time in MPI-IO and in POSIX", "Good short runs reach 7: this ratio supports and decides nothing."),
    slider=logarithmic(1.0, 100.0),
)

AGGREGATORS = Citation("theta-io", "Cray MPI-IO Collectives")


def says(context: Context) -> Words:
    counted_by_stats, effective = context.number("mpiio.aggregators"), context.number("mpiio.effective_aggregators")
    count = min((n for n in (counted_by_stats, effective) if n is not None), default=None)
    how = "" if count == counted_by_stats or _counted(context) else ", inferred from the variance over ranks"
    of_ranks = of_ranks_phrase(context.number("job.nprocs"))
    return Words(
        f"One rank{of_ranks} {reads_or_writes(context)} for all, although the calls are collective.",
        paragraph(
            sentence(
                f"The bytes of {{}} ({{}}) went through {{}}{how}.",
                these_files(context),
                formatted(context.number("io.bytes"), size),
                formatted(count, aggregators),
            ),
            sentence(
                "{} and this file size allow up to {}.",
                formatted(context.number("job.nprocs"), lambda n: plural(n, "rank")),
                formatted(context.number("mpiio.expected_aggregators"), lambda n: plural(n, "aggregator")),
            ),
            sentence("{}.", stripe_count_sentence(context)),
            sentence(
                "The MPI-IO calls took {} as the system calls below them.",
                formatted(context.number("mpiio.to_posix_time"), times_as_long),
            ),
        ),
    )


def _counted(context: Context) -> bool:
    """Whether it is one rank's own record that shows it."""
    found = context.metrics.get("mpiio.effective_aggregators")
    return found is not None and found.confidence == "measured" and found.value == 1


def advise(context: Context) -> tuple[Advice, ...]:
    stripes, ranks = context.number("file.stripe_count") or 0.0, context.number("job.nprocs")
    if stripes >= FOR_FEW_RANKS and may_stripe(context):
        enough = str(int(stripes if ranks is None else min(stripes, ranks)))
        given = context.number("hints.cb_nodes")
        if given is not None and context.holds(Compare("hints.cb_nodes", "<=", EFFECTIVE.id)):
            text = (
                f"{stripe_count_sentence(context)}, and the hint cb_nodes asks for {aggregators(given)}: take "
                "it out, or ask for one a stripe."
            )
            return hints(context, text, AGGREGATORS, ("cb_nodes", enough))
        return (
            _look_for_a_hint(context, f"{stripe_count_sentence(context)}, and one aggregator uses them: look"),
            *hints(context, "Ask for one a stripe.", AGGREGATORS, ("cb_nodes", enough)),
        )
    striped = stripe_shared_file(context)
    known_few = 0 < stripes < FOR_FEW_RANKS
    when = "one aggregator is left when the file has more stripes" if known_few else "the file has stripes enough"
    look = _look_for_a_hint(context, f"If {when}, look")
    last = (look,) if may_stripe(context) else aggregate_on_every_node(context, AGGREGATORS)
    return (*striped, *site_environment(context), *last)


BY_ROMIO = Export("ROMIO_PRINT_HINTS", "1")
"""ROMIO prints the hints of a file that it opens, whichever MPI library has it (its README)."""
PRINTS_HINTS = {"openmpi": Export("OMPI_MCA_io_ompio_verbose_info_parsing", "1")}
"""By library: OMPIO, which Open MPI has beside ROMIO, prints hints so (docs.open-mpi.org, The OMPIO component)."""


def _look_for_a_hint(context: Context, opening: str) -> Advice:
    library = context.word("mpi.library") or context.site.mpi_library
    text = f"{opening} for a hint that limits the aggregators, and see how many were used"
    if library not in (None, CRAY_MPICH):
        return advice(f"{text}: the list of hints has cb_nodes.", PRINTS_HINTS.get(library, BY_ROMIO))
    prints = "; Cray's library prints both." if library is None else "."
    return advice(
        f"{text}{prints}",
        AskFor(HINTS),
        AskFor(STATS),
        citation=Citation("theta-io", "Key Cray MPI-IO Profiling and Tuning Environment variables"),
    )


def impact(context: Context) -> Impact | None:
    room = context.number("mpiio.expected_aggregators")
    if room is None:
        return None
    striped = may_stripe(context)
    several = max(1.0, min(room, stripes_advised(context)) if striped else room)
    if several < 2:
        # A file of few bytes is to have one stripe: no second aggregator would share it.
        return None
    cure = f"{number(several)} aggregators{' on as many OSTs' if striped else ''} shared it evenly"
    return documented_saving(context, cure, osts="file.stripes_possible" if striped else LIE_ON)


rule = Rule(
    id="single-aggregator",
    title="One aggregator for all collective I/O",
    clear_title="Collective I/O uses several aggregators",
    scope="group",
    severity="high",
    priority=11,
    carries=share_of_job,
    requires=all_of(
        IsOneOf("io.pattern", ("shared-collective",)),
        IsOneOf("file.on_nodes", ("several", "unknown")),
        any_of(
            when_present("mpiio.expected_aggregators", Compare("mpiio.expected_aggregators", ">=", EXPECTED.id)),
            when_present("mpiio.aggregators", called_often(CALLS)),
        ),
        Compare("file.mean_bytes", ">=", BYTES.id),
        any_of(
            IsOneOf("file.one_stripe", ("no", "unknown")),
            Compare("file.mean_bytes", ">=", ON_ONE_STRIPE.id),
        ),
    ),
    condition=any_when_present(
        ("mpiio.aggregators", (Compare("mpiio.aggregators", "<=", EFFECTIVE.id),)),
        ("mpiio.effective_aggregators", (Compare("mpiio.effective_aggregators", "<=", EFFECTIVE.id),)),
    ),
    supports=(Compare("mpiio.to_posix_time", ">=", SKEW.id),),
    thresholds=(EFFECTIVE, EXPECTED, CALLS, BYTES, ON_ONE_STRIPE, SKEW),
    citations=(
        AGGREGATORS,
        Citation("darshan-logs", "imbalanced_io: shared file on a single server"),
        Citation("darshan-logs", "skew_io: time in MPI-IO far above POSIX"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "small-io",
        "misaligned-io",
        "subfile",
        "straggler-rank",
        "few-aggregators",
        "aggregator-skew",
        "collective-overhead",
        "system-writes-not-stripe-sized",
        "ssf-understriped",
        "ssf-stripe-size",
        "archer2-ssf-settings",
        "write-gaps",
        "wait-for-coll",
        "data-send-bound",
    ),
    claims=(Claim(SHARED_FILE),),
)
