"""What was read of modules and shared libraries while the program started."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.files.imported import NO_OPENS, Imported, imported_files, imported_names
from iotriage.metrics.tables.mounts import CVMFS, IN_AN_IMAGE, type_above
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated


def _imported(s: Selection) -> Imported | Absent:
    return imported_files(s) or Absent("no source names the files", () if s.logs else (DARSHAN,))


def _of_mean_rank(s: Selection) -> Imported | Absent:
    return ranks_not_stated(s) or _imported(s)


_metrics_of_imported = MetricsOf(_imported, needs="a Darshan log with file names", scopes=["job"])
_metrics_of_imported.value(
    "file.imported",
    "Modules and shared libraries that were read",
    "files",
    lambda found: Value(found.files, where=found.where),
    formula="files that the run did not write, with the name of a module of Python, Julia, R or Perl or of a shared "
    "library, or in a package of Python or Julia; those that end as a module but lie in no environment where half of "
    "the ranks or more use them; none of a program that copies, packs or looks through any file",
)
_metrics_of_imported.value(
    "file.imported_opens",
    "Opens of modules and shared libraries",
    "calls",
    lambda found: found.opens if isinstance(found.opens, Absent) else Value(found.opens, where=found.where),
    formula="OPENS of the files of file.imported, all ranks together",
)
_metrics_of_imported.value(
    "file.importing_ranks",
    "Ranks that read modules and shared libraries",
    "ranks",
    lambda found: (
        Absent("a log does not state its ranks") if found.ranks is None else Value(found.ranks, where=found.where)
    ),
    formula="ranks with records of the files of file.imported, all ranks of a log where such a record is reduced over "
    "them; the most that ran at a time",
)


@_metrics_of_imported(
    "file.importing_ranks_of",
    "Ranks beside which modules and shared libraries were read",
    "ranks",
    formula="the most ranks that ran at a time with those of file.importing_ranks, these among them",
)
def importing_ranks_of(found: Imported) -> Outcome:
    if found.of_ranks is None:
        return Absent("a log does not state its ranks, or no rank read modules")
    return Value(found.of_ranks, where=found.where)


_metrics_of_mean_rank = MetricsOf(_of_mean_rank, needs="a Darshan log with file names", scopes=["job"])
_metrics_of_mean_rank.value(
    "file.imported_time",
    "Time of the mean rank in modules and shared libraries",
    "s",
    lambda found: Value(found.mean_s, "inferred"),
    formula="read, write and metadata seconds of the files of file.imported, all ranks together / ranks",
)
_metrics_of_mean_rank.value(
    "file.imported_time_beyond",
    "Time of the slowest rank in modules and shared libraries, beyond the mean",
    "s",
    lambda found: Value(found.beyond_s, "inferred"),
    formula="the most seconds of one rank in files of file.imported of which it has a record of its own, less the mean",
)
_metrics_of_mean_rank.value(
    "file.imported_metadata_time",
    "Time of the mean rank in opening modules and shared libraries",
    "s",
    lambda found: NO_OPENS if found.metadata_s is None else Value(found.metadata_s, "inferred"),
    formula="metadata seconds of the files of file.imported in calls to storage, all ranks together / ranks",
)
_metrics_of_mean_rank.value(
    "file.imported_read_time",
    "Time of the mean rank in reading modules and shared libraries",
    "s",
    lambda found: Value(found.reads_s, "inferred"),
    about=About(direction="read"),
    formula="read seconds of the files of file.imported in calls to storage, all ranks together / ranks",
)
_metrics_of_mean_rank.value(
    "file.imported_stream_time",
    "Time of the mean rank in streams of modules and shared libraries",
    "s",
    lambda found: (
        Absent("a trace has no calls to streams") if found.streams_s is None else Value(found.streams_s, "inferred")
    ),
    formula="read, write and metadata seconds of the streams among file.imported, all ranks together / ranks",
)


@metric(
    "file.imported_time_fraction",
    "Share of the I/O time spent on modules and shared libraries",
    "share",
    about=About(time=True),
    formula="(file.imported_time + file.imported_time_beyond) / (seconds of the mean rank in all I/O and what the "
    "slowest rank is sure to take beyond), at most 1",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def imported_time_fraction(s: Selection) -> Outcome:
    found, account = _of_mean_rank(s), time_account(s)
    if isinstance(found, Absent):
        return found
    every = 0.0 if account is None else account.cells.total
    if every < NO_TIME:
        return Absent("the timers show no time, or none that fits in the run")
    return Value(min(1.0, (found.mean_s + found.beyond_s) / every), "inferred", found.where)


@metric(
    "file.environment",
    "Environment with most of the imported files",
    "word",
    formula="the environment of Python, depot of Julia or library of R with the most of file.imported",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def environment(s: Selection) -> Outcome:
    found = imported_files(s)
    if found is None or not found.folders:
        return Absent("no file lies in an environment of Python, Julia or R", () if s.logs else (DARSHAN,))
    return Value(max(found.folders.items(), key=lambda folder: (folder[1], folder[0]))[0], "inferred")


@metric(
    "file.environment_mount",
    "Type of the mount of the environment with most of the imported files",
    "word",
    formula="the type of the longest mount point above file.environment, or where no file lies in one above all of "
    "file.imported, if that is one type; cvmfs by the paths; the root counts where it is the image of a container",
    needs="a Darshan log with a mount table",
    scopes=["job"],
)
def environment_mount(s: Selection) -> Outcome:
    found = imported_files(s)
    if found is None or not found.files:
        return outcome(s, "file.environment")
    mounts = [mount for rows in s.logs for mount in rows.log.job.mounts]
    environment = outcome(s, "file.environment")
    paths = imported_names(s) if isinstance(environment, Absent) else {f"{environment.value}/"}
    kinds = {CVMFS if path.startswith(f"/{CVMFS}/") else type_above(path, mounts) for path in paths}
    kind = kinds.pop() if len(kinds) == 1 else None
    root = next((m.fs_type.lower() for m in mounts if m.path == "/"), None)
    if kind is None and root in IN_AN_IMAGE:
        kind = root
    if kind is None:
        return Absent("the log's mount table has no mount point above the environment but the root, or several")
    return Value(kind, "inferred")
