"""How far apart written bytes lie, and what of the accesses can cross the boundary of a block."""

import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection

MIB, GIB = 2**20, 2**30


def of_records(*counters: dict[str, float], partial: tuple[str, ...] = ()) -> Selection:
    return job(log(table("POSIX", *((1, rank, of_rank) for rank, of_rank in enumerate(counters))), partial=partial))


def pieces(rank: int, step: int) -> dict[str, float]:
    """1,024 writes of 256 B, `step` bytes from one to the next of all 8 ranks in turn."""
    last = (1023 * 8 + rank) * step + 255
    return {"POSIX_WRITES": 1024, "POSIX_BYTES_WRITTEN": 1024 * 256, "POSIX_MAX_BYTE_WRITTEN": last}


def test_the_span_of_a_file_is_that_of_all_its_records() -> None:
    sparse = of_records(*(pieces(rank, 65536) for rank in range(8)))
    assert value(sparse, "file.written_span") == 8191 * 65536 + 256
    assert value(sparse, "file.written_span_over_bytes") == pytest.approx(256, rel=1e-3)
    assert value(of_records(*(pieces(rank, 256) for rank in range(8))), "file.written_span_over_bytes") == 1.0


def test_bytes_of_streams_whose_span_nobody_adds_up_are_no_bytes_written_again() -> None:
    once = table("POSIX", (1, 0, pieces(0, 2048) | {"POSIX_MAX_BYTE_WRITTEN": 1024 * 256 - 1}))
    lines = table("STDIO", (2, 0, {"STDIO_WRITES": 3 * 1024, "STDIO_BYTES_WRITTEN": 3 * 1024 * 256}))
    both = job(log(once, lines))
    assert value(both, "io.bytes_written") == 4 * 1024 * 256
    assert value(both, "file.written_span_over_bytes") == 1.0


def test_a_file_that_was_only_read_has_no_span() -> None:
    read = of_records({"POSIX_READS": 8, "POSIX_BYTES_READ": MIB, "POSIX_MAX_BYTE_READ": GIB})
    assert metric(read, "file.written_span").reason == "no POSIX writes"
    assert value(of_records(pieces(0, 65536), partial=("POSIX",)), "file.written_span") is None


def accesses(size: int, count: int, not_aligned: int) -> Selection:
    return of_records(
        {
            "POSIX_WRITES": count,
            "POSIX_BYTES_WRITTEN": count * size,
            "POSIX_FILE_ALIGNMENT": MIB,
            "POSIX_FILE_NOT_ALIGNED": not_aligned,
            "POSIX_ACCESS1_ACCESS": size,
            "POSIX_ACCESS1_COUNT": count,
        }
    )


@pytest.mark.parametrize(
    ("size", "not_aligned", "crosses"),
    [
        (MIB // 4, 750, 0.0),
        (MIB // 4, 1000, 0.25),
        (MIB, 0, 0.0),
        (MIB, 1000, 1.0),
        (4 * MIB, 1000, 1.0),
        (47008, 955, 47008 / MIB),
    ],
    ids=["from a boundary on", "behind a header", "whole", "whole, behind a header", "several", "no part of a block"],
)
def test_size_and_start_say_what_can_cross_a_boundary(size: int, not_aligned: int, crosses: float) -> None:
    assert value(accesses(size, 1000, not_aligned), "posix.crossing_fraction") == pytest.approx(crosses)


def test_accesses_of_sizes_that_are_not_named_cross_no_more_blocks_than_their_bytes_fill() -> None:
    large = {"POSIX_WRITES": 100, "POSIX_BYTES_WRITTEN": 400 * MIB, "POSIX_FILE_ALIGNMENT": MIB}
    assert value(of_records(large | {"POSIX_FILE_NOT_ALIGNED": 60}), "posix.crossing_fraction") == 0.6
    small = large | {"POSIX_BYTES_WRITTEN": 5 * MIB, "POSIX_FILE_NOT_ALIGNED": 100}
    assert value(of_records(small), "posix.crossing_fraction") == 0.05
    some = small | {"POSIX_ACCESS1_ACCESS": MIB // 64, "POSIX_ACCESS1_COUNT": 64}
    assert value(of_records(some), "posix.crossing_fraction") == pytest.approx((64 / 64 + 4) / 100)
