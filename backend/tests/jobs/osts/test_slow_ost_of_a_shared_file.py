"""One slow OST below a file that all ranks share."""

import pytest
from described import MIB, Call, Part, Work, document, osts, uneven


@pytest.mark.parametrize(("stripes", "asks"), [(24, True), (1, False)])
def test_a_slow_ost_of_a_shared_file_is_looked_for_in_a_trace(stripes, asks):
    """Each rank uses all 24 OSTs alike, so that all are as slow as the slowest of them lets them be."""
    seconds, each = uneven(63, 70.0), 4800 if stripes > 1 else 300
    part = Part("/scratch/w.dat", range(63), writes=each, write_s=seconds, in_order=0.0, osts=osts(stripes))
    unexplained = document(Work((part,), nprocs=63, runtime_s=200, nodes=4, osts_in_fs=24)).unexplained
    said = (unexplained.experiment or "") if unexplained is not None else ""
    assert ("whether these are on one of the 24 OSTs of the file" in said) == asks


def traced(size: int) -> Work:
    """8 ranks with 200 calls of that size, which all take as long, on every OST."""
    path, calls = "/scratch/t/x.dat", 200
    made = (Call(path, r, (r * calls + i) * size, size, 1.0 + 0.05 * i, 0.05) for r in range(8) for i in range(calls))
    part = Part(path, range(8), writes=calls, size=size, write_s=0.05 * calls, osts=osts(8))
    return Work((part,), 8, 30.0, nodes=2, traced=tuple(made))


@pytest.mark.parametrize(("size", "asks"), [(MIB, False), (8 * MIB, True)])
def test_nobody_is_asked_to_look_for_it_where_the_trace_has_compared_the_osts(size: int, asks: bool) -> None:
    """A call over all of them compares none."""
    found = document(traced(size))
    said = "" if found.unexplained is None else found.unexplained.experiment or ""
    assert "trace shows the calls that take the time" in said
    assert ("on one of the 8 OSTs of the file" in said) == asks
