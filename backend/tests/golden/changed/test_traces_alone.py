"""The samples with a trace of their calls, given as the text of the trace alone, and as texts of counters and calls."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from sample_documents import document_named, sources_of
from samples import cases

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import DarshanLog, DxtTrace, Evidence, Part


def _parts(name: str) -> tuple[DarshanLog, tuple[DxtTrace, ...]]:
    (source,) = next(sources_of(case.sources) for case in cases() if case.name == name)
    assert isinstance(source.outcome, Evidence)
    (log,) = source.outcome.of(DarshanLog)
    return log, source.outcome.of(DxtTrace)


def _texts(*parts: tuple[Part, ...]) -> CaseDocument:
    return diagnose([ReadSource(f"{n}.txt", f"{n:064}", 1, Evidence("text", its)) for n, its in enumerate(parts)])


@cache
def by_trace(name: str) -> CaseDocument:
    log, traces = _parts(name)
    return _texts(tuple(replace(trace, job=log.job, lustre=log.lustre) for trace in traces))


def _traced() -> list[str]:
    logs = (case.name for case in cases() if case.sources[0].suffix == ".darshan" and len(case.sources) == 1)
    return [name for name in logs if _parts(name)[1]]


BY_STREAMS = {"balance.alone_opens", "file.own_at_once", "file.ranks_with_own"}
"""Files that one rank has to itself, which are streams in some samples: no trace has their calls."""
KNOWN_CLOSER = {
    "balance.reads_beyond_mean",
    "balance.writes_beyond_mean",
    "balance.time_beyond_mean",
    "balance.storage_waiting_within",
    "posix.crossing_fraction",
    "evidence.lower_bound",
}
"""Of which the calls of each rank tell more than a reduced record, or a damaged log, does."""


@pytest.mark.parametrize("name", _traced())
def test_what_a_trace_does_not_tell_is_not_0(name: str) -> None:
    counted, traced = document_named(name).metrics, by_trace(name).metrics
    zero = {id for id, metric in traced.items() if metric.value == 0 and (counted[id].value or 0) != 0}
    assert zero <= BY_STREAMS | KNOWN_CLOSER


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("06-shared-indep-1000b-unaligned", "independent-shared"),
        ("07-shared-strided-sieving", "read-modify-write"),
        ("10-coll-subarray-cb-disable", "read-modify-write"),
        ("11-coll-subarray-cb-ds-disable", "small-io"),
        ("13-imbalanced-rank0", "straggler-rank"),
        ("39-heat2d-legacy", "independent-shared"),
        ("42-collective-read-holes", "io-not-the-bottleneck"),
    ],
)
def test_the_cause_is_found_in_a_trace_alone(name: str, cause: str) -> None:
    assert by_trace(name).headline.rule == cause


def test_advice_by_a_trace_covers_calls_that_are_collective_already() -> None:
    finding = next(f for f in by_trace("06-shared-indep-1000b-unaligned").findings if f.rule == "independent-shared")
    assert finding.summary is not None
    assert "A trace does not tell which." in finding.summary
    assert any("collective already, switch collective buffering on" in advice.text for advice in finding.advice)


def test_where_another_step_tells_the_kinds_of_its_calls_these_are_said() -> None:
    log, traces = _parts("06-shared-indep-1000b-unaligned")
    start, end = log.job.start_time, log.job.end_time
    assert start is not None
    assert end is not None
    job = replace(log.job, start_time=start + 1000, end_time=end + 1000)
    later = replace(log, posix=None, mpiio=None, stdio=None, job=job)
    found = _texts((log,), (later, *traces))
    (finding,) = (f for f in found.findings if f.rule == "independent-shared" and f.verdict == "triggered")
    assert found.metrics["mpiio.passed_on"].value == "yes"
    assert finding.headline is not None
    assert finding.headline.startswith("Ranks access a shared file independently")
    assert not any("collective already" in advice.text for advice in finding.advice)


def test_calls_of_a_trace_stand_beside_the_counters_of_its_run_in_another_text() -> None:
    log, traces = _parts("lustre-traced-slow-ost")
    counters = replace(log, byte_order=None, modules=tuple(m for m in log.modules if not m.name.startswith("DX")))
    calls = tuple(replace(trace, job=log.job) for trace in traces)
    assert (
        _texts((counters,), calls).headline.rule == document_named("lustre-traced-slow-ost").headline.rule == "slow-ost"
    )
    for job in (replace(log.job, job_id="77"), replace(log.job, executable="/sw/another")):
        other = tuple(replace(trace, job=job) for trace in traces)
        assert _texts((counters,), other).headline.rule != "slow-ost"
