"""What a package's user can set answers what was found, and is neither there already nor its contrary."""

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, document, osts, own, uneven

from iotriage.analysis.document import Finding

RANKS = range(256)
SMALL_FILES = tuple(
    Part(f"/scratch/r/t{k}/o.{{}}", RANKS, writes=2, size=20 * KIB, write_s=0.08, meta_s=6.0) for k in range(10)
)
ONE_WRITER = (Part("/scratch/r/out.dat", range(1), writes=40_000, size=2 * MIB, write_s=300.0, osts=(1,)),)
POLLED = (
    Part("/scratch/r/system/controlDict", RANKS, stats=10_000, meta_s=uneven(256, 100.0)),
    *(Part(f"/scratch/r/t{k}/U.{{}}", RANKS, writes=2, size=20 * KIB, write_s=0.02) for k in range(5)),
)
TEMPORARIES = (
    Part(
        "/scratch/r/aoints.{}",
        RANKS,
        writes=1500,
        reads=30_000,
        write_s=20.0,
        read_s=uneven(256, 300.0),
        reach=1500 * MIB,
        osts=own(256),
    ),
)
INPUT = (
    Part(
        "/scratch/r/in.dat",
        RANKS,
        reads=2000,
        size=4 * MIB,
        read_s=uneven(256, 300.0),
        reach=8000 * MIB,
        osts=osts(4),
    ),
)


def of_rule(work: Work, rule: str) -> Finding:
    return next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


PROBES = (
    *(
        Part(f"/scratch/f/postProcessing/p{k}/0/U", range(1), writes=20_000, size=240, write_s=6.0, begins_s=5.0)
        for k in range(30)
    ),
    Part("/scratch/f/processors256/7/U", range(1), writes=256, size=2 * MIB, write_s=0.6, begins_s=200.0),
)
BY_SPECIES = (
    Part("/scratch/w/0001.h5", range(256), "MPI-IO", writes=9000, size=20 * KIB, write_s=200.0),
    Part(
        "/scratch/w/0001.h5", range(256), writes=9000, size=20 * KIB, write_s=199.0, in_order=0.0, aligned=False,
        osts=osts(8),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("program", "parts", "rule", "said", "unsaid"),
    [
        ("swift_mpi", SMALL_FILES, "many-small-files", "distributed: 0", "has each rank write a file"),
        ("swift_mpi", ONE_WRITER, "serial-io", "distributed: 1", "distributed: 0"),
        ("mitgcmuv", ONE_WRITER, "serial-io", "without it each tile writes", "instead of one of each tile"),
        ("mitgcmuv", SMALL_FILES, "many-small-files", "instead of one of each tile", "without it"),
        ("pimpleFoam", POLLED, "metadata-bound", "runTimeModifiable false", "collated"),
        ("vasp_std", POLLED, "metadata-bound", "Let one rank ask about controlDict", "LWAVE"),
        ("nwchem", TEMPORARIES, "redundant-reads", "semidirect with memsize", "many programs have a setting"),
        ("pimpleFoam", PROBES, "serial-io", "writeInterval of each function object", "FOAM_IORANKS"),
        ("pimpleFoam", PROBES, "serial-io", "emptied after each record", "Let all ranks write"),
        ("warpx.3d", BY_SPECIES, "independent-shared", "openpmd_backend = bp", "OPENPMD_HDF5_INDEPENDENT"),
        ("pvbatch", INPUT, "redundant-reads", "CaseType = Decomposed Case", "disk_io"),
        ("pw.x", INPUT, "redundant-reads", "Let each rank read only the part", "disk_io"),
    ],
)
def test_settings_answer_what_was_found(program: str, parts: tuple[Part, ...], rule: str, said: str, unsaid: str):
    found = of_rule(Work(parts, 256, 900.0, program=program, nodes=8), rule)
    told = " ".join(one.text for one in found.advice if one.withheld is None)
    assert said in told
    assert unsaid not in told


def test_the_time_of_an_open_is_not_told_where_files_are_asked_about() -> None:
    of_stats = [tuple(replace(part, stats=stats) for part in SMALL_FILES) for stats in (8, 1, 0)]
    asked, both, opened = (of_rule(Work(of, 256, 900.0, nodes=8), "many-small-files") for of in of_stats)
    assert any("See how new files are striped" in one.text for one in asked.advice)
    assert "each open takes" not in asked.headline + asked.summary
    assert "An open takes" not in asked.summary
    assert "An open or a stat takes" in both.summary
    assert "An open takes" in opened.summary


def test_the_time_of_an_open_is_that_of_the_files_that_are_told_whatever_is_imported_beside_them() -> None:
    modules = (f"/sw/env/lib/python3.11/site-packages/m{k}.py" for k in range(50))
    imports = (Part(path, range(256), reads=2, size=8 * KIB, meta_s=0.4, stats=6) for path in modules)
    alone, beside = (
        of_rule(Work((*SMALL_FILES, *others), 256, 900.0, nodes=8), "many-small-files") for others in ((), imports)
    )
    assert "An open takes" in beside.summary
    assert beside.headline == alone.headline


@pytest.mark.parametrize("kind", ["lustre", "nfs", "gpfs"])
@pytest.mark.parametrize(("open_s", "rule"), [(2.7, "many-small-files"), (1.3, "metadata-bound")])
def test_how_long_an_open_takes_is_told_on_every_file_system(kind: str, open_s: float, rule: str) -> None:
    """One process looks through small files, and one makes large ones that are slow to make."""
    small = rule == "many-small-files"
    one = Part("", range(1), reads=3, size=8 * KIB) if small else Part("", range(1), writes=4, size=4 * MIB)
    parts = tuple(replace(one, path=f"/scratch/cm1/{k:04}.nc", meta_s=open_s) for k in range(2000))
    found = of_rule(Work(parts, 1, open_s * 2200, mounts=(("/scratch", kind),)), rule)
    assert found.headline.endswith(f"and each open takes {open_s:.2f} s.")
