"""Time in MPI calls by AUTOPERF's records: of the sample log that has them, and of logs that have none."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from evidence_by_hand import job, log, table, value

from iotriage.analysis.document import AbsentMetric, CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.terminal import as_text
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, Evidence

LOGS = Path(__file__).resolve().parents[4] / "sample-logs" / "darshan_log"
COMM_TIMES = (0.03925133, 0.06483531, 0.05849338, 0.06287169, 0.050488, 0.05505466, 0.05711126, 0.060709)
"""MPI_TOTAL_COMM_TIME of ranks 0 to 7, read off the log's bytes."""


def document(name: str) -> CaseDocument:
    path = LOGS / name / f"{name}.darshan"
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return diagnose([ReadSource(path.name, digest, path.stat().st_size, read(stream))])


def timed_log() -> DarshanLog:
    with (LOGS / "47-darshan-main-apmpi/47-darshan-main-apmpi.darshan").open("rb") as stream:
        evidence = read(stream)
    assert isinstance(evidence, Evidence)
    (timed,) = (part for part in evidence.parts if isinstance(part, DarshanLog))
    return timed


def test_time_in_mpi_calls_is_the_mean_over_ranks_and_its_share_of_the_run() -> None:
    found = document("47-darshan-main-apmpi")
    mean = sum(COMM_TIMES) / 8
    assert found.metrics["mpi.time"].value == pytest.approx(mean, rel=1e-6)
    assert found.metrics["mpi.time_busiest"].value == pytest.approx(max(COMM_TIMES), rel=1e-6)
    assert found.job.runtime_s is not None
    assert found.metrics["mpi.time_fraction"].value == pytest.approx(mean / found.job.runtime_s, rel=1e-6)
    assert found.metrics["mpi.leading_operation"].value == "MPI_ALLREDUCE"
    waiting = found.metrics["mpi.sync_fraction"]
    assert isinstance(waiting, AbsentMetric)
    assert "without its timing" in found.absences[waiting.absent].reason


def test_the_share_of_the_run_is_that_of_the_step_whose_calls_are_timed() -> None:
    timed = timed_log()
    before = log(table("POSIX", (1, -1, {"POSIX_OPENS": 1})), runtime_s=1000.0)
    assert value(job(before, timed), "mpi.time_fraction") == value(job(timed), "mpi.time_fraction")


@pytest.mark.parametrize(("runtime_s", "share"), [(0.1, 0.563), (0.05, 1.0), (0.5 / 1000, 1.0)])
def test_a_short_run_may_be_shorter_by_its_clock_than_its_calls(runtime_s: float, share: float) -> None:
    """As of I/O: two clocks, one of which may have kept whole seconds."""
    timed = timed_log()
    short = replace(timed, job=replace(timed.job, runtime_s=runtime_s))
    assert value(job(short), "mpi.time_fraction") == pytest.approx(share, abs=0.005)


def test_operations_and_ranks_are_tables_of_the_document() -> None:
    found = document("47-darshan-main-apmpi")
    assert found.mpi is not None
    assert [r.rank for r in found.mpi.ranks] == sorted(range(8), key=lambda r: -COMM_TIMES[r])
    assert found.mpi.ranks[0].time_s == pytest.approx(0.06483531, rel=1e-6)
    isend = next(o for o in found.mpi.operations if o.name == "MPI_ISEND")
    assert isend.calls >= 13 + 9
    assert isend.bytes is not None
    assert isend.least_s <= isend.mean_s <= isend.most_s
    barrier = next(o for o in found.mpi.operations if o.name == "MPI_BARRIER")
    assert (barrier.bytes, barrier.sync_s) == (None, None)
    spent = sum(o.mean_s for o in found.mpi.operations)
    assert spent == pytest.approx(sum(COMM_TIMES) / 8, rel=0.05)
    assert "MPI calls of 8 ranks, mean time of a rank: MPI_ALLREDUCE" in as_text(found)


def test_without_such_records_there_is_a_reason() -> None:
    found = document("46-darshan-3.4.4")
    assert found.mpi is None
    absent = found.metrics["mpi.time"]
    assert isinstance(absent, AbsentMetric)
    assert "AUTOPERF" in found.absences[absent.absent].reason
