"""Whether two cases are of one job, told by what the sources of each say of it.

A job id alone does not tell: clusters count alike, and count anew. So the ids agree and something else does too: the
cluster, the times, a file that both tell of, the job's Darshan log seen being written. Nothing is concluded from names
of programs or people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

from iotriage.analysis.inputs import UnpackedSource
from iotriage.analysis.jobs.gathering import file_in, jobs_of, same_bytes
from iotriage.analysis.jobs.identity import FileSaid, Identity, JobSaid, identity_of, plain_id, same_job
from iotriage_parsers.evidence import DarshanLog, DarshanSummary, DxtTrace, Evidence
from iotriage_parsers.frozen import frozen

T = TypeVar("T")

MOST_IDS = 16
MOST_FILES_KEPT = 64
LONGEST_PATH = 1024
LONGEST_ID = 128
SAME_START_S = 1.0
"""Texts of a log print whole seconds."""


@frozen
class RunSaid:
    """A run of which there is a log, in one of its forms."""

    form: str
    start: float | None
    ranks: int | None


@frozen
class CaseSaid:
    """What the sources of a case say of its job: little, so that it is kept beside each case. `named` are the ids in
    file names that schedulers give; `several` is whether the sources are of more jobs than one."""

    several: bool = False
    jobs: tuple[JobSaid, ...] = ()
    named: tuple[str, ...] = ()
    runs: tuple[RunSaid, ...] = ()
    logs_written: tuple[str, ...] = ()
    files: Mapping[str, FileSaid] | None = None
    layouts: tuple[str, ...] = ()
    site: str | None = None

    @property
    def ids(self) -> frozenset[str]:
        return frozenset((*(job.id for job in self.jobs), *self.named))


@frozen
class Together:
    """They are of one job, and why."""

    job_id: str
    because: str


@frozen
class Apart:
    """They have the same job id and are not joined, and why; `differ` is whether they cannot be one case of it, even
    with what another would add."""

    job_id: str
    because: str
    differ: bool = False


def said_of(sources: Sequence[UnpackedSource]) -> CaseSaid:
    """What the sources say, those of other jobs left out already."""
    identities = [identity_of(source) for source in sources]
    told = [item for identity in identities for item in (identity.files or {}).items() if len(item[0]) <= LONGEST_PATH]
    layouts = (path for identity in identities for path in sorted(identity.layouts) if len(path) <= LONGEST_PATH)
    return CaseSaid(
        several=len(jobs_of(identities).jobs) > 1,
        jobs=_first(job for identity in identities for job in identity.jobs if len(job.id) <= LONGEST_ID),
        named=_first(_named(identities)),
        runs=_first(run for source in sources for run in _runs(source)),
        logs_written=_first(sorted(id for identity in identities for id in identity.logs_written)),
        files=dict(sorted(told, key=_largest_first)[:MOST_FILES_KEPT]),
        layouts=tuple(islice(layouts, MOST_FILES_KEPT)),
    )


def told_together(one: CaseSaid, other: CaseSaid) -> Together | Apart | None:
    """Whether two cases are one job's; None where they have no job in common."""
    if one.several or other.several or _elsewhere(one, other):
        return None
    for job_id in sorted(one.ids & other.ids):
        pairs = [(a, b) for a in one.jobs for b in other.jobs if a.id == b.id == job_id]
        if pairs and not any(same_job(a, b) for a, b in pairs):
            continue
        if one.runs and other.runs and not _forms_of_one_run(one.runs, other.runs):
            same = any(_same_run(a, b) for a in one.runs for b in other.runs)
            what = "the log of the same run" if same else "the log of another of its steps"
            return Apart(job_id, f"each has a log of job {job_id}, and the other one's is {what}", differ=True)
        why = _grounds(job_id, pairs, one, other)
        if why is None:
            return Apart(
                job_id, f"both name job {job_id}, and neither cluster, times nor files say that it is the same"
            )
        return Together(job_id, why)
    return None


def _grounds(job_id: str, pairs: Sequence[tuple[JobSaid, JobSaid]], one: CaseSaid, other: CaseSaid) -> str | None:
    agreeing = [(a, b) for a, b in pairs if same_job(a, b)]
    cluster = next((job.cluster for job in (*one.jobs, *other.jobs) if job.id == job_id and job.cluster), None)
    on = f" on cluster {cluster}" if cluster else ""
    for a, b in agreeing:
        if a.start is not None and b.start is not None:
            return f"both are of job {job_id}{on}, which began {_when(a if b.local else b)}"
    if any(a.cluster and a.cluster == b.cluster for a, b in agreeing):
        return f"both are of job {job_id}{on}"
    for text, log in ((one, other), (other, one)):
        if job_id in text.logs_written and log.runs:
            return f"one is the Darshan log of job {job_id}{on} that the other saw being written"
        path = _file_of_both(text, log)
        if path is not None:
            return f"both are of job {job_id}{on} and tell of {path}"
    return None


def _file_of_both(text: CaseSaid, log: CaseSaid) -> str | None:
    """A file of which both tell nothing that differs."""
    files = log.files or {}
    for path, said in (text.files or {}).items():
        of_log = file_in(path, said, files)
        if of_log is not None and (not _count_bytes(said, of_log) or same_bytes(said, of_log)):
            return path
    return next((path for path in text.layouts if path in files), None)


def _count_bytes(one: FileSaid, other: FileSaid) -> bool:
    ways = ((one.written, other.written), (one.read, other.read))
    return any(a is not None and b is not None for a, b in ways)


def _forms_of_one_run(one: Sequence[RunSaid], other: Sequence[RunSaid]) -> bool:
    """Whether all are of one run, and each has another form of it: its counters, and its trace as a text."""
    apart = {run.form for run in one}.isdisjoint(run.form for run in other)
    return apart and all(_same_run(a, b) for a in one for b in other)


def _same_run(one: RunSaid, other: RunSaid) -> bool:
    if one.start is None or other.start is None or abs(one.start - other.start) > SAME_START_S:
        return False
    return one.ranks is None or other.ranks is None or one.ranks == other.ranks


def _elsewhere(one: CaseSaid, other: CaseSaid) -> bool:
    """Whether the evidence of each names another centre."""
    return one.site is not None and other.site is not None and one.site != other.site


def _when(job: JobSaid) -> str:
    assert job.start is not None
    began = datetime.fromtimestamp(job.start, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"at {began}" if job.local else f"at {began} UTC"


def _runs(source: UnpackedSource) -> Iterator[RunSaid]:
    if isinstance(source.outcome, Evidence):
        for part in source.outcome.parts:
            if isinstance(part, DarshanLog | DarshanSummary | DxtTrace) and part.job is not None:
                form = "trace" if isinstance(part, DxtTrace) else "counters"
                yield RunSaid(form, part.job.start_time, part.job.nprocs)


def _named(identities: Iterable[Identity]) -> Iterator[str]:
    """A source that says its job is not asked for its name."""
    for identity in identities:
        if identity.job_in_name is not None and not identity.jobs:
            yield plain_id(identity.job_in_name)


def _largest_first(told: tuple[str, FileSaid]) -> tuple[int, str]:
    path, said = told
    return -(said.written or 0) - (said.read or 0), path


def _first(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(islice(dict.fromkeys(items), MOST_IDS))
