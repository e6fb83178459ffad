"""Command lines that start the job, or another program in its place, on the job's own machine."""

from __future__ import annotations

from iotriage.rules.core.action import Export, FillIn, ModuleLoad, ModuleUnload, Place, RunCommand
from iotriage.rules.core.rule import Context
from iotriage.sites.launcher import rank_variable, started_at
from iotriage.sites.site import Site

PROGRAM = FillIn("PROGRAM", "the program with its arguments, as PROGRAM=(./program input)", words=True)
PROGRAM_FILE = FillIn("PROGRAM_FILE", "the file of the program")


def run_again(context: Context) -> tuple[str, ...]:
    """The launch line with the ranks and nodes that the job had; empty where the site's launcher is not known."""
    ranks, nodes = context.number("job.nprocs"), context.number("job.nnodes")
    return started_at(context.site, None if ranks is None else round(ranks), None if nodes is None else round(nodes))


def without_darshan(site: Site) -> tuple[ModuleUnload, ...]:
    """Unloads Darshan: CrayPAT wraps the same calls, and both cannot be loaded
    (https://bluewaters.ncsa.illinois.edu/darshan, Conflicting Modules). The line goes on where Darshan was not
    loaded."""
    return () if site.darshan_module is None else (ModuleUnload(site.darshan_module),)


ITS_LIBRARY = "${DARSHAN_PRELOAD:-${DARSHAN_ROOT:+$DARSHAN_ROOT/lib/libdarshan.so}}:${LD_PRELOAD:-}"
"""The library that the module names, or where the module has it, put before what LD_PRELOAD already has: that may be
Darshan itself, preloaded by its module, or another tool of the centre such as XALT. The loader ignores an empty name,
and loads no library twice."""
DARSHAN_MODULE = "darshan-runtime"
"""The module's name in Spack and in Darshan's own documents."""
WHAT_IT_IS_CALLED = "or by its name here: module avail darshan"
"""Added where no document of the site gives the module's name."""
WITHOUT_MPI = Export("DARSHAN_ENABLE_NONMPI", "1", remark="for a program without MPI")
"""Without it Darshan writes no log for a program that does not use MPI (darshan-runtime, Option 3: instrumenting
non-MPI applications at run time)."""
Watching = tuple[ModuleLoad | Export, ...]


def watched_by_darshan(site: Site | None, *, maybe_without_mpi: bool = False) -> Watching:
    """What has Darshan watch a job there: its module, and the library where that is not preloaded by it, or the library
    alone. One process, or several on their own, may be without MPI."""
    module, library = (None, None) if site is None else (site.darshan_module, site.darshan_library)
    its_library = ITS_LIBRARY if library is None else f"{library}:${{LD_PRELOAD:-}}"
    load = Export("LD_PRELOAD", its_library, expands=True)
    by_name = ModuleLoad(DARSHAN_MODULE, WHAT_IT_IS_CALLED) if module is None else ModuleLoad(module)
    loaded: Watching = (load,) if library is not None else (by_name, load)
    return (*loaded, WITHOUT_MPI) if maybe_without_mpi else loaded


def of_one_rank(start: tuple[str | Place, ...], watching: tuple[str, ...], into: str) -> RunCommand:
    """The program as `start` starts it, of which the first rank runs under `watching`, whose report goes into a file:
    one that ran alone would wait for no other."""
    if not start:
        return RunCommand((*watching, "-o", into, PROGRAM))
    rank = rank_variable(str(start[0]))
    first = f'exec {" ".join(watching)} -o {into} "$@"'
    return RunCommand((*start, "sh", "-c", f'[ "{rank}" = 0 ] || exec "$@"; {first}', "sh", PROGRAM))
