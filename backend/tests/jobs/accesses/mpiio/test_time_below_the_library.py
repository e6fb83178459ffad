"""One shared file on one OST, and ranks that are in MPI-IO far longer than those that write are in the storage."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, osts


def shared(storage_s: float) -> Work:
    """1,024 ranks are 240 s in collective writes, 32 of them `storage_s` in the calls below."""
    calls = Part("/scratch/o.h5", range(1024), "MPI-IO", writes=2, size=16 * MIB, write_s=240.0, collective=True)
    below = Part("/scratch/o.h5", range(0, 1024, 32), writes=64, size=16 * MIB, write_s=storage_s, osts=osts(1))
    return Work((calls, below), nprocs=1024, runtime_s=800.0, nodes=32)


@pytest.mark.parametrize(("storage_s", "takes"), [(230.0, 240.0), (130.0, 240.0), (100.0, 100.0), (60.0, 60.0)])
def test_stripes_take_no_more_than_the_storage_where_that_is_not_most_of_it(storage_s: float, takes: float) -> None:
    found = document(shared(storage_s))
    (stripes,) = (f for f in found.findings if f.rule == "ssf-understriped" and f.verdict == "triggered")
    assert stripes.takes_s == pytest.approx(takes, rel=0.05)
    assert found.unexplained is not None
    assert found.unexplained.seconds == pytest.approx(240.0 - takes, abs=5.0)
