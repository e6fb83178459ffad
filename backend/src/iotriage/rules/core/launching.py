"""The words that start the job, or something in its place, on its machine."""

from __future__ import annotations

from iotriage.metrics.core.missing_evidence import DARSHAN_MODULE, WHAT_IT_IS_CALLED, preloaded
from iotriage.rules.core.action import Export, FillIn, ModuleLoad, ModuleUnload
from iotriage.rules.core.rule import Context
from iotriage.sites.launcher import started_at
from iotriage.sites.site import Site

PROGRAM = FillIn("PROGRAM", "the program as the job starts it")


def run_again(context: Context) -> tuple[str, ...]:
    """With the ranks and nodes that the job had; empty where the launcher of its site is not known."""
    ranks, nodes = context.number("job.nprocs"), context.number("job.nnodes")
    return started_at(context.site, None if ranks is None else round(ranks), None if nodes is None else round(nodes))


def without_darshan(site: Site) -> tuple[ModuleUnload, ...]:
    """CrayPAT takes the calls that Darshan takes, and both cannot be loaded (https://bluewaters.ncsa.illinois.edu/darshan,
    Conflicting Modules). What unloading says where it is not there stops nothing."""
    return () if site.darshan_module is None else (ModuleUnload(site.darshan_module),)


def watched_by_darshan(site: Site | None) -> tuple[ModuleLoad | Export, ...]:
    """What has Darshan watch the job there."""
    module, library = (None, None) if site is None else (site.darshan_module, site.darshan_library)
    load = Export("LD_PRELOAD", preloaded(library), expands=True)
    by_name = ModuleLoad(DARSHAN_MODULE, WHAT_IT_IS_CALLED) if module is None else ModuleLoad(module)
    return (load,) if library is not None else (by_name, load)
