"""One of many calls of each rank waits, in a file that all share: something stood still, and the calls are well."""

from __future__ import annotations

import pytest
from described import GIB, MIB, Part, Work, document, osts, uneven

PATH = "/scratch/run/state.dat"


def asked(longest_s: float, *, writes: int = 16, more: tuple[Part, ...] = ()) -> str:
    part = Part(
        PATH, range(128), writes=writes, size=16 * MIB, write_s=uneven(128, 62.0), osts=osts(16), longest_s=longest_s
    )
    found = document(Work((part, *more), 128, 150.0, nodes=4)).unexplained
    assert found is not None
    return found.experiment or ""


def test_a_call_that_took_nearly_all_of_the_time_is_named() -> None:
    said = asked(60.0)
    assert "one write of state.dat took 60.0 s of the" in said
    assert "tell your centre's support when that was" in said


@pytest.mark.parametrize(
    "said",
    [
        asked(8.0),
        asked(60.0, writes=4),
        asked(60.0, more=(Part("/scratch/run/g.{}", range(128), writes=100, size=MIB, write_s=70.0),)),
        asked(60.0, more=(Part(PATH, range(128), writes=400, size=MIB // 64, reach=GIB),)),
    ],
    ids=["all as long", "one of few", "not most of the I/O", "one of the large ones among small ones"],
)
def test_where_the_others_take_time_or_it_is_larger_none_is(said: str) -> None:
    assert "one write of state.dat" not in said
