"""Groups sources by job, from the identity of each (`source_identity`).

Logs and accounts of one job id, cluster and time are one job. A text that names no job is of the job whose id its file
name has, as schedulers or people give it, or whose Darshan log it saw written, or whose files it tells of: the same
path, no more ranks, and where several jobs used that path, the same bytes. What tells nothing goes with the folder it
was put in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from iotriage.analysis.jobs.source_identity import NamedFile, NamedJob, SourceIdentity, number_of, plain_id, same_job
from iotriage.metrics.core.selection import base_name
from iotriage_parsers.frozen import frozen

BYTES_AGREE = 0.01
ONE_COUNT = 4
"""A scheduler counts upwards, and the runs that somebody gives together lie close: of numbers that are further apart
the log's is a process, which Darshan has for the job where no variable names one."""


_IDS_OF_A_TASK = 2
"""The number of a task's array, and its own number."""


@frozen
class JobSources:
    """One job: `sources` are indexes. `id` is None where no source names it. `among_others` is whether the sources hold
    parts of other jobs too, so that those of this one have to be told apart (`job_parts`)."""

    id: str | None
    sources: tuple[int, ...]
    among_others: bool = False


@frozen
class GroupedSources:
    """`left_out` are sources that could not be read and are of no job by their folder."""

    jobs: tuple[JobSources, ...]
    left_out: tuple[int, ...] = ()


@dataclass(eq=False)
class _Job:
    said: list[NamedJob] = field(default_factory=list)
    sources: set[int] = field(default_factory=set)
    logs: set[int] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)

    def takes(self, named: NamedJob) -> bool:
        return any(same_job(named, mine) for mine in self.said)

    @property
    def id(self) -> str | None:
        return self.said[0].id if self.said else None

    def is_of(self, number: str) -> bool | None:
        """Whether it has this number; None where nothing names it but, perhaps, a process."""
        scheduled = [number_of(named.id) for named in self.said if not named.of_process]
        if number in scheduled:
            return True
        return False if any(_one_count(number, other) for other in scheduled) else None


def group_by_job(sources: Sequence[SourceIdentity], *, many: bool = False) -> GroupedSources:
    """The jobs in the order of their first sources. Files that a person names are of one job unless several logs, or
    the numbers of the jobs whose outputs they are, say otherwise; `many` is for a folder or an archive, in which any
    number of jobs may lie."""
    jobs = _of_logs(sources)
    _add_accounts(sources, jobs)
    if not many and len(jobs) < 2 and not _outputs_apart(sources, jobs) and len(_named_in_accounts(sources)) < 2:
        return _one_job(sources, jobs)
    _add_jobs_without_logs(sources, jobs)
    assigned = {i for job in jobs for i in job.sources}
    for i, source in enumerate(sources):
        if i not in assigned and source.readable:
            for job in _jobs_of_text(source, jobs, sources):
                job.sources.add(i)
    assigned = {i for job in jobs for i in job.sources}
    left_out = []
    # What a job's name is known of makes the jobs that what names none goes with.
    waiting = [i for i in range(len(sources)) if i not in assigned]
    for i in sorted(waiting, key=lambda i: sources[i].output_of is None):
        going = _by_folder(i, sources, jobs, many, assigned)
        for job in going:
            job.sources.add(i)
        if not going:
            if sources[i].readable:
                jobs.append(_own_job(i, sources))
            else:
                left_out.append(i)
    found = sorted((job for job in jobs if job.sources), key=lambda job: min(job.sources))
    return GroupedSources(
        tuple(JobSources(j.id, tuple(sorted(j.sources)), j.id is not None) for j in found), tuple(left_out)
    )


def _of_logs(sources: Sequence[SourceIdentity]) -> list[_Job]:
    jobs: list[_Job] = []
    for i, source in enumerate(sources):
        if source.log:
            for named in source.jobs or (None,):
                job = next((j for j in jobs if named is not None and j.takes(named)), None)
                if job is None:
                    job = _Job()
                    jobs.append(job)
                if named is not None:
                    job.said.append(named)
                job.sources.add(i)
                job.logs.add(i)
    return jobs


def _add_accounts(sources: Sequence[SourceIdentity], jobs: Sequence[_Job]) -> None:
    """What the scheduler says about a job goes to its logs; where it fits two of them, which only lack their times, it
    goes to neither."""
    for i, source in enumerate(sources):
        if not source.log:
            for named in source.jobs:
                fitting = [job for job in jobs if job.takes(named)]
                if len(fitting) == 1:
                    fitting[0].sources.add(i)


