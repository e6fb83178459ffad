"""Phases of MPICH_MPIIO_TIMERS in the case document: shares of the total, seconds where there are some, and places."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from iotriage.analysis.decision.evidence_headlines import NO_IO, NOT_ENOUGH
from iotriage.analysis.decision.headline import NOTHING_SURE, NOTHING_WRONG
from iotriage.analysis.document import CaseDocument, PhaseShare
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.metrics.core.metric import Where
from iotriage.reports.terminal import as_text
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Evidence, Lines, MpiioTimers

SAMPLES = Path(__file__).resolve().parents[4] / "sample-logs" / "mpich_timers"
MIB = 2**20


def document_of(case: str) -> CaseDocument:
    (path,) = (SAMPLES / case).glob("*.txt")
    with path.open("rb") as stream:
        return diagnose([ReadSource(path.name, "0" * 64, path.stat().st_size, read(stream))])


def phase(document: CaseDocument, label: str) -> PhaseShare:
    (block,) = document.charts.timers
    return next(p for p in block.phases if p.label == label)


def test_phases_are_shares_of_the_total_and_seconds() -> None:
    """9.6 s of which the average rank waits for 148,500,000 / 337,500,000."""
    document = document_of("healthy-collective")
    (block,) = document.charts.timers
    assert (block.file, block.direction, block.ranks, block.occurrence) == ("tarn_0120.h5", "write", "all ranks", 1)
    assert (block.active_ranks, block.idle_ranks) == (12, 244)
    assert block.total_s == pytest.approx(9.6)
    assert block.net_bandwidth == 5120 * MIB
    assert block.where == Where(0, Lines(37, 64))
    waiting = phase(document, "wait for coll")
    assert waiting.share == pytest.approx(0.44)
    assert waiting.time_s == pytest.approx(4.224)
    assert (waiting.least, waiting.most) == (pytest.approx(0.022), pytest.approx(0.704))
    assert waiting.where == Where(0, Lines(52, 52))
    assert phase(document, "file access").least == 0.0
    assert sum(p.share or 0.0 for p in block.phases) > 1.4


def test_without_statistics_there_are_shares_and_a_reason() -> None:
    first, second = document_of("times-alone").charts.timers
    assert (first.total_s, second.total_s) == (None, None)
    assert "a clock whose rate is not printed" in str(first.total_reason)
    assert [p.share for p in first.phases if p.label == "wait for coll"] == [pytest.approx(0.572)]
    assert all(p.time_s is None for p in (*first.phases, *second.phases))


def test_the_phases_stand_in_the_terminal_too() -> None:
    text = as_text(document_of("late-ranks"))
    assert "write phases of skerry_rst.nc, all ranks: wait for coll 63 %" in text
    assert "(they overlap)" in text


def test_times_that_are_not_trusted_are_told_with_the_reason() -> None:
    block = MpiioTimers("write", "all ranks", "out/a.nc", 0, Lines(4, 30), True, False)
    document = diagnose([ReadSource("job.err", "0" * 64, 1, Evidence("mpich_timers", (block,)))])
    assert [text.part for text in document.texts] == [block]
    assert not document.charts.timers
    assert "write phases of out/a.nc: read but not trusted" in as_text(document)
    assert document.headline.sentence not in (NOTHING_WRONG, NOTHING_SURE, NO_IO)
    assert document.headline.command is not None


def test_times_alone_do_not_allow_a_diagnosis() -> None:
    document = document_of("times-alone")
    assert document.metrics["io.bytes"].value is None
    assert (document.headline.rule, document.headline.sentence) == (None, NOT_ENOUGH)
    assert document.headline.command is not None


def test_slow_ranks_have_their_node_and_files_their_osts_or_why_not() -> None:
    text = (
        "lfs getstripe /lus/fells/kelp_0400.h5\n/lus/fells/kelp_0400.h5\nlmm_stripe_count:  2\n"
        "lmm_stripe_size:   1048576\n"
        "lmm_pattern:       raid0\nlmm_layout_gen:    0\nlmm_stripe_offset: 7\n\tobdidx\t\t objid\t\t objid\t\t group\n"
        "\t     7\t        11\t      0xb\t             0\n\t     3\t        12\t      0xc\t             0\n"
    )
    (path,) = (SAMPLES / "level-2-details").glob("*.txt")
    timers = ReadSource(path.name, "0" * 64, path.stat().st_size, read(io.BytesIO(path.read_bytes())))
    alone = diagnose([timers])
    assert {t.osts_reason is None for t in alone.charts.timers} == {False}
    assert any(t.nodes_reason and "DXT" in t.nodes_reason for t in alone.charts.timers)
    striping = ReadSource("stripes.txt", "1" * 64, len(text), read(io.BytesIO(text.encode())))
    joined = diagnose([timers, striping])
    assert {t.osts for t in joined.charts.timers if t.file.endswith("kelp_0400.h5")} == {(7, 3)}
    assert all(t.osts_reason is not None for t in joined.charts.timers if t.file.endswith("kelp.idx"))
