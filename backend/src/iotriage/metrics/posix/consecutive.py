"""How far each rank goes on in a file where it stopped: whether the ranks' accesses are interleaved."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import total


def _declare(direction: Literal["read", "write"]) -> None:
    counter = f"{direction.upper()}S"

    @metric(
        f"posix.consecutive_{direction}_fraction",
        f"Consecutive POSIX {direction}s",
        "share",
        about=About(time=False, direction=direction),
        formula=f"POSIX_CONSEC_{counter} / POSIX_{counter}",
        needs="a Darshan log with POSIX records",
    )
    def consecutive(s: Selection) -> Outcome:
        return quotient(
            total(s, "POSIX", f"POSIX_CONSEC_{counter}"),
            total(s, "POSIX", f"POSIX_{counter}"),
            zero=f"no POSIX {direction}s",
            at_most=1.0,
        )


_declare("read")
_declare("write")
