"""Which site's profile a case is judged by: the one that was chosen, or the one that the evidence speaks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from iotriage.analysis.document import SiteUsed
from iotriage.metrics.file_uses import FileUse
from iotriage.metrics.selection import Selection
from iotriage.sites import GENERIC, all_sites, detect
from iotriage_parsers.evidence import BenchmarkRun, DxtTrace, JobContext, Mount, MpichEnvironment

MOST_PATHS = 1000


def site_used(chosen: str | None, mounts: Sequence[Mount], uses: Sequence[FileUse], job: Selection) -> SiteUsed:
    """KeyError for an unknown site that was chosen."""
    if chosen is not None:
        site = all_sites()[chosen]
        return SiteUsed(site.id, site.title, "person", "chosen by hand", site.checked)
    paths = [*(u.path for u in uses[:MOST_PATHS]), *_paths(job)]
    site, because = detect(mounts, paths, _hosts(job), list(_libraries(job)))
    by: Literal["detected", "default"] = "default" if site.id == GENERIC else "detected"
    return SiteUsed(site.id, site.title, by, because, site.checked)


def _paths(job: Selection) -> Iterator[str]:
    """Where benchmarks wrote and the scheduler started the job: paths that are no files of the job."""
    for _, run in job.of(BenchmarkRun):
        yield from (path for path in (run.file, *(r.file for r in run.results)) if path is not None)
    yield from (c.work_dir for _, c in job.of(JobContext) if c.work_dir is not None)


def _hosts(job: Selection) -> list[str]:
    """The nodes that Darshan names, of all ranks or of some."""
    named = [rows.log.hostnames for rows in job.logs] + [trace.hostnames for _, trace in job.of(DxtTrace)]
    return sorted({host for hosts in named for host in hosts.values() if host})


def _libraries(job: Selection) -> Iterator[str]:
    """The MPI library by its own word, and the modules that the job script loads."""
    for _, environment in job.of(MpichEnvironment):
        yield from ("cray-mpich" for _ in environment.versions[:1])
    for _, context in job.of(JobContext):
        yield from (name for command in context.modules for name in command.names)
