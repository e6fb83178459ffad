"""What the sources of a case say about its job. It is small enough to be stored with each case and compared with
others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from itertools import islice
from typing import TypeVar

from iotriage.analysis.inputs import UnpackedSource
from iotriage.analysis.jobs.grouping import group_by_job
from iotriage.analysis.jobs.source_identity import NamedFile, NamedJob, SourceIdentity, plain_id, source_identity_of
from iotriage.metrics.core.selection import base_name
from iotriage.sites.measurement import time_of
from iotriage_parsers.evidence import (
    BenchmarkRun,
    DarshanLog,
    DarshanSummary,
    DxtTrace,
    Evidence,
    JobContext,
)
from iotriage_parsers.frozen import frozen

T = TypeVar("T")

MOST_IDS = 16
MOST_FILES_KEPT = 64
LONGEST_PATH = 1024
LONGEST_ID = 128


@frozen
class LoggedRun:
    """A run of which there is a log, in one of its forms."""

    form: str
    start: float | None
    ranks: int | None
    program: str | None = None


@frozen
class NamedResult:
    """A benchmark's run: the file that it worked on, and when it began, as it printed that, without a zone."""

    tool: str
    file: str
    ranks: int | None
    began_local: float | None


@frozen
class NamedLaunch:
    """A program that a script starts, by its name alone, on so many ranks."""

    program: str
    ranks: int


@frozen
class CaseIdentity:
    """What the sources of a case say about its job. `named` are the ids in file names that schedulers give; `several`
    is whether the sources are of more jobs than one."""

    several: bool = False
    jobs: tuple[NamedJob, ...] = ()
    named: tuple[str, ...] = ()
    runs: tuple[LoggedRun, ...] = ()
    logs_written: tuple[str, ...] = ()
    files: Mapping[str, NamedFile] | None = None
    layouts: tuple[str, ...] = ()
    site: str | None = None
    results: tuple[NamedResult, ...] = ()
    launches: tuple[NamedLaunch, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        return frozenset((*(job.id for job in self.jobs), *self.named))

    @property
    def says_anything(self) -> bool:
        """Whether this is enough to find another case of the same job."""
        return bool(self.ids or self.runs or self.files or self.layouts or self.results or self.launches)


def case_identity_of(sources: Sequence[UnpackedSource]) -> CaseIdentity:
    """What the sources say, those of other jobs left out already."""
    identities = [source_identity_of(source) for source in sources]
    files = [item for identity in identities for item in (identity.files or {}).items() if len(item[0]) <= LONGEST_PATH]
    layouts = (path for identity in identities for path in sorted(identity.layouts) if len(path) <= LONGEST_PATH)
    return CaseIdentity(
        several=len(group_by_job(identities).jobs) > 1,
        jobs=_first(job for identity in identities for job in identity.jobs if len(job.id) <= LONGEST_ID),
        named=_first(_ids_from_names(identities)),
        runs=_first(run for source in sources for run in _runs(source)),
        logs_written=_first(sorted(id for identity in identities for id in identity.logs_written)),
        files=dict(sorted(files, key=_largest_first)[:MOST_FILES_KEPT]),
        layouts=tuple(islice(layouts, MOST_FILES_KEPT)),
        results=_first(result for source in sources for result in _results(source)),
        launches=_first(launch for source in sources for launch in _launches(source)),
    )


def _runs(source: UnpackedSource) -> Iterator[LoggedRun]:
    if isinstance(source.outcome, Evidence):
        for part in source.outcome.parts:
            if isinstance(part, DarshanLog | DarshanSummary | DxtTrace) and part.job is not None:
                form = "trace" if isinstance(part, DxtTrace) else "counters"
                program = base_name(part.job.executable) if part.job.executable else None
                yield LoggedRun(form, part.job.start_time, part.job.nprocs, program)


def _results(source: UnpackedSource) -> Iterator[NamedResult]:
    """The benchmark runs that name their file by its whole path."""
    for run in source.outcome.of(BenchmarkRun) if isinstance(source.outcome, Evidence) else ():
        began = time_of(run.began_local)
        seconds = None if began is None else began.replace(tzinfo=UTC).timestamp()
        for path in dict.fromkeys([run.file, *(result.file for result in run.results)]):
            if path is not None and path.startswith("/") and len(path) <= LONGEST_PATH:
                yield NamedResult(run.tool, path, run.nprocs, seconds)


def _launches(source: UnpackedSource) -> Iterator[NamedLaunch]:
    for context in source.outcome.of(JobContext) if isinstance(source.outcome, Evidence) else ():
        for launch in context.launches:
            ranks = launch.ranks or context.ntasks
            if launch.program is not None and ranks is not None:
                yield NamedLaunch(base_name(launch.program)[:LONGEST_ID], ranks)


def _ids_from_names(identities: Iterable[SourceIdentity]) -> Iterator[str]:
    """A source that says its job is not asked for its name."""
    for identity in identities:
        if identity.job_in_name is not None and not identity.jobs:
            yield plain_id(identity.job_in_name)


def _largest_first(file: tuple[str, NamedFile]) -> tuple[int, str]:
    path, named = file
    return -(named.written or 0) - (named.read or 0), path


def _first(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(islice(dict.fromkeys(items), MOST_IDS))
