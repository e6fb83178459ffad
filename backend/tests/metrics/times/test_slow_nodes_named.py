"""How the ranks of several slow nodes are called: in rows, and by their numbers where they stand alone."""

from __future__ import annotations

import pytest
from evidence_by_hand import job, log, table, value

MIB = 2**20


def ranks_of(placed: list[int], slow: set[int]) -> object:
    """Each rank writes a file of its own; those on slow nodes take five times as long."""
    records = [
        (
            r + 1,
            r,
            {"POSIX_WRITES": 100, "POSIX_BYTES_WRITTEN": 100 * MIB, "POSIX_F_WRITE_TIME": 10.0 if n in slow else 2.0},
        )
        for r, n in enumerate(placed)
    ]
    hosts = {r: f"nid{n}" for r, n in enumerate(placed)}
    names = {r + 1: f"/scratch/out.{r}" for r in range(len(placed))}
    return value(
        job(log(table("POSIX", *records), nprocs=len(placed), hostnames=hosts, names=names)), "balance.slow_block"
    )


@pytest.mark.parametrize(
    ("placed", "slow", "named"),
    [
        ([r % 8 for r in range(32)], {2, 5}, "2, 5, 10 and others"),
        ([r % 8 for r in range(32)], {2, 3}, "2-3, 10-11, 18-19 and others"),
        ([r // 4 for r in range(32)], {2, 5}, "8-11 and 20-23"),
    ],
)
def test_a_rank_alone_is_no_row(placed: list[int], slow: set[int], named: str) -> None:
    assert ranks_of(placed, slow) == named
