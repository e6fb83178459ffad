"""Decides what a metric is worth where its formula read counters that some records do not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Protocol

import numpy as np

from iotriage.metrics.core.listing import named_with_verb
from iotriage.metrics.core.metric import Absent, Outcome
from iotriage.metrics.core.prefix import LIBRARIES, prefix_of
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Bools, Float64s, MissingCounter

FEW = 0.05
"""Share of the records, or of their bytes, seconds, calls or opens, up to which a missing counter is ignored: the other
records are then taken to stand for all. Ours: Darshan writes an impossible timer in about one record of thousands."""

WEIGHTS = (
    ("BYTES_READ", "BYTES_WRITTEN"),
    ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"),
    ("READS", "WRITES", "INDEP_READS", "INDEP_WRITES", "COLL_READS", "COLL_WRITES"),
    ("OPENS", "INDEP_OPENS", "COLL_OPENS"),
)

NAMED = 3

NOT_KNOWN = "unknown"
"""The value of metrics of words whose formula could not tell."""


WhereLacking = Literal["absent", "lower", "judged"]
"""What a metric becomes where records lack counters that its formula read: "absent" (most), "lower", a lower bound, as
for a sum; or "judged", where the formula checks for missing counters itself."""


class _DeclaredMetric(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def where_lacking(self) -> WhereLacking: ...


def without_missing(
    found: Outcome, missing: frozenset[MissingCounter], metric: _DeclaredMetric, selection: Selection
) -> Outcome:
    """What `found` becomes, given the counters that the formula read although records lack them. A value that is
    already a lower bound, or "unknown", stays as it is."""
    if metric.where_lacking == "judged":
        return found
    shares = {one: share for one in missing if (share := _share_lacking(one, metric.id, selection)) > 0}
    if not shares:
        return found
    kept = replace(found, missing=frozenset(shares))
    if isinstance(kept, Absent) or kept.bound is not None or kept.value == NOT_KNOWN:
        return kept
    lacking = [one for one, share in shares.items() if share > FEW]
    if not lacking:
        return replace(kept, confidence="inferred")
    if metric.where_lacking == "lower" and not isinstance(kept.value, str) and kept.value > 0:
        return replace(kept, bound="lower")
    return replace(_absent_without(lacking), missing=kept.missing)


def _is_of_module(id: str, table: CounterTable) -> bool:
    """Whether the metric is about this table's module alone."""
    module = prefix_of(table)
    return id.startswith(f"{FAMILIES.get(module) or module.lower()}.")


FAMILIES = {"H5F": "hdf5", "H5D": "hdf5", "PNETCDF_FILE": "pnetcdf", "PNETCDF_VAR": "pnetcdf", "APMPI": "mpi"}
"""The prefix of metric ids for those modules whose metrics are not named after them."""


def _absent_without(lacking: list[MissingCounter]) -> Absent:
    """Why there is no number, by the counters that too many records do not have."""
    every = sorted({one.counter for one in lacking if one.table.lacks(one.counter) == "all"})
    some = sorted({one.counter for one in lacking} - set(every))
    if every:
        return Absent(f"{named_with_verb(every, NAMED)} not available in this log")
    return Absent(f"{named_with_verb(some, NAMED)} not available in too many records of this log")


def _share_lacking(one: MissingCounter, id: str, selection: Selection) -> float:
    """The records that lack the counter, as their share of all, of the bytes, seconds, calls or opens, whichever is
    most. All are those of the table for a metric of its module alone, and where no record of the log has the counter;
    else what the selection has: what a stream of rank 0 lacks leaves the terabytes beside it known. Of what HDF5 or
    PnetCDF lack, the layers below them have nearly all."""
    table, lack = one.table, which_lack(one.table, one.counter)
    if not lack.any():
        return 0.0
    of_module, weights = _is_of_module(id, table), _weights(table)
    if table.module in LIBRARIES and not of_module:
        return FEW
    own = tuple(float(weight.sum()) for weight in weights)
    if of_module or table.of_log.lacks(one.counter) == "all" or not any(own):
        return _largest_share(lack, (np.ones(len(table)), *weights), (float(len(table)), *own))
    return _largest_share(lack, weights, tuple(map(max, own, _whole(selection))))


def _largest_share(lack: Bools, weights: tuple[Float64s, ...], wholes: tuple[float, ...]) -> float:
    shares = (float(w[lack].sum()) / whole for w, whole in zip(weights, wholes, strict=True) if whole > 0)
    return max(shares, default=0.0)


@cached_per_table
def _weights(table: CounterTable) -> tuple[Float64s, ...]:
    """The bytes, seconds, calls and opens of each record, where they are known."""
    return tuple(_summed(table, *counters) for counters in WEIGHTS)


@cached_per_selection
def _whole(selection: Selection) -> tuple[float, ...]:
    """The sums of the weights of all records of files, each file at its highest layer."""
    tables = [_weights(table) for rows in selection.logs for table in rows.highest]
    return tuple(sum(float(weights[i].sum()) for weights in tables) for i in range(len(WEIGHTS)))


@cached_per_table
def which_lack(table: CounterTable, counter: str) -> Bools:
    """Of the reads or writes that a record shows not to have been made nobody misses anything."""
    values = table.as_recorded(counter) if counter in table.int_names else table.seconds_as_recorded(counter)
    lack: Bools = ~(values >= 0)
    for way, counts in NOT_MADE.items():
        if way in counter and not counter.endswith(counts):
            lack &= ~_are_zero(table, counts)
    return lack


def lacks_some(table: CounterTable, *counters: str) -> bool:
    """Whether records lack one of the counters, of what they show to have been made: a sum of it is a lower bound."""
    named = (counter for counter in counters if counter in table.int_names or counter in table.float_names)
    # The table knows which columns are whole: of most nothing needs to be worked out.
    return any(table.lacks(counter) is not None and bool(which_lack(table, counter).any()) for counter in named)


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
            values = table.seconds_as_recorded(name)
            found += np.where(np.isfinite(values) & (values > 0), values, 0.0)
    return found
