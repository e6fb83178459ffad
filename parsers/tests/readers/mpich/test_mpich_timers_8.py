"""MPICH_MPIIO_TIMERS blocks of Cray MPICH 8.1: reads and writers only, details of level 2, one block after another."""

from __future__ import annotations

import random
import re

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from interleaved import interleaved
from stats_text import extra, read
from timers_text import SAMPLES

from iotriage_parsers.evidence import MpiioStats, MpiioTimers, NamedRank, Phase, Spread

MIB = 2**20
FOUND = extra("samples", "found")
SAMPLE = (SAMPLES / "level-2-details" / "kelp-9120447.stderr.txt").read_text(encoding="utf-8")
LINES = SAMPLE.splitlines()
COLLECTIVE, WRITERS, INDEX, READS = (
    "\n".join(LINES[first - 1 : last]) + "\n" for first, last in ((32, 77), (78, 115), (139, 173), (194, 230))
)


def timers(text: str) -> tuple[MpiioTimers, ...]:
    return read(text).of(MpiioTimers)


def test_blocks_that_stand_one_after_another() -> None:
    evidence = read(SAMPLE)
    assert evidence.problems == ()
    assert [(b.file, b.direction, b.ranks, b.complete, b.trusted) for b in evidence.of(MpiioTimers)] == [
        ("kelp_0400.h5", "write", "all ranks", True, True),
        ("kelp_0400.h5", "write", "writers only", True, True),
        ("kelp.idx", "write", "all ranks", True, True),
        ("kelp_0400.h5", "read", "all ranks", True, True),
    ]


def test_rows_of_writes() -> None:
    (found,) = timers(COLLECTIVE)
    assert (found.active_ranks, found.idle_ranks, found.scale_exponent, found.total_ticks) == (32, 224, 5, 703125000)
    assert [(s.label, s.seconds) for s in found.seconds] == [
        ("open/trunc time", Spread(0.1, 0.14, 0.12)),
        ("close sys time", Spread(0, 0.01, 0.01)),
        ("close fsync time", Spread(0, 0, 0)),
        ("close group-unlock time", Spread(0.01, 0.03, 0.02)),
        ("close other + wait time", Spread(0, 0, 0)),
    ]
    assert [p.label for p in found.phases] == [
        "imbalance", "open/trunc", "close sys", "close fsync", "close group-unlock", "close other + wait",
        "local compute", "wait for coll", "collective", "exchange", "data send", "sieve read", "file access", "other",
    ]  # fmt: skip
    assert found.phase("close group-unlock") == Phase(
        "close group-unlock", Spread(703125, 2109375, 1406250), 0, found.phases[4].line
    )
    assert found.net_bandwidth == 819.2 * MIB


def test_rows_of_reads() -> None:
    (found,) = timers(READS)
    assert found.seconds_of("file access time") == Spread(1.2, 2.0, 1.6)
    exchange, receive = found.phase("exchange"), found.phase("data receive")
    assert exchange is not None
    assert receive is not None
    assert (exchange.percent, receive.percent) == (2, 30)
    assert found.data_receive_bandwidth == pytest.approx(6826.667 * MIB)
    assert found.data_send_bandwidth is None


def test_details_name_ranks() -> None:
    (found,) = timers(COLLECTIVE)
    assert found.detail_level == 2
    assert [(p.label, p.ticks, p.percent) for p in found.details] == [
        ("wait for coll.1", Spread(703125, 35156250, 14062500), 2),
        ("wait for coll.2", Spread(351562, 492187500, 386718750), 55),
        ("wait for coll.3", Spread(1406250, 63281250, 28125000), 4),
    ]
    assert [(n.role, n.call, n.ticks, n.rank) for n in found.named_ranks] == [
        ("late arriver", 1, 703125, 17),
        ("late arriver", 2, 351562, 200),
        ("late arriver", 3, 1406250, 3),
    ]
    (index,) = timers(INDEX)
    assert index.named_ranks[0] == NamedRank(
        "slowest access", "Slow writer file write", None, 949218750, 91, len(INDEX.splitlines()) - 3
    )


def test_without_collective_calls_no_row_of_them_is_missing() -> None:
    evidence = read(INDEX)
    assert evidence.problems == ()
    assert evidence.of(MpiioTimers)[0].phase("wait for coll") is None


def test_statistics_without_active_aggregators_are_whole_where_there_were_no_collective_calls() -> None:
    text = "\n".join(LINES[117:138]) + "\n"
    evidence = read(text)
    assert evidence.problems == ()
    assert [(b.complete, b.aggregators_active) for b in evidence.of(MpiioStats)] == [(True, None)]
    (torn,) = read(text.replace("writes       = 0", "writes       = 7")).of(MpiioStats)
    assert not torn.complete


def test_a_row_and_a_detail_that_nobody_knows_are_kept_and_said() -> None:
    text = INDEX.replace(
        "|   other  ", "|   quota wait                     =          1           3           2  0%\n|   other  "
    )
    text += "||   Lost writer                     =        412\n"
    evidence = read(text)
    (found,) = evidence.of(MpiioTimers)
    assert found.complete
    assert found.phase("quota wait") is not None
    assert [(p.code, p.where, p.loses_data) for p in evidence.problems] == [
        ("unknown-field", "quota wait", False),
        ("unknown-field", "Lost writer", False),
    ]
    assert found.rows[-1].label == "Lost writer"


def test_a_layout_that_lacks_rows_is_read_block_after_block() -> None:
    """Rows of collective calls of which not all are there: nobody has seen such a version, and its blocks stand."""
    one = re.sub(r"\|   exchange/write .*\n", "", COLLECTIVE)
    found = timers(one + one.replace("kelp_0400", "kelp_0500") + one.replace("kelp_0400", "kelp_0600"))
    assert [(b.file, b.trusted, b.total_ticks, len(b.named_ranks)) for b in found] == [
        (f"kelp_0{n}00.h5", True, 703125000, 3) for n in (4, 5, 6)
    ]


