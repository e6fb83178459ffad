"""Why a run bears a finding out, refutes it, or leaves it open."""

from __future__ import annotations

STILL_THERE = "The finding is still there: what was changed did not touch it."
NOT_DECIDED_THERE = "The other run's sources do not show whether it is still there."
NO_TIMES = "It is gone, but the times of the two runs cannot be compared."
ENDED_EARLY = (
    "It is gone, but the other run was ended before it had moved as much: what was to come may have brought it back."
)
TOO_SHORT = "It is gone, but both runs spend under a second in I/O: caches and start-up decide such times."
GONE_AND_FASTER = "It is gone, and the I/O is faster by more than equal runs usually differ."
GONE_BY_SEVERAL_CHANGES = (
    "It is gone, and the I/O is faster by more than equal runs usually differ; which of the settings that were changed "
    "took it away is not told."
)
GONE_WITH_OTHERS = (
    "It is gone, and the I/O is faster, but other findings went with it: which of them did it cannot be told."
)
GONE_BY_ONE_CHANGE = (
    "It is gone, and the I/O is faster; other findings went with it, by the one setting that was changed: together "
    "they took the time."
)
TIME_AGAINST_RATE = (
    "It is gone, and the I/O takes less time or more, but of other bytes, and their rate says the opposite."
)
ANOTHER_CAME = (
    "It is gone, and the I/O is no faster, but another cause came: that may take the time that this one took."
)
OTHERS_MAY_COST = (
    "It is gone, and the I/O is no faster, but more than one setting was changed: another may cost what this one saves."
)
GONE_NOT_FASTER = "It is gone, and the I/O is no faster: it was not what took the time."
