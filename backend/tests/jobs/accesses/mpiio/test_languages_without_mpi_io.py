"""Programs in languages whose users have no calls of MPI-IO are not told to make them, however many processes run."""

from __future__ import annotations

import pytest
from described import Part, Work, document, osts, uneven


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("/usr/bin/Rscript model.R", False),
        ("/usr/bin/perl gather.pl", False),
        ("/sw/app", True),
        ("", True),
    ],
    ids=["R", "Perl", "a program of its own", "no source names it"],
)
def test_who_has_no_mpi_io_is_told_of_none(program: str, told: bool) -> None:
    """Pieces of 64 processes that lie between one another in one file."""
    one = Part(
        "/scratch/o.dat", range(64), writes=40_000, size=47008, write_s=uneven(64, 100.0), in_order=0.0, forward=1.0,
        aligned=False, osts=osts(16),
    )  # fmt: skip
    said = document(Work((one,), nprocs=64, runtime_s=300.0, nodes=4, program=program)).findings
    advised = [f"{a.text} {a.command}" for f in said if f.verdict == "triggered" for a in f.advice if not a.withheld]
    assert any("MPI_" in text for text in advised) is told