def test_a_detail_of_another_block_names_nobody() -> None:
    stray = "||   Slow writer file write  Time =        777 Rank = 5\n"
    evidence = read(COLLECTIVE + stray)
    (found,) = evidence.of(MpiioTimers)
    assert all(n.rank != 5 for n in found.named_ranks)
    assert [(p.code, p.loses_data) for p in evidence.problems] == [("torn", True)]


def test_two_blocks_that_are_mixed_give_no_number() -> None:
    one, other = COLLECTIVE.splitlines(), INDEX.splitlines()
    mixed = [line for pair in zip(one, other, strict=False) for line in pair] + one[len(other) :]
    found = timers("\n".join(mixed) + "\n")
    assert [(b.trusted, b.total_ticks, b.phases, b.named_ranks) for b in found] == [(False, None, (), ())] * 2


@given(st.randoms(use_true_random=False), st.lists(st.booleans(), min_size=2, max_size=4))
@settings(max_examples=examples(25))
def test_however_blocks_are_mixed_no_number_goes_to_the_wrong_file(
    shuffle: random.Random, collective: list[bool]
) -> None:
    """Every whole number of the n-th block is one of its own."""
    writers = []
    for n, with_calls in enumerate(collective, 1):
        text = COLLECTIVE if with_calls else INDEX
        body = re.sub(r"(?<== ).*", lambda m, n=n: re.sub(r"\b\d+\b", f"{n}0{n}", m.group()), text)
        writers.append(re.sub(r"for \S+\n", f"for file{n}\n", body).splitlines())
    for found in timers(interleaved(writers, shuffle, [1, 1, 2, 5, 14, 28])):
        own = int(found.file.removeprefix("file")) * 101
        numbers = [found.active_ranks, found.total_ticks, *(p.ticks.average for p in found.phases)]
        assert all(n in (None, own) for n in numbers)
        assert found.trusted or all(n is None for n in numbers)


ROW = re.compile(r"^\| {3}(\S.*?)\s+=\s+(\d[\d.]*)\s+(\d[\d.]*)\s+(\d[\d.]*?)(?:\s+(\d+)%)?\s*$")
ONE = re.compile(r"^\| {3}(total|\S.* BW \(MiB/s\))\s+=\s+(\S+)\s*$")
NAMED = re.compile(r"^\|\| {3}(\S.*?)\s+Time\s*=\s*(\d+) Rank = (\d+)$")
WORDS = {
    "file write": "file access",
    "file read": "file access",
    "exchange/write": "exchange",
    "read/exchange": "exchange",
}


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
def test_the_blocks_of_polaris_as_a_few_patterns_read_them() -> None:
    assert FOUND is not None
    path = FOUND / "io-sleuthing-hdf5-compare.e456684"
    evidence = read(path.read_bytes())
    blocks = evidence.of(MpiioTimers)
    lines = path.read_text(encoding="utf-8").splitlines()
    titles = [i for i, line in enumerate(lines) if " by phases, " in line]
    assert evidence.status == "complete"
    assert (len(blocks), len(evidence.of(MpiioStats))) == (14, 9)
    values = 0
    for at, (first, block) in enumerate(zip(titles, blocks, strict=True)):
        end = min([t for t in titles if t > first] or [len(lines)])
        mine = lines[first:end]
        stop = next((i for i, line in enumerate(mine) if "access patterns" in line), len(mine))
        mine = mine[:stop]
        rows = [m.groups() for line in mine if (m := ROW.match(line))]
        ticks = {
            WORDS.get(label.removesuffix(" (*)"), label.removesuffix(" (*)")): (float(a), float(b), float(c), int(p))
            for label, a, b, c, p in rows
            if p is not None
        }
        assert {
            p.label: (p.ticks.minimum, p.ticks.maximum, p.ticks.average, p.percent) for p in block.phases
        } == ticks, at
        seconds = [(float(a), float(b), float(c)) for _, a, b, c, p in rows if p is None]
        assert [(s.seconds.minimum, s.seconds.maximum, s.seconds.average) for s in block.seconds] == seconds
        single = {m.group(1): float(m.group(2)) for line in mine if (m := ONE.match(line))}
        assert block.total_ticks == single["total"]
        assert block.net_bandwidth == single[f"net {block.direction} BW (MiB/s)"] * MIB
        assert block.raw_bandwidth == single[f"raw {block.direction} BW (MiB/s)"] * MIB
        named = [(m.group(1), int(m.group(2)), int(m.group(3))) for line in mine if (m := NAMED.match(line))]
        assert [(n.printed, n.ticks, n.rank) for n in block.named_ranks] == named
        values += 4 * len(ticks) + 3 * len(seconds) + len(single) + 2 * len(named)
    assert values == 967
    slowest = [n.rank for b in blocks for n in b.named_ranks if n.role == "slowest access"]
    assert slowest[0] == 306
    assert blocks[1].named_ranks[0].rank == 192


def test_ranks_that_are_named_are_not_held_against_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of lines may name ranks: to compare each with each takes minutes."""
    line = next(line for line in SAMPLE.splitlines(keepends=True) if "Late arriver" in line)
    once = len(timers(SAMPLE)[0].named_ranks)

    def refuse(one: NamedRank, _: object) -> bool:
        raise AssertionError(f"line {one.line} is compared")

    monkeypatch.setattr(NamedRank, "__eq__", refuse)
    assert len(timers(SAMPLE.replace(line, line * 100, 1))[0].named_ranks) == once + 99
