"""Jobs that write with MPI_File_write_shared: the pointer that the ranks share is a file of the library's own."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, above_info, document

RANKS = range(128)
DATA = "/scratch/run.log"
ROMIO = "/scratch/.run.log.shfp.1804289383"


def appended(pointer: str, reach: int = 8) -> Work:
    """200 lines of each rank at the end of one log, for which 100 s are waited, nearly all of them for the pointer."""
    return Work(
        (
            Part(DATA, RANKS, "MPI-IO", writes=200, size=300, write_s=100.0),
            Part(DATA, RANKS, writes=200, size=300, write_s=5.0, in_order=0.0),
            Part(pointer, RANKS, writes=200, reads=200, size=8, write_s=45.0, read_s=48.0, seeks=400, reach=reach),
        ),
        128,
        200.0,
    )


@pytest.mark.parametrize(
    "pointer", [ROMIO, "/scratch/.run.log.shfp.2071.846930886", "/scratch/run.log-1342177281-2071.lock"]
)
def test_the_time_of_a_shared_pointer_is_that_of_the_calls_that_use_it(pointer: str) -> None:
    found = document(appended(pointer))
    assert found.metrics["job.io_time"].value == pytest.approx(100.0, abs=0.1)
    assert set(above_info(found)) == {"independent-shared"}
    (shared,) = (f for f in found.findings if f.rule == "independent-shared" and f.says is not None)
    assert shared.takes_s == pytest.approx(100.0, abs=0.1)
    assert pointer.rpartition("/")[2] in shared.says.summary
    assert "MPI_Scan" in (shared.says.advice[0].command or "")


@pytest.mark.parametrize(
    ("pointer", "reach"),
    [
        ("/scratch/.other.log.shfp.1804289383", 8),
        ("/elsewhere/.run.log.shfp.1804289383", 8),
        (ROMIO, 25 * MIB),
        ("/scratch/run.log.lock", 8),
    ],
    ids=["of a file that MPI-IO did not open", "in another folder", "larger than a pointer", "the program's own lock"],
)
def test_what_is_only_named_alike_counts_by_itself(pointer: str, reach: int) -> None:
    found = document(appended(pointer, reach))
    assert found.metrics["job.io_time"].value == pytest.approx(193.0, abs=0.1)
