"""Small accesses that take seconds each: a server stands still, or a pipe has nothing yet."""

from __future__ import annotations

from iotriage.rules.core import Threshold, ours
from iotriage.rules.core.condition import Compare
from iotriage.rules.core.slider import logarithmic

STALLED = Threshold(
    id="small-io.stalled",
    title="Average time of a POSIX access from which neither its size nor their number is the cause",
    default=5.0,
    unit="s",
    stated_by=ours(
        "small accesses", "A small call takes milliseconds, in a file that hundreds of ranks lock a second or two."
    ),
    slider=logarithmic(0.01, 1000.0),
)
NOT_STALLED = Compare("posix.call_time", "<", STALLED.id)
