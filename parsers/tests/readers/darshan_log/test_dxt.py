"""DXT traces: both segment widths, both byte orders, and counts that cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from darshan_corpus import evidence, read_bytes
from darshan_writer import Dxt, DxtFile, Job, Log, build, record_id, region

from iotriage_parsers.evidence import DxtTrace
from iotriage_parsers.reader import Limits

A, B = record_id("/a"), record_id("/b")
NAMES = {A: "/a", B: "/b"}

WRITES = [(0, 100, 0.5, 0.75, 11), (100, 200, 0.75, 1.0, 12)]
READS = [(7, 50, 2.0, 2.5, 13)]
FILES = (
    DxtFile(A, 3, WRITES, READS, hostname="nid000001"),
    DxtFile(B, 0, (), READS, hostname="nid000002"),
    DxtFile(A, 0, WRITES, (), hostname="nid000002"),
)


def read(*modules, order="little", **kwargs):
    result = evidence(build(Log(job=Job(nprocs=4), names=NAMES, modules=modules, byte_order=order, **kwargs)))
    return result, result.of(DxtTrace)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize(
    ("module", "version", "wide"),
    [("DXT_POSIX", 1, False), ("DXT_POSIX", 2, True), ("DXT_MPIIO", 2, False), ("DXT_MPIIO", 3, True)],
)
def test_segments(module, version, wide, order):
    result, (trace,) = read(Dxt(module, FILES, version, streams=3), order=order)
    assert result.problems == ()
    assert trace.layer == module.removeprefix("DXT_")
    rows = trace.segments
    assert rows["record"].tolist() == [A, A, A, B, A, A]
    assert rows["rank"].tolist() == [3, 3, 3, 0, 0, 0]
    assert rows["write"].tolist() == [True, True, False, False, True, True]
    assert rows["offset"].tolist() == [0, 100, 7, 7, 0, 100]
    assert rows["length"].tolist() == [100, 200, 50, 50, 100, 200]
    assert rows["start"].tolist() == [0.5, 0.75, 2.0, 2.0, 0.5, 0.75]
    assert rows["end"].tolist() == [0.75, 1.0, 2.5, 2.5, 0.75, 1.0]
    assert rows["thread"].tolist() == ([11, 12, 13, 13, 11, 12] if wide else [0] * 6)
    assert dict(trace.hostnames) == {3: "nid000001", 0: "nid000002"}
    assert dict(trace.names) == NAMES
    assert not trace.partial
    assert result.parts[0].module(module).records == 3


def test_mpiio_version_1_has_no_offsets():
    _, (trace,) = read(Dxt("DXT_MPIIO", FILES, 1))
    assert set(trace.segments["offset"].tolist()) == {-1}
    assert trace.segments["length"].tolist()[:2] == [100, 200]


@pytest.mark.parametrize(("writes", "reads"), [(-3, 3), (20000, -20000), (2**59, 0), (2**27, 0), (0, -1), (9, 9)])
def test_counts_that_cannot_be_end_the_module(writes, reads):
    liar = DxtFile(B, 0, WRITES, READS, declared_writes=writes, declared_reads=reads)
    result, (trace,) = read(Dxt("DXT_POSIX", (FILES[0], liar)))
    assert len(trace) == 3
    assert trace.partial
    assert f"{writes} writes and {reads} reads" in result.problems[0].message
    assert result.parts[0].module("DXT_POSIX").status == "partly-read"


@pytest.mark.parametrize("rank", [-1, 4, 2**40])
def test_a_rank_that_the_job_does_not_have(rank):
    result, (trace,) = read(Dxt("DXT_POSIX", (DxtFile(A, rank, WRITES), FILES[1])))
    assert trace.segments["rank"].tolist() == [0]
    assert "cannot have" in result.problems[0].message


@pytest.mark.parametrize(
    "bad", [(0, 1, np.nan, 1.0), (0, 1, 1.0, np.inf), (0, -1, 1.0, 2.0), (0, 1, 3.0, 2.0), (0, 1, -5.0, 2.0)]
)
def test_segments_that_cannot_be_are_left_out(bad):
    result, (trace,) = read(Dxt("DXT_POSIX", (DxtFile(A, 0, [bad, (5, 6, 1.0, 2.0)], [(7, 8, 1.0, 2.0)]),)))
    assert trace.segments["offset"].tolist() == [5, 7]
    assert trace.partial
    assert "1 segments" in result.problems[0].message


def test_a_cut_region_keeps_the_segments_before_the_cut():
    many = [(i, 1, float(i), float(i) + 0.5) for i in range(2000)]
    data = build(Log(job=Job(nprocs=4), names=NAMES, modules=(Dxt("DXT_POSIX", (DxtFile(A, 1, many),)),)))
    start, length = region(data, "DXT_POSIX")
    (trace,) = evidence(data[: start + length // 2]).of(DxtTrace)
    assert 0 < len(trace) < 2000
    assert trace.segments["offset"].tolist() == list(range(len(trace)))
    assert trace.partial


@pytest.mark.parametrize("files", [FILES, FILES[:1]])
def test_more_segments_than_allowed(files):
    data = build(Log(job=Job(nprocs=4), names=NAMES, modules=(Dxt("DXT_POSIX", files),)))
    result = read_bytes(data, Limits(records=2))
    (trace,) = result.of(DxtTrace)
    assert len(trace) == 2
    assert [p.code for p in result.problems] == ["limit"]