def _add_jobs_without_logs(sources: Sequence[SourceIdentity], jobs: list[_Job]) -> None:
    for i, source in enumerate(sources):
        for named in () if source.log else source.jobs:
            known = next((job for job in jobs if job.takes(named)), None)
            if known is None:
                known = _Job([named])
                jobs.append(known)
            elif named not in known.said and not known.logs:
                known.said.append(named)
            if not known.logs:
                known.sources.add(i)


def _one_count(one: str, other: str) -> bool:
    """Whether one scheduler can have given both; words are no numbers, and nothing tells."""
    if not (one.isdecimal() and other.isdecimal()):
        return True
    least, most = sorted((int(one), int(other)))
    return most <= ONE_COUNT * least


def _outputs_apart(sources: Sequence[SourceIdentity], jobs: Sequence[_Job]) -> bool:
    """Whether outputs are of another job than each other, than the logs, or than the job that an account is of, by
    their numbers; or such an account of another than the logs. A list of several jobs is of none."""
    numbers = {source.output_of for source in sources if source.output_of is not None}
    if len(numbers) > 1 or any(job.is_of(number) is False for job in jobs for number in numbers):
        return True
    listed = [{number_of(named.id) for named in s.jobs} for s in sources if not s.log and s.output_of is None]
    if not listed or any(len(ids) > _IDS_OF_A_TASK for ids in listed):
        return False
    accounts = {number for ids in listed for number in ids}
    if any(job.is_of(number) is not False for job in jobs for number in accounts):
        return False
    return bool(accounts) and (bool(jobs) or any(number_of(number) not in accounts for number in numbers))


def listed_job(sources: Sequence[SourceIdentity], job_id: str) -> JobSources | None:
    """One that accounts list among others and that somebody chooses, with all that was given; None where none does."""
    if all(source.log or all(named.id != job_id for named in source.jobs) for source in sources):
        return None
    return JobSources(job_id, tuple(range(len(sources))), among_others=True)


def _named_in_accounts(sources: Sequence[SourceIdentity]) -> Collection[str]:
    """Of the jobs that accounts list, where these are several, those that the other sources are of, by what they say
    themselves or the names that schedulers give their outputs; in the order of the sources."""
    texts = [source for source in sources if not source.log]
    listed = {named.id for source in texts if len(source.jobs) > 1 for named in source.jobs}
    others = [source for source in texts if len(source.jobs) < 2]
    numbers = (
        n for s in others for n in (*(named.id for named in s.jobs), s.output_of, s.job_in_name) if n is not None
    )
    return dict.fromkeys(plain_id(number) for number in numbers if plain_id(number) in listed)


def _one_job(sources: Sequence[SourceIdentity], jobs: Sequence[_Job]) -> GroupedSources:
    """All that was given, unless one of the accounts lists other jobs beside this one."""
    every = tuple(range(len(sources)))
    if not jobs:
        own = next(iter(_named_in_accounts(sources)), None)
        return GroupedSources((JobSources(own, every, own is not None),) if every else ())
    (job,) = jobs
    others = any(
        any(job.takes(named) for named in source.jobs) and not all(job.takes(named) for named in source.jobs)
        for source in sources
    )
    return GroupedSources((JobSources(job.id, every, others and job.id is not None),))


def _jobs_of_text(source: SourceIdentity, jobs: Sequence[_Job], sources: Sequence[SourceIdentity]) -> Iterator[_Job]:
    """The jobs that a text is of, which names none: several where it is the output of several programs."""
    if source.job_in_name is not None:
        named = [job for job in jobs if job.id == plain_id(source.job_in_name)]
        if len(named) == 1:
            yield named[0]
            return
    if source.output_of is not None:
        jobs = [job for job in jobs if job.is_of(source.output_of) is not False]
    numbered = [job for job in jobs if any(job.is_of(number) for number in source.numbers_in_name)]
    if len(numbered) == 1:
        yield numbered[0]
        return
    found = {id(job): job for job in jobs if job.id in source.logs_written}
    for path, file in (source.files or {}).items():
        fitting = jobs_of_file(path, file, [(job, _files(job, sources)) for job in jobs])
        found.update({id(job): job for job in fitting if len(fitting) == 1})
    for path in source.layouts:
        found.update({id(job): job for job in jobs if _uses(path, _files(job, sources))})
    if not found and source.launches:
        here = [job for job in jobs if any(sources[i].folder == source.folder for i in job.sources)]
        started = [job for job in here if {sources[i].program for i in job.logs} & source.launches]
        found.update({id(job): job for job in started})
    yield from found.values()


