"""What programs read as they start, and data that is only named so."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, in_steps, osts, own, uneven

from iotriage.analysis.document import CaseDocument


def started(path: str, program: str, *, writes: int = 0, size: int = 64 * KIB) -> Work:
    """512 ranks open 300 files and read each whole."""
    return Work(
        tuple(
            Part(
                path.format(k=k),
                range(512),
                reads=3,
                writes=writes,
                size=size,
                reach=3 * size,
                read_s=0.03,
                meta_s=0.1,
                stats=4,
            )
            for k in range(300)
        ),
        nprocs=512,
        runtime_s=120,
        nodes=4,
        program=program,
    )


def of_each_rank(path: str) -> Work:
    """16 ranks that open 300 files of their own each."""
    parts = (Part(path.format(k=k), range(16), reads=1, size=12 * KIB, read_s=0.03, meta_s=0.1) for k in range(300))
    return Work(tuple(parts), nprocs=16, runtime_s=120, nodes=4, program="/sw/bin/python3")


@pytest.mark.parametrize(
    ("path", "program", "folder"),
    [
        ("/scratch/u/.julia/compiled/v1.10/P{k}/x{k}.ji", "/sw/julia/bin/julia", "/scratch/u/.julia"),
        ("/scratch/u/.julia/packages/P/a{k}/src/P{k}.jl", "/sw/julia/bin/julia", "/scratch/u/.julia"),
        ("/scratch/R/4.3/library/p{k}/R/p{k}.rdb", "/sw/R/bin/exec/R", "/scratch/R/4.3/library"),
        ("/scratch/perl5/lib/M{k}.pm", "/usr/bin/perl", '"${ENVIRONMENT:?the folder of the environment}"'),
    ],
    ids=["compiled by Julia", "a depot of Julia", "R", "Perl"],
)
def test_modules_of_other_languages_are_put_into_an_image(path: str, program: str, folder: str) -> None:
    found = document(started(path, program)).headline
    assert found.rule == "import-storm"
    assert found.sentence.endswith("every rank opens 300 modules and shared libraries.")
    assert found.command == f"mksquashfs {folder} environment.squashfs -noappend"


@pytest.mark.parametrize(("root", "fetched"), [("/cvmfs/sw.eu/app", True), ("/scratch/cvmfs/app", False)])
def test_what_cvmfs_fetches_is_not_put_into_an_image(root: str, *, fetched: bool) -> None:
    found = document(started(f"{root}/lib{{k}}.so", "/cvmfs/sw.eu/app/bin/sim"))
    assert found.headline.rule == "import-storm"
    assert (found.headline.action or "").startswith("CVMFS fetches a file when a node first opens it") is fetched
    assert (found.headline.command is None) is fetched
    assert (found.findings[0].could_save_s is None) is fetched


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(started("/scratch/R/x{k}.rdb", "/sw/R/bin/exec/R"), id="tables that are saved in a folder R"),
        pytest.param(started("/scratch/run/field{k}.pm", "/sw/bin/mesh"), id="inputs that end as Perl's modules do"),
        pytest.param(started("/scratch/run/in.{k}.jl", "/sw/julia/bin/julia"), id="scripts beside the data"),
        pytest.param(started("/scratch/run/M{k}.pm", "/usr/bin/perl", writes=1), id="written by the run"),
        pytest.param(started("/scratch/run/M{k}.pm", "/usr/bin/perl", size=4096 * KIB), id="far longer than a module"),
        pytest.param(started("/scratch/model/consolidated.{k}.pth", "/sw/bin/python3"), id="weights of a model"),
        pytest.param(of_each_rank("/scratch/corpus/repo{k}/src/f{{}}.py"), id="code that a model is trained on"),
    ],
)
def test_other_files_are_data(work: Work) -> None:
    assert document(work).headline.rule != "import-storm"


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(started("/scratch/me/model/src/m{k}.py", "/sw/bin/python3"), id="the user's own, of all ranks"),
        pytest.param(of_each_rank("/sw/env/lib/python3.11/m{k}_{{}}.py"), id="others of each rank, in an environment"),
        pytest.param(of_each_rank("/scratch/app/lib{k}_{{}}.so"), id="libraries"),
    ],
)
def test_modules_are_those_that_most_ranks_read_and_those_of_an_environment(work: Work) -> None:
    assert document(work).headline.rule == "import-storm"


def imported_by(*users: range) -> CaseDocument:
    """Of 64 ranks: 100 modules for each range of them."""
    parts = (
        Part(
            f"/scratch/conda/lib/python3.11/site-packages/m{i}_{k}.py",
            ranks,
            reads=2,
            size=4 * KIB,
            read_s=0.1,
            meta_s=1.0,
        )
        for i, ranks in enumerate(users)
        for k in range(100)
    )
    return document(Work(tuple(parts), nprocs=64, runtime_s=400, nodes=2, program="/usr/bin/python3"))


@pytest.mark.parametrize(
    ("users", "who"),
    [
        ((range(64),), "every rank opens 100"),
        ((range(32),), "32 of 64 ranks open 100"),
        ((range(20),), "20 of 64 ranks open 100"),
        ((range(20), range(20, 50)), "50 of 64 ranks open 200"),
        ((range(12), range(64)), "every rank opens 200"),
    ],
)
def test_who_imports_is_counted(users: tuple[range, ...], who: str) -> None:
    assert imported_by(*users).headline.sentence.endswith(f", {who} modules and shared libraries.")


@pytest.mark.parametrize(
    ("importing", "of", "began_s", "who", "takes"),
    [
        (range(16), 16, 200.0, "every rank opens 400", 36.0),
        (range(4), 16, 200.0, "4 of 16 ranks open 400", 36.0),
        (range(1), 1, 200.0, "the process opens 400", 36.0),
        # Beside the 256 ranks of the model: they wait for no modules, and the job for those that do.
        (range(16), 16, 10.0, "16 of 272 ranks open 400", 33.0),
    ],
    ids=["a later step", "some of it", "of one process", "at the same time"],
)
def test_ranks_that_import_are_counted_among_those_of_their_own_step(
    importing: range, of: int, began_s: float, who: str, takes: float
) -> None:
    model = Work(
        (Part("/scratch/o/a.{}", range(256), writes=10, size=4 * MIB, write_s=3.0, osts=own(256)),), 256, 100.0
    )
    modules = (
        Part(f"/sw/env/lib/python3.11/m{k}.py", importing, reads=2, size=8 * KIB, read_s=0.01, meta_s=0.08)
        for k in range(400)
    )
    start = Work(tuple(modules), of, 60.0, program="/sw/python3")
    found = next(
        f
        for f in in_steps((model, 0.0), (start, began_s)).findings
        if f.rule == "import-storm" and f.verdict == "triggered"
    )
    assert found.headline == f"To start the program, {who} modules and shared libraries."
    assert found.takes_s == pytest.approx(takes, abs=0.5)


@pytest.mark.parametrize(("imports_s", "first"), [(0.01, None), (0.04, "import-storm")])
def test_imports_are_not_said_first_where_most_of_the_io_has_no_known_cause(
    imports_s: float, first: str | None
) -> None:
    modules = tuple(
        Part(f"/home/u/venv/lib/python3.11/site-packages/m{k}.py", range(64), reads=2, size=6 * KIB,
             read_s=imports_s / 2, meta_s=imports_s / 2, stats=3)
        for k in range(1500)
    )  # fmt: skip
    data = Part("/scratch/field.npy", range(64), reads=40, size=4 * MIB, read_s=uneven(64, 60.0), osts=osts(4))
    headline = document(Work((*modules, data), 64, 400.0, nodes=4, program="/usr/bin/python3.11")).headline
    assert headline.rule == first
    assert ("of that time has no known cause" in headline.sentence) is (first is None)
    assert "every rank opens 1,500 modules" in headline.said


@pytest.mark.parametrize("program", ["/usr/bin/tar", "/usr/bin/rsync", "/usr/sbin/mksquashfs", "/usr/bin/git"])
def test_who_packs_an_environment_does_not_start_from_it(program: str) -> None:
    """Its modules are files that are read, and the advice is not to do what is done here."""
    modules = (
        Part(
            f"/scratch/env/lib/python3.11/m{k // 100}/f{k:05}.py", range(1), reads=1, size=9 * KIB, read_s=0.02,
            meta_s=0.02, stats=1,
        )
        for k in range(2000)
    )  # fmt: skip
    packed = Part("/scratch/env.img", range(1), writes=40, size=128 * KIB, write_s=0.1)
    found = document(Work((*modules, packed), 1, 120, nodes=1, program=program))
    assert found.headline.rule == "many-small-files"
    assert found.metrics["file.imported"].value == 0


def test_who_makes_an_environment_brings_it_as_one_file() -> None:
    made = (
        Part(f"/scratch/env/lib/python3.11/m{k // 100}/f{k:05}.py", range(1), writes=1, size=9 * KIB, meta_s=0.03)
        for k in range(2000)
    )
    found = document(Work(tuple(made), 1, 120, nodes=1, program="/sw/bin/python3"))
    assert found.headline.rule == "many-small-files"
    (mine,) = (f for f in found.findings if f.rule == "many-small-files" and f.verdict == "triggered")
    assert any("bring it here as one file" in one.text for one in mine.advice)
