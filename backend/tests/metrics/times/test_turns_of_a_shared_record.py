"""What the record of all ranks has to show before they are said to take turns in its file: each of it."""

from __future__ import annotations

import pytest
from evidence_by_hand import job, log, table, value

RANKS = 16
BEGIN_S, END_S, TURN_S = 5.0, 388.0, 23.0


def turns(**differs: float) -> object:
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
    return value(job(log(table("POSIX", shared), nprocs=RANKS, runtime_s=420.0)), "balance.turns_time")


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
