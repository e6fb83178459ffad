"""The calls are collective, but every rank goes to the file itself.

## What it does
Looks at files that are accessed with collective calls in small pieces. It holds when a hint switches collective
buffering off for writes that are small, or for reads that are, or when the bytes are shared by nearly all ranks and
were moved in small system calls, of which none is made of several calls of the program: those are gathered, as on
nodes with one rank each, where every rank is an aggregator. A direction with few of the bytes decides nothing: beside
large writes, small reads are a library's own.

## Why it matters
A collective call only helps when the library gathers the pieces on a few aggregators. With `romio_cb_write=disable`
(or `romio_cb_read`), or where the library decides against it, each rank writes its own pieces: with data sieving the
library reads and writes back whole blocks around them, without it the file system gets thousands of small writes.
Darshan counts the calls as collective in both cases.

## What to do
Switch collective buffering on, and leave data sieving as it is: switching that off alone made the same program about
four times slower.

## Limits
`automatic` may rightly leave large contiguous accesses to the ranks; such files are left out by the size of the
system calls. Where `MPICH_MPIIO_STATS` alone counted, a hint must switch it off, and the pieces must be small though
all bytes were those of the collective calls: a library's own headers, written independently, are not what a buffer
gathers. Without a display of the hints the finding rests on who moved the bytes, and cannot say why.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.advice.calls import hints, reads_or_writes, these_files
from iotriage.rules.collective.shared_files import called_often, moving_ranks_threshold
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import SHARED_FILE, Claim
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Condition, IsOneOf, any_when_present, when_present
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence, share, size

SHARE = moving_ranks_threshold("collective-disabled")
RANKS = Threshold(
    id="collective-disabled.ranks",
    title="Ranks from which aggregators differ from all ranks",
    default=4.0,
    unit="ranks",
    stated_by=ours("collective buffering", "On two or three ranks every rank may be an aggregator."),
    slider=logarithmic(2.0, 1024.0),
)
CALLS = Threshold(
    id="collective-disabled.calls",
    title="Collective calls, summed over ranks, that stand for as many ranks where their number is not known",
    default=8.0,
    unit="calls",
    stated_by=ours("collective buffering", "MPICH counts a collective call once for each rank that takes part."),
    slider=logarithmic(2.0, 1e6),
)
SMALL = Threshold(
    id="collective-disabled.small",
    title="Share of the system writes or reads below 1 MiB",
    default=0.50,
    unit="share",
    stated_by=Statement(
        "theta-io",
        "File storage approaches",
        "Collectives pay for small discontiguous pieces, less for large contiguous ones; no share is given, half is "
        "ours.",
    ),
    slider=linear(0.05),
)
AVERAGE = Threshold(
    id="collective-disabled.average",
    title="Average size of a system write or read, below which it is the bytes that are in small pieces",
    default=average_of(2**20),
    unit="B",
    stated_by=ours(
        "collective buffering",
        f"Many small calls beside a few of 100 MiB are headers; 1 MiB is one stripe. {OF_AN_AVERAGE}",
    ),
    slider=logarithmic(4096.0, float(2**26)),
)
DIRECTION = Threshold(
    id="collective-disabled.direction",
    title="Share of the bytes that are written, or read, from which the direction counts",
    default=0.25,
    unit="share",
    stated_by=ours("collective buffering", "What is a small part of the bytes is not what collective calls carry."),
)
IN_STRIPES = Threshold(
    id="collective-disabled.in-stripes",
    title="Share of the bytes in system calls of exactly one stripe, from which a buffer made them",
    default=0.50,
    unit="share",
    stated_by=ours("collective buffering", "Pieces of a program are whole stripes by chance alone; half is ours."),
    slider=linear(0.05),
)
AMPLIFIED = Threshold(
    id="collective-disabled.amplification",
    title="Bytes stored for each byte written",
    default=1.5,
    unit="ratio",
    stated_by=ours("collective buffering", "Whole blocks are written back around small pieces; a half more is ours."),
    slider=logarithmic(1.0, 10.0),
)

OVERVIEW = Citation("theta-io", "Cray MPI-IO Overview")


_OFF = ("disable", "false")


def _about_hints(context: Context) -> str:
    shown = [context.word(f"hints.cb_{way}") for way in _judged(context)]
    if any(value in _OFF for value in shown):
        return "A hint switches collective buffering off."
    if any(shown):
        return "The hints do not switch collective buffering off: the library decided against it."
    return "No source shows the hints: why it is off is not known."


def _judged(context: Context) -> tuple[str, ...]:
    """The directions in which the pieces are small; both where no counter tells."""
    small = tuple(way for way in DONE if _is_in_small_pieces(context, way))
    return small or tuple(DONE)


def _is_in_small_pieces(context: Context, way: str) -> bool:
    ways = (_small(way), _small_by_text(way), *((_AMPLIFIED,) if way == "write" else ()))
    return context.holds(AnyOf(ways))


def says(context: Context) -> Words:
    by_some = context.holds(Compare("mpiio.effective_share", "<", SHARE.id))
    who = "the ranks with data go to the file themselves" if by_some else "every rank goes to the file itself"
    return Words(
        f"The calls are collective, but collective buffering is not at work: {who}.",
        paragraph(
            sentence(
                "On {}, {} of the ranks moved the bytes themselves.",
                these_files(context),
                formatted(context.number("mpiio.effective_share"), share),
            ),
            *_calls(context, "write"),
            *_calls(context, "read"),
            _about_hints(context),
        ),
    )


def _calls(context: Context, way: str) -> tuple[str | None, ...]:
    if context.number(f"posix.{way}_fraction") is None:
        return _calls_by_text(context, way)
    if not context.holds(Compare(f"posix.{way}_fraction", ">=", DIRECTION.id)):
        return ()
    return (
        sentence(
            f"A system {way} moves {{}} on average.", formatted(context.number(f"posix.average_{way}_size"), size)
        ),
        sentence("There were {}.", formatted(context.number(f"posix.{way}s"), lambda n: plural(n, f"system {way}"))),
    )


def _calls_by_text(context: Context, way: str) -> tuple[str | None, ...]:
    if not context.holds(Compare(f"mpiio.{DONE[way]}_fraction", ">=", DIRECTION.id)):
        return ()
    calls, piece = (context.number(f"mpiio.{name}") for name in (f"system_{way}s", f"collective_{way}_piece"))
    return (
        sentence("MPICH_MPIIO_STATS counts {}.", formatted(calls, lambda n: plural(n, f"system {way}"))),
        sentence("Those of the collective calls move at most {} on average.", formatted(piece, size)),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    does = reads_or_writes(context)
    ways = [way for way in ("write", "read") if f"{way}s" in does]
    text = f"Switch collective buffering on, so that a few ranks {' and '.join(reversed(ways))} large blocks for all."
    return hints(context, text, OVERVIEW, *((f"romio_cb_{way}", "enable") for way in ways))


def _is_small(way: str) -> tuple[Condition, ...]:
    return (
        Compare(f"posix.small_{way}_fraction", ">=", SMALL.id),
        Compare(f"posix.average_{way}_size", "<", AVERAGE.id),
        Compare(f"posix.{way}_fraction", ">=", DIRECTION.id),
    )


def _small(way: str) -> Condition:
    return when_present(f"posix.small_{way}_fraction", *_is_small(way))


DONE = {"write": "written", "read": "read"}


def _is_small_by_text(way: str) -> tuple[Condition, ...]:
    """Whether pieces are small by the counts of the library: on average, whatever the independent calls beside them
    moved."""
    return (
        Compare(f"mpiio.collective_{way}_piece", "<", AVERAGE.id),
        Compare(f"mpiio.{way}_whole_stripe_fraction", "<", IN_STRIPES.id),
        Compare(f"mpiio.{DONE[way]}_fraction", ">=", DIRECTION.id),
    )


def _small_by_text(way: str) -> Condition:
    return when_present(f"mpiio.collective_{way}_piece", *_is_small_by_text(way))


_SMALL_WRITES, _SMALL_READS = _small("write"), _small("read")


def _not_merged(way: str) -> Condition:
    """What is made of several calls was gathered, by as many ranks as it may be: with a rank on each node all of them
    are aggregators."""
    return IsOneOf(f"mpiio.merged_{way}s", ("no", "unknown"))


def _by_each_rank(way: str) -> Condition:
    return AllOf((_small(way), _not_merged(way)))


_IS_AMPLIFIED = Compare("mpiio.write_amplification", ">=", AMPLIFIED.id)
_AMPLIFIED = when_present("mpiio.write_amplification", _IS_AMPLIFIED)
_NOTHING_TELLS = AllOf(
    (
        IsOneOf("hints.cb_write", _OFF),
        IsOneOf("hints.cb_read", _OFF),
        Compare("mpiio.effective_share", ">=", SHARE.id),
        any_when_present(
            *((f"posix.small_{way}_fraction", (*_is_small(way), _not_merged(way))) for way in DONE),
            *((f"mpiio.collective_{way}_piece", _is_small_by_text(way)) for way in DONE),
            ("mpiio.write_amplification", (_IS_AMPLIFIED,)),
        ),
    )
)
"""Unknown where neither a hint nor who moved the bytes is seen, and the pieces are small as far as they are: then
nobody knows whether there is a buffer. It holds where all else does."""


def impact(context: Context) -> Impact | None:
    return documented_saving(context, "the collective calls were buffered")


rule = Rule(
    id="collective-disabled",
    title="Collective buffering not at work",
    clear_title="Collective calls are buffered",
    scope="group",
    severity="high",
    priority=12,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("io.pattern", ("shared-collective",)),
            AnyOf(
                (
                    Compare("job.nprocs", ">=", RANKS.id),
                    AllOf((IsOneOf("job.ranks_told", ("no",)), called_often(CALLS))),
                )
            ),
        )
    ),
    condition=AnyOf(
        (
            AllOf(
                (
                    AnyOf((_SMALL_WRITES, _small_by_text("write"), _AMPLIFIED)),
                    when_present("hints.cb_write", IsOneOf("hints.cb_write", _OFF)),
                )
            ),
            AllOf(
                (
                    AnyOf((_SMALL_READS, _small_by_text("read"))),
                    when_present("hints.cb_read", IsOneOf("hints.cb_read", _OFF)),
                )
            ),
            AllOf(
                (
                    AnyOf((*map(_by_each_rank, ("write", "read")), _AMPLIFIED)),
                    when_present("mpiio.effective_share", Compare("mpiio.effective_share", ">=", SHARE.id)),
                )
            ),
            _NOTHING_TELLS,
        )
    ),
    thresholds=(SHARE, RANKS, CALLS, SMALL, AVERAGE, DIRECTION, IN_STRIPES, AMPLIFIED),
    citations=(OVERVIEW, Citation("theta-io", "Cray MPI-IO Collectives")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "collective-overhead",
        "small-io",
        "misaligned-io",
        "lock-contention",
        "aggregator-skew",
        "read-modify-write",
        "write-gaps",
        "system-writes-not-stripe-sized",
        "redundant-reads",
    ),
    claims=(Claim(SHARED_FILE),),
)
