"""How each launcher is given the ranks and nodes of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iotriage.sites.site import Site
from iotriage_parsers.evidence.job_context import Launcher


def per_node_option(site: Site, launcher: Launcher) -> str | None:
    """The option that says how many ranks a node has, where the launcher has one that is known: aprun everywhere, and
    that of the site by its profile. `mpiexec` has others with each MPI library."""
    if launcher == "aprun":
        return "-N"
    return site.ranks_per_node_option if launcher == site.launcher else None


def started(launcher: Launcher, ranks: int | None, nodes: int | None, per_node: str | None) -> tuple[str, ...]:
    """The words before the program. Where the nodes are known, as many ranks are put on each as there were: launchers
    fill nodes otherwise. `ibrun` takes its size from the job, and -n alone is refused
    (https://docs.tacc.utexas.edu/hpc/stampede3/: -n and -o must be used together)."""
    if launcher == "srun":
        size = [f"--ntasks={ranks}"] if ranks else []
        return ("srun", *size, *([f"--nodes={nodes}"] if nodes else []))
    command = ("flux", "run") if launcher == "flux" else (launcher,)
    if launcher == "ibrun" or not ranks:
        return command
    if launcher == "flux":
        return (*command, "-n", str(ranks), *(["-N", str(nodes)] if nodes else []))
    each = [] if per_node is None or not nodes else [per_node, str(-(-ranks // nodes))]
    return (*command, "-p" if launcher == "jsrun" else "-n", str(ranks), *each)


def rank_variable(launcher: str) -> str:
    """What tells a process its rank, as a word of a shell: a variable of the launcher, or of the MPI library that it
    belongs to."""
    return _RANK_VARIABLES.get(launcher, "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}")


_RANK_VARIABLES: Mapping[str, str] = {
    "srun": "$SLURM_PROCID",
    "ccc_mprun": "$SLURM_PROCID",
    "aprun": "$ALPS_APP_PE",
    "flux": "$FLUX_TASK_RANK",
    "jsrun": "$OMPI_COMM_WORLD_RANK",
    "lrun": "$OMPI_COMM_WORLD_RANK",
}


def started_at(site: Site, ranks: int | None, nodes: int | None) -> tuple[str, ...]:
    """The words before the program, by the launcher of the site; empty where that is not known."""
    if site.launcher is None:
        return ()
    return started(site.launcher, ranks, nodes, per_node_option(site, site.launcher))


def how_jobs_run(site: Site) -> Iterator[tuple[str, str]]:
    """What the profile says of it, for people: what it is, and its name there."""
    known = (
        ("jobs are run by", site.scheduler),
        ("programs are started with", site.launcher),
        ("ranks of a node by", site.ranks_per_node_option),
        ("module of Darshan", site.darshan_module),
        ("library of Darshan", site.darshan_library),
    )
    yield from ((what, name) for what, name in known if name is not None)
