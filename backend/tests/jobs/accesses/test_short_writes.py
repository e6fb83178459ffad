"""Writes shorter than the buffer of any stream: what is said of a flush, and where the close or a buffer sent them."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document

from iotriage.analysis.document import Finding

LINES = Part("/scratch/o.{}.dat", range(64), writes=90_000, size=40, write_s=1.0)


def advised(rule: str, *parts: Part, nprocs: int = 1) -> str:
    """The first advice of the finding."""
    case = document(Work(parts, nprocs, 300.0, nodes=1))
    found = next(f for f in case.findings if isinstance(f, Finding) and f.rule == rule and f.verdict == "triggered")
    return found.says.advice[0].text


@pytest.mark.parametrize(
    ("parts", "flushed"),
    [
        ((Part("/scratch/o.csv", range(1), writes=40_000, size=31, write_s=172.0),), True),
        ((Part("/scratch/o.{}.csv", range(1), writes=40_000, size=3 * KIB, opens=40, write_s=172.0),), True),
        # A buffer of a page, of which the last is not full; and one write for each open.
        (
            (
                Part("/scratch/o.bin", range(1), writes=40_000, size=4 * KIB, write_s=172.0),
                Part("/scratch/o.bin", range(1), writes=1, size=12, opens=0),
            ),
            False,
        ),
        (tuple(Part(f"/scratch/p{i}.dat", range(1), writes=1, size=700, write_s=0.1) for i in range(1200)), False),
        (tuple(Part(f"/scratch/p{i}", range(1), writes=2, size=90, write_s=0.1) for i in range(1200)), False),
    ],
    ids=["lines", "longer lines", "pages", "a write a file", "a header and a line a file"],
)
def test_a_flush_is_named_where_neither_a_buffer_nor_a_close_sent_the_writes(
    parts: tuple[Part, ...], flushed: bool
) -> None:
    assert ("emptied after each record" in advised("small-io", *parts)) is flushed


@pytest.mark.parametrize(("size", "writes", "flushed"), [(100 * KIB, 20_000, False), (100, 20_000_000, True)])
def test_a_flush_is_named_by_the_writes_of_the_rank_that_is_told_of(size: int, writes: int, flushed: bool) -> None:
    alone = Part("/scratch/out.bin", range(1), writes=writes, size=size, write_s=200.0)
    said = advised("serial-io", alone, LINES, nprocs=64)
    assert ("emptied after each record" in said) is flushed
    assert "Write out.bin in blocks of 1 MiB or more: now an access moves" in said


@pytest.mark.parametrize(("name", "library"), [("out.h5", "HDF5"), ("out.nc", "netCDF-4")])
def test_who_is_told_of_a_library_is_told_of_which_file(name: str, library: str) -> None:
    part = Part(f"/scratch/{name}", range(1), writes=20_000, size=100 * KIB, write_s=200.0)
    said = advised("serial-io", part, nprocs=64)
    assert said.startswith(f"Write {name} in blocks of 1 MiB or more: now an access moves 100 KiB.")
    assert f"In files of {library} the library makes the accesses." in said
