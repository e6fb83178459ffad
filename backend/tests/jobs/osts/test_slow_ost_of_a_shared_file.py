"""One slow OST below a file that all ranks share."""

import pytest
from described import MIB, Call, Part, Work, document, osts, own, uneven

from iotriage_parsers.frozen import frozen


def experiment(part: Part, osts_in_fs: int = 24) -> str:
    ranks = len(part.ranks)
    unexplained = document(Work((part,), nprocs=ranks, runtime_s=200, nodes=4, osts_in_fs=osts_in_fs)).unexplained
    assert unexplained is not None
    return unexplained.experiment or ""


def test_a_slow_ost_of_a_shared_file_is_looked_for_in_a_trace():
    """Each rank uses all 24 OSTs alike, so that all are as slow as the slowest of them lets them be."""
    part = Part("/scratch/w.dat", range(63), writes=4800, write_s=uneven(63, 70.0), in_order=0.0, osts=osts(24))
    assert "trace one short run" in experiment(part)
    assert "whether these are on one of the 24 OSTs of w.dat" in experiment(part)


@pytest.mark.parametrize(
    ("path", "ranks", "stripes", "osts_in_fs"), [("w.dat", 63, 1, 1), ("w.{}", 8, 4, 24)], ids=["one OST", "own files"]
)
def test_a_trace_of_other_files_tells_of_calls_alone(path, ranks, stripes, osts_in_fs):
    seconds, each = uneven(ranks, 70.0), 4800 if stripes > 1 else 300
    order = 1.0 if "{}" in path else 0.0
    part = Part(f"/scratch/{path}", range(ranks), writes=each, write_s=seconds, in_order=order, osts=osts(stripes))
    assert "trace one short run" in experiment(part, osts_in_fs)
    assert "OSTs of" not in experiment(part, osts_in_fs)


def test_the_file_on_several_osts_is_named_where_others_take_the_time():
    shared = Part("/scratch/o.dat", range(128), writes=8, size=16 * MIB, write_s=5.0, osts=osts(12))
    alone = Part("/scratch/p.{}", range(128), writes=20, size=4 * MIB, write_s=60.0, osts=own(128))
    unexplained = document(Work((shared, alone), nprocs=128, runtime_s=200.0, nodes=4)).unexplained
    assert unexplained is not None
    assert "one of the 12 OSTs of o.dat: the ranks that share it" in (unexplained.experiment or "")


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
    assert ("on one of the 8 OSTs of x.dat" in said) == asks


@frozen
class Made:
    """A file of all ranks, of which the first few are slow."""

    nprocs: int = 24
    slow: int = 1
    lies_on: int = 24
    order: float = 0.0
    path: str = "/scratch/w.dat"
    reduces: bool = True


@pytest.mark.parametrize(
    ("made", "own"),
    [
        (Made(), True),
        (Made(nprocs=64), False),
        (Made(nprocs=64, slow=2), True),
        (Made(nprocs=64, slow=2, reduces=False), True),
        (Made(order=1.0), False),
        (Made(lies_on=1), False),
        (Made(lies_on=0, path="/home/w.dat"), False),
        (Made(lies_on=0), True),
    ],
    ids=[
        "an OST each",
        "two on each OST",
        "as many slow",
        "by rank",
        "whole rounds",
        "one OST",
        "one server",
        "unknown",
    ],
)
def test_no_server_is_slow_for_one_rank_that_serves_the_others_too(made: Made, own: bool) -> None:
    said = advice_for_a_slow_rank(made)
    assert ("server (OST)" in said) == own
    assert ("has no server to itself, so its node" in said) == (not own)
    assert ("getstripe" in said) == own


def advice_for_a_slow_rank(of: Made) -> str:
    took = tuple(60.0 if rank < of.slow else 10.0 for rank in range(of.nprocs))
    lies_on = osts(of.lies_on)
    part = Part(of.path, range(of.nprocs), writes=480, size=16 * MIB, write_s=took, in_order=of.order, osts=lies_on)
    found = document(Work((part,), of.nprocs, 100.0, nodes=4, osts_in_fs=24, reduces=of.reduces)).findings
    return next(str(f.advice) for f in found if f.rule == "straggler-rank")
