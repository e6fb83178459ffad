"""What one source says about its job. It is small, so that a folder of many logs can be grouped by job without keeping
their evidence in memory. Neither a program's name nor a file's name alone identifies a job: the same program writes the
same file in every job of a user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from iotriage.analysis.inputs import INSIDE, UnpackedSource
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import base_name
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkRun,
    CounterTable,
    CrayPatReport,
    DarshanLog,
    DarshanSummary,
    DxtTrace,
    Evidence,
    Job,
    JobContext,
    MpiioHints,
    MpiioStats,
    MpiioTimers,
    Part,
    StripeLayout,
)
from iotriage_parsers.evidence.job_context import ContextSource
from iotriage_parsers.frozen import frozen

MOST_FILES = 20_000
"""Number of file names of a log that are stored, by which texts are matched to it: the files that MPI-IO opened, and
all files where there are no more than this."""
ZONE_S = 15 * 3600
"""The largest offset of a time zone: schedulers print local times without a zone, and Darshan's times are UTC."""
CLOCKS_S = 60
"""How much longer than its job a run may seem, since their clocks differ and are rounded."""
ONE_JOB_S = 30 * 86_400
"""Logs with the same job id that began further apart are of two jobs: schedulers restart their numbering at some
time."""

ACCOUNTS: Final[frozenset[ContextSource]] = frozenset({"sacct", "scontrol", "seff", "qstat", "epilogue"})
"""Kinds of text in which a scheduler reports about a job by its number."""

_ID = re.compile(r"\d+(?:_\d+|\[\d+\])?")
_DARSHAN_LOG = re.compile(r"_id(\d+)(?:-\d+)?_\d+-\d+-\d+-\d+")
_OF_PROCESS = re.compile(r"_id(\d+)-\1_\d+-\d+-\d+-\d+")
"""Where no variable names the job, Darshan uses the number of the process as the job's; from 3.3 on the name of a log
has both."""
_OUTPUT_OF = re.compile(r"slurm-(\d+)\.(?:out|err)|.+\.[oe](\d{4,})(?:[.\-]\d+)?")
"""Names of output files that hardly anything but a scheduler gives. In Slurm's names, a task of an array has another
number than in its records."""
_NUMBER = re.compile(r"\d+")
_NUMBER_IN_NAME = re.compile(r"(?<!\d)\d{3,}(?!\d)")
_NAMED_BY_SCHEDULER = re.compile(
    r"slurm-(\d+(?:_\d+)?)\.(?:out|err)|.+\.[oe](\d{3,})(?:[.\-]\d+)?|(?:stdout|stderr)\.(\d{3,})"
    r"|.+[._\-](\d{4,})(?:\.(?:stdout|stderr|out|err|o|e|log|output|error))(?:\.txt)?"
)


@frozen
class NamedJob:
    """A job that a source names. Times in seconds since the epoch; a scheduler's are `local`, without their zone.
    `of_process` where the number is surely not the scheduler's."""

    id: str
    cluster: str | None = None
    start: float | None = None
    end: float | None = None
    local: bool = False
    of_process: bool = False


@frozen
class NamedFile:
    """What a source says about a file: by how many ranks it was used, and how many bytes went each way below the
    library."""

    ranks: int | None = None
    written: int | None = None
    read: int | None = None


@frozen
class SourceIdentity:
    """`folder` is that of the source as it was given, with the archive's name; `log` is whether it tells of a run by
    itself, as Darshan's logs do, and `measured` whether it is a text with a run's figures. `jobs` are those that it
    names, `output_of` the number of the one whose output it is, by the end that it tells of or by its name,
    `job_in_name` the one in a file name that schedulers give, `numbers_in_name` what may be one in any other, as in
    "job_4127003.slurm", `logs_written` the jobs of the Darshan logs that MPI-IO wrote meanwhile. `files` are by path;
    `layouts` the paths of files and directories of which it has the striping, `launches` the programs that a script
    starts."""

    folder: str
    log: bool
    readable: bool
    measured: bool = False
    jobs: tuple[NamedJob, ...] = ()
    output_of: str | None = None
    job_in_name: str | None = None
    numbers_in_name: frozenset[str] = frozenset()
    logs_written: frozenset[str] = frozenset()
    ranks: int | None = None
    files: Mapping[str, NamedFile] | None = None
    layouts: frozenset[str] = frozenset()
    program: str | None = None
    launches: frozenset[str] = frozenset()


