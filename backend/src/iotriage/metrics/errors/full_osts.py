"""OSTs that have no room left, by the list of them that is given beside the errors."""

from __future__ import annotations

from typing import Final

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Lines, OstUsage, TargetUsage

_FULL: Final = 0.99
"""Lustre leaves some of each OST to root, and takes no new files before it is all used."""


@metric(
    "errors.full_osts",
    "OSTs without room",
    "word",
    formula="of lfs df, the OSTs that are 99 % full or more, by name",
    needs="the output of lfs df",
    scopes=["job"],
)
def full_osts(s: Selection) -> Outcome:
    listed = [(source, ost) for source, usage in s.of(OstUsage) for ost in usage.osts]
    if not listed:
        return Absent("no list of OSTs (lfs df) was given")
    full = [(source, ost) for source, ost in listed if _is_full(ost)]
    if not full:
        return Absent("none of the OSTs that are listed is full")
    source, first = full[0]
    more = f" and {len(full) - 1:,} more" if len(full) > 1 else ""
    return Value(f"{first.name}{more}", where=(Where(source, Lines(first.line, first.line)),))


def _is_full(ost: TargetUsage) -> bool:
    if ost.used_bytes is None or ost.available_bytes is None:
        return False
    whole = ost.used_bytes + ost.available_bytes
    return whole > 0 and ost.used_bytes / whole >= _FULL
