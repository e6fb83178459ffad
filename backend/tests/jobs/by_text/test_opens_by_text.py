"""Opens that take long by MPICH_MPIIO_TIMERS alone. Each job was written down before it was asked."""

from __future__ import annotations

import pytest
from described import above_info
from printed_by_mpich import GIB, case, phases, printed, statistics, takes

RULE = "slow-collective-opens"
SHARES = {"open/close/trunc": 0.8, "wait for coll": 0.08, "file write": 0.05}


def close(file: str, quickest: float, took_s: float = 6.0) -> str:
    """An open whose quickest rank takes this part of the whole time."""
    moved = GIB // 16
    few = statistics(file, moved, collective_writes=4, aggregators_active="0,0,0,4 (1, <= 6, > 6, 12)")
    return few + phases(file, GIB // 16, took_s, SHARES, least={"open/close/trunc": quickest})


def test_opens_that_are_slow_for_every_rank_are_named_with_their_seconds() -> None:
    document = case(printed(*(close(f"o{i:02d}.dat", 0.75) for i in range(10))))
    assert document.headline.rule == RULE
    assert document.headline.sentence.startswith("Opening 10 files takes 80 % of the time in MPI-IO, 4.80 s each time.")
    assert takes(document, RULE) == pytest.approx(48.0, abs=0.3)
    (finding,) = (f for f in document.findings if f.rule == RULE)
    assert finding.advice[0].command == 'export MPICH_MPIIO_HINTS="*:romio_no_indep_rw=true"'


def test_the_hint_for_one_file_names_it() -> None:
    (finding,) = (f for f in case(printed(close("run/o7.dat", 0.75, 60.0))).findings if f.rule == RULE)
    assert finding.advice[0].command == 'export MPICH_MPIIO_HINTS="*o*.dat:romio_no_indep_rw=true"'


def test_a_rank_that_comes_late_to_the_open_is_no_slow_open() -> None:
    document = case(printed(*(close(f"o{i:02d}.dat", 0.01) for i in range(15))))
    assert RULE not in above_info(document)
    assert "the others wait there for it" in (document.headline.action or "")


def test_a_file_that_is_opened_again_is_to_be_kept_open() -> None:
    document = case(printed(*(close("log.dat", 0.75, 6.0 + i / 100) for i in range(20))))
    (finding,) = (f for f in document.findings if f.rule == RULE)
    assert finding.advice[0].text == (
        "Open each file once and keep it open until the end of the run: now each is opened 20 times."
    )
    assert finding.could_save_s is not None


def test_no_hint_where_a_library_of_files_or_single_ranks_call_by_themselves() -> None:
    alone = statistics("o.dat", GIB // 16, independent_writes=4, independent_writers=4)
    beside = phases("o.dat", GIB // 16, 60, SHARES, least={"open/close/trunc": 0.75})
    for text in (close("o.h5", 0.75, 60.0), alone + beside):
        (finding,) = (f for f in case(printed(text)).findings if f.rule == RULE)
        assert finding.verdict == "triggered"
        assert not any("romio_no_indep_rw" in a.text for a in finding.advice)


def test_files_that_are_opened_soon_are_clear() -> None:
    shares = {"open/close/trunc": 0.3, "wait for coll": 0.3, "file write": 0.3}
    text = statistics("o.dat", GIB) + phases("o.dat", GIB, 100, shares, least={"open/close/trunc": 0.29})
    assert RULE not in above_info(case(printed(text)))
