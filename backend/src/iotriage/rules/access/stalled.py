"""Small accesses that take seconds each: a server stands still, or a pipe has nothing yet."""

from __future__ import annotations

from iotriage.rules.core import Threshold, ours
from iotriage.rules.core.condition import AnyOf, Compare, IsOneOf

STALLED = Threshold(
    id="small-io.stalled",
    title="Average time of an access to a file of one rank, from which neither its size nor their number is the cause",
    default=1.0,
    unit="s",
    stated_by=ours("small accesses", "A small call takes milliseconds, over a busy network some more, and no seconds."),
    minimum=0.01,
    maximum=1000.0,
    scale="log",
)
NOT_STALLED = AnyOf(
    (
        Compare("posix.call_time", "<", STALLED.id),
        IsOneOf("io.pattern", ("shared-independent", "shared-collective", "subfiling")),
    )
)
"""In a shared file a call may wait for those of all other ranks, and fewer calls are the cure."""
