"""How long independent MPI-IO calls take beyond the calls to the storage. They wait for no other rank: it is the time
of the library itself, and of the locks that it waits for, which Darshan does not count."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, of_files, select_rows, with_files_of
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.mpiio_calls import NOT_INDEPENDENT, mpiio_calls
from iotriage.metrics.tables.counters import not_recorded, sum_counters
from iotriage.metrics.tables.files.pairs import EXCESS, file_pairs
from iotriage.metrics.tables.rank_times import total_time
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

_NEEDS = "a Darshan log whose MPI-IO and POSIX modules are whole"


@frozen
class _Excess:
    """Seconds summed over ranks: of independent calls beyond the storage, and of all MPI-IO beyond it; and how many
    these calls were."""

    independent_s: float
    every_s: float
    calls: int
    where: tuple[Where, ...]


@cached_per_selection
def _excess(s: Selection) -> _Excess | Absent:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    why = not_recorded([(rows, above) for rows, above, _ in pairs], "MPIIO_INDEP_WRITES", "MPIIO_INDEP_READS")
    if why is not None:
        return why
    independent_s = every_s = 0.0
    calls, where = 0, []
    for rows, above, below in pairs:
        every_s += total_time(above) - total_time(below)
        mine = select_rows(above, ~with_files_of(above, mpiio_calls(above, *NOT_INDEPENDENT) > 0))
        under = select_rows(below, of_files(below, mine.ids))
        if (unlike := _other_bytes_below(mine, under)) is not None:
            return unlike
        # The first call may open the file below, and its record of MPI-IO has that in the call.
        opened_s = max(0.0, total_time(under, "META_TIME") - total_time(mine, "META_TIME"))
        independent_s += max(0.0, _moving(mine) - _moving(under) - opened_s)
        calls += int(mpiio_calls(mine, "INDEP").sum())
        where.append(rows.where(mine, "MPIIO_F_READ_TIME", "MPIIO_F_WRITE_TIME"))
    return _Excess(independent_s, every_s, calls, joined(*where))


def _other_bytes_below(above: CounterTable, below: CounterTable) -> Absent | None:
    """Why the calls below are not those of the calls above, or not all that these do."""
    read, written = (sum_counters(above, f"MPIIO_BYTES_{way}") for way in ("READ", "WRITTEN"))
    fetched, sent = (sum_counters(below, f"POSIX_BYTES_{way}") for way in ("READ", "WRITTEN"))
    if fetched + sent < (read + written) / EXCESS:
        return Absent("fewer bytes were seen below MPI-IO than its independent calls moved")
    if fetched > read * EXCESS:
        return Absent("more was read below MPI-IO than its independent calls asked for: they read, modify and write")
    return None


def _moving(table: CounterTable) -> float:
    return total_time(table, "READ_TIME") + total_time(table, "WRITE_TIME")


@metric(
    "mpiio.independent_excess_fraction",
    "Share of the time in MPI-IO beyond the storage that passes in independent calls",
    "share",
    about=About(time=True),
    formula="MPIIO_F_READ_TIME + _WRITE_TIME − POSIX_F_READ_TIME − _WRITE_TIME, and less what POSIX_F_META_TIME has "
    "beyond MPIIO_F_META_TIME, of the files with independent calls alone / the same of all files, with the metadata",
    needs=_NEEDS,
    of=_excess,
)
def independent_excess_fraction(excess: _Excess) -> Outcome:
    if excess.every_s < NO_TIME:
        return Absent("MPI-IO takes no time beyond the calls to the storage")
    return Value(min(1.0, excess.independent_s / excess.every_s), "inferred", excess.where)


@metric(
    "mpiio.independent_excess_per_call",
    "Time of an independent MPI-IO call beyond the storage",
    "s",
    formula="the seconds of mpiio.independent_excess_fraction / (MPIIO_INDEP_READS + MPIIO_INDEP_WRITES)",
    needs=_NEEDS,
    of=_excess,
)
def independent_excess_per_call(excess: _Excess) -> Outcome:
    if not excess.calls:
        return Absent("no file has independent MPI-IO calls alone")
    return Value(excess.independent_s / excess.calls, "inferred", excess.where)