def source_identity_of(source: UnpackedSource, *, alone: bool = False) -> SourceIdentity:
    """What the source says about its job; where it is `alone`, without the files that others would be joined by."""
    folder, _, name = source.name.replace(INSIDE, "/").rpartition("/")
    outcome = source.outcome
    if not isinstance(outcome, Evidence):
        return SourceIdentity(folder, log=False, readable=False)
    runs = [p for p in outcome.parts if isinstance(p, DarshanLog | DarshanSummary | DxtTrace)]
    jobs = [run.job for run in runs if run.job is not None]
    texts = [] if alone else [(path, file) for p in outcome.parts for path, file in files_of_part(p)]
    contexts = outcome.of(JobContext)
    ended = None if runs else next(ended_jobs(outcome), None)
    return SourceIdentity(
        folder,
        log=bool(runs),
        readable=True,
        measured=any(isinstance(p, MpiioStats | MpiioTimers | CrayPatReport) for p in outcome.parts),
        jobs=tuple(dict.fromkeys((*_of_logs(jobs, name), *_of_contexts(contexts), *_of_end(ended)))),
        output_of=ended or _first_group(_OUTPUT_OF.fullmatch(name)),
        job_in_name=_first_group(_NAMED_BY_SCHEDULER.fullmatch(name)),
        numbers_in_name=frozenset(_NUMBER_IN_NAME.findall(name)),
        logs_written=frozenset(id for path, _ in texts if (id := darshan_log_of(path)) is not None),
        ranks=next((j.nprocs for j in jobs if j.nprocs is not None), None),
        files=_joined(texts),
        layouts=frozenset(p.path for p in outcome.of(StripeLayout) if p.path and "/" in p.path),
        program=next((base_name(j.executable) for j in jobs if j.executable), None),
        launches=frozenset(base_name(x.program) for c in contexts for x in c.launches if x.program is not None),
    )


def ended_jobs(read: Evidence) -> Iterator[str]:
    """The jobs whose ends a text tells of. A list of jobs tells of theirs, and is the output of none."""
    listed = [context.lines for context in read.of(JobContext) if context.source in ACCOUNTS]
    for p in read.problems:
        in_list = p.line is not None and any(lines.first <= p.line <= lines.last for lines in listed)
        if p.end is not None and p.end.job and not in_list:
            yield p.end.job


def _first_group(match: re.Match[str] | None) -> str | None:
    return None if match is None else next((group for group in match.groups() if group), None)


def number_of(job_id: str) -> str:
    """The number that a task of an array has with all others of it."""
    found = _NUMBER.match(job_id)
    return job_id if found is None else found[0]


def plain_id(job_id: str) -> str:
    """The scheduler's number, without its server, step, or what else follows: "418377" of "418377.polaris-pbs-01"."""
    found = _ID.match(job_id)
    return job_id if found is None else found[0]


def darshan_log_of(path: str) -> str | None:
    """The job of the Darshan log that has this path; None where it is another file."""
    found = _DARSHAN_LOG.search(path.rpartition("/")[2])
    return None if found is None else found[1]


