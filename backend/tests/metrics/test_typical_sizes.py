"""What nearly all accesses move, beside a few of another size."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from evidence_by_hand import job, log, metric, table, value

MIB = 2**20

OF_1_MIB = {
    "POSIX_WRITES": 100,
    "POSIX_BYTES_WRITTEN": 100 * MIB,
    "POSIX_SIZE_WRITE_100K_1M": 100,
    "POSIX_ACCESS1_ACCESS": MIB,
    "POSIX_ACCESS1_COUNT": 100,
}
WITH_HEADER = OF_1_MIB | {
    "POSIX_WRITES": 101,
    "POSIX_BYTES_WRITTEN": 100 * MIB + 100,
    "POSIX_SIZE_WRITE_0_100": 1,
    "POSIX_ACCESS2_ACCESS": 100,
    "POSIX_ACCESS2_COUNT": 1,
}
HEADERS_ABOUT_ONE_PIECE = {
    "POSIX_WRITES": 100,
    "POSIX_BYTES_WRITTEN": 95 * 100 + 5 * MIB,
    "POSIX_SIZE_WRITE_0_100": 95,
    "POSIX_SIZE_WRITE_100K_1M": 5,
    "POSIX_ACCESS1_ACCESS": 100,
    "POSIX_ACCESS1_COUNT": 95,
    "POSIX_ACCESS2_ACCESS": MIB,
    "POSIX_ACCESS2_COUNT": 5,
}
HALF_AND_HALF = {
    "POSIX_WRITES": 100,
    "POSIX_BYTES_WRITTEN": 75 * MIB,
    "POSIX_SIZE_WRITE_100K_1M": 100,
    "POSIX_ACCESS1_ACCESS": MIB,
    "POSIX_ACCESS1_COUNT": 50,
    "POSIX_ACCESS2_ACCESS": MIB // 2,
    "POSIX_ACCESS2_COUNT": 50,
}
READ_AS_OFTEN = WITH_HEADER | {
    "POSIX_READS": 100,
    "POSIX_BYTES_READ": 100 * MIB,
    "POSIX_SIZE_READ_100K_1M": 100,
}
READ_ELSEWHERE = WITH_HEADER | {
    "POSIX_READS": 500,
    "POSIX_BYTES_READ": 500 * 512,
    "POSIX_SIZE_READ_100_1K": 500,
}


@pytest.mark.parametrize(
    ("counters", "found"),
    [
        (OF_1_MIB, MIB),
        (WITH_HEADER, MIB),
        (HEADERS_ABOUT_ONE_PIECE, (95 * 100 + 5 * MIB) / 100),
        (HALF_AND_HALF, 0.75 * MIB),
        (READ_AS_OFTEN, (100 * MIB + 100) / 101),
        (READ_ELSEWHERE, MIB),
        ({"POSIX_WRITES": 4, "POSIX_BYTES_WRITTEN": 1000}, 250),
        ({"POSIX_READS": 4, "POSIX_BYTES_READ": 1000}, None),
    ],
    ids=["all", "a header", "many headers", "two sizes", "read too", "small reads", "no sizes", "no writes"],
)
def test_it_is_the_size_of_nearly_all_or_the_average(counters: Mapping[str, float], found: float | None) -> None:
    assert value(job(log(table("POSIX", (1, -1, counters)))), "posix.typical_write_size") == found


def test_files_of_one_size_are_taken_together() -> None:
    mpiio = {
        name.replace("POSIX", "MPIIO").replace("SIZE_WRITE_", "SIZE_WRITE_AGG_"): n for name, n in WITH_HEADER.items()
    }
    mpiio["MPIIO_INDEP_WRITES"] = mpiio.pop("MPIIO_WRITES")
    selection = job(log(table("MPI-IO", *((record, record, mpiio) for record in range(9)))))
    assert value(selection, "mpiio.typical_write_size") == MIB
    average = value(selection, "mpiio.average_write_size")
    assert isinstance(average, float)
    assert average < MIB


def test_without_a_log_there_is_none() -> None:
    assert value(job(), "posix.typical_write_size") is None
    assert value(job(), "mpiio.typical_write_size") is None


def test_files_are_as_large_as_most_are_read_into() -> None:
    """Of a file in several records the furthest; of one that is only opened nothing is known to be there."""
    moved = {"POSIX_READS": 1, "POSIX_BYTES_READ": 10}
    found = table(
        "POSIX",
        (1, 0, moved | {"POSIX_MAX_BYTE_READ": 9}),
        (2, 0, moved | {"POSIX_MAX_BYTE_READ": 99}),
        (2, 1, moved | {"POSIX_MAX_BYTE_READ": MIB - 1}),
        (3, 0, moved | {"POSIX_MAX_BYTE_READ": 2 * MIB - 1}),
    )
    opened = table("POSIX", *((record, 0, {"POSIX_OPENS": 1}) for record in (4, 5, 6)), (7, 0, moved))
    assert value(job(log(found, nprocs=2)), "file.usual_size") == MIB
    assert "neither read nor written" in (metric(job(log(opened)), "file.usual_size").reason or "")
