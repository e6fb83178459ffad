"""Small accesses that are as fast as large ones: read ahead, written behind, or answered by memory."""

from __future__ import annotations

from iotriage.rules.access.fast_rates import rank_rate_threshold, total_rate_threshold
from iotriage.rules.access.page_cache import memory_threshold, waits_for_storage
from iotriage.rules.core import Statement, Threshold, ours
from iotriage.rules.core.condition import AllOf, AnyOf, Compare
from iotriage.rules.core.slider import logarithmic

RANDOM = Threshold(
    id="small-io.random",
    title="Share of the accesses that go back in the file, from which reading ahead explains no short time",
    default=0.20,
    unit="share",
    stated_by=Statement("drishti", "random_operations", "More than a fifth neither sequential nor consecutive."),
)
MEMORY = memory_threshold("small-io")
RATE = rank_rate_threshold("small-io", "Rate of a rank in its POSIX calls, from which their number holds nothing up")
IN_ORDER_RATE = Threshold(
    id="small-io.rate-in-order",
    title="Rate of a rank in POSIX calls in order, from which their number holds nothing up, if all ranks are fast",
    default=50 * 2.0**20,
    unit="B/s",
    stated_by=ours(
        "small accesses", "Many ranks share what a file system gives: a tenth of what one alone gets is no latency."
    ),
    slider=logarithmic(1e5, 1e11),
)
TOGETHER_RATE = total_rate_threshold(
    "small-io", "Rate of all ranks together from which calls that go on in order are fast"
)
OF_FAST_CALLS = (RANDOM, MEMORY, RATE, IN_ORDER_RATE, TOGETHER_RATE)

NOT_FROM_MEMORY = AnyOf((Compare("posix.random_fraction", "<=", RANDOM.id), waits_for_storage(MEMORY)))
"""Accesses in order are read ahead and written behind: larger ones spare calls. Those that go back and forth, as fast
as memory is, are answered by it."""

NOT_AS_LARGE_ONES = AnyOf(
    (
        AllOf(
            (
                Compare("posix.rank_rate", "<", RATE.id),
                AnyOf(
                    (
                        Compare("posix.rank_rate", "<", IN_ORDER_RATE.id),
                        Compare("posix.random_fraction", ">", RANDOM.id),
                        Compare("io.bandwidth", "<", TOGETHER_RATE.id),
                    )
                ),
            )
        ),
        Compare("posix.call_time", "<", MEMORY.id),
    )
)
"""Read ahead and written behind, small accesses may move as much in a second as large ones; where each takes as long as
a call does anyway, larger ones move more."""