def same_job(one: NamedJob, other: NamedJob) -> bool:
    """Whether both can be one job: the same id, no other cluster, and times that fit."""
    if one.id != other.id or (one.cluster and other.cluster and one.cluster != other.cluster):
        return False
    if one.start is None or other.start is None:
        return True
    if one.local == other.local:
        return abs(one.start - other.start) <= ONE_JOB_S
    log, scheduled = (other, one) if one.local else (one, other)
    assert log.start is not None
    assert scheduled.start is not None
    if log.end is not None and scheduled.end is not None:
        allotted = scheduled.end - scheduled.start
        if log.end - log.start > allotted + CLOCKS_S:
            return False
    end = scheduled.start + ONE_JOB_S if scheduled.end is None else scheduled.end
    return scheduled.start - ZONE_S <= log.start <= end + ZONE_S


def _of_logs(jobs: list[Job], name: str) -> Iterator[NamedJob]:
    of_process = _OF_PROCESS.search(name) is not None
    for job in jobs:
        if job.job_id is not None:
            yield NamedJob(plain_id(job.job_id), None, job.start_time, job.end_time, of_process=of_process)


def _of_contexts(contexts: tuple[JobContext, ...]) -> Iterator[NamedJob]:
    for context in contexts:
        start, end = _seconds(context.start_local), _seconds(context.end_local)
        for job_id in dict.fromkeys((context.job_id_raw, context.job_id)):
            if job_id is not None:
                yield NamedJob(plain_id(job_id), context.cluster, start, end, local=True)


def _of_end(job_id: str | None) -> Iterator[NamedJob]:
    if job_id is not None:
        yield NamedJob(job_id)


def _seconds(local: str | None) -> float | None:
    if local is None:
        return None
    try:
        return datetime.fromisoformat(local).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def files_of_part(part: Part) -> Iterator[tuple[str, NamedFile]]:
    """What a part says about the files that it names, by path."""
    match part:
        case DarshanLog():
            yield from _files_of_log(part)
        case MpiioStats() if part.trusted:
            written, read = (part.total_bytes, None) if part.direction == "write" else (None, part.total_bytes)
            yield part.file, NamedFile(part.ranks_in_communicator, written, read)
        case MpiioTimers() if part.trusted and part.file is not None:
            known = part.active_ranks is not None and part.idle_ranks is not None
            yield part.file, NamedFile((part.active_ranks or 0) + (part.idle_ranks or 0) if known else None)
        case MpiioHints() | AggregatorPlacement() if part.file:
            yield part.file, NamedFile()
        case BenchmarkRun() if part.file:
            yield part.file, NamedFile(part.nprocs)
        case _:
            return


def _files_of_log(log: DarshanLog) -> Iterator[tuple[str, NamedFile]]:
    """The bytes are POSIX's where the log has them: what the library wrote, as MPICH's statistics count it."""
    wanted = set(log.names) if len(log.names) <= MOST_FILES else set(_ids(log.mpiio)[:MOST_FILES])
    moved = _moved(log.posix if log.posix is not None else log.mpiio)
    for record in sorted(wanted):
        name = log.names.get(record)
        if name is not None:
            written, read = moved.get(record, (None, None))
            yield name, NamedFile(log.job.nprocs, written, read)


def _moved(table: CounterTable | None) -> Mapping[int, tuple[int | None, int | None]]:
    counters = () if table is None else (f"{prefix_of(table)}_BYTES_WRITTEN", f"{prefix_of(table)}_BYTES_READ")
    if table is None or not set(counters) <= set(table.int_names):
        return {}
    written, read = (sums_by_file(table, counter).tolist() for counter in counters)
    return dict(zip(table.by_id.ids.tolist(), zip(written, read, strict=True), strict=True))


def _ids(table: CounterTable | None) -> list[int]:
    return [] if table is None else list(dict.fromkeys(table.ids.tolist()))


def _joined(files: list[tuple[str, NamedFile]]) -> Mapping[str, NamedFile]:
    """The files by path; the bytes of one that was closed several times are added up."""
    found: dict[str, NamedFile] = {}
    for path, one in files:
        before = found.get(path, NamedFile())
        ranks = max((r for r in (before.ranks, one.ranks) if r is not None), default=None)
        found[path] = NamedFile(ranks, _plus(before.written, one.written), _plus(before.read, one.read))
    return found


def _plus(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other
