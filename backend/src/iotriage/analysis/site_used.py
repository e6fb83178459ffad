"""Which site's profile a case is judged by: the one that was chosen, the one that the evidence speaks for, or the
installation's default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from iotriage.analysis.document import SiteUsed
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.sites import GENERIC, all_sites, detect
from iotriage_parsers.evidence import BenchmarkRun, CrayPatReport, DxtTrace, JobContext, Mount, MpichEnvironment

MOST_PATHS = 1000

_FIRST_NODE = re.compile(r"([^\s,\[\]]+)(?:\[(\d+)[^\]]*\])?([^\s,\[\]]*)")
"""The first of Slurm's list of nodes: "r01c[01-48].mahti.csc.fi", "nid000012,nid000014"."""


def site_used(
    chosen: str | None, default: str | None, mounts: Sequence[Mount], uses: Sequence[FileUse], job: Selection
) -> SiteUsed:
    """The site `chosen`, else the one that the evidence names, else `default`. KeyError where such a one is unknown."""
    if chosen is not None:
        site = all_sites()[chosen]
        return SiteUsed(site.id, site.title, "person", "chosen by hand", site.checked)
    paths = [*(u.path for u in uses[:MOST_PATHS]), *_paths(job)]
    site, because = detect(mounts, paths, _hosts(job), list(_libraries(job)))
    if default is not None and site.status == "generic":
        known = all_sites()[default]
        because = f"{because}; {known.title} is what holds here where the evidence names no site"
        return SiteUsed(known.id, known.title, "default", because, known.checked)
    by: Literal["detected", "default"] = "default" if site.id == GENERIC else "detected"
    return SiteUsed(site.id, site.title, by, because, site.checked)


def _paths(job: Selection) -> Iterator[str]:
    """Where benchmarks wrote, with links followed where IOR says so, and where the scheduler started the job: paths
    that are no files of the job."""
    for _, run in job.of(BenchmarkRun):
        yield from (path for path in (run.file, *(r.file for r in run.results)) if path is not None)
        yield from (setting.text for setting in run.settings if setting.key == "path")
    yield from (c.work_dir for _, c in job.of(JobContext) if c.work_dir is not None)


def _hosts(job: Selection) -> list[str]:
    """The nodes that Darshan names, of all ranks or of some, those of CrayPAT and IOR, and the first of Slurm's."""
    named = [rows.log.hostnames for rows in job.logs] + [trace.hostnames for _, trace in job.of(DxtTrace)]
    # One for each rank: many, and mostly the same.
    hosts = set[str]().union(*(hosts.values() for hosts in named)) - {""}
    hosts |= {report.host for _, report in job.of(CrayPatReport) if report.host}
    machines = (s.text for _, run in job.of(BenchmarkRun) for s in run.settings if s.key == "machine")
    hosts |= {machine.split()[-1] for machine in machines if machine.strip()}
    lists = [c.nodelist for _, c in job.of(JobContext) if c.nodelist]
    first = (_FIRST_NODE.match(nodes) for nodes in lists)
    hosts |= {"".join(part or "" for part in match.groups()) for match in first if match is not None}
    return sorted(hosts)


def _libraries(job: Selection) -> Iterator[str]:
    """The MPI library by its own word, and the modules that the job script loads."""
    for _, environment in job.of(MpichEnvironment):
        yield from ("cray-mpich" for _ in environment.versions[:1])
    for _, context in job.of(JobContext):
        yield from (name for command in context.modules for name in command.names)
