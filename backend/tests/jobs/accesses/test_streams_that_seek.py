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
