"""By which figures a rank keeps the others waiting: more bytes, more time, its node, its storage."""

from __future__ import annotations

from iotriage.rules.core import Threshold, ours
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present
from iotriage.rules.core.slider import linear, logarithmic

BYTES = Threshold(
    id="straggler-rank.bytes",
    title="Bytes of the busiest rank over the mean",
    default=2.0,
    unit="ratio",
    stated_by=ours("imbalance", "Drishti takes 15 % and flags half of all small jobs; twice the mean is ours."),
    slider=logarithmic(1.1, 100.0),
)
TIME = Threshold(
    id="straggler-rank.time",
    title="I/O time of the slowest rank over the mean",
    default=3.0,
    unit="ratio",
    stated_by=ours("imbalance", "Time varies more than bytes: other users, other nodes. Three times is ours."),
    slider=logarithmic(1.1, 100.0),
)
OF_OTHERS = Threshold(
    id="straggler-rank.of-others",
    title="I/O time of the slowest rank over the mean of the others",
    default=4.0,
    unit="ratio",
    stated_by=ours("imbalance", "None of four ranks can take four times their mean: of few ranks the others tell."),
    slider=logarithmic(1.1, 1000.0),
)
SURE_TIME = Threshold(
    id="straggler-rank.sure-time",
    title="I/O time of the slowest rank over the mean, where a few ranks with as much to do stand apart",
    default=1.5,
    unit="ratio",
    stated_by=ours("imbalance", "All wait for them: half as long again is worth a look."),
    slider=logarithmic(1.1, 100.0),
)
APART = Threshold(
    id="straggler-rank.apart",
    title="I/O time of the slow ranks over the longest of the others",
    default=1.3,
    unit="ratio",
    stated_by=ours("imbalance", "Beyond what 95 % of the others take, by a third: no chance among many ranks."),
    slider=logarithmic(1.0, 100.0),
)
MOVERS_TIME = Threshold(
    id="straggler-rank.collective-time",
    title="Time in the storage of the slowest rank over the mean of those that move the bytes of collective calls",
    default=2.0,
    unit="ratio",
    stated_by=ours("imbalance", "In a collective call all wait for the slowest, at the same bytes; twice is ours."),
    slider=logarithmic(1.1, 100.0),
)
LOST = Threshold(
    id="straggler-rank.lost",
    title="Share of the I/O time in which those that move the bytes wait for the slowest of them",
    default=0.20,
    unit="share",
    stated_by=ours("imbalance", "What is lost in one file must count in the job's I/O; a fifth is ours."),
)
WAIT = Threshold(
    id="straggler-rank.wait",
    title="I/O time of the slowest rank over the mean, below which nobody waits for it",
    default=1.25,
    unit="ratio",
    stated_by=ours(
        "imbalance", "Who moves more bytes and is done with the others costs nothing; a fifth of the time is."
    ),
    slider=logarithmic(1.0, 10.0),
)
COMMON = Threshold(
    id="straggler-rank.common",
    title="Share of what the slowest rank takes beyond the mean in files of which many ranks have some",
    default=0.5,
    unit="share",
    stated_by=ours("imbalance", "Where most of it passes beside what a few write for all, these are not the cause."),
    slider=linear(0.1),
)

BESIDE_NOTHING = IsOneOf("balance.gathered_evenly", ("no", "unknown"))
"""Where one rank of each node or so writes some files for all, beside what each does, these ranks are no slower than
others at anything: that all do as much is not meant, and `few-writers` says whether they are enough."""
MOVES_MORE = when_present(
    "balance.bytes",
    BESIDE_NOTHING,
    Compare("balance.bytes", ">=", BYTES.id),
    # CrayPAT does not say how long the slowest rank was in I/O.
    AnyOf((Compare("balance.time", ">=", WAIT.id), Present("profiled.rank_time"))),
)
TAKES_LONGER = when_present(
    "balance.time",
    BESIDE_NOTHING,
    AnyOf(
        (
            Compare("balance.time", ">=", TIME.id),
            when_present(
                "balance.time_over_others",
                Compare("balance.time_over_others", ">=", OF_OTHERS.id),
                # Who asks for more of the mean asks for no less of the others: of many ranks the two are one figure.
                Compare("balance.time_over_others", ">=", TIME.id),
            ),
        )
    ),
)
STANDS_APART = when_present(
    "balance.apart",
    BESIDE_NOTHING,
    Compare("balance.time", ">=", SURE_TIME.id),
    Compare("balance.apart", ">=", APART.id),
)
ONE_NODE = when_present(
    "balance.block_apart", Compare("balance.time", ">=", WAIT.id), Compare("balance.block_apart", ">=", APART.id)
)
IN_COMMON_FILES = when_present(
    "balance.common_share",
    Compare("balance.common_share", ">=", COMMON.id),
    Compare("balance.time", ">=", WAIT.id),
    Compare("balance.common_time", ">=", TIME.id),
    # Who has more of some files is told of these (`uneven-files`).
    Compare("balance.common_bytes", "<", BYTES.id),
)
"""Whatever a few ranks write for all beside these files, or all in files that they share, it is not what makes the
others wait for this one."""
SLOW_FILE = when_present("balance.slow_group", Compare("balance.slow_group", ">=", APART.id))
"""All ranks of one file take longer than those of files that are striped alike: their number of stripes, and how its
ranks share each, is not what makes the difference."""
MOVER_TAKES_LONGER = AnyOf(
    (
        Compare("balance.storage_time", ">=", TIME.id),
        AllOf((IsOneOf("io.pattern", ("shared-collective",)), Compare("balance.storage_time", ">=", MOVERS_TIME.id))),
    )
)
SLOWER_STORAGE = when_present(
    "balance.storage_waiting_fraction",
    MOVER_TAKES_LONGER,
    Compare("balance.storage_waiting_fraction", ">=", LOST.id),
)
SLOW_MOVERS = when_present(
    "balance.storage_apart_fraction",
    IsOneOf("io.pattern", ("shared-collective", "subfiling")),
    Compare("balance.storage_apart", ">=", APART.id),
    Compare("balance.storage_apart_fraction", ">=", LOST.id),
)
SLOWER_MOVER = when_present(
    "timers.slowest_mover_fraction",
    Compare("timers.slowest_mover", ">=", TIME.id),
    Compare("timers.slowest_mover_fraction", ">=", LOST.id),
)

OF_TEXTS = (Present("profiled.rank_time"), Present("timers.slowest_mover"))
"""Of which no source tells the ranks that do no I/O."""
