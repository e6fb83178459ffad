"""Accesses that memory of the node answers: nobody waits for a storage there."""

from __future__ import annotations

from iotriage.rules.core import Threshold, ours
from iotriage.rules.core.condition import Compare
from iotriage.rules.core.slider import logarithmic

MEMORY_S = 1e-5
"""Seconds of an access."""


def memory_threshold(rule: str) -> Threshold:
    """How long an access that goes back and forth takes at least, for `rule` to look for its cause in the storage."""
    return Threshold(
        id=f"{rule}.memory",
        title="Time of an access that memory does not answer",
        default=MEMORY_S,
        unit="s",
        stated_by=ours(
            "small accesses",
            "The page cache gives a few KiB in about 2 µs; the fastest flash takes several times as long as 10 µs.",
        ),
        slider=logarithmic(1e-7, 1.0),
    )


def waits_for_storage(longest: Threshold) -> Compare:
    """Whether somebody waits for more than memory."""
    return Compare("posix.call_time", ">=", longest.id)
