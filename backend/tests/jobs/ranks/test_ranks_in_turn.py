"""Ranks that write or read one after the other: none is long at it, and the run is as long as all turns together."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from described import MIB, Part, Work, above_info, collective, document, osts

from iotriage.analysis.document import CaseDocument, Finding
from iotriage_parsers.evidence import Heatmap

RUN_S = 700.0


def written(begins: Sequence[float], took: Sequence[float], path: str = "/scratch/out/amr.out{:05}") -> Work:
    """A file of each rank, begun and written so."""
    parts = (
        Part(
            path.format(rank), range(rank, rank + 1), writes=64, size=16 * MIB, write_s=length, begins_s=at,
            osts=osts(1, rank),
        )
        for rank, (at, length) in enumerate(zip(begins, took, strict=True))
    )  # fmt: skip
    return Work(tuple(parts), nprocs=256, runtime_s=RUN_S, nodes=8, program="/home/u/bin/ramses3d")


def lengths(ranks: int = 256, usual: float = 2.0, *, apart: float = 0.1) -> list[float]:
    """A tenth up and down, or as far `apart`, in no order."""
    drawn = np.random.default_rng(7).uniform(1 - apart, 1 + apart, ranks)
    return [float(one) for one in usual * drawn]


def one_after_another(took: Sequence[float], groups: int = 1, first: float = 100.0) -> list[float]:
    """When each begins: ranks that follow one another are a group, and hand over within it."""
    begins = []
    for group in np.split(np.array(took), groups):
        at = first
        for length in group:
            begins.append(at)
            at += float(length) + 0.05
    return begins


def in_waves(took: Sequence[float], at_once: int) -> list[float]:
    """So many begin when all before them are done."""
    begins, at = [], 100.0
    for wave in range(0, len(took), at_once):
        begins += [at] * len(took[wave : wave + at_once])
        at += max(took[wave : wave + at_once]) + 0.02
    return begins


def told(found: CaseDocument) -> Finding | None:
    return next((f for f in found.findings if f.rule == "ranks-in-turn" and f.verdict == "triggered"), None)


TOOK = lengths()


def test_a_baton_that_goes_through_all_ranks_leads_though_none_is_long_at_it() -> None:
    found = document(written(one_after_another(TOOK), TOOK))
    finding = told(found)
    assert finding is not None
    assert found.headline.rule == "ranks-in-turn"
    assert found.headline.sentence.startswith(
        "The ranks write one after the other: all turns take 8 min 45 s of the run's 11 min 40 s."
    )
    assert "256 ranks take turns" in finding.summary
    assert "IOGROUPSIZE" in finding.advice[0].text
    assert set(above_info(found)) == {"ranks-in-turn"}
    assert not any(f.rule == "io-not-the-bottleneck" and f.verdict == "triggered" for f in found.findings)


@pytest.mark.parametrize(
    ("begins", "said"),
    [
        (one_after_another(TOOK, groups=4), "in turns, about 4 ranks at a time"),
        (in_waves(TOOK, 4), "in turns, about 4 ranks at a time"),
    ],
    ids=["in groups of ranks", "in waves"],
)
def test_so_do_several_at_a_time(begins: Sequence[float], said: str) -> None:
    finding = told(document(written(begins, TOOK)))
    assert finding is not None
    assert said in finding.headline


@pytest.mark.parametrize("beside", [True, False], ids=["ranks beside one another", "every 16th rank"])
def test_a_baton_within_each_of_several_files(beside: bool) -> None:
    """16 files, and of each 16 ranks one after the other: PMPIO of Silo, and VisMF of AMReX."""
    took = lengths(usual=6.0, apart=0.4)
    parts = tuple(
        Part(
            f"/scratch/silo/dump.{at_turn // 16:03}.silo", range(rank, rank + 1), writes=96, size=4 * MIB,
            write_s=length, begins_s=at, osts=osts(1, at_turn // 16),
        )
        for at_turn, (at, length) in enumerate(zip(one_after_another(took, groups=16), took, strict=True))
        for rank in [at_turn if beside else at_turn % 16 * 16 + at_turn // 16]
    )  # fmt: skip
    found = document(Work(parts, nprocs=256, runtime_s=400, nodes=4))
    assert found.headline.rule == "ranks-in-turn"
    assert "16 ranks at a time" in found.headline.sentence


def test_outputs_of_several_steps_are_added_up() -> None:
    took = lengths(usual=0.4)
    works = [
        written(one_after_another(took, first=50.0 + 130.0 * k), took, f"/scratch/s{k}/amr.{{:05}}") for k in range(4)
    ]
    steps = Work(tuple(p for w in works for p in w.parts), nprocs=256, runtime_s=RUN_S, nodes=8)
    found = document(steps)
    assert found.headline.rule == "ranks-in-turn"
    assert "all turns take 7 min 41 s" in found.headline.sentence


def _farm() -> Work:
    """Each writes when its task is done."""
    begins = np.random.default_rng(3).uniform(10.0, RUN_S - 10.0, 256)
    return written([float(at) for at in begins], TOOK)


def _together(slow: float = 60.0) -> Work:
    """All begin at once; the files of a few ranks take long."""
    took = [slow if rank % 32 == 5 else length for rank, length in enumerate(TOOK)]
    return written([100.0] * 256, took)


def _sent_off(every: float) -> Work:
    """A master sends off one worker after the other, and each writes after as long a task."""
    return written([100.0 + every * rank for rank in range(256)], TOOK)


def _opened_in_turn() -> Work:
    """The metadata server creates one file after the other, and who has its file writes."""
    begins = [100.0 + 0.4 * rank for rank in range(256)]
    parts = (
        Part(
            f"/scratch/out/f.{rank:05}", range(rank, rank + 1), writes=64, size=16 * MIB, write_s=length, begins_s=at,
            meta_s=0.4 * rank, osts=osts(1, rank),
        )
        for rank, (at, length) in enumerate(zip(begins, TOOK, strict=True))
    )  # fmt: skip
    return Work(tuple(parts), nprocs=256, runtime_s=RUN_S, nodes=8)


def _servers() -> Work:
    """Eight I/O servers, of which each writes again and again, one after the other."""
    parts = (
        Part(
            f"/scratch/out/h{k:03}.nc", range(k % 8, k % 8 + 1), writes=64, size=16 * MIB, write_s=TOOK[k],
            begins_s=20.0 + 2.3 * k, osts=osts(1, k),
        )
        for k in range(128)
    )  # fmt: skip
    return Work(tuple(parts), nprocs=256, runtime_s=RUN_S, nodes=8)


def _a_file_of_each_group(*, together: bool) -> Work:
    """16 files of 16 ranks each, which write when their task is done, or all at once."""
    at = [100.0] * 256 if together else [float(at) for at in np.random.default_rng(5).uniform(10.0, 600.0, 256)]
    parts = (
        Part(
            f"/scratch/out/g{rank % 16:02}.h5", range(rank, rank + 1), writes=64, size=16 * MIB, write_s=TOOK[rank],
            begins_s=at[rank], osts=osts(1, rank % 16),
        )
        for rank in range(256)
    )  # fmt: skip
    return Work(tuple(parts), nprocs=256, runtime_s=RUN_S, nodes=8)


def _lines_as_they_go() -> Work:
    """Each rank writes a line now and then, in its part of the run."""
    return written([10.0 + 2.5 * rank for rank in range(256)], TOOK)


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(_farm(), id="a farm of tasks"),
        pytest.param(_together(), id="slow files of a few"),
        pytest.param(_sent_off(0.1), id="workers that were sent off in turn, many at it"),
        pytest.param(_sent_off(1.0), id="the same, two at it"),
        pytest.param(_opened_in_turn(), id="creates that are served in turn"),
        pytest.param(_servers(), id="servers that come again"),
        pytest.param(_a_file_of_each_group(together=True), id="groups with a file each, at once"),
        pytest.param(_a_file_of_each_group(together=False), id="groups with a file each, when their tasks are done"),
        pytest.param(_lines_as_they_go(), id="as regular, with time between"),
        pytest.param(written(in_waves(TOOK, 128), TOOK), id="in two waves"),
        pytest.param(written(one_after_another(lengths(usual=0.1)), lengths(usual=0.1)), id="4 % of the run"),
    ],
)
def test_ranks_that_come_otherwise_take_no_turns(work: Work) -> None:
    assert told(document(work)) is None


def shared(
    begins: Sequence[float], took: float, *, bins_s: float = 2.0, wide: float | None = None, layer: str = "POSIX"
) -> Work:
    """One file of all ranks, of which a heatmap alone shows when each writes: from these times on, for so long (or, of
    calls that take less, in so `wide` a part of the run)."""
    moved = np.zeros((256, int(RUN_S / bins_s)), dtype=np.int64)
    for rank, at in enumerate(begins):
        moved[rank, int(at / bins_s) : int((at + (wide or took)) / bins_s) + 1] = 64 * MIB
    part = Part("/scratch/out/all.dat", range(256), layer, writes=64, size=16 * MIB, write_s=took, begins_s=min(begins))
    heat = Heatmap(layer, bins_s, np.arange(256), np.zeros_like(moved), moved)
    return Work((part,), nprocs=256, runtime_s=RUN_S, nodes=8, heat=(heat,))


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(shared([60.0 + 2.1 * r for r in range(256)], 2.0), id="a part of the run each"),
        pytest.param(shared([60.0 + 2.1 * r for r in range(256)], 2.0, bins_s=8.0), id="several in a part of the run"),
        pytest.param(shared([600.0 - 2.1 * r for r in range(256)], 2.0, bins_s=0.5), id="the last rank first"),
        pytest.param(shared([60.0 + 2.1 * r for r in range(256)], 2.0, layer="STDIO"), id="through streams"),
    ],
)
def test_in_one_file_a_heatmap_shows_it(work: Work) -> None:
    found = document(work)
    finding = told(found)
    assert finding is not None
    assert found.headline.rule == "ranks-in-turn"
    # What ends within a part of the run counts as all of it.
    assert any(f"one after the other: all turns take {took}" in finding.headline for took in ("8 min 5", "9 min 4"))
    assert "collective routines" in finding.advice[0].text


@pytest.mark.parametrize(
    ("begins", "took"),
    [
        pytest.param([60.0 + 33.0 * (r // 16) for r in range(256)], 32.0, id="in waves"),
        pytest.param([60.0 + 2.1 * r for r in range(256)], 32.0, id="as another is done"),
    ],
)
def test_so_it_does_where_several_have_their_turn(begins: Sequence[float], took: float) -> None:
    found = document(shared(begins, took))
    assert found.headline.rule == "ranks-in-turn"
    assert re.search("in turns, about 1[4-6] ranks at a time", found.headline.sentence)


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(shared([60.0] * 256, 2.0), id="all at once"),
        pytest.param(shared([60.0 + 2.1 * r for r in range(256)], 0.4, wide=0.4), id="with time between"),
        pytest.param(shared([60.0] * 256, 2.0, wide=530.0), id="a little all along"),
        pytest.param(shared([60.0 + 2.1 * (r * 97 % 256) for r in range(256)], 2.0), id="in no order"),
        pytest.param(shared([60.0 + 1.2 * r for r in range(256)], 150.0), id="most of them at it"),
        pytest.param(shared([60.0 + 50.0 * (r // 86) for r in range(256)], 48.0), id="three groups"),
        pytest.param(shared([60.0 + 33.0 * (r * 97 % 256 // 16) for r in range(256)], 32.0), id="sixteen in no order"),
        pytest.param(shared([60.0 + 2.1 * max(r - 128, 0) for r in range(256)], 32.0), id="half of them at once"),
    ],
)
def test_other_heatmaps_show_no_turns(work: Work) -> None:
    assert told(document(work)) is None


def test_turns_are_named_beside_another_fault_that_takes_as_long() -> None:
    """A checkpoint on one stripe takes 400 s, and the turns 537."""
    shared_file = collective("/scratch/ck.h5", range(256), range(0, 256, 16), 400.0, osts(1))
    turns = written(one_after_another(TOOK, first=450.0), TOOK)
    found = above_info(document(Work((*shared_file, *turns.parts), nprocs=256, runtime_s=1200, nodes=8)))
    assert set(found) == {"ranks-in-turn", "ssf-understriped"}


def by_few(ranks: int, *, pause: float = 0.01, each: float = 30.0, ranks_of_job: int = 96) -> Work:
    """So many ranks, which write a file each; of a turn the `pause` between two."""
    took = lengths(ranks, usual=each)
    begins, at = [], 20.0
    for length in took:
        begins.append(at)
        at += length * (1 + pause)
    parts = written(begins, took).parts
    return Work(parts, nprocs=ranks_of_job, runtime_s=at + 60, nodes=4)


@pytest.mark.parametrize("ranks", [4, 6])
def test_of_few_ranks_each_begins_just_as_another_ends(ranks: int) -> None:
    found = document(by_few(ranks))
    assert found.headline.rule == "ranks-in-turn"
    assert "one after the other" in found.headline.sentence


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(by_few(3), id="three"),
        pytest.param(by_few(6, pause=0.2), id="a fifth of a turn between them"),
        pytest.param(by_few(6, pause=-0.2), id="before the one before ends"),
        pytest.param(by_few(6, each=1.0), id="a tenth of the run and less"),
    ],
)
def test_of_few_ranks_others_take_no_turns(work: Work) -> None:
    assert told(document(work)) is None


@pytest.mark.parametrize("work", [by_few(6), written(one_after_another(TOOK), TOOK)], ids=["few", "all"])
def test_rates_of_turns_say_nothing_of_servers(work: Work) -> None:
    """By what one rank takes, all bytes pass in a few seconds: no OST is busy."""
    left = document(work).unexplained
    assert left is not None
    assert left.rates == ()
    assert left.experiment is None or left.experiment.startswith("Not explained: let the ranks move their data at")


@pytest.mark.parametrize(("calls", "fast"), [(900, True), (100, False)], ids=["11 GiB/s", "1.3 GiB/s"])
def test_more_at_a_time_is_a_question_where_those_at_it_are_fast(calls: int, fast: bool) -> None:
    """64 of 512 ranks at a time, for 20 s each."""
    parts = tuple(
        Part(
            f"/scratch/r/t{k}.{{}}",
            range(k * 64, k * 64 + 64),
            writes=calls,
            size=4 * MIB,
            write_s=20.0,
            begins_s=10.0 + 20.0 * k,
        )
        for k in range(8)
    )
    found = told(document(Work(parts, nprocs=512, runtime_s=600.0, nodes=16)))
    assert found is not None
    assert found.advice[0].text.startswith("Perhaps the file system gives no more") == fast


@pytest.mark.parametrize(
    ("at_once", "calls", "said"),
    [
        (1, 256, "The one that is at it moves 512 MiB/s."),
        (2, 256, "Those that are at it move 1.00 GiB/s together."),
        (1, 5120, "the rank that writes moves 10.0 GiB/s, and"),
        (2, 5120, "those that write at a time move 20.0 GiB/s together, and"),
    ],
)
def test_the_rate_is_of_as_many_as_are_at_it(at_once: int, calls: int, said: str) -> None:
    """64 ranks, each for 2 s."""
    parts = tuple(
        Part(
            f"/scratch/r/t{k}.{{}}",
            range(k * at_once, (k + 1) * at_once),
            writes=calls,
            size=4 * MIB,
            write_s=2.0,
            begins_s=10.0 + 2.0 * k,
        )
        for k in range(64 // at_once)
    )
    found = told(document(Work(parts, nprocs=64, runtime_s=200.0, nodes=4)))
    assert found is not None
    assert said in f"{found.summary} {found.advice[0].text}"
