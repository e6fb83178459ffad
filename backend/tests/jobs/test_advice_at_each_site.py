"""The same jobs at every centre that has a profile: what is typed there is what its machine has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from budget import some
from described import Part, Work, collective, document
from sample_documents import sources_of
from samples import case
from test_advice_of_jobs import JOBS

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.rules.core.action import Named, SetStripe
from iotriage.rules.core.launching import DARSHAN_MODULE
from iotriage.sites import all_sites

SITES = sorted(all_sites())
LAUNCHERS = ("srun", "aprun", "ibrun", "mpiexec", "mpirun", "jsrun", "flux")
pytestmark = pytest.mark.fuzz


def typed(found: CaseDocument) -> Iterator[str]:
    """Every line that the document has somebody type."""
    yield found.headline.command or ""
    yield from (
        line for key, one in found.missing_evidence.items() if key not in found.cannot_show for line in one.lines
    )
    yield from (found.launch.text, *found.launch.showing, found.headlines.added)
    for finding in found.findings:
        if finding.verdict == "triggered":
            yield from (one.command or "" for one in finding.advice)
    for experiment in found.next_run.experiments if found.next_run else ():
        yield experiment.script
    for asked in (found.investigations.otherwise, *(i for of in found.investigations.of_cells.values() for i in of)):
        yield asked.command or ""


def at(site: str, name: str) -> Work:
    return replace(JOBS[name], site=site)


@pytest.mark.parametrize(("site", "name"), some([(SITES[i % len(SITES)], name) for i, name in enumerate(sorted(JOBS))]))
def test_what_is_typed_is_what_the_machine_has(site: str, name: str) -> None:
    profile, found = all_sites()[site], document(at(site, name))
    words = {word for line in typed(found) for word in re.findall(r"[\w./$-]+", line)}

    if profile.scheduler not in (None, "slurm"):
        assert not words & {"sacct", "sbatch", "scontrol", "$SLURM_JOB_ID"}
    if profile.launcher is not None:
        assert words & set(LAUNCHERS) <= {profile.launcher}
    assert {w for w in words if w.startswith("darshan-runtime")} <= {profile.darshan_module or DARSHAN_MODULE}
    if profile.mpi_library not in (None, "cray-mpich"):
        assert not {w for w in words if w.startswith(("MPICH_", "perftools", "pat_build"))}


@pytest.mark.parametrize("site", [None, *SITES])
def test_a_log_is_asked_for_by_the_name_that_darshan_has_there(site: str | None) -> None:
    (stats,) = sources_of(case("bad-collective-write-one-aggregator").sources)
    found = diagnose([stats], site)
    loaded = {line.split("   ")[0] for of in typed(found) for line in of.splitlines() if "load darshan" in line}
    module = None if site is None else all_sites()[site].darshan_module
    library = None if site is None else all_sites()[site].darshan_library
    assert loaded == ({f"module load {module or DARSHAN_MODULE}"} if library is None else set())
    preloads = [line for of in typed(found) for line in of.splitlines() if line.startswith("export LD_PRELOAD=")]
    assert preloads
    assert all(line.startswith(f'export LD_PRELOAD="{library}:') for line in preloads if library is not None)


@pytest.mark.parametrize("name", some(sorted(JOBS)))
def test_nothing_is_striped_that_others_have_files_in(name: str) -> None:
    """All that the job has on /scratch lies in the directory of its project there, or on what is mounted."""
    for site, folder in (("lumi", "/scratch/project_465000001"), ("generic", "/lustre/scratch")):
        parts = tuple(
            replace(p, path=f"{folder}/{p.path.rpartition('/')[2]}") if p.path.startswith("/scratch/") else p
            for p in JOBS[name].parts
        )
        mounts = ((folder if site == "generic" else "/scratch", "lustre"), ("/home", "nfs"), ("/tmp", "tmpfs"))
        work = replace(JOBS[name], parts=parts, site=site, mounts=mounts, traced=())
        actions = [
            a for f in document(work).findings if f.verdict == "triggered" for one in f.advice for a in one.actions
        ]
        assert Named(folder) not in [a.directory for a in actions if isinstance(a, SetStripe)]


@pytest.mark.parametrize(
    ("program", "builds"), [("/work/u/model", True), ("/sw/vasp_std", False), ("/usr/bin/cp", False)]
)
def test_who_builds_no_program_is_not_asked_to_build_it_again(program: str, builds: bool) -> None:
    little = Part("/scratch/u/a", range(1), reads=2, read_s=0.1)
    found = document(Work((little,), nprocs=64, runtime_s=600.0, program=program, site="lumi"))
    assert found.headline.rule == "io-not-the-bottleneck"
    assert any("perftools" in line for line in typed(found)) is builds


@pytest.mark.parametrize(("site", "there"), [("lumi", True), ("alps", False), ("roihu", False)])
def test_no_tool_of_cray_is_loaded_where_a_centre_has_no_modules_of_them(site: str, there: bool) -> None:
    little = Part("/scratch/u/a", range(1), reads=2, read_s=0.1)
    found = document(Work((little,), nprocs=64, runtime_s=600.0, program="/work/u/model", site=site))
    assert any("perftools" in line for line in typed(found)) is there


@pytest.mark.parametrize(
    ("site", "prints"),
    [("roihu", "OMPI_MCA_io_ompio"), ("mahti", "OMPI_MCA_io_ompio"), ("aurora", "ROMIO_PRINT_HINTS")],
)
def test_hints_are_printed_by_what_the_mpi_library_of_the_centre_has(site: str, prints: str) -> None:
    parts = collective("/scratch/run/out.h5x", range(256), range(1), 300.0, ())
    found = document(Work(parts, nprocs=256, nodes=4, runtime_s=600.0, program="/work/u/model", site=site))
    lines = "\n".join(typed(found))
    assert prints in lines
    assert "MPICH_" not in lines


@pytest.mark.parametrize("ranks", [1, 2])
def test_one_process_may_be_without_mpi_wherever_darshan_is_asked_to_watch_it(ranks: int) -> None:
    read = Part("/scratch/u/a", range(ranks), reads=2000, read_s=600.0)
    found = document(Work((read,), nprocs=ranks, runtime_s=1000.0, program="/work/u/model", site="lumi"))
    lines = [line for of in typed(found) for line in of.splitlines()]
    watching = sum("LD_PRELOAD=" in line for line in lines)
    assert watching
    assert sum("DARSHAN_ENABLE_NONMPI=1" in line for line in lines) == (watching if ranks == 1 else 0)
