"""The words that start the job, or something in its place, on its machine."""

from __future__ import annotations

from iotriage.rules.core.action import Export, FillIn, ModuleLoad, ModuleUnload, Place, RunCommand
from iotriage.rules.core.rule import Context
from iotriage.sites.launcher import rank_variable, started_at
from iotriage.sites.site import Site

PROGRAM = FillIn("PROGRAM", "the program with its arguments, as PROGRAM=(./program input)", words=True)
PROGRAM_FILE = FillIn("PROGRAM_FILE", "the file of the program")


def run_again(context: Context) -> tuple[str, ...]:
    """With the ranks and nodes that the job had; empty where the launcher of its site is not known."""
    ranks, nodes = context.number("job.nprocs"), context.number("job.nnodes")
    return started_at(context.site, None if ranks is None else round(ranks), None if nodes is None else round(nodes))


def without_darshan(site: Site) -> tuple[ModuleUnload, ...]:
    """CrayPAT takes the calls that Darshan takes, and both cannot be loaded (https://bluewaters.ncsa.illinois.edu/darshan,
    Conflicting Modules). What unloading says where it is not there stops nothing."""
    return () if site.darshan_module is None else (ModuleUnload(site.darshan_module),)


ITS_LIBRARY = "${DARSHAN_PRELOAD:-${DARSHAN_ROOT:+$DARSHAN_ROOT/lib/libdarshan.so}}:${LD_PRELOAD:-}"
"""What the module names, or where it has it, before what is preloaded already: that may be Darshan, by its module, or
another tool of the centre, as XALT is. The loader passes over a name that is empty, and loads none twice."""
DARSHAN_MODULE = "darshan-runtime"
"""As Spack and Darshan's own documents name it."""
WHAT_IT_IS_CALLED = "or by its name here: module avail darshan"
"""Said where no document of the site names it."""
WITHOUT_MPI = Export("DARSHAN_ENABLE_NONMPI", "1", remark="for a program without MPI")
"""Of a program without MPI, Darshan keeps a log only where this is set (darshan-runtime, Option 3: instrumenting
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
