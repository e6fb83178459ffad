"""Whether the slowest rank waited in one call: then something stood still once, and nothing is slow throughout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from iotriage.metrics.balance.slowest_file import slowest_file
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

Kind = Literal["open", "read", "write"]


@frozen
class LongestCall:
    """What it does, and its seconds."""

    kind: Kind
    seconds: float


@cached_per_selection
def longest_call(s: Selection) -> LongestCall | Absent:
    slow = slowest_file(s)
    if isinstance(slow, Absent):
        return slow
    took = np.where((slow.table.ids == slow.record) & (slow.table.ranks >= 0), rank_times(slow.table), -1.0)
    at = int(took.argmax())
    if took[at] < NO_TIME:
        return Absent("of a file that all ranks share the log has not the slowest rank's own calls")
    kind, seconds = max(_calls(slow.table, at), key=lambda call: call[1], default=("read", 0.0))
    if seconds < NO_TIME:
        return Absent(f"Darshan's {slow.table.module} module has not the longest call")
    return LongestCall(kind, seconds)


def _calls(table: CounterTable, at: int) -> Iterator[tuple[Kind, float]]:
    """The longest read and the longest write of several, and the open where there is one only."""
    prefix = PREFIX[table.module]
    for kind, way in _WAYS:
        timer = f"{prefix}_F_MAX_{way}_TIME"
        if timer in table.float_names and _count(table, at, f"{way}S") >= SEVERAL:
            yield kind, float(np.nan_to_num(table.seconds(timer)[at]))
    if _count(table, at, "OPENS") == 1:
        begin, end = (float(table.seconds(f"{prefix}_F_OPEN_{which}_TIMESTAMP")[at]) for which in ("START", "END"))
        yield "open", max(0.0, float(np.nan_to_num(end - begin)))


def _count(table: CounterTable, at: int, calls: str) -> int:
    counted = (f"{PREFIX[table.module]}_{how}{calls}" for how in ("", "INDEP_", "COLL_", "SPLIT_", "NB_"))
    return sum(max(0, int(table.count(name)[at])) for name in counted if name in table.int_names)


_WAYS: tuple[tuple[Kind, str], ...] = (("read", "READ"), ("write", "WRITE"))

SEVERAL = 8
"""Calls from which the longest stands apart from the others: of one or two large ones it is the storage's rate."""


@metric(
    "balance.longest_call",
    "Longest call of the slowest rank in the file in which it is slower",
    "s",
    formula="the largest of MAX_READ_TIME and MAX_WRITE_TIME, each of "
    f"{SEVERAL} calls or more, and of the open where it is one, of its own record of balance.file",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=longest_call,
)
def balance_longest_call(found: LongestCall) -> Outcome:
    return Value(found.seconds, "inferred")


@metric(
    "balance.longest_call_kind",
    "What the longest call of the slowest rank does",
    "word",
    formula="open, read or write: that of balance.longest_call",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=longest_call,
)
def longest_call_kind(found: LongestCall) -> Outcome:
    return Value(found.kind, "inferred")
