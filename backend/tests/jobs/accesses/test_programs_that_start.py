"""What programs in other languages than Python read as they start, and data that is only named so."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document


def started(path: str, program: str, *, writes: int = 0) -> Work:
    """512 ranks open 300 files and read each whole."""
    return Work(
        tuple(
            Part(
                path.format(k=k),
                range(512),
                reads=3,
                writes=writes,
                size=64 * KIB,
                reach=192 * KIB,
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


@pytest.mark.parametrize(
    ("path", "program", "folder"),
    [
        ("/scratch/u/.julia/compiled/v1.10/P{k}/x{k}.ji", "/sw/julia/bin/julia", "/scratch/u/.julia"),
        ("/scratch/u/.julia/packages/P/a{k}/src/P{k}.jl", "/sw/julia/bin/julia", "/scratch/u/.julia"),
        ("/scratch/R/4.3/library/p{k}/R/p{k}.rdb", "/sw/R/bin/exec/R", "/scratch/R/4.3/library"),
        ("/scratch/perl5/lib/M{k}.pm", "/usr/bin/perl", '"$ENVIRONMENT"'),
    ],
    ids=["compiled by Julia", "a depot of Julia", "R", "Perl"],
)
def test_modules_of_other_languages_are_put_into_an_image(path: str, program: str, folder: str) -> None:
    found = document(started(path, program)).headline
    assert found.rule == "import-storm"
    assert found.sentence.endswith("every rank opens 300 modules and shared libraries.")
    assert found.command == f"mksquashfs {folder} environment.squashfs"


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(started("/scratch/R/x{k}.rdb", "/sw/R/bin/exec/R"), id="tables that are saved in a folder R"),
        pytest.param(started("/scratch/run/in.{k}.jl", "/sw/julia/bin/julia"), id="scripts beside the data"),
        pytest.param(started("/scratch/run/M{k}.pm", "/usr/bin/perl", writes=1), id="written by the run"),
    ],
)
def test_other_files_are_data(work: Work) -> None:
    assert document(work).headline.rule != "import-storm"
