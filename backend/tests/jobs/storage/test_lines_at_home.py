"""Lines that are written one by one at home: gathered they take no time anywhere, and no document says what moving them
saves. Both are said, and what is sure to help is said first."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document, seconds_of

LOG = "/home/u/log.txt"


def written(calls: int, size: int = 100, *, ranks: int = 64, layer: str = "POSIX", flushes: int = 0) -> Work:
    log = Part(LOG, range(1), layer, writes=calls, size=size, write_s=60.0, syncs=flushes)
    return Work((log,), nprocs=ranks, runtime_s=100, nodes=1)


@pytest.mark.parametrize(
    ("work", "first"),
    [
        (written(2000), "serial-io"),
        (written(2000, ranks=1), "small-io"),
        (written(2000, layer="STDIO", flushes=2000), "sync-heavy"),
    ],
    ids=["of 64 ranks", "of one process", "a stream flushed"],
)
def test_the_lines_come_first_and_home_stands_beside_them(work: Work, first: str) -> None:
    assert document(work).headline.rule == first
    assert seconds_of(work) == {first: pytest.approx(45, rel=0.02), "wrong-filesystem": pytest.approx(15, rel=0.02)}
    told = next(f for f in document(work).findings if f.rule == "wrong-filesystem")
    assert told.explained_by is None
    assert told.severity == "high"


@pytest.mark.parametrize("work", [written(900), written(2000, 64 * KIB)], ids=["few", "blocks"])
def test_few_lines_and_blocks_of_data_are_first_of_all_at_home(work: Work) -> None:
    assert document(work).headline.rule == "wrong-filesystem"


def test_slow_opens_at_home_do_not_make_its_lines_slow() -> None:
    """Each of 2,000 files has one line, written at once: what opening them takes says nothing of that."""
    lines = tuple(
        Part(f"/home/u/{i}.txt", range(1), writes=1, size=100, write_s=0.004, meta_s=0.02) for i in range(2000)
    )
    found = document(Work(lines, nprocs=1, runtime_s=100, nodes=1))
    assert found.metrics["file.home_own_fraction"].value == 1
