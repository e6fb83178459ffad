"""Which accesses are small: by count, size and time, at each layer and in each direction."""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.advice.calls import mostly_reads
from iotriage.rules.core import Context, Statement, Threshold, ours
from iotriage.rules.core.condition import Compare, Condition, IsOneOf, all_of, any_when_present, when_present
from iotriage.rules.core.slider import logarithmic

FRACTION = Threshold(
    id="small-io.fraction",
    title="Accesses below 1 MiB over all of one direction",
    default=0.50,
    unit="share",
    stated_by=ours(
        "small accesses",
        "Drishti takes a tenth, and then nearly every job has it (98 % of 112,612 logs); half is ours.",
    ),
)

COUNT = Threshold(
    id="small-io.count",
    title="Accesses below 1 MiB of one direction",
    default=1000.0,
    unit="calls",
    stated_by=Statement("drishti", "small_requests_absolute", "More than 1,000 small requests."),
    slider=logarithmic(1.0, 1e8),
)

AVERAGE = Threshold(
    id="small-io.average-size",
    title="Average access below which the bytes travel in small pieces",
    default=average_of(2**18),
    unit="B",
    stated_by=ours(
        "small accesses",
        "A quarter of the default stripe of 1 MiB: then small accesses carry the bytes, not only the count. "
        f"{OF_AN_AVERAGE}",
    ),
    slider=logarithmic(512.0, float(2**24)),
)

PIECES = Threshold(
    id="small-io.pieces",
    title="System writes for each MPI-IO write that show it was taken apart",
    default=10.0,
    unit="ratio",
    stated_by=ours("small accesses", "Collective buffering makes fewer system writes than calls, not ten times more."),
    slider=logarithmic(1.0, 1e6),
)

ALONE = Threshold(
    id="small-io.independent",
    title="Share of the MPI-IO calls that are independent, and of the bytes that these carry, from which calls of one "
    "kind only are judged",
    default=0.50,
    unit="share",
    stated_by=ours(
        "small accesses", "Small independent calls beside large collective ones: ranks wait in the collective ones."
    ),
)

TIME = Threshold(
    id="small-io.time",
    title="Share of the time in reads, or writes, that those below 1 MiB can have taken",
    default=0.25,
    unit="share",
    stated_by=ours(
        "small accesses", "Headers beside large blocks are many and cheap: whoever gathers them wins what they take."
    ),
)


def _conditions_of_small(layer: str, direction: str) -> tuple[Condition, ...]:
    """Small by count and on average, in one direction; collective calls, where they bring no more together."""
    gathered = (IsOneOf(f"mpiio.gathered_{direction}s", ("no", "unknown")),) if layer == "mpiio" else ()
    timed = (Compare(f"{layer}.small_{direction}_time_fraction", ">=", TIME.id),) if layer in TIMED else ()
    counted = (Compare(f"{layer}.small_{direction}s", ">=", COUNT.id),) if layer in TIMED else ()
    return (
        *counted,
        Compare(f"{layer}.small_{direction}_fraction", ">=", FRACTION.id),
        Compare(f"{layer}.average_{direction}_size", "<", AVERAGE.id),
        *timed,
        *gathered,
    )


TIMED = ("mpiio", "posix")
"""Layers whose records tell reads from writes, and what the calls of one size can have taken."""


def is_small(layer: str, direction: str) -> Condition:
    """Whether the accesses of that layer are small in one direction, where the layer has any."""
    return when_present(f"{layer}.small_{direction}_fraction", *_conditions_of_small(layer, direction))


def small_at_layer(layer: str) -> Condition:
    """Whether they are in any direction; layers that do not tell directions apart are counted as a whole."""
    ways = any_when_present(
        *((f"{layer}.average_{way}_size", _conditions_of_small(layer, way)) for way in ("write", "read"))
    )
    return ways if layer in TIMED else all_of(Compare(f"{layer}.small_accesses", ">=", COUNT.id), ways)


TAKEN_APART = when_present(
    "mpiio.system_writes_per_call",
    Compare("mpiio.system_writes_per_call", ">=", PIECES.id),
    IsOneOf("mpiio.writes_cut_by_stripes", ("no", "unknown")),
    is_small("posix", "write"),
)
"""Not by stripes, which are as small: `ssf-stripe-size`."""

LAYERS = {"MPI-IO": "mpiio", "DFS": "dfs", "DAOS": "daos"}
"""What the metrics of the layer that the program calls begin with."""


def small_way(context: Context) -> str:
    """The direction whose accesses are small; where both are, or none by itself, that in which most bytes move."""
    small = small_ways(context)
    return small[0] if len(small) == 1 else "read" if mostly_reads(context) else "write"


def small_ways(context: Context) -> list[str]:
    """The directions whose accesses are small; where the numbers of the words have none, those with any."""
    layer = LAYERS.get(context.word("io.layer") or "", "posix")
    held = [way for way in ("write", "read") if context.holds(is_small(layer, way))]
    return held or [way for way in ("write", "read") if context.number(f"{layer}.small_{way}_fraction")]


def mostly_independent(context: Context) -> bool:
    """Whether most MPI-IO calls of the direction that is small are independent: no buffer gathers them."""
    return context.holds(Compare(f"mpiio.independent_{small_way(context)}_fraction", ">=", FRACTION.id))


def beside_collective(context: Context) -> bool:
    """Whether most calls are independent, and these may carry few of the bytes."""
    return mostly_independent(context) and context.holds(
        Compare("mpiio.independent_bytes_lower_fraction", "<", ALONE.id)
    )
