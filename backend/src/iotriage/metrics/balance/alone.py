"""What the slowest rank does in files that no other rank uses, and no other has one like it."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import nothing_read
from iotriage.metrics.tables.files.alone import MOST, AloneTime, alone_time
from iotriage.metrics.tables.files.subfiles import BP
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated

NO_OPENS = Absent("CrayPAT's tables and traces of calls have reads and writes, but no opens", (DARSHAN,))

NO_LAYER = Absent("CrayPAT's tables do not tell the layer", (DARSHAN,))

NO_FIGURE = Absent("CrayPAT's table of that file has not all of these figures", (DARSHAN,))


_metrics_of_alone_time = MetricsOf(alone_time, needs="a Darshan log", scopes=["job"])
_metrics_of_alone_time.value(
    "balance.alone_time",
    "Time of one rank in files that it alone uses",
    "s",
    lambda found: Value(found.seconds, "inferred", found.where),
    formula="of the rank with most of it: read, write and metadata seconds in files of which it has the only record, "
    "and no other rank has one whose name differs in digits only, or where numbers stand for the names, one that is "
    f"used alike; of the {MOST} longest; added up over steps that followed one another, in each of which one rank has "
    "most of such a time to itself; without Darshan the read and write seconds of such a file by CrayPAT",
    needs="a Darshan log, or a CrayPAT report",
)


@metric(
    "balance.alone_time_fraction",
    "Share of the I/O time that one rank spends in files that it alone uses, beyond what others have",
    "share",
    about=About(time=True),
    formula="(seconds of that rank in files that one rank each uses, less those of the mean other rank there, but no "
    "more than balance.alone_time less what the next rank has of such a time) / job.io_time, at most 1",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_time_fraction(s: Selection) -> Outcome:
    alone = alone_time(s)
    if isinstance(alone, Absent):
        return alone
    beyond = Value(alone.beyond_s, "inferred", alone.where)
    return quotient(beyond, outcome(s, "job.io_time"), zero="the timers show no I/O time", at_most=1.0)


_metrics_of_alone_time.value(
    "balance.alone_moving_time",
    "Time of one rank in reads and writes of files that it alone uses",
    "s",
    lambda found: NO_OPENS if found.metadata_s is None else Value(found.seconds - found.metadata_s, "inferred"),
    formula="balance.alone_time, but the metadata seconds of that rank in the same files",
)


@_metrics_of_alone_time(
    "balance.alone_metadata_fraction",
    "Metadata's share of the time of one rank in files that it alone uses",
    "share",
    about=About(time=True),
    formula="metadata seconds of that rank in the files of balance.alone_time / balance.alone_time",
)
def alone_metadata_fraction(found: AloneTime) -> Outcome:
    if found.metadata_s is None:
        return NO_OPENS
    if found.seconds < NO_TIME:
        return Absent("the timers show no time there")
    return Value(found.metadata_s / found.seconds, "inferred")


@metric(
    "balance.alone_opens",
    "Opens and stats of files that one rank alone uses",
    "calls",
    formula="opens and stats of that rank, of the files of balance.alone_time; 0 where a log shows no such file",
    needs="a Darshan log",
    scopes=["job"],
)
def alone_opens(s: Selection) -> Outcome:
    found = alone_time(s)
    if isinstance(found, Absent) and s.logs:
        return nothing_read(s) or ranks_not_stated(s) or Value(0, "inferred")
    if isinstance(found, Absent):
        return found
    return NO_OPENS if found.opens is None else Value(found.opens, "inferred")


@_metrics_of_alone_time(
    "balance.alone_open_time",
    "Average time of an open or stat of files that one rank alone uses",
    "s",
    formula="metadata seconds of that rank in the files of balance.alone_time / balance.alone_opens",
)
def alone_open_time(found: AloneTime) -> Outcome:
    if found.metadata_s is None or not found.opens:
        return NO_OPENS
    return Value(found.metadata_s / found.opens, "inferred")


_metrics_of_alone_time.value(
    "balance.alone_syncs",
    "Times that one rank forces files out to disk that it alone uses",
    "calls",
    lambda found: NO_OPENS if found.syncs is None else Value(found.syncs, "inferred"),
    formula="fsyncs and fdatasyncs, flushes of streams and MPI_File_syncs by that rank, of the files of "
    "balance.alone_time",
)
_metrics_of_alone_time.value(
    "balance.alone_file",
    "File that one rank alone uses for longest",
    "word",
    lambda found: found.file,
    formula="of the files of balance.alone_time that are named alike and have most seconds, the one with most",
)


@_metrics_of_alone_time(
    "balance.alone_access",
    "Average access to the file that one rank alone uses",
    "B",
    formula="bytes read and written / reads and writes of balance.alone_file",
)
def alone_access(found: AloneTime) -> Outcome:
    if found.bytes is None or found.accesses is None:
        return NO_FIGURE
    return Value(found.bytes / found.accesses, "inferred") if found.accesses else Absent("nothing was read or written")


@_metrics_of_alone_time(
    "balance.alone_call_time",
    "Average time of an access to the file that one rank alone uses",
    "s",
    formula="read and write seconds / reads and writes of balance.alone_file; of a stream / what it asks of the "
    "system, as stdio.system_call_time has it",
)
def alone_call_time(found: AloneTime) -> Outcome:
    if found.accesses is None:
        return NO_FIGURE
    return Absent("nothing was read or written") if found.call_s is None else Value(found.call_s, "inferred")


_metrics_of_alone_time.value(
    "balance.alone_calls",
    "Calls to the file that one rank alone uses",
    "calls",
    lambda found: NO_FIGURE if found.calls is None else Value(found.calls, "inferred"),
    formula="reads and writes of balance.alone_file; of a stream what it asks of the system, as stdio.system_call_time "
    "has it",
)
_metrics_of_alone_time.value(
    "balance.alone_size",
    "Size of the file that one rank alone uses",
    "B",
    lambda found: NO_FIGURE if found.size is None else Value(found.size, "inferred"),
    formula="the larger of MAX_BYTE_READ and MAX_BYTE_WRITTEN of balance.alone_file, + 1",
)
_metrics_of_alone_time.value(
    "balance.alone_in_one_call",
    "Whether one call takes the time of the file that one rank alone uses",
    "word",
    lambda found: Value(found.in_one_call, "inferred"),
    formula="yes where POSIX_F_MAX_READ_TIME or POSIX_F_MAX_WRITE_TIME of balance.alone_file is half of its read and "
    "write seconds or more; unknown where nobody records the longest call, as of streams",
)


@_metrics_of_alone_time(
    "balance.alone_rate",
    "Rate at which the file that one rank alone uses is accessed",
    "B/s",
    formula="bytes read and written / read and write seconds of balance.alone_file",
)
def alone_rate(found: AloneTime) -> Outcome:
    if found.bytes is None:
        return NO_FIGURE
    if found.moving_s < NO_TIME:
        return Absent("the timers show no time there")
    return Value(found.bytes / found.moving_s, "inferred")


_metrics_of_alone_time.value(
    "balance.alone_layer",
    "Layer through which the file that one rank alone uses is accessed",
    "word",
    lambda found: NO_LAYER if found.layer is None else Value(found.layer, "inferred"),
    formula="the highest module of Darshan that has a record of balance.alone_file",
)
_metrics_of_alone_time.value(
    "balance.alone_files",
    "Files that share the time of the rank that alone uses them",
    "files",
    lambda found: Value(found.files, "inferred"),
    formula="(Σt)² / Σt² of that rank's seconds t in each of the files of balance.alone_time",
)
_metrics_of_alone_time.value(
    "balance.alone_steps",
    "Steps in which one rank has files to itself",
    "1",
    lambda found: Value(found.steps, "inferred"),
    formula="steps whose seconds are in balance.alone_time",
)
_metrics_of_alone_time.value(
    "balance.alone_among",
    "Ranks of the step in which one rank has files to itself",
    "ranks",
    lambda found: (
        Absent("no source states the ranks of that step") if found.of_ranks is None else Value(found.of_ranks)
    ),
    formula="nprocs of the log with the most of balance.alone_time",
)
_metrics_of_alone_time.value(
    "balance.alone_rank",
    "Rank that alone uses some files",
    "1",
    lambda found: (
        Absent("CrayPAT's table of files does not number its ranks", (DARSHAN,))
        if found.rank is None
        else Value(found.rank, "inferred")
    ),
    formula="the rank whose time balance.alone_time is",
)


@_metrics_of_alone_time(
    "balance.alone_pauses",
    "Share of the time from the first access to the last in which no file that one rank alone uses is in use",
    "share",
    about=About(time=True),
    formula="1 - seconds in which any of the files of balance.alone_time is in use, from its first read or write, and "
    "its metadata time before that, to its last, or any other of that rank on which its calls take half of that time / "
    "seconds from the first of them to the last; of those with a tenth of the time of the longest or more",
    needs="a Darshan log, and several such files",
)
def alone_pauses(found: AloneTime) -> Outcome:
    if found.pauses is None:
        return Absent("it is one file, or the log has not the times of all")
    return Value(found.pauses, "inferred")


_metrics_of_alone_time.value(
    "balance.alone_way",
    "What one rank does with the files that it alone uses",
    "word",
    lambda found: Absent("nothing was read or written") if found.way is None else Value(found.way, "inferred"),
    formula='"reads" or "writes" where nine tenths of the bytes of the files of balance.alone_time are read, or '
    'written; else "reads and writes"',
)
_metrics_of_alone_time.value(
    "balance.alone_file_way",
    "What one rank does with the file that it alone uses longest",
    "word",
    lambda found: (
        Absent("nothing is known to be read from it or written")
        if found.file_way is None
        else Value(found.file_way, "inferred")
    ),
    formula="as balance.alone_way, of the bytes of balance.alone_file",
)


@_metrics_of_alone_time(
    "balance.alone_mount",
    "Type of the mount of the file that one rank alone uses",
    "word",
    formula="as file.mount_type, of balance.alone_file",
    needs="a Darshan log with a mount table",
)
def alone_mount(found: AloneTime) -> Outcome:
    if found.mount is None:
        return Absent("the log's mount table has no mount point above the file but the root")
    return Value(found.mount, "inferred")


@_metrics_of_alone_time(
    "balance.alone_subfiles_of",
    "Library whose subfile the file is that one rank alone uses",
    "word",
    formula="ADIOS2 where balance.alone_file is named as its subfiles are, *.bp/data.N or *.bp.dir/*.bp.N",
    needs="a Darshan log with the names of the files",
)
def alone_subfiles_of(found: AloneTime) -> Outcome:
    if BP.search(found.path or "") is None:
        return Absent("the file is not named as such a library's")
    return Value("ADIOS2", "inferred")
