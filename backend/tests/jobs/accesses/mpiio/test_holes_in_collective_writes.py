"""Collective writes whose holes the library fills: those who read take longer than those bytes would have it."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document, osts


@pytest.mark.parametrize(("read_s", "takes_s"), [(260.0, 275.0), (0.5, 213.0)], ids=["slow reads", "from memory"])
def test_who_waits_for_ranks_that_read_first_waits_as_long_as_they_read(read_s: float, takes_s: float) -> None:
    """Half of the bytes below are read."""
    name, movers = "/scratch/e3sm/f_case_h0.nc", range(0, 512, 64)
    calls = Part(name, range(512), "MPI-IO", writes=400, size=300 * KIB, write_s=400.0, collective=True)
    below = Part(
        name, movers, writes=9000, reads=9000, size=900 * KIB, write_s=380.0 - read_s, read_s=read_s, in_order=0.1,
        osts=osts(8),
    )  # fmt: skip
    found = document(Work((calls, below), nprocs=512, runtime_s=730.0, nodes=8))
    assert found.headline.rule == "read-modify-write"
    mine = next(f for f in found.findings if f.rule == "read-modify-write" and f.verdict == "triggered")
    assert mine.takes_s == pytest.approx(takes_s, rel=0.05)
