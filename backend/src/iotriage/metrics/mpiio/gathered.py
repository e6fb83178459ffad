"""Whether collective calls bring enough together: the small piece of a rank is no small access then. And
whether stripes cut it up again."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.averages import average_of
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence.mpiio_stats import Direction

LARGE = average_of(2**18)
"""Bytes of an access below MPI-IO on average, from which it is not small: a quarter of a default stripe."""

ENOUGH = 2 * 2**20
"""Bytes of one collective call for each rank that moves them: two default stripes. With fewer, to begin each call
takes as long as to move them."""

MOSTLY = 0.5

COUNTS = ("mpiio.aggregators", "mpiio.movers", "mpiio.effective_aggregators")
"""How many ranks move the bytes, the surest first."""

WORDS = (
    f"yes where most calls are collective, an access below them has {LARGE:,.0f} bytes or more on average, and one "
    f"call {ENOUGH:,} for each rank that moves the bytes ({', '.join(COUNTS)}, the first that is known); else no, and "
    "unknown where something of that is not known"
)
NEEDS = "Darshan's MPI-IO and POSIX modules, or MPICH_MPIIO_STATS"


@metric(
    "mpiio.gathered_writes",
    "Whether collective writes gather enough",
    "word",
    about=About(direction="write"),
    formula=WORDS,
    needs=NEEDS,
)
def gathered_writes(s: Selection) -> Outcome:
    return _gathered(s, "write", outcome(s, "io.bytes_written"))


@metric(
    "mpiio.gathered_reads",
    "Whether collective reads gather enough",
    "word",
    about=About(direction="read"),
    formula=WORDS,
    needs=NEEDS,
)
def gathered_reads(s: Selection) -> Outcome:
    return _gathered(s, "read", outcome(s, "io.bytes_read"))


@metric(
    "mpiio.writes_cut_by_stripes",
    "Whether stripes cut up what collective writes gather",
    "word",
    about=About(direction="write"),
    formula="yes where at most half of the ranks move the bytes of collective writes and posix.typical_write_size is "
    "file.stripe_size, or up to a tenth less; else no, and unknown where something of that is not known",
    needs="Darshan's MPI-IO and POSIX modules, and LUSTRE records or lfs getstripe",
)
def writes_cut_by_stripes(s: Selection) -> Outcome:
    calls, size = outcome(s, "mpiio.collective_writes"), outcome(s, "posix.typical_write_size")
    if isinstance(calls, Absent):
        # A trace has the calls to the storage alone.
        return calls if isinstance(size, Absent) else Value("unknown")
    each, stripe = _number(size), _number(outcome(s, "file.stripe_size"))
    movers = _movers(s)
    if not _number(calls):
        return Value("no", "measured", calls.where)
    if each is None or not stripe or movers is None or s.nprocs is None:
        return Value("unknown", "measured", calls.where)
    cut = movers <= FEW * s.nprocs and NEARLY * stripe <= each <= stripe
    return Value("yes" if cut else "no", "inferred", calls.where)


FEW, NEARLY = 0.5, 0.9
"""Of the ranks, up to which those that move the bytes do it for others; and of a stripe, as where a file's last one, or
a header, is shorter."""


def _movers(s: Selection) -> float | None:
    return next((found for id in COUNTS if (found := _number(outcome(s, id))) is not None), None)


def _gathered(s: Selection, way: Direction, moved: Outcome) -> Outcome:
    calls, alone = outcome(s, f"mpiio.collective_{way}s"), _number(outcome(s, f"mpiio.independent_{way}_fraction"))
    if isinstance(calls, Absent):
        return calls
    together, total = _number(calls), _number(moved)
    if not together or (alone is not None and alone >= MOSTLY):
        return Value("no", "measured", calls.where)
    below = [outcome(s, id) for id in (f"posix.average_{way}_size", f"mpiio.system_{way}_average")]
    size = next((found for one in below if (found := _number(one)) is not None), None)
    movers = _movers(s)
    if alone is None or total is None or size is None or movers is None or s.nprocs is None:
        return Value("unknown", "measured", calls.where)
    enough = size >= LARGE and total * s.nprocs / together >= ENOUGH * movers
    return Value("yes" if enough else "no", "inferred", calls.where)


def _number(found: Outcome) -> float | None:
    return float(found.value) if isinstance(found, Value) and not isinstance(found.value, str) else None
