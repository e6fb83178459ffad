from __future__ import annotations

import os
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from iotriage.intake.unpickling import UnexpectedResultError, result_from
from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence, Failure, Job, Lines, Mount, MpiioStats


class Calls:
    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.call


def test_evidence_comes_back_with_its_arrays() -> None:
    ids = np.array([2**64 - 1, 7], np.uint64)
    ints = np.asfortranarray(np.arange(4, dtype=np.int64).reshape(2, 2))
    table = CounterTable("POSIX", ("A", "B"), ("C",), ids, np.array([-1, 0]), ints, np.array([[0.5], [np.nan]]))
    job = Job(nprocs=np.int64(4), mounts=(Mount("/scratch", "lustre"),))  # type: ignore[arg-type]
    log = DarshanLog("3.41", "little", "zlib", job, (("k", "v"),), {2**64 - 1: "/a"}, (), table)
    stats = MpiioStats("write", "/a", 1, Lines(1, 9), complete=True, trusted=True)
    found = result_from(pickle.dumps(Evidence("darshan_log", (log, stats)), protocol=5))
    assert isinstance(found, Evidence)
    back, text = found.parts
    assert isinstance(back, DarshanLog)
    assert back.posix is not None
    assert back.posix.ids.tolist() == [2**64 - 1, 7]
    assert back.posix.ints.tolist() == [[0, 1], [2, 3]]
    assert (back.job, dict(back.names), text) == (job, {2**64 - 1: "/a"}, stats)


@pytest.mark.parametrize(
    "result",
    [
        Calls(os.system, "true"),
        Calls(eval, "1"),
        Calls(getattr, "text", "encode"),
        Evidence("x", (Calls(os.getcwd),)),  # type: ignore[arg-type]
        np.array([Calls(os.getcwd)], dtype=object),
        Calls(np.load, "/etc/passwd"),
        {1, 2}.union,
    ],
)
def test_what_is_no_result_is_refused_before_it_is_looked_up(result: object) -> None:
    with pytest.raises(UnexpectedResultError):
        result_from(pickle.dumps(result))


@pytest.mark.parametrize("pickled", [b"", b"garbage", pickle.dumps(Failure("empty", "a", "b"))[:-3], b"\x80\x05N"])
def test_what_is_no_pickle_is_refused(pickled: bytes) -> None:
    with pytest.raises(UnexpectedResultError):
        result_from(pickled)
