"""Of files that all ranks use alike, one after the other: what the later ones took beyond the first."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.clock import clock_words
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.files.slower import FEWEST, TIMES, Slower, SlowerFiles, known_start, slower_in_logs
from iotriage.metrics.tables.files.slower_by_timers import slower_by_timers
from iotriage.metrics.tables.stages import NO_START, since_first_log

NEEDS = (
    f"a Darshan log with {FEWEST} files that all ranks used alike, one after the other, or as many of each rank, or "
    "MPICH_MPIIO_TIMERS with MPICH_MPIIO_STATS of as many"
)
NOT_SLOWER = Absent("the later files took no longer than the first")


@cached_per_selection
def slower_files(s: Selection) -> SlowerFiles | Absent:
    """By the logs where there are any, else by the times that were printed when each was closed."""
    found = slower_in_logs(s) if s.logs else slower_by_timers(s)
    return found or Absent(
        f"no {FEWEST} files that all ranks used alike, one after the other, were compared", (DARSHAN,)
    )


def _slower(s: Selection) -> tuple[SlowerFiles, Slower] | Absent:
    """Where the later ones took longer, and how."""
    found = slower_files(s)
    if isinstance(found, Absent):
        return found
    return NOT_SLOWER if found.found is None else (found, found.found)


_metrics_of_files_in_turn = MetricsOf(slower_files, needs=NEEDS, scopes=["group"])
_metrics_of_files_in_turn.value(
    "group.files_in_turn",
    "Similar files that were used one after the other",
    "files",
    lambda found: Value(found.compared, "inferred"),
    formula="files that all ranks used, with as many bytes and calls of the same kinds, sizes and order, and the same "
    "striping, none before the one ahead was done; or the outputs of which each rank has such a file",
)
_metrics_of_files_in_turn.value(
    "group.later_times",
    "Time in the later files over that in the first",
    "ratio",
    lambda found: Value(1.0 if found.found is None else found.late_s / found.early_s, "inferred"),
    about=About(time=True),
    formula=f"group.late_file_time / group.early_file_time where each of the later took {TIMES:.0f} times as long, the "
    "times growing in order or from one file on, in the mean rank and in the calls to the storage too; else 1",
)
_metrics_of_files_in_turn.value(
    "group.later_beyond",
    "Time that the later files took beyond the first",
    "s",
    lambda found: Value(found.beyond_s, "inferred"),
    formula="sum of F_SLOWEST_RANK_TIME beyond group.early_file_time, of steps that followed one another added up; 0 "
    "where the later took no longer",
)


@metric(
    "group.later_fraction",
    "Share of the files' I/O time that the later ones took beyond the first",
    "share",
    about=About(time=True),
    formula="group.later_beyond / group.io_time, at most 1",
    needs=NEEDS,
    scopes=["group"],
)
def later_fraction(s: Selection) -> Outcome:
    beyond, took = outcome(s, "group.later_beyond"), outcome(s, "group.io_time")
    return quotient(beyond, took, zero="the files took no time", confidence="inferred", at_most=1.0)


_metrics_of_slower = MetricsOf(_slower, needs=NEEDS, scopes=["group"])
_metrics_of_slower.value(
    "group.later_way",
    "How the later files grew slower",
    "word",
    lambda found: Value(found[1].way, "inferred"),
    formula="“from one on” where nearly all after one file took so much longer than nearly all before it, else “longer "
    "and longer”",
)
_metrics_of_slower.value(
    "group.early_files",
    "First files, with which the later are compared",
    "files",
    lambda found: Value(len(found[1].early), "inferred"),
    formula="those before the first slow one; where they grow slower and slower, three or a tenth",
)
_metrics_of_slower.value(
    "group.early_file_time",
    "Time in each of the first files",
    "s",
    lambda found: Value(found[0].early_s, "inferred"),
    formula="median F_SLOWEST_RANK_TIME of group.early_files",
)
_metrics_of_slower.value(
    "group.late_file_time",
    "Time in each of the later files",
    "s",
    lambda found: Value(found[0].late_s, "inferred"),
    formula="median F_SLOWEST_RANK_TIME of those from the first slow one on; where they grow slower and slower, of as "
    "many as group.early_files at the end",
)


@_metrics_of_slower(
    "group.slower_file",
    "First of the slow files",
    "word",
    formula="the file from which on they take longer; where they grow slower and slower, the last",
)
def slower_file(found: tuple[SlowerFiles, Slower]) -> Outcome:
    rows, record, name = found[0].rows, found[0].record, found[0].name
    if rows is None or record is None:
        return Absent("the file has no name") if name is None else Value(base_name(name))
    return file_named(rows, record)


@metric(
    "group.slower_since",
    "When the first of the slow files was first read or written",
    "s",
    formula="the earlier of READ_START and WRITE_START of group.slower_file, from the start of the job's first log",
    needs=NEEDS,
    scopes=["group"],
)
def slower_since(s: Selection) -> Outcome:
    found = _slower(s)
    if isinstance(found, Absent):
        return found
    rows, since = found[0].rows, found[0].since_s
    if rows is None or since is None:
        return Absent("texts do not say when a file was used")
    from_first = since_first_log(s, rows.source, since)
    return Absent(NO_START) if from_first is None else Value(from_first)


@_metrics_of_slower(
    "group.slower_since_clock",
    "When the first of the slow files was first read or written, as date and time in UTC",
    "word",
    formula="start of the job + group.slower_since",
)
def slower_since_clock(found: tuple[SlowerFiles, Slower]) -> Outcome:
    at = clock_words(known_start(found[0]))
    return Absent("the log does not say when the job began") if at is None else Value(at)
