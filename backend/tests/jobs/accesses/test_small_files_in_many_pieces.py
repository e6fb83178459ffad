"""Many small files, each moved in many small pieces: fewer files would have as many pieces."""

from __future__ import annotations

import pytest
from described import Part, Work, document, seconds_of


def files(calls: int, *, opening_s: float = 0.001, reads: bool = False) -> Work:
    """A file of each of 1,024 ranks, in `calls` of 100 B that take 45 s together."""
    way = {"reads": calls, "read_s": 45.0} if reads else {"writes": calls, "write_s": 45.0}
    part = Part("/scratch/out.{}", range(1024), size=100, meta_s=opening_s, **way)  # type: ignore[arg-type]
    return Work((part,), 1024, 150.0, nodes=16)


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("calls", [200, 2000, 8000])
def test_what_takes_the_time_of_hundreds_of_pieces_each_is_the_pieces(calls: int, *, reads: bool) -> None:
    work = files(calls, reads=reads)
    assert document(work).headline.rule == "small-io"
    assert seconds_of(work) == pytest.approx({"small-io": 45.0}, abs=0.5)


@pytest.mark.parametrize("work", [files(2), files(20), files(400, opening_s=90.0)], ids=["two", "twenty", "opening"])
def test_a_few_pieces_each_and_opening_that_takes_most_are_the_number_of_files(work: Work) -> None:
    assert document(work).headline.rule in ("many-small-files", "metadata-bound")
    assert "small-io" not in seconds_of(work)
