"""How large POSIX accesses are."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.typical_sizes import formula_of, typical_size
from iotriage.metrics.tables.counters import total


@metric(
    "posix.average_write_size",
    "Average POSIX write",
    "B",
    about=About(direction="write"),
    formula="POSIX_BYTES_WRITTEN / POSIX_WRITES",
    needs="a Darshan log with POSIX records",
)
def average_write_size(s: Selection) -> Outcome:
    return quotient(total(s, "POSIX", "POSIX_BYTES_WRITTEN"), total(s, "POSIX", "POSIX_WRITES"), zero="no POSIX writes")


@metric(
    "posix.typical_write_size",
    "Typical POSIX write",
    "B",
    about=About(direction="write"),
    formula=formula_of("POSIX", "write"),
    needs="a Darshan log with POSIX records",
)
def typical_write_size(s: Selection) -> Outcome:
    return typical_size(s, "POSIX", "write", outcome(s, "posix.average_write_size"))


@metric(
    "posix.average_read_size",
    "Average POSIX read",
    "B",
    about=About(direction="read"),
    formula="POSIX_BYTES_READ / POSIX_READS",
    needs="a Darshan log with POSIX records",
)
def average_read_size(s: Selection) -> Outcome:
    return quotient(total(s, "POSIX", "POSIX_BYTES_READ"), total(s, "POSIX", "POSIX_READS"), zero="no POSIX reads")


def _declare_fraction(direction: Literal["read", "write"], counter: str) -> None:
    @metric(
        f"posix.{direction}_fraction",
        f"Share of the POSIX bytes that are {'read' if direction == 'read' else 'written'}",
        "share",
        about=About(time=False, direction=direction),
        formula=f"{counter} / (POSIX_BYTES_READ + POSIX_BYTES_WRITTEN)",
        needs="a Darshan log with POSIX records",
    )
    def fraction(s: Selection) -> Outcome:
        every = total(s, "POSIX", "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")
        return quotient(total(s, "POSIX", counter), every, zero="no bytes were moved by POSIX calls")


_declare_fraction("read", "POSIX_BYTES_READ")
_declare_fraction("write", "POSIX_BYTES_WRITTEN")


@metric(
    "posix.average_size",
    "Average POSIX access",
    "B",
    formula="(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) / (POSIX_READS + POSIX_WRITES)",
    needs="a Darshan log with POSIX records",
)
def average_size(s: Selection) -> Outcome:
    moved = total(s, "POSIX", "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")
    return quotient(moved, total(s, "POSIX", "POSIX_READS", "POSIX_WRITES"), zero="no POSIX reads or writes")
