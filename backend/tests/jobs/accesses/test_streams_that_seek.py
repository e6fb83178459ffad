"""A seek out of its buffer empties a stream: a larger buffer is no cure where the program seeks between its records."""

from __future__ import annotations

import pytest
from described import GIB, KIB, Part, Work, document

from iotriage.analysis.document import CaseDocument


def traces(seeks: int, *, ranks: int = 1) -> Work:
    """One process reads six million headers and traces of a survey by a stream."""
    survey = Part(
        "/scratch/s/shots.segy",
        range(1),
        "STDIO",
        reads=6_000_000,
        size=3 * KIB,
        read_s=900.0,
        seeks=seeks,
        reach=20 * GIB,
        osts=(3,),
    )
    return Work((survey,), nprocs=ranks, runtime_s=1200, nodes=1)


def lines(found: CaseDocument, rule: str) -> str:
    advised = (a for f in found.findings if f.rule == rule and f.verdict == "triggered" for a in f.advice)
    return "\n".join(f"{a.text}\n{a.command}" for a in advised)


@pytest.mark.parametrize(("ranks", "rule"), [(1, "stdio-heavy"), (64, "serial-io")])
def test_who_seeks_between_records_is_not_told_to_give_the_stream_a_larger_buffer_alone(ranks: int, rule: str) -> None:
    found = document(traces(3_000_000, ranks=ranks))

    assert found.headline.rule == rule
    assert "each seek out of the buffer empties it" in lines(found, rule)
    assert "setvbuf" not in lines(found, rule)


@pytest.mark.parametrize("seeks", [0, 20_000])
@pytest.mark.parametrize(("ranks", "rule"), [(1, "stdio-heavy"), (64, "serial-io")])
def test_who_reads_them_in_their_order_is(seeks: int, ranks: int, rule: str) -> None:
    found = document(traces(seeks, ranks=ranks))

    assert found.headline.rule == rule
    assert "setvbuf" in lines(found, rule)
    assert "seek" not in lines(found, rule)


def slices(box: int, seeks: int) -> Work:
    """Seventeen ranks read particles of `box` x `box` values out of stacks, each from anywhere in them."""
    stacks = tuple(
        Part(f"/scratch/relion/Extract/job012/mic_{k:04}.mrcs", range(1 + k % 16, 2 + k % 16), "STDIO", reads=200,
             size=4 * box * box, read_s=3.6, meta_s=0.4, opens=8, seeks=seeks, reach=800 * box * box)
        for k in range(400)
    )  # fmt: skip
    program = "/sw/relion/bin/relion_refine_mpi --i Extract/job012/particles.star --pool 30"
    return Work(stacks, 17, 900.0, nodes=4, program=program)


@pytest.mark.parametrize("box", [64, 256, 360])
def test_slices_that_are_read_from_anywhere_in_their_stacks_are_named(box: int) -> None:
    headline = document(slices(box, 200)).headline
    assert headline.rule == "stdio-heavy"
    assert "most of them behind a seek" in headline.sentence
    assert "--scratch_dir" in (headline.action or "")


def test_large_pieces_in_their_order_are_not() -> None:
    assert document(slices(360, 0)).headline.rule != "stdio-heavy"


@pytest.mark.parametrize("box", [512, 600])
def test_pieces_of_1_mib_or_more_are_not_either(box: int) -> None:
    assert document(slices(box, 200)).headline.rule != "stdio-heavy"


@pytest.mark.parametrize("seeks", [0, 2000])
def test_a_stream_that_waits_half_a_second_for_each_piece_is_not_slow_by_its_size(seeks: int) -> None:
    """Storage that stands still is as slow behind a seek as in order."""
    stalled = Part("/scratch/d.bin", range(1), "STDIO", reads=2000, size=100, read_s=900.0, seeks=seeks, reach=GIB)
    found = document(Work((stalled,), 1, runtime_s=1000, nodes=1))
    assert "stdio-heavy" not in {f.rule for f in found.findings if f.verdict == "triggered"}
