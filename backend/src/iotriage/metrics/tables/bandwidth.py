"""Time and bandwidth of one layer from Darshan's records, and which layer carries most bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.account.from_logs import slowest_rank
from iotriage.metrics.tables.counters import is_partial, no_table, not_available, not_recorded, sum_counters
from iotriage.metrics.tables.rank_times import (
    lacks_slowest_rank,
    longest_possible,
    longest_possible_of_a_rank,
    not_plausible,
)
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.texts import printed_totals
from iotriage.metrics.tables.unseen_time import MATTERS, posted_s
from iotriage_parsers.evidence import CounterTable

READ: Final = "BYTES_READ"

WRITTEN: Final = "BYTES_WRITTEN"

MOST_OF_ONE_RANK: Final = "the most seconds that one rank can have spent, by the method of job.io_time, in"


def layer_bandwidth(s: Selection, module: str, *counters: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return printed_totals.bandwidth(s, module) or no_table(s, module)
    return bandwidth_of(s, module, tables, *counters)


def bandwidth_of(s: Selection, module: str, tables: Sequence[tuple[LogRows, CounterTable]], *counters: str) -> Outcome:
    prefix = PREFIX[module]
    moved = sum(sum_counters(t, *(f"{prefix}_{c}" for c in counters)) for _, t in tables)
    time = _slowest(s, tables)
    if moved == 0:
        return Absent(f"no bytes moved at the {module} layer")
    if time < NO_TIME:
        return Absent(f"the {module} timers show no time for the bytes moved")
    if (why := impossible(s) or only_posted(s, module, time)) is not None:
        return why
    where = joined(*(rows.where(t, f"{prefix}_F_SLOWEST_RANK_TIME") for rows, t in tables))
    uncounted = any(not_recorded(tables, f"{prefix}_{c}") is not None for c in counters)
    partial = uncounted or any(is_partial(rows, module) for rows, _ in tables)
    return Value(moved / time, "inferred" if partial else "measured", where)


@cached_per_selection
def impossible(s: Selection) -> Absent | None:
    """Why the recorded seconds give no rate: one rank must have spent longer than the run lasted."""
    for rows in s.logs:
        run = rows.log.job.runtime_s
        if (least := slowest_rank(rows).least_s) > longest_possible(run):
            return not_plausible(least, run)
    return None


def only_posted(s: Selection, module: str, shown_s: float) -> Absent | None:
    """Why the seconds of MPI-IO give no rate: nonblocking calls returned before the bytes had moved."""
    if module != "MPI-IO" or sum(map(posted_s, s.logs)) <= MATTERS * shown_s:
        return None
    return Absent("nonblocking calls: MPI-IO's timers cover their posting only")


@cached_per_selection
def leading_module(s: Selection) -> str | None:
    """The layer that carries most bytes, where files under MPI-IO count as MPI-IO's; None where neither a Darshan log
    nor its totals show any."""
    if not s.logs:
        return printed_totals.leading_layer(s)
    carried: dict[str, int] = {}
    for rows in s.logs:
        for table in rows.highest:
            prefix = PREFIX[table.module]
            carried[table.module] = carried.get(table.module, 0) + sum_counters(
                table, f"{prefix}_{READ}", f"{prefix}_{WRITTEN}"
            )
    return max(carried, key=lambda m: carried[m], default=None) if any(carried.values()) else None


def layer_time(s: Selection, module: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return printed_totals.layer_time(s, module) or no_table(s, module)
    counter = f"{PREFIX[module]}_F_SLOWEST_RANK_TIME"
    if lacks_slowest_rank([t for _, t in tables]):
        return not_available(tables, counter)
    where = joined(*(rows.where(t, counter) for rows, t in tables))
    spent = _slowest(s, tables)
    partial = any(is_partial(rows, module) for rows, _ in tables) or only_posted(s, module, spent) is not None
    return Value(spent, where=where, bound="lower" if partial else None)


def _slowest(s: Selection, tables: Sequence[tuple[LogRows, CounterTable]]) -> float:
    """The most seconds that one rank can have spent in a module's records."""
    return over_stages(s, ((rows, longest_possible_of_a_rank((t,), rows.nprocs)) for rows, t in tables))
