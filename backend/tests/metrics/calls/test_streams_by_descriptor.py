"""Opens of C++ streams, which Darshan has in STDIO, belong to the bytes that it has in POSIX."""

import pytest
from evidence_by_hand import job, log, table, value

from iotriage.metrics.core.selection import Selection

OPENED = {
    "STDIO_OPENS": 1,
    "STDIO_F_META_TIME": 0.25,
    "STDIO_F_OPEN_START_TIMESTAMP": 1.0,
    "STDIO_F_CLOSE_END_TIMESTAMP": 2.0,
}
MOVED = {"POSIX_FILENOS": 6, "POSIX_WRITES": 5, "POSIX_BYTES_WRITTEN": 40_000, "POSIX_F_WRITE_TIME": 0.01}


def written(stdio: dict[str, float], posix: dict[str, float]) -> Selection:
    streams, descriptors = ([(file, rank, row) for file, rank in ((1, 0), (2, 1))] for row in (stdio, posix))
    return job(log(table("STDIO", *streams), table("POSIX", *descriptors), nprocs=2))


def test_a_file_that_is_opened_as_a_stream_and_moved_by_its_descriptor_is_opened_where_its_bytes_are() -> None:
    found = written(OPENED, MOVED)
    assert value(found, "posix.opens") == 2
    assert value(found, "posix.metadata_time") == pytest.approx(0.5)
    assert value(found, "file.bytes_per_open") == pytest.approx(40_000)
    assert value(found, "job.io_time") == pytest.approx(0.26)
    assert not found.tables("STDIO")


@pytest.mark.parametrize(
    ("stdio", "posix"),
    [
        (OPENED | {"STDIO_WRITES": 1}, MOVED),
        (OPENED, MOVED | {"POSIX_OPENS": 1}),
        (OPENED, MOVED | {"POSIX_FILENOS": 0}),
    ],
    ids=["the stream moves bytes too", "opened by its descriptor too", "no descriptor of a stream"],
)
def test_what_both_layers_do_stays_where_it_is(stdio: dict[str, float], posix: dict[str, float]) -> None:
    found = written(stdio, posix)
    assert value(found, "posix.opens") == 2 * posix.get("POSIX_OPENS", 0)
    assert len(found.tables("STDIO")) == 1
