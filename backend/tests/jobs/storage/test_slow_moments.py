"""Checkpoints of one run of which some took far longer: told as the storage's, and only where nothing else differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from described import MIB, Call, Part, Seconds, Work, above_info, document, in_steps, osts, own, uneven

from iotriage.analysis.document import CaseDocument, Finding

RANKS = range(64)


def checkpoint(n: int, seconds: Seconds, *, calls: int = 160, first_ost: int = 0, collective: bool = False) -> Part:
    layer, lies_on = ("MPI-IO", ()) if collective else ("POSIX", osts(12, first_ost))
    return Part(
        f"/scratch/run/chk.{n:03}", RANKS, layer, writes=calls, size=4 * MIB, write_s=seconds, begins_s=100.0 * n,
        collective=collective, osts=lies_on,
    )  # fmt: skip


def case(parts: Sequence[Part]) -> CaseDocument:
    return document(Work(tuple(parts), 64, 2000.0, nodes=4))


def moment(found: CaseDocument) -> Finding | None:
    return next((f for f in found.findings if f.rule == "slow-moment" and f.verdict == "triggered"), None)


def test_one_of_ten_checkpoints_was_written_while_the_storage_was_slow() -> None:
    found = case([checkpoint(n, 200.0 if n == 6 else 10.0) for n in range(10)])
    finding = moment(found)
    assert finding is not None
    assert found.headline.rule == "slow-moment"
    assert finding.takes_s == pytest.approx(190, rel=0.01)
    assert "chk.006 took 3 min 20 s, the median one 10.0 s" in finding.summary
    assert "from 10 min to 13 min 20 s after the job's start" in finding.advice[0].text


def test_so_it_is_of_collective_calls() -> None:
    assert moment(case([checkpoint(n, 200.0 if n == 6 else 10.0, collective=True) for n in range(10)])) is not None


def output(n: int, seconds: float, *, own_files: bool) -> Part:
    name = f"/scratch/run/{'rst' if own_files else 'chk'}.{n:03}" + (".{}" if own_files else "")
    lies_on = own(64) if own_files else osts(12)
    return Part(name, RANKS, writes=160, size=4 * MIB, write_s=seconds, begins_s=100.0 * (n + 1), osts=lies_on)


@pytest.mark.parametrize("own_files", [False, True], ids=["shared", "of each rank"])
@pytest.mark.parametrize(
    ("slow", "said", "takes", "since"),
    [
        ((6, 3), "2 of 20", 380.0, "11 min 40 s"),
        ((6, 6), "2 of 20", 380.0, "11 min 40 s"),
        ((None, 3), "One of 20", 190.0, "56 min 40 s"),
        ((6, None), "One of 20", 190.0, "11 min 40 s"),
    ],
)
def test_steps_that_write_files_of_the_same_names_have_their_moments_each(
    slow: tuple[int | None, ...], said: str, takes: float, since: str, *, own_files: bool
) -> None:
    """The second step begins 50 minutes after the first; when its file was slow is told from the start of the job."""
    works = [tuple(output(n, 200.0 if n == at else 10.0, own_files=own_files) for n in range(10)) for at in slow]
    finding = moment(in_steps(*((Work(parts, 64, 2000.0, nodes=4), 3000.0 * k) for k, parts in enumerate(works))))
    assert finding is not None
    assert finding.headline == f"{said} similar outputs took far longer than the others."
    assert finding.takes_s == pytest.approx(takes, rel=0.01)
    assert f"from {since} to " in finding.advice[0].text


@pytest.mark.parametrize(
    ("slow", "shifted", "said"),
    [
        ((6, 6), False, "It lies on an OST that no other has"),
        ((6, 3), True, "It lies on 2 OSTs that no other has"),
        ((6, None), False, "It lies on OSTs that others lie on too"),
    ],
    ids=["the same OST in both", "another in each", "quick in the second step"],
)
def test_osts_of_slow_files_are_those_of_no_other_in_any_step(
    slow: tuple[int | None, ...], said: str, *, shifted: bool
) -> None:
    def step(k: int) -> Work:
        parts = (
            replace(output(n, 200.0 if n == slow[k] else 10.0, own_files=False), osts=(n + 20 * k * shifted,))
            for n in range(10)
        )
        return Work(tuple(parts), 64, 2000.0, nodes=4)

    finding = moment(in_steps((step(0), 0.0), (step(1), 3000.0)))
    assert finding is not None
    assert said in (finding.summary or "")


@pytest.mark.parametrize(
    "parts",
    [
        [checkpoint(n, 10.0 + n) for n in range(10)],
        [checkpoint(n, 100.0 if n % 2 else 10.0) for n in range(10)],
        [checkpoint(n, 200.0 if n == 6 else 10.0) for n in range(3)],
        [checkpoint(n, 200.0, calls=3200) if n == 6 else checkpoint(n, 10.0) for n in range(10)],
        [checkpoint(n, [200.0 if n == 6 and rank == 5 else 10.0 for rank in RANKS]) for n in range(10)],
        [checkpoint(n, 40.0 if n == 6 else 10.0) for n in range(40)],
    ],
    ids=["a little slower", "half of them", "too few", "more bytes", "one late rank", "little of the time"],
)
def test_nothing_is_said_of_storage_where_files_differ_otherwise_or_hardly(parts: Sequence[Part]) -> None:
    assert "slow-moment" not in above_info(case(parts))


def test_a_slow_file_on_osts_of_its_own_may_be_these() -> None:
    parts = [checkpoint(n, 200.0 if n == 6 else 10.0, first_ost=24 if n == 6 else 0) for n in range(10)]
    finding = moment(case(parts))
    assert finding is not None
    assert "12 OSTs that no other has" in finding.summary


def beside_a_log(lines: int, took_s: float, data_s: float = 30.0) -> Work:
    """Files of all ranks, written well in about `data_s`, and so many lines that the first rank prints."""
    data = Part("/scratch/run/out.{}", range(128), writes=400, size=8 * MIB, write_s=uneven(128, data_s), osts=own(128))
    log = Part("/scratch/run/run.log", range(1), "STDIO", writes=lines, size=100, write_s=took_s, osts=osts(1))
    return Work((data, log), nprocs=128, runtime_s=200, nodes=4)


def test_of_a_few_lines_that_took_long_neither_their_size_nor_their_writer_is_the_cause() -> None:
    stood_still = document(beside_a_log(1600, 40.0))
    assert (stood_still.headline.severity, above_info(stood_still)) == ("unknown", {})


def test_millions_of_lines_by_one_rank_are() -> None:
    assert "serial-io" in above_info(document(beside_a_log(4_000_000, 40.0)))


def test_who_waits_for_a_few_lines_far_longer_than_others_for_their_data_stands_apart() -> None:
    """What it is, its server or its node, is for another run to tell."""
    found = above_info(document(beside_a_log(1600, 40.0, data_s=2.0)))
    assert list(found) == ["straggler-rank"]


def test_lines_of_all_ranks_in_one_file_wait_for_one_another() -> None:
    lines = Part("/scratch/run/run.log", range(128), "STDIO", writes=4000, size=100, write_s=48.0, osts=osts(1))
    assert "stdio-heavy" in above_info(document(Work((lines,), nprocs=128, runtime_s=200, nodes=4)))


def waited_for(slow: float) -> CaseDocument:
    """Ten checkpoints, 8 s each but for one, whose aggregators take nearly all of that time."""
    parts = [
        part
        for n in range(10)
        for took in [slow if n == 6 else 8.0]
        for part in (
            Part(
                f"/scratch/ck{n}.h5", RANKS, "MPI-IO", writes=10, size=16 * MIB, write_s=took, collective=True,
                begins_s=5.0 + 10 * n,
            ),
            Part(
                f"/scratch/ck{n}.h5", RANKS[::16], writes=160, size=16 * MIB, write_s=took * 0.95, in_order=0.2,
                osts=osts(16), begins_s=5.0 + 10 * n,
            ),
        )
    ]  # fmt: skip
    return document(Work(tuple(parts), 64, 300.0))


def test_nobody_tries_other_stripes_before_it_is_known_what_slowed_one_file() -> None:
    left = waited_for(90.0).unexplained
    assert left is not None
    assert (left.experiment or "").startswith("Not explained: find first what slowed those few files")
    even = waited_for(8.0).unexplained
    assert even is not None
    assert "those few files" not in (even.experiment or "")


def dumps(mean_s: float, *, slow: int = 64) -> Work:
    """A file of each of 64 ranks, 12 times; the fifth takes so long, for `slow` of them."""
    parts = tuple(
        Part(
            f"/scratch/d{k:02}/r.{{}}",
            range(64),
            writes=40,
            size=8 * MIB,
            write_s=[mean_s if k == 4 and r < slow else 5.0 + 0.01 * r for r in range(64)],
            begins_s=10.0 + 20.0 * k + (200.0 if k > 4 else 0.0),
            osts=own(64),
        )
        for k in range(12)
    )
    return Work(parts, nprocs=64, runtime_s=600.0, nodes=4)


def test_one_slow_output_of_a_file_a_rank_is_a_moment_and_one_slow_rank_is_none() -> None:
    found = document(dumps(150.0)).headline
    assert (found.rule, found.sentence) == (
        "slow-moment",
        "One of 12 similar outputs took far longer than the others.",
    )
    assert document(dumps(150.0, slow=1)).headline.rule != "slow-moment"
    assert document(dumps(5.0)).headline.rule is None


def traced(usual_s: float, stall_s: float, *, together: bool) -> CaseDocument:
    """64 ranks write 40 times 4 MiB to files of their own; three calls of each stand still, together or at other
    times."""
    calls, draws = [], np.random.default_rng(3)
    for rank in range(64):
        at, slow = 10.0, (10, 20, 30) if together else tuple(draws.choice(40, 3, replace=False))
        for k in range(40):
            took = stall_s if k in slow else usual_s
            calls.append(Call(f"/scratch/o.{rank}", rank, k * 4 * MIB, 4 * MIB, at, took))
            at += took + 0.5
    seconds = 37 * usual_s + 3 * stall_s
    part = Part("/scratch/o.{}", range(64), writes=40, size=4 * MIB, write_s=seconds, osts=own(64), begins_s=10.0)
    return document(Work((part,), 64, 150.0, nodes=1, traced=tuple(calls)))


def test_a_trace_tells_of_moments_in_which_all_stand_still() -> None:
    found = traced(0.2, 20.0, together=True)
    assert found.headline.sentence == "At 3 moments the calls of most ranks stood still together."
    (moment,) = (f for f in found.findings if f.rule == "slow-moment" and f.verdict == "triggered")
    assert moment.takes_s == pytest.approx(59.4, rel=0.01)
    assert "from 17.0 s to 37.0 s after the job's start" in (found.headline.action or "")


@pytest.mark.parametrize(("usual_s", "together"), [(0.2, False), (0.001, True)], ids=["each by itself", "cached"])
def test_calls_that_wait_at_other_times_or_beside_copies_to_memory_are_no_moment(
    usual_s: float, together: bool
) -> None:
    assert "slow-moment" not in above_info(traced(usual_s, 20.0, together=together))
