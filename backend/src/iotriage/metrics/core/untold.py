"""What is made of numbers that were worked out of counters which records do not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from iotriage.metrics.core.listing import named_with_verb
from iotriage.metrics.core.metric import Absent, Outcome
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Bools, Float64s, Untold

FEW = 0.05
"""Of the records, their bytes, seconds, calls and opens: where no more lack a counter, what the others say holds for
all. Ours: Darshan has a timer that cannot be true in one record of thousands."""

WEIGHTS = (
    ("BYTES_READ", "BYTES_WRITTEN"),
    ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"),
    ("READS", "WRITES", "INDEP_READS", "INDEP_WRITES", "COLL_READS", "COLL_WRITES"),
    ("OPENS", "INDEP_OPENS", "COLL_OPENS"),
)

NAMED = 3

NOT_KNOWN = "unknown"
"""What metrics of words answer that do not know."""


WhereLacking = Literal["absent", "lower", "judged"]
"""What a metric is where counters that it is made of are lacking: absent, as most are; at least what is known of it, as
a sum; or what its formula says, which looks itself at what is lacking."""


def without_untold(found: Outcome, untold: frozenset[Untold], where_lacking: WhereLacking) -> Outcome:
    """What is left of what a formula found that read these. A lower bound says so itself, and so does a formula that
    answers that it does not know."""
    if where_lacking == "judged":
        return found
    shares = {of: share for of in untold if (share := _share_lacking(of.table, of.counter)) > 0}
    if not shares:
        return found
    kept = replace(found, untold=frozenset(shares))
    if isinstance(kept, Absent) or kept.bound is not None or kept.value == NOT_KNOWN:
        return kept
    lacking = [of for of, share in shares.items() if share > FEW]
    if not lacking:
        return replace(kept, confidence="inferred")
    if where_lacking == "lower" and not isinstance(kept.value, str) and kept.value > 0:
        return replace(kept, bound="lower")
    return replace(_lacking_counters(lacking), untold=kept.untold)


def _lacking_counters(lacking: list[Untold]) -> Absent:
    """Why there is no number, by the counters that too many records do not have."""
    every = sorted({of.counter for of in lacking if of.table.lacks(of.counter) == "all"})
    some = sorted({of.counter for of in lacking} - set(every))
    if every:
        return Absent(f"{named_with_verb(every, NAMED)} not available in this log")
    return Absent(f"{named_with_verb(some, NAMED)} not available in too many records of this log")


@cached_per_table
def _share_lacking(table: CounterTable, counter: str) -> float:
    """The records that lack the counter, as their share of all, of the bytes, seconds, calls or opens,
    whichever is most."""
    lack = _lack(table, counter)
    weights = (np.ones(len(table)), *(_summed(table, *counters) for counters in WEIGHTS))
    return max(float(weight[lack].sum() / whole) for weight in weights if (whole := weight.sum()) > 0)


def _lack(table: CounterTable, counter: str) -> Bools:
    """Of the reads or writes that a record shows not to have been made nobody misses anything."""
    values = table.as_recorded(counter) if counter in table.int_names else table.seconds(counter)
    lack: Bools = ~(values >= 0)
    for way, counts in NOT_MADE.items():
        if way in counter and not counter.endswith(counts):
            lack &= ~_are_zero(table, counts)
    return lack


NOT_MADE = {
    "READ": ("BYTES_READ", "READS"),
    "WRIT": ("BYTES_WRITTEN", "WRITES"),
}
"""By what the names of counters have in them, those that are 0 where there was nothing of it."""


def _are_zero(table: CounterTable, counters: tuple[str, ...]) -> Bools:
    """Which records have 0 in each of them that the module counts; none where it counts none."""
    names = [name for counter in counters if (name := f"{prefix_of(table)}_{counter}") in table.int_names]
    zero = np.full(len(table), bool(names))
    for name in names:
        zero &= table.as_recorded(name) == 0
    return zero


def _summed(table: CounterTable, *counters: str) -> Float64s:
    prefix, found = prefix_of(table), np.zeros(len(table))
    for name in (f"{prefix}_{counter}" for counter in counters):
        if name in table.int_names:
            found += np.maximum(table.as_recorded(name), 0)
        elif name in table.float_names:
            values = table.seconds(name)
            found += np.where(np.isfinite(values) & (values > 0), values, 0.0)
    return found
