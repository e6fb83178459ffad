"""How often each rank opens its files, and how many it has."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection, unique
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.counters import is_partial, no_table, not_recorded, sum_counters
from iotriage_parsers.evidence import CounterTable


@cached_per_selection
def _users(s: Selection, module: str) -> int | Absent:
    """How many ranks use each file, all files together."""
    tables = s.tables(module)
    if not tables:
        return no_table(s, module)
    if any(is_partial(rows, module) or rows.nprocs is None for rows, _ in tables):
        return Absent("which ranks opened which files is not known of all")
    users = sum(int((t.ranks >= 0).sum()) + int((t.ranks < 0).sum()) * (rows.nprocs or 1) for rows, t in tables)
    return users or Absent("no rank used a file")


def opened_by_a_rank(s: Selection, module: str) -> Outcome:
    """How often a rank opens a file that it uses, on average."""
    users = _users(s, module)
    if isinstance(users, Absent):
        return users
    tables, counter = s.tables(module), f"{PREFIX[module]}_OPENS"
    if (why := not_recorded(tables, counter)) is not None:
        return why
    opens = sum(sum_counters(t, counter) for _, t in tables)
    return Value(opens / users, "inferred", joined(*(rows.where(t, counter) for rows, t in tables)))


def used_by_a_rank(s: Selection, module: str) -> Outcome:
    """How many files a rank uses, on average."""
    users = _users(s, module)
    if isinstance(users, Absent):
        return users
    return Value(users / sum(_ranks_with_records(rows, t) for rows, t in s.tables(module)), "inferred")


def _ranks_with_records(rows: LogRows, table: CounterTable) -> int:
    return rows.nprocs or 1 if bool((table.ranks < 0).any()) else len(unique(table.ranks))
