"""Traces alone: what is worked out from every call equals what Darshan counted of the same run."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from evidence_by_hand import value

from iotriage.analysis.decision.evidence_headlines import NO_IO
from iotriage.analysis.decision.headline import NOTHING_SURE, NOTHING_WRONG
from iotriage.analysis.document import AbsentMetric, CaseDocument, KnownMetric
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.metrics.tables.records.traced import traced_logs
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import SEGMENT, CounterTable, DarshanLog, DxtTrace, Evidence, Job

SAMPLES = Path(__file__).resolve().parents[4] / "sample-logs"
LOGS = SAMPLES / "darshan_log"
COUNTED = ("_READS", "_WRITES", "BYTES_READ", "BYTES_WRITTEN", "_SIZE_READ_", "_SIZE_WRITE_", "MAX_BYTE_")


def evidence(name: str) -> Evidence:
    with (LOGS / name / f"{name}.darshan").open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    return found


def bare(found: Evidence) -> Evidence:
    """The same with the traces as its only records."""
    log = replace(found.of(DarshanLog)[0], posix=None, mpiio=None, heatmaps=(), modules=())
    return replace(found, parts=(log, *found.of(DxtTrace)))


def case(*given: Evidence) -> CaseDocument:
    digests = (hashlib.sha256(bytes([i])).hexdigest() for i in range(9))
    return diagnose([ReadSource("log", d, 1, e) for d, e in zip(digests, given, strict=False)])


def seconds(table: CounterTable, way: str) -> float:
    name = next(n for n in table.float_names if n.endswith(f"_F_{way}_TIME"))
    return float(np.nansum(np.maximum(table.seconds(name), 0)))


@pytest.mark.parametrize(
    "name",
    [
        "02-fpp-posix",
        "05-shared-indep-1m-aligned",
        "06-shared-indep-1000b-unaligned",
        "07-shared-strided-sieving",
        "08-shared-strided-collective",
        "13-imbalanced-rank0",
        "15-random-small-reads",
        "36-nonblocking-iwrite",
        "40-heat2d-tuned",
    ],
)
def test_records_from_traces_equal_those_that_darshan_kept(name: str) -> None:
    whole = evidence(name)
    log = whole.of(DarshanLog)[0]
    worked_out = traced_logs([(0, part) for part in bare(whole).parts])[0].tables
    assert worked_out
    for module, table in worked_out.items():
        kept = log.tables[module]
        kept = kept.rows(np.isin(kept.ids, table.ids))
        compared = [n for n in table.int_names if any(c in n for c in COUNTED) and table.total(n) is not None]
        assert len(compared) >= 20
        for counter in compared:
            if "MAX_BYTE" in counter:
                assert table.count(counter).max() == kept.count(counter).max(), counter
            elif "TIME_SIZE" not in counter and "RANK" not in counter:
                assert table.total(counter) == kept.total(counter), counter
        for way in ("READ", "WRITE"):
            assert seconds(table, way) == pytest.approx(seconds(kept, way), rel=1e-3, abs=1e-6)


def test_a_trace_alone_leads_to_the_finding_of_the_whole_log() -> None:
    whole, traces = case(evidence("13-imbalanced-rank0")), case(bare(evidence("13-imbalanced-rank0")))
    assert traces.headline.rule == whole.headline.rule == "straggler-rank"
    for metric in ("io.bytes_written", "io.pattern", "balance.bytes", "posix.writes", "posix.small_write_fraction"):
        found, wanted = traces.metrics[metric].value, whole.metrics[metric].value
        assert found == (pytest.approx(wanted) if isinstance(wanted, float) else wanted), metric


def test_the_text_of_traces_is_counted_where_no_log_is() -> None:
    with (SAMPLES / "darshan_dxt_text/imbalanced-rank0/slurm-118231.out").open("rb") as stream:
        text = read(stream)
    assert isinstance(text, Evidence)
    assert case(text).headline.rule == "straggler-rank"
    log = evidence("13-imbalanced-rank0")
    assert case(log, text).metrics["io.bytes"].value == case(log).metrics["io.bytes"].value


def test_what_traces_do_not_tell_is_absent_with_a_reason() -> None:
    document = case(bare(evidence("06-shared-indep-1000b-unaligned")))
    for metric in (
        "posix.opens",
        "posix.metadata_time",
        "posix.metadata_time_busiest",
        "posix.metadata_time_fraction",
        "mpiio.independent_writes",
        "mpiio.collective_writes",
        "stdio.bytes_fraction",
    ):
        found = document.metrics[metric]
        assert isinstance(found, AbsentMetric), metric
        assert "trace" in document.absences[found.absent].reason, metric
    known = document.metrics["job.io_time"]
    assert isinstance(known, KnownMetric)
    assert known.confidence == "inferred"
    assert document.files[0].mean_metadata_s is None
    assert not document.metrics["io.bytes"].where


def test_fewer_ranks_below_than_above_are_aggregators() -> None:
    assert case(bare(evidence("08-shared-strided-collective"))).metrics["io.pattern"].value == "shared-collective"
    unlike = case(bare(evidence("10-coll-subarray-cb-disable")))
    assert unlike.metrics["io.pattern"].value is None


def test_a_partial_trace_gives_lower_bounds() -> None:
    found = bare(evidence("06-shared-indep-1000b-unaligned"))
    parts = tuple(replace(p, partial=True, job=Job(nprocs=8)) for p in found.of(DxtTrace))
    document = case(replace(found, parts=parts))
    assert document.metrics["io.bytes"].value == 8_000_000
    assert document.metrics["io.bytes"].bound == "lower"


def test_a_trace_that_was_cut_tells_neither_pattern_nor_balance() -> None:
    """The text of a trace begins with rank 0: of what it lacks, nothing follows about who did the I/O."""
    found = bare(evidence("06-shared-indep-1000b-unaligned"))
    (posix,) = (t for t in found.of(DxtTrace) if t.layer == "POSIX")
    first = posix.segments[posix.segments["rank"] == 0][:7]
    cut = replace(posix, segments=first, partial=True, job=Job(nprocs=8, runtime_s=100.0))
    document = case(Evidence("darshan_dxt_text", (cut,)))
    for metric in ("io.pattern", "balance.bytes", "balance.slowest_rank_share"):
        assert document.metrics[metric].value is None, metric
    assert document.files[0].ranks is None
    assert document.files[0].size_bytes is None
    assert document.metrics["job.io_time"].bound == "lower"
    assert document.metrics["evidence.records_missing"].value is None
    verdicts = {f.rule: f.verdict for f in document.findings}
    assert verdicts["io-not-the-bottleneck"] == "unknown"
    assert verdicts["serial-io"] != "triggered"
    (partial,) = (f for f in document.findings if f.rule == "partial-evidence")
    assert "memory" not in f"{partial.summary}{partial.advice}"


def test_no_case_of_traces_is_called_free_of_io() -> None:
    segments = np.zeros(1, SEGMENT)
    segments["offset"], segments["length"], segments["end"] = -1, 0, 0.5
    trace = DxtTrace("MPIIO", segments, {}, {}, partial=True)
    headline = case(Evidence("darshan_dxt_text", (trace,))).headline
    assert headline.sentence not in (NO_IO, NOTHING_WRONG, NOTHING_SURE)


def test_calls_that_overlap_are_timed_once_and_order_is_that_of_each_rank() -> None:
    """Two ranks of one file: 0 writes [0, 10), [10, 20) in 0–2 s and 1–3 s, then [5, 6) in 5–6 s; 1 writes [0, 4)."""
    rows = [(0, 0, 10, 0.0, 2.0), (0, 10, 10, 1.0, 3.0), (0, 5, 1, 5.0, 6.0), (1, 0, 4, 0.0, 0.5)]
    segments = np.zeros(4, SEGMENT)
    segments["record"], segments["write"] = 2**64 - 1, True
    for name, column in zip(("rank", "offset", "length", "start", "end"), zip(*rows, strict=True), strict=True):
        segments[name] = column
    table = traced_logs([(0, DxtTrace("POSIX", segments, {}, {}))])[0].tables["POSIX"]
    assert table.ids.tolist() == [2**64 - 1] * 2
    assert table.ranks.tolist() == [0, 1]
    assert table.seconds("POSIX_F_WRITE_TIME").tolist() == [4.0, 0.5]
    assert table.count("POSIX_SEQ_WRITES").tolist() == [1, 0]
    assert table.count("POSIX_CONSEC_WRITES").tolist() == [1, 0]
    assert table.count("POSIX_MAX_BYTE_WRITTEN").tolist() == [19, 3]
    assert table.count("POSIX_ACCESS1_ACCESS").tolist() == [10, 4]
    assert table.count("POSIX_ACCESS1_COUNT").tolist() == [2, 1]
    assert table.count("POSIX_OPENS").tolist() == [-1, -1]


@pytest.mark.parametrize(("waiting", "long", "moments"), [(4, 5, 1), (2, 5, 1), (1, 5, None), (4, 6, None)])
def test_calls_of_most_ranks_that_stand_still_together_are_few_of_all(
    waiting: int, long: int, moments: int | None
) -> None:
    """Four ranks with 20 calls of 10 ms each in files of their own; `waiting` of them have `long` of 3 s at once:
    five of twenty are as many as are few."""
    rows = [
        (rank, rank, True, 4096 * i, 4096, start := 10.0 if rank < waiting and i < long else 20.0 + i, start + took, 0)
        for rank in range(4)
        for i in range(20)
        if (took := 3.0 if rank < waiting and i < long else 0.01)
    ]
    found = select_job([(0, DxtTrace("POSIX", np.array(rows, SEGMENT), {}, {}))])
    assert value(found, "group.standstills") == (moments or 0)
    assert value(found, "group.standstill_ranks") == (waiting if moments else None)
    assert value(found, "group.standstill_began") == (10.0 if moments else None)
