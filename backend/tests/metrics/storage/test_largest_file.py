"""The name of the largest file, which commands that look at it are given."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_by_hand import job, log, metric, table, value

SMALL, LARGE = ({"POSIX_WRITES": 1, "POSIX_BYTES_WRITTEN": n, "POSIX_MAX_BYTE_WRITTEN": n - 1} for n in (9, 99))
TWO = log(table("POSIX", (1, 0, SMALL), (2, 0, LARGE)), names={1: "/s/small", 2: "/s/large"})


def test_the_largest_file_is_named() -> None:
    assert value(job(TWO), "file.largest") == "/s/large"


def test_a_file_without_a_name_is_not_called_anything() -> None:
    assert metric(job(replace(TWO, names={1: "/s/small"})), "file.largest").reason == "the log has no name for it"


@pytest.mark.parametrize("order", [(2, 3), (3, 2)])
def test_of_files_as_large_the_first_by_name_is_named(order: tuple[int, int]) -> None:
    """The order of a log's records says nothing of its files."""
    names = {1: "/s/small", 2: "/s/out.0", 3: "/s/out.1"}
    rows = table("POSIX", (1, 0, SMALL), *((record, record, LARGE) for record in order))
    assert value(job(log(rows, names=names)), "file.largest") == "/s/out.0"


def test_of_steps_with_files_as_large_the_first_by_name_is_named() -> None:
    steps = [
        log(table("POSIX", (record, 0, LARGE)), names={record: f"/s/{name}"}) for record, name in ((7, "b"), (8, "a"))
    ]
    assert value(job(*steps), "file.largest") == "/s/a"
