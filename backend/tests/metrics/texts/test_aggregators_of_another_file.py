"""The aggregators that were asked for are held against those at work on the same file."""

from __future__ import annotations

import pytest
from evidence_by_hand import block, metric

from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import Hint, Lines, MpiioHints


def shown(file: str | None, nodes: int, line: int) -> MpiioHints:
    return MpiioHints("cray-mpich", file, (Hint("cb_nodes", str(nodes), line),), Lines(line, line), complete=True)


@pytest.mark.parametrize(
    ("lists", "complaint"),
    [
        ((("small.dat", 8), ("big.dat", 2)), None),
        ((("/scratch/small.dat", 2), ("/scratch/big.dat", 8)), "cb_nodes=8 is displayed, but 2 aggregators wrote"),
        (((None, 8),), "cb_nodes=8 is displayed, but 2 aggregators wrote"),
        ((("small.dat", 8),), None),
    ],
)
def test_of_the_file_with_most_bytes(lists: tuple[tuple[str | None, int], ...], complaint: str | None) -> None:
    big = block(file="big.dat", aggregators=2, total_bytes=2**40, lines=Lines(100, 118))
    small = block(file="small.dat", aggregators=8, total_bytes=2**20, lines=Lines(200, 218))
    parts = [*(shown(file, nodes, at) for at, (file, nodes) in enumerate(lists, 1)), big, small]
    assert metric(select_job([(0, part) for part in parts]), "hints.audit").value == complaint


def test_of_no_aggregators_their_number_is_not_what_is_wrong() -> None:
    parts = [shown("big.dat", 8, 1), block(file="big.dat", aggregators=0, total_bytes=2**40, lines=Lines(100, 118))]
    assert metric(select_job([(0, part) for part in parts]), "hints.audit").value is None
