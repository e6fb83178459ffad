"""Which site's profile a case is judged by: the one that was chosen, the one that the evidence speaks for, or the
installation's default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from iotriage.analysis.document import SiteUsed
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.sites import GENERIC, all_sites, detect
from iotriage_parsers.evidence import (
    BenchmarkRun,
    CrayPatReport,
    DxtTrace,
    IoError,
    JobContext,
    Mount,
    MpichEnvironment,
    MpiioHints,
    StripeLayout,
    SystemErrors,
)

MOST_PATHS = 1000

_FIRST_NODE = re.compile(r"([^\s,\[\]]+)(?:\[(\d+)[^\]]*\])?([^\s,\[\]]*)")
"""The first of Slurm's list of nodes: "r01c[01-48].mahti.csc.fi", "nid000012,nid000014"."""

_NAMED_PATH = re.compile(r"(?<![\w.~})/-])/[\w.+@%-]{1,200}(?:/[\w.+@%-]{0,200}){0,20}")
"""A path that stands in a line of words, from the root."""


def site_used(
    chosen: str | None, default: str | None, mounts: Sequence[Mount], uses: Sequence[FileUse], job: Selection
) -> SiteUsed:
    """The site `chosen`, else the one that the evidence names, else `default`. KeyError where such a one is unknown."""
    if chosen is not None:
        site = all_sites()[chosen]
        return SiteUsed(site.id, site.title, "person", "chosen by hand", site.checked)
    paths = [*(u.path for u in uses[:MOST_PATHS]), *_paths(job)]
    contexts = [context for _, context in job.of(JobContext)]
    clusters = [c.cluster for c in contexts if c.cluster is not None and c.scheduler != "pbs"]
    accounts = [c.account for c in contexts if c.account is not None]
    libraries, servers = list(_libraries(job)), list(_servers(contexts))
    site, because = detect(mounts, paths, _hosts(job), libraries, clusters, servers, accounts)
    if default is not None and site.status == "generic":
        known = all_sites()[default]
        because = f"{because}; {known.title} is what holds here where the evidence names no site"
        return SiteUsed(known.id, known.title, "default", because, known.checked)
    by: Literal["detected", "default"] = "default" if site.id == GENERIC else "detected"
    return SiteUsed(site.id, site.title, by, because, site.checked)


def names_centre(used: SiteUsed) -> bool:
    """Whether the evidence named the centre: neither a person's choice does, nor a kind of file system. KeyError for an
    unknown site."""
    return used.chosen_by == "detected" and all_sites()[used.id].status != "generic"


def _paths(job: Selection) -> Iterator[str]:
    """Paths in the evidence that do not come from counted accesses: files of benchmarks (with links followed where IOR
    reports it), and those that hints, layouts, errors and the job's script name."""
    for _, run in job.of(BenchmarkRun):
        yield from (path for path in (run.file, *(r.file for r in run.results)) if path is not None)
        yield from (setting.text for setting in run.settings if setting.key == "path")
    for _, hints in job.of(MpiioHints):
        yield hints.file or ""
    for _, layout in job.of(StripeLayout):
        yield layout.path or ""
    for _, error in job.of(IoError):
        yield from error.files
    for _, failed in job.of(SystemErrors):
        yield from _NAMED_PATH.findall(failed.message)
    for _, context in job.of(JobContext):
        yield context.work_dir or ""
        yield from (target for command in context.stripe_commands for target in command.targets)
        yield from (path for started in context.launches for path in _NAMED_PATH.findall(started.text))
        yield from (f"/{name}" for asked in _requested(context, "filesystems") for name in asked.split(":"))


def _requested(context: JobContext, name: str) -> list[str]:
    return [field.text for field in context.fields if field.name == name]


def _servers(contexts: Iterable[JobContext]) -> Iterator[str]:
    """Names of PBS's server (without its domain, or the part of a queue's name after it), and of the system that the
    job requests."""
    for context in contexts:
        if context.scheduler == "pbs":
            yield from (
                context.cluster or "",
                (context.partition or "").partition("@")[2],
                *_requested(context, "system"),
            )


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
    """Names of the MPI library as it prints them, and modules that the job script loads."""
    for _, environment in job.of(MpichEnvironment):
        yield from (CRAY_MPICH for _ in environment.versions[:1])
    for _, context in job.of(JobContext):
        yield from (name for command in context.modules for name in command.names)
