"""Time in MPI-IO, and what of it is lost above the storage."""

from __future__ import annotations

from math import isinf

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.mpiio.late_arriver import waiting_fraction
from iotriage.metrics.tables.bandwidth import MOST_OF_ONE_RANK, layer_time
from iotriage.metrics.tables.counters import has_times, no_records_of, no_table, not_available, sum_counters, sum_timers
from iotriage.metrics.tables.files.pairs import Pair, file_pairs
from iotriage.metrics.tables.rank_times import lacks_slowest_rank, longest_possible_of_a_rank
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.unseen_time import posted_s
from iotriage_parsers.frozen import frozen_identity

MOSTLY_BELOW = 2.0
"""The slowest rank's time in MPI-IO over that in the calls below, under which most of it passed there."""


@frozen_identity
class _Times:
    """Seconds of the slowest ranks in MPI-IO, and in POSIX calls of the same files, those of all logs added up; and
    what the first take beyond the second, of logs that ran at the same time once."""

    above_s: float
    below_s: float
    beyond_s: float
    pairs: tuple[Pair, ...]


@metric(
    "mpiio.time",
    "MPI-IO time of the slowest rank",
    "s",
    formula=f"{MOST_OF_ONE_RANK} the MPI-IO records, or agg_time_by_slowest of darshan-parser's totals",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def mpiio_time(s: Selection) -> Outcome:
    return layer_time(s, "MPI-IO")


@cached_per_selection
def _times(s: Selection) -> _Times | Absent:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    if any(sum_counters(a, "MPIIO_NB_READS", "MPIIO_NB_WRITES") for _, a, _ in pairs):
        return Absent("nonblocking calls: MPI-IO's timers cover their posting only")
    for prefix, tables in (("MPIIO", [(r, a) for r, a, _ in pairs]), ("POSIX", [(r, b) for r, _, b in pairs])):
        if lacks_slowest_rank([table for _, table in tables]):
            return not_available(tables, f"{prefix}_F_SLOWEST_RANK_TIME")
    above = [longest_possible_of_a_rank((a,), rows.nprocs) for rows, a, _ in pairs]
    below = [longest_possible_of_a_rank((b,), rows.nprocs) for rows, _, b in pairs]
    each = ((rows, a - b) for (rows, _, _), a, b in zip(pairs, above, below, strict=True))
    return _Times(sum(above), sum(below), max(0.0, over_stages(s, each)), pairs)


@metric(
    "mpiio.to_posix_time",
    "MPI-IO time over POSIX time",
    "ratio",
    about=About(time=True),
    formula=f"{MOST_OF_ONE_RANK} MPI-IO / in POSIX, same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole, without nonblocking calls",
    of=_times,
)
def to_posix_time(times: _Times) -> Outcome:
    if times.below_s < NO_TIME:
        return Absent("the POSIX timers show no time")
    where = joined(*(r.where(a, "MPIIO_F_SLOWEST_RANK_TIME") for r, a, _ in times.pairs))
    return Value(times.above_s / times.below_s, where=where)


@metric(
    "mpiio.storage_fraction",
    "POSIX time over MPI-IO time",
    "share",
    about=About(time=True),
    formula="1 / mpiio.to_posix_time, at most 1",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole, without nonblocking calls",
)
def storage_fraction(s: Selection) -> Outcome:
    ratio = outcome(s, "mpiio.to_posix_time")
    return quotient(Value(1.0), ratio, zero="the MPI-IO timers show no time", confidence="inferred", at_most=1.0)


@metric(
    "mpiio.waited_for",
    "Where most of the MPI-IO time goes",
    "word",
    formula=f"storage where mpiio.to_posix_time is below {MOSTLY_BELOW:g}, library, or late ranks, from there on; "
    "unknown where no log has both times",
    needs="any source",
)
def waited_for(s: Selection) -> Outcome:
    ratio = outcome(s, "mpiio.to_posix_time")
    if isinstance(ratio, Absent):
        return Value("unknown") if s.whole.parts else ratio
    return Value("storage" if float(ratio.value) < MOSTLY_BELOW else "library", "inferred")


@metric(
    "mpiio.time_excess",
    "MPI-IO time not spent in the file system",
    "s",
    formula=f"{MOST_OF_ONE_RANK} MPI-IO − in POSIX, same files, at least 0",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole, without nonblocking calls",
    of=_times,
)
def time_excess(times: _Times) -> Outcome:
    where = joined(*(r.where(a, "MPIIO_F_SLOWEST_RANK_TIME") for r, a, _ in times.pairs))
    return Value(times.beyond_s, "inferred", where)


@metric(
    "mpiio.unknown_phase_fraction",
    "Share of the MPI-IO time in no known phase",
    "share",
    about=About(time=True),
    formula="1 − the largest of timers.wait_for_coll_fraction, timers.imbalance_fraction, timers.data_send_fraction, "
    "timers.data_receive_fraction and, where few ranks come late, mpiio.late_arriver_wait_fraction; 1 where none of "
    "them is known",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def unknown_phase_fraction(s: Selection) -> Outcome:
    if not s.tables("MPI-IO"):
        return no_table(s, "MPI-IO")
    of_waiting_or_moving = ("wait_for_coll", "imbalance", "data_send", "data_receive")
    phases = [outcome(s, f"timers.{phase}_fraction") for phase in of_waiting_or_moving]
    known = [p for p in phases if isinstance(p, Value) and not isinstance(p.value, str)]
    largest = max((waiting_fraction(s), *(p.value for p in known if not isinstance(p.value, str))))
    return Value(max(0.0, 1.0 - largest), "inferred", joined(*(p.where for p in known)))


@metric(
    "mpiio.metadata_fraction",
    "Share of MPI-IO time in opens, closes and the like",
    "share",
    about=About(time=True),
    formula="MPIIO_F_META_TIME / (MPIIO_F_META_TIME + MPIIO_F_READ_TIME + MPIIO_F_WRITE_TIME), summed over ranks",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def metadata_fraction(s: Selection) -> Outcome:
    tables = s.tables("MPI-IO")
    if not tables:
        return no_table(s, "MPI-IO")
    if not any(has_times(table, "MPIIO_F_META_TIME") for _, table in tables):
        return not_available(tables, "MPIIO_F_META_TIME")
    metadata = sum(sum_timers(t, "MPIIO_F_META_TIME") for _, t in tables)
    every = metadata + sum(sum_timers(t, "MPIIO_F_READ_TIME", "MPIIO_F_WRITE_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the MPI-IO timers show no time")
    return Value(metadata / every, where=tuple(w for rows, t in tables for w in rows.where(t, "MPIIO_F_META_TIME")))


@metric(
    "mpiio.posted_time",
    "Time below nonblocking MPI-IO calls",
    "s",
    formula="seconds of the slowest rank in POSIX calls of the files with nonblocking calls, beyond those in MPI-IO",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole, with nonblocking calls",
    scopes=["job"],
    unless=no_records_of("MPI-IO"),
)
def posted_time(s: Selection) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    posted = [pair for pair in pairs if sum_counters(pair[1], "MPIIO_NB_READS", "MPIIO_NB_WRITES")]
    if not posted:
        return Absent("no nonblocking calls")
    return _beyond_the_posting(s, posted)


def _beyond_the_posting(s: Selection, posted: list[Pair]) -> Outcome:
    beyond = max(map(posted_s, s.logs))
    if isinf(beyond):
        return Absent("no POSIX records of the files with nonblocking calls")
    return Value(beyond, where=joined(*(rows.where(below, "POSIX_F_SLOWEST_RANK_TIME") for rows, _, below in posted)))
