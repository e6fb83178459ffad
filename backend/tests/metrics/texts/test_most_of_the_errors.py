"""The reason that most failed calls have: of reads and writes, and of all sources, together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from evidence_by_hand import value

from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import IoError, SystemErrors

QUOTA, BROKEN = (122, "EDQUOT", "Disk quota exceeded"), (5, "EIO", "Input/output error")


def error(way: str, reason: tuple[int, str, str], count: int, file: str, line: int) -> IoError:
    return IoError(way, *reason, count, 1, (0,), 1, (file,), count, (), line, line)  # type: ignore[arg-type]


@pytest.mark.parametrize("sources", [(0, 0, 0), (0, 1, 2), (2, 1, 0)])
def test_it_is_that_of_most_lines_and_not_of_the_longest_list(sources: Sequence[int]) -> None:
    errors = (
        error("write", QUOTA, 5, "/home/me/a.dat", 10),
        error("read", BROKEN, 3, "/scratch/me/b.dat", 20),
        error("write", BROKEN, 4, "/scratch/me/out/c.dat", 30),
    )
    found = select_job(list(zip(sources, errors, strict=True)))
    assert value(found, "errors.cause") == "EIO"
    assert value(found, "errors.directory") == "/scratch/me/out"


def test_of_one_kind_it_is_that() -> None:
    found = select_job([(0, error("write", QUOTA, 5, "/home/me/a.dat", 10)), (0, error("read", BROKEN, 3, "/x/b", 20))])
    assert value(found, "errors.cause") == "EDQUOT"
    assert value(found, "errors.directory") == "/home/me"


def test_what_a_program_says_of_its_calls_names_the_directory_where_the_library_says_nothing() -> None:
    said = SystemErrors(122, "EDQUOT", "cannot write '/home/me/run/c.dat': Disk quota exceeded", 3, 40, 44)
    assert value(select_job([(0, said)]), "errors.directory") == "/home/me/run"
    of_tar = SystemErrors(28, "ENOSPC", "tar: /tmp/x.dat: Cannot write: No space left on device", 1, 40, 40)
    assert value(select_job([(0, of_tar)]), "errors.directory") == "/tmp"
    assert value(select_job([(0, said), (0, error("write", BROKEN, 1, "/x/b", 20))]), "errors.directory") == "/x"
