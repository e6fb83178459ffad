"""By which figures a rank keeps the others waiting: more bytes, more time, its node, its storage."""

from __future__ import annotations

from iotriage.rules.collective.why_it_is_slow import APART, BYTES, COMMON, LOST, MOVERS_TIME, SURE_TIME, TIME, WAIT
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present

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
TAKES_LONGER = when_present("balance.time", BESIDE_NOTHING, Compare("balance.time", ">=", TIME.id))
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
SLOWER_STORAGE = when_present(
    "balance.storage_waiting_fraction",
    AnyOf(
        (
            Compare("balance.storage_time", ">=", TIME.id),
            AllOf(
                (IsOneOf("io.pattern", ("shared-collective",)), Compare("balance.storage_time", ">=", MOVERS_TIME.id))
            ),
        )
    ),
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