def _files(job: _Job, sources: Sequence[SourceIdentity]) -> Mapping[str, NamedFile]:
    of_logs = [sources[i].files or {} for i in sorted(job.logs or job.sources)]
    return of_logs[0] if len(of_logs) == 1 else {path: named for files in of_logs for path, named in files.items()}


def jobs_of_file(path: str, named: NamedFile, candidates: Iterable[tuple[_Job, Mapping[str, NamedFile]]]) -> list[_Job]:
    """Those that used the file: by its path and ranks; of several those that moved as many bytes."""
    fitting = [(job, of_job) for job, files in candidates if (of_job := file_in(path, named, files)) is not None]
    if len(fitting) > 1:
        fitting = [(job, of_job) for job, of_job in fitting if same_bytes(named, of_job)]
    return [job for job, _ in fitting]


def file_in(path: str, file: NamedFile, files: Mapping[str, NamedFile]) -> NamedFile | None:
    """What a job says about the file: by its whole path, or where only a name was printed, by name and ranks."""
    found = files.get(path)
    if found is None and "/" not in path and file.ranks is not None:
        named = [f for p, f in files.items() if base_name(p) == path and f.ranks == file.ranks]
        found = named[0] if len(named) == 1 else None
    if found is None or (file.ranks is not None and found.ranks is not None and file.ranks > found.ranks):
        return None
    return found


def same_bytes(named: NamedFile, of_job: NamedFile) -> bool:
    """Whether the byte counts that both know agree, and there is at least one."""
    pairs = [(a, b) for a, b in ((named.written, of_job.written), (named.read, of_job.read)) if a is not None]
    known = [(a, b) for a, b in pairs if b is not None]
    return bool(known) and all(abs(a - b) <= BYTES_AGREE * max(a, b) for a, b in known)


def _uses(path: str, files: Collection[str]) -> bool:
    """Whether a file of the job has this path, or lies in the directory."""
    inside = path.rstrip("/") + "/"
    return path in files or any(name.startswith(inside) for name in files)


def _by_folder(
    i: int, sources: Sequence[SourceIdentity], jobs: Sequence[_Job], many: bool, assigned: Collection[int]
) -> list[_Job]:
    """What tells nothing of its job: files that a person named go with all jobs; of a folder, with the one job that
    lies there."""
    source = sources[i]
    if source.output_of is not None and (own := [job for job in jobs if job.is_of(source.output_of)]):
        return own
    jobs = [job for job in jobs if source.output_of is None or job.is_of(source.output_of) is None]
    if not many:
        return [job for job in jobs if job.logs] or list(jobs)
    here = [job for job in jobs if any(sources[k].folder == source.folder for k in job.sources)]
    if source.job_in_name is not None:
        return [job for job in here if job.id == plain_id(source.job_in_name)]
    if len(here) == 1 and not _measured_apart(source, here[0], sources):
        return here
    paths = {*(source.files or {}), *source.layouts}
    together = [job for job in here if any(_shares(sources[k], paths) for k in job.sources if k not in assigned)]
    return together[:1]


def _measured_apart(source: SourceIdentity, job: _Job, sources: Sequence[SourceIdentity]) -> bool:
    """Whether the source has a run's figures, which are not those of the job that lies beside it."""
    others = [sources[i] for i in job.sources]
    return source.measured and any(other.log or other.measured for other in others)


def _shares(other: SourceIdentity, paths: Collection[str]) -> bool:
    """Whether a source tells of one of the files: an IOR result and the striping of its file are of one run."""
    theirs = {*(other.files or {}), *other.layouts}
    return any("/" in path and (path in theirs or _uses(path, theirs)) for path in paths) or any(
        "/" in path and _uses(path, paths) for path in theirs
    )


def _own_job(i: int, sources: Sequence[SourceIdentity]) -> _Job:
    named = sources[i].job_in_name
    return _Job([NamedJob(plain_id(named))] if named is not None else [], {i})
