"""Ranks that append to one file: each seeks to its end first, which asks those who write it."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, above_info, document
from evidence_by_hand import job, log, table, value

RANKS = range(256)


def appended(seeks: int, meta_s: float) -> Work:
    part = Part(
        "/scratch/events.dat",
        RANKS,
        writes=400,
        size=64 * KIB,
        write_s=21.0,
        seeks=seeks,
        meta_s=meta_s,
        in_order=0.0,
        forward=1.0,
        aligned=False,
        osts=(3,),
    )
    return Work((part,), 256, 300.0, nodes=2)


def test_what_seeks_to_the_end_take_is_the_locks_of_the_file() -> None:
    found = document(appended(400, 90.0))
    assert set(above_info(found)) == {"lock-contention"}
    assert found.headline.rule == "lock-contention"
    (locks,) = (f for f in found.findings if f.rule == "lock-contention" and f.says is not None)
    assert locks.takes_s == pytest.approx(110.7, abs=0.1)
    assert "Seeks took at least 89.7 s more" in locks.says.summary
    assert (found.headline.action or "").startswith("Instead of seeking to the end of the file")


def test_seeks_that_cost_nothing_are_not_spoken_of() -> None:
    found = document(appended(400, 0.01))
    locks = next(f for f in found.findings if f.rule == "lock-contention" and f.says is not None)
    assert locks.says is not None
    assert "Seeks" not in locks.says.summary


TIMED = {
    "POSIX_SEEKS": 102_400,
    "POSIX_OPENS": 256,
    "POSIX_STATS": 0,
    "POSIX_F_META_TIME": 90.0 * 256,
    "POSIX_F_OPEN_START_TIMESTAMP": 1.0,
    "POSIX_F_OPEN_END_TIMESTAMP": 1.5,
    "POSIX_F_CLOSE_START_TIMESTAMP": 200.0,
    "POSIX_F_CLOSE_END_TIMESTAMP": 200.5,
}


@pytest.mark.parametrize(
    ("changed", "seconds"),
    [
        ({}, 89.0),
        ({"POSIX_F_OPEN_END_TIMESTAMP": 81.0}, 9.5),
        ({"POSIX_F_OPEN_END_TIMESTAMP": 120.0}, None),
        ({"POSIX_F_CLOSE_END_TIMESTAMP": 0.0}, None),
        ({"POSIX_STATS": 20_000}, None),
        ({"POSIX_SEEKS": 900}, None),
    ],
    ids=["seeks", "opens take most of it", "opens may take it", "closes unknown", "stats", "few seeks"],
)
def test_only_what_opens_and_closes_cannot_have_taken_is_seeks(
    changed: dict[str, float], seconds: float | None
) -> None:
    made = log(table("POSIX", (1, -1, TIMED | changed)), nprocs=256, runtime_s=300.0, names={1: "/s/f"})
    expected = None if seconds is None else pytest.approx(seconds)
    assert value(job(made), "posix.seek_time") == expected
