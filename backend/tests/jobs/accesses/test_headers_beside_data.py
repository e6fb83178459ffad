"""Headers that are read here and there in the file in which the data lies: many calls, and none of the seconds."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, osts

RANKS = range(128)
NAME = "/scratch/run/in.nc"


def read_by_all(headers: int, headers_s: float, piece: int, data_s: float, *, longest_s: float | None = None) -> Work:
    """Each rank reads headers of 512 B at random, and its part of 32 GiB in order."""
    return Work(
        (
            Part(NAME, RANKS, reads=headers, size=512, read_s=headers_s, in_order=0.0, longest_s=longest_s),
            Part(NAME, RANKS, reads=32 * GIB // 128 // piece, size=piece, read_s=data_s, in_order=0.98, osts=osts(4)),
        ),
        nprocs=128,
        runtime_s=100,
        nodes=4,
    )


@pytest.mark.parametrize("piece", [16 * MIB, 4 * MIB, 512 * KIB])
def test_whose_calls_are_many_is_not_said_to_take_the_time_of_the_data(piece: int) -> None:
    found = document(read_by_all(400, 0.3, piece, 40.0))
    assert "random-access" not in above_info(found)
    assert found.unexplained is not None
    assert found.unexplained.seconds == pytest.approx(40, rel=0.02)


def test_headers_that_take_the_time_are_named_with_it() -> None:
    found = document(read_by_all(40_000, 40.0, 4 * MIB, 1.0, longest_s=0.02))
    assert found.headline.rule == "random-access"
    assert found.findings[0].takes_s == pytest.approx(40, rel=0.05)


def test_pieces_of_one_size_at_random_places_take_all_of_it_however_slow_each_is() -> None:
    one = Part("/scratch/run/in.dat", RANKS, reads=2000, size=30 * KIB, read_s=60.0, in_order=0.0, osts=osts(4))
    found = document(Work((one,), nprocs=128, runtime_s=100, nodes=4))
    assert found.headline.rule == "random-access"
    assert found.findings[0].takes_s == pytest.approx(60, rel=0.02)
