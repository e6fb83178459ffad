"""Ranks that take turns in one file, of which Darshan keeps one record and no heatmap, and ranks that only look so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from described import MIB, Part, Work, above_info, document, osts

RANKS, RUN_S, TURN_S = 16, 420.0, 23.0
NAME = "/scratch/swift/eagle_0000.hdf5"


def at(
    begins: Sequence[float],
    took: Sequence[float],
    *,
    layer: str = "POSIX",
    opens: int = 1,
    more: int = 0,
    stripes: int = 8,
) -> Work:
    """Each rank opens the file, writes 1,040 MiB from then on, and closes it; rank 0 opens it so often `more`."""
    parts = tuple(
        Part(
            NAME, range(rank, rank + 1), layer, writes=260, size=4 * MIB, write_s=length, meta_s=0.4, begins_s=begin,
            opens=opens + (more if rank == 0 else 0), closes=True, osts=osts(stripes),
        )
        for rank, (begin, length) in enumerate(zip(begins, took, strict=True))
    )  # fmt: skip
    return Work(parts, nprocs=RANKS, runtime_s=RUN_S, nodes=RANKS)


TURNS = [5.0 + (TURN_S + 1.0) * rank for rank in range(RANKS)]
EVEN = [TURN_S] * RANKS


@pytest.mark.parametrize(
    "work",
    [at(TURNS, EVEN), at(TURNS, EVEN, layer="STDIO"), at(TURNS, EVEN, more=1)],
    ids=["calls", "streams", "one of them makes the file first"],
)
def test_the_record_of_all_shows_that_each_comes_when_another_is_done(work: Work) -> None:
    found = document(work)
    assert found.headline.rule == "ranks-in-turn"
    assert found.headline.sentence.startswith("The ranks write one after the other: all turns take 6 min 23 s")
    mine = next(f for f in found.findings if f.rule == "ranks-in-turn")
    assert "collective" in mine.advice[0].text
    assert set(above_info(found)) == {"ranks-in-turn"}


@pytest.mark.parametrize(("stripes", "turn_s", "striped"), [(1, 2.5, True), (1, TURN_S, False), (8, 2.5, False)])
def test_who_all_meet_on_the_ost_that_one_keeps_busy_need_more_of_them(
    stripes: int, turn_s: float, striped: bool
) -> None:
    work = at([5.0 + (turn_s + 0.1) * r for r in range(RANKS)], [turn_s] * RANKS, stripes=stripes)
    work = replace(work, runtime_s=(turn_s + 0.1) * 20)
    mine = next(f for f in document(work).findings if f.rule == "ranks-in-turn" and f.verdict == "triggered")
    assert ("collective" in mine.advice[0].text, "setstripe" in (mine.advice[1].command or "")) == (True, striped)


def together() -> Work:
    """All write a sixteenth at a time, sixteen times over the run, and keep the file open."""
    part = Part(
        NAME, range(RANKS), writes=260, size=4 * MIB, write_s=TURN_S, meta_s=0.4, begins_s=5, closes=True, osts=osts(8)
    )  # fmt: skip
    return Work((part,), nprocs=RANKS, runtime_s=RUN_S, nodes=RANKS)


@pytest.mark.parametrize(
    "work",
    [
        together(),
        at(TURNS, EVEN, opens=16),
        at(TURNS[:8] * 2, EVEN),
        at(TURNS, [3.0] * RANKS),
        at(np.linspace(5.0, 120.0, RANKS).tolist(), EVEN),
        at(TURNS, [200.0 if rank == 0 else 10.0 for rank in range(RANKS)]),
    ],
    ids=["together", "opened at each step", "by twos", "much time between", "several at a time", "one has most of it"],
)
def test_records_of_other_jobs_show_no_turns(work: Work) -> None:
    assert document(work).headline.rule != "ranks-in-turn"


def test_what_each_reads_whole_in_its_turn_one_reads_for_all() -> None:
    def said(reach: int) -> tuple[str, str]:
        parts = tuple(
            Part(
                NAME, range(k, k + 1), reads=100, read_s=TURN_S, begins_s=TURNS[k], closes=True, reach=reach
            )
            for k in range(RANKS)
        )  # fmt: skip
        found = document(Work(parts, nprocs=RANKS, runtime_s=RUN_S, nodes=RANKS)).findings
        mine = next(f for f in found if f.rule == "ranks-in-turn" and f.verdict == "triggered")
        return mine.summary, mine.advice[0].text

    summary, whole = said(100 * MIB)
    assert "16 ranks take turns, in eagle_0000.hdf5: each reads" in summary
    assert whole == "Let one rank read the file and send it to all."
    assert "collective" in said(1600 * MIB)[1]
