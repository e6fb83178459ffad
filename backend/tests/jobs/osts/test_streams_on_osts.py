"""Files that are written and read as streams lie on OSTs as others do: one that is slow, crowded or chosen by hand is
told by their seconds too."""

from __future__ import annotations

import pytest
from described import MIB, Part, Seconds, Work, document, own, seconds_of, uneven

RANKS = range(192)


def streams(write_s: Seconds, ranks: range = RANKS, calls: int = 100, osts: tuple[int, ...] = own(192)) -> Part:
    return Part("/scratch/o/s.{}", ranks, "STDIO", writes=calls, size=400 * MIB // calls, write_s=write_s, osts=osts)


def slow_where(rank: range | int) -> tuple[float, ...]:
    """20 s of most ranks, 200 s of some."""
    slow = [rank] if isinstance(rank, int) else rank
    return tuple(200.0 if r in slow else 20.0 + 0.2 * (r % 7) for r in RANKS)


ON_OST_7 = range(7, 192, 48)
CROWDED = tuple(9 if r % 4 == 0 else r % 48 for r in range(96))
CROWDED_S = tuple(120.0 if r % 4 == 0 else 12.0 + 0.2 * (r % 7) for r in range(96))


@pytest.mark.parametrize(
    ("parts", "rule", "seconds"),
    [
        ((streams(slow_where(ON_OST_7)),), "slow-ost", 180.0),
        ((streams(CROWDED_S, range(96), osts=CROWDED),), "crowded-ost", 116.0),
        ((streams(160.0, range(64), osts=(2,)),), "fixed-ost-offset", 158.0),
    ],
)
def test_an_ost_is_told_by_streams(parts: tuple[Part, ...], rule: str, seconds: float) -> None:
    work = Work(parts, len(parts[0].ranks), 400.0, nodes=2)
    assert document(work).headline.rule == rule
    assert seconds_of(work) == {rule: pytest.approx(seconds, rel=0.03)}


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        # Three others are quick on the slow rank's OST.
        ((streams(slow_where(10)),), "straggler-rank"),
        # Values of 32 bytes are copied, wherever their file lies.
        ((streams(160.0, range(64), calls=400 * MIB // 32, osts=(2,)),), "stdio-heavy"),
        # A little on one OST beside all else.
        (
            (
                streams(1.0, range(64), osts=(3,)),
                Part("/scratch/o/p.{}", range(64), writes=100_000, size=1024, write_s=100.0, osts=own(64)),
            ),
            "small-io",
        ),
    ],
)
def test_what_is_no_matter_of_osts(parts: tuple[Part, ...], rule: str) -> None:
    assert document(Work(parts, len(parts[0].ranks), 400.0, nodes=2)).headline.rule == rule


def test_streams_that_are_written_at_once_are_on_as_many_osts() -> None:
    found = document(Work((streams(uneven(192, 40.0)),), 192, 300.0, nodes=2)).metrics["file.stripes_at_once"].value
    assert found == pytest.approx(48, abs=1)
