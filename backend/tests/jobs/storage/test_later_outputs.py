"""Equal outputs of one run that take longer as it goes on: told where the storage or the run is another then, and only
where nothing else differs between the early and the late ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from described import MIB, Part, Seconds, Work, above_info, collective, document, in_steps, osts

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.metrics.tables.files.slower import slower

RANKS = range(128)
GROWING = [2.0 * n for n in range(1, 21)]
STEP = [3.0] * 10 + [30.0] * 10


def output(
    n: int, seconds: Seconds, *, began: float | None = None, calls: int = 40, first_ost: int = 0, stripes: int = 12,
    in_order: float = 1.0, folder: str = "/scratch/run", size: int = 4 * MIB,
) -> Part:  # fmt: skip
    return Part(
        f"{folder}/out_{n:03}.nc", RANKS, writes=calls, size=size, write_s=seconds, in_order=in_order,
        begins_s=20.0 + 100.0 * n if began is None else began, osts=osts(stripes, first_ost),
    )  # fmt: skip


def in_collective_calls(n: int, seconds: float, below_s: float) -> tuple[Part, Part]:
    above, below = collective(f"/scratch/run/out_{n:03}.nc", RANKS, RANKS[::8], seconds, osts(16, 16 * n))
    began = 20.0 + 100.0 * n
    return replace(above, begins_s=began), replace(below, write_s=below_s, begins_s=began)


def case(parts: Sequence[Part]) -> CaseDocument:
    return document(Work(tuple(parts), 128, 2200.0, nodes=1))


def told(found: CaseDocument) -> Finding | None:
    return next((f for f in found.findings if f.rule == "slower-and-slower" and f.verdict == "triggered"), None)


def test_the_cut_leaves_both_sides_most_alike_in_themselves() -> None:
    draws = np.random.default_rng(8)
    for n, before in ((20, 10), (20, 7), (57, 40)):
        seconds = np.concatenate((draws.uniform(2.0, 3.0, before), draws.uniform(20.0, 30.0, n - before)))
        found, logs = slower(seconds), np.log(seconds)
        spread = {k: logs[:k].var() * k + logs[k:].var() * (n - k) for k in range(1, n)}
        assert found is not None
        assert (found.way, len(found.early)) == ("from one on", min(spread, key=lambda k: spread[k]))


def test_twenty_equal_outputs_take_longer_and_longer() -> None:
    found = case([output(n, took) for n, took in enumerate(GROWING)])
    finding = told(found)
    assert finding is not None
    assert (found.headline.rule, finding.headline) == ("slower-and-slower", "Equal outputs take longer and longer.")
    assert finding.takes_s == pytest.approx(342, rel=0.02)
    assert "the first 3 took 4.00 s each, and the last 3 took 38.0 s" in finding.summary
    assert "grows with each output" in finding.advice[0].text
    assert "more aggregators or stripes are no cure" in finding.advice[1].text


def test_the_outputs_of_two_steps_that_grew_slower_have_the_seconds_of_both() -> None:
    step = Work(tuple(output(n, took) for n, took in enumerate(GROWING)), 128, 2200.0, nodes=1)
    found = in_steps((step, 0.0), (step, 2300.0))
    finding, alone = told(found), told(case([output(n, took) for n, took in enumerate(GROWING)]))
    assert finding is not None
    assert alone is not None
    assert finding.takes_s == pytest.approx(2 * (alone.takes_s or 0.0), rel=0.01)
    assert found.unexplained is not None
    assert found.unexplained.share < 0.2


def test_from_the_eleventh_on_they_take_ten_times_as_long() -> None:
    found = case([output(n, took) for n, took in enumerate(STEP)])
    finding = told(found)
    assert finding is not None
    assert finding.headline == "From one of them on, equal outputs take 10 times as long."
    assert finding.takes_s == pytest.approx(270, rel=0.02)
    assert "from out_010.nc on each took 30.0 s" in finding.summary
    assert "17 min after the job's start" in finding.advice[0].text


@pytest.mark.parametrize("times", [GROWING, STEP], ids=["growing", "step"])
def test_of_collective_calls_the_calls_below_say_it_too(times: Sequence[float]) -> None:
    parts = [part for n, took in enumerate(times) for part in in_collective_calls(n, took, 0.9 * took)]
    found = case(parts)
    assert told(found) is not None
    assert found.unexplained is None or "cb_nodes" not in str(found.unexplained.experiment)


def test_what_is_left_asks_for_no_other_number_of_ranks() -> None:
    parts = [p for n in range(20) for p in in_collective_calls(n, 28.0 if n < 10 else 84.0, 27.0 if n < 10 else 82.0)]
    found = case(parts)
    assert told(found) is not None
    assert found.unexplained is not None
    assert "find first what slows the later outputs" in str(found.unexplained.experiment)


def test_waiting_for_late_ranks_in_collective_calls_is_not_the_storage() -> None:
    parts = [part for n, took in enumerate(GROWING) for part in in_collective_calls(n, took, 1.8)]
    assert told(case(parts)) is None


def test_collective_calls_alone_do_not_tell_the_storage_from_late_ranks() -> None:
    parts = [part for n, took in enumerate(GROWING) for part in in_collective_calls(n, took, took)[:1]]
    assert told(case(parts)) is None


def one_late_rank(took: float) -> list[float]:
    return [took if rank == 5 else 2.0 for rank in RANKS]


@pytest.mark.parametrize(
    "parts",
    [
        [output(n, took, calls=int(20 * took)) for n, took in enumerate(GROWING)],
        [output(n, took, calls=40 if n < 10 else 400) for n, took in enumerate(STEP)],
        [output(n, t, calls=40) if n < 10 else output(n, t, calls=1280, size=MIB // 8) for n, t in enumerate(STEP)],
        [output(n, took, stripes=12 if n < 10 else 1) for n, took in enumerate(STEP)],
        [output(n, took, first_ost=0 if n < 10 else 24) for n, took in enumerate(STEP)],
        [output(n, took, first_ost=2 * n, stripes=1) for n, took in enumerate(GROWING)],
        [output(n, took, in_order=1.0 if n < 10 else 0.0) for n, took in enumerate(STEP)],
        [output(n, took, folder="/scratch/run" if n < 10 else "/home/run") for n, took in enumerate(STEP)],
        [output(n, one_late_rank(took)) for n, took in enumerate(GROWING)],
        [output(n, took, began=20.0 + n / 10) for n, took in enumerate(GROWING)],
        [output(n, took, began=0.0) for n, took in enumerate(GROWING)],
        [output(n, took) for n, took in enumerate((2.0, 4.0, 20.0, 40.0, 80.0))],
        [output(n, 3.0 + 0.1 * n) for n in range(20)],
        [output(n, 0.01 * took) for n, took in enumerate(GROWING)],
        [output(n, 30.0 if n % 2 else 3.0) for n in range(20)],
        [output(n, took) for n, took in enumerate(reversed(STEP))],
        [output(n, 30.0 if 7 <= n < 13 else 3.0) for n in range(20)],
    ],
    ids=[
        "more bytes and calls", "more bytes", "smaller calls", "other stripes", "other OSTs", "an OST each",
        "another order", "another file system", "one late rank", "side by side", "no times of day", "too few",
        "hardly slower", "no time in all", "by turns", "faster and faster", "a while",
    ],
)  # fmt: skip
def test_nothing_is_said_where_they_differ_otherwise_or_hardly(parts: Sequence[Part]) -> None:
    assert told(case(parts)) is None


@pytest.mark.parametrize("slow", [1, 2], ids=["the last", "the last two"])
def test_a_few_slow_ones_at_the_end_are_a_moment(slow: int) -> None:
    found = case([output(n, 90.0 if n >= 12 - slow else 10.0 + 0.1 * n) for n in range(12)])
    assert told(found) is None
    assert "slow-moment" in above_info(found)


def test_the_slowest_of_those_that_grow_are_no_moment() -> None:
    found = case([output(n, took) for n, took in enumerate((2.0, 2.2, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 9.0, 14.0))])
    assert told(found) is not None
    assert "slow-moment" not in above_info(found)


def test_late_ones_on_osts_of_early_ones_and_others_are_compared_by_the_first() -> None:
    parts = [output(n, took, first_ost=16 * (n % 3)) for n, took in enumerate(STEP)]
    assert told(case(parts)) is not None


@pytest.mark.parametrize("files", [6, 8, 10, 20])
def test_chance_orders_few(files: int) -> None:
    """Of times without order, spread over a factor of ten, hardly any are called so."""
    drawn = np.random.default_rng(files)
    assert sum(slower(np.exp(drawn.standard_normal(files))) is not None for _ in range(1000)) < 20


def of_each_rank(
    times: Sequence[Seconds], *, size: int = 4 * MIB, first_ost: int = 0, later_ost: int = 0
) -> list[Part]:
    """Outputs of which each rank has a file of 40 pieces, on an OST of 24."""
    return [
        Part(
            f"/scratch/run/out_{n:03}.{{}}", RANKS, writes=40, size=size, write_s=took, begins_s=20.0 + 100.0 * n,
            osts=tuple((first_ost if n < 10 else later_ost) + rank % 24 for rank in RANKS),
        )
        for n, took in enumerate(times)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("times", "headline", "takes_s"),
    [(GROWING, "Equal outputs take longer and longer.", 342), (STEP, "From one of them on, equal outputs take", 270)],
)
def test_outputs_of_a_file_a_rank_are_compared_too(times: list[float], headline: str, takes_s: float) -> None:
    finding = told(case(of_each_rank(times)))
    assert finding is not None
    assert (finding.headline or "").startswith(headline)
    assert "Of 20 similar outputs" in (finding.summary or "")
    assert finding.takes_s == pytest.approx(takes_s, rel=0.05)


@pytest.mark.parametrize(
    "parts",
    [
        of_each_rank(STEP, later_ost=24),
        of_each_rank([0.1] * 10 + [10.0] * 10),
        of_each_rank([one_late_rank(took) for took in GROWING]),
    ],
    ids=["other OSTs", "the first in memory", "one late rank"],
)
def test_where_another_ost_memory_or_one_rank_makes_the_difference_they_are_not(parts: list[Part]) -> None:
    assert told(case(parts)) is None
