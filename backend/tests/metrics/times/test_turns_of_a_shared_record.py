"""What the record of all ranks has to show before they are said to take turns in its file: each of it."""

from __future__ import annotations

import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.metric import Metric

RANKS = 16
BEGIN_S, END_S, TURN_S = 5.0, 388.0, 23.0


def turns_of(**differs: float) -> Metric:
    """Seconds of turns, each of which opens, writes and closes, but for what `differs`."""
    record = {
        "OPENS": RANKS,
        "WRITES": 260 * RANKS,
        "BYTES_WRITTEN": 2**34,
        "F_WRITE_TIME": RANKS * TURN_S,
        "F_SLOWEST_RANK_TIME": TURN_S + 1.0,
        "F_OPEN_START_TIMESTAMP": BEGIN_S - 0.2,
        "F_OPEN_END_TIMESTAMP": END_S - TURN_S,
        "F_WRITE_START_TIMESTAMP": BEGIN_S,
        "F_WRITE_END_TIMESTAMP": END_S,
        "F_CLOSE_START_TIMESTAMP": BEGIN_S + TURN_S,
        "F_CLOSE_END_TIMESTAMP": END_S + 0.1,
    } | differs
    shared = (1, -1, {f"POSIX_{name}": figure for name, figure in record.items()})
    return metric(job(log(table("POSIX", shared), nprocs=RANKS, runtime_s=420.0)), "balance.turns_time")


def turns(**differs: float) -> object:
    return turns_of(**differs).value


def test_turns_last_from_the_first_write_to_the_end_of_the_last() -> None:
    assert turns() == END_S - BEGIN_S
    assert turns(OPENS=RANKS + 2) == END_S - BEGIN_S


@pytest.mark.parametrize(
    "differs",
    [
        {"OPENS": RANKS - 1},
        {"OPENS": RANKS + 3},
        {"F_WRITE_TIME": 0.74 * (END_S - BEGIN_S)},
        {"F_WRITE_TIME": 1.06 * (END_S - BEGIN_S)},
        {"F_SLOWEST_RANK_TIME": 3.1 * TURN_S},
        {"F_CLOSE_START_TIMESTAMP": BEGIN_S + 2.1 * TURN_S},
        {"F_CLOSE_START_TIMESTAMP": END_S},
        {"F_OPEN_END_TIMESTAMP": END_S - 2.1 * TURN_S},
        {"F_OPEN_END_TIMESTAMP": BEGIN_S},
        {"F_CLOSE_START_TIMESTAMP": 0.0},
        {"F_OPEN_END_TIMESTAMP": 0.0},
    ],
    ids=[
        "one never opens it",
        "opened again",
        "much time between",
        "two at a time",
        "one has most of it",
        "closed late",
        "kept open until the end",
        "no more opened",
        "opened by all at the beginning",
        "closes not recorded",
        "opens not recorded",
    ],
)
def test_what_one_sign_speaks_against_is_none(differs: dict[str, float]) -> None:
    assert turns(**differs) is None


def test_that_they_take_turns_is_inferred_and_that_nobody_does_is_measured() -> None:
    calls = {"POSIX_WRITES": 4, "POSIX_BYTES_WRITTEN": 2**30, "POSIX_F_WRITE_TIME": 10.0}
    calls |= {"POSIX_F_WRITE_START_TIMESTAMP": 5.0, "POSIX_F_WRITE_END_TIMESTAMP": 15.0}
    own = [(rank, rank, calls) for rank in range(RANKS)]
    at_once = job(log(table("POSIX", *own), nprocs=RANKS, runtime_s=420.0))
    found = metric(at_once, "balance.turns_time")
    assert (found.value, found.confidence) == (0, "measured")
    assert value(at_once, "balance.in_turns") == "no"
    assert turns_of().confidence == "inferred"
    text = metric(job(), "balance.turns_time")
    assert text.reason == "only a log says when each rank read or wrote"
