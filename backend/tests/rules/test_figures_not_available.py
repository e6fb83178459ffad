"""Rules over logs whose records of all ranks lack the figures of single ones: they say that they do not know."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from declared import judge

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers import detect
from iotriage_parsers.evidence import NOT_AVAILABLE, CounterTable, DarshanLog, Evidence

LOGS = Path(__file__).parents[3] / "sample-logs" / "darshan_log"


def without(sample: str, figures: Collection[str]) -> CaseDocument:
    """The sample's document, had no record the floating-point counters whose names end so."""

    def lacking(table: CounterTable) -> CounterTable:
        gone = [name.endswith(tuple(figures)) for name in table.float_names]
        return table.copy(floats=np.where(gone, np.nan, table.floats))

    return changed(sample, lacking)


def without_counter(sample: str, counter: str) -> CaseDocument:
    """The sample's document, had no record the counter."""

    def lacking(table: CounterTable) -> CounterTable:
        gone = [name == counter for name in table.int_names]
        return table.copy(ints=np.where(gone, NOT_AVAILABLE, table.ints))

    return changed(sample, lacking)


def changed(sample: str, change: Callable[[CounterTable], CounterTable]) -> CaseDocument:
    """The sample's document, were its tables of POSIX, MPI-IO and STDIO so."""
    evidence = detect.read(io.BytesIO((LOGS / sample / f"{sample}.darshan").read_bytes()))
    assert isinstance(evidence, Evidence)
    (log,) = evidence.of(DarshanLog)
    tables = (log.posix, log.mpiio, log.stdio)
    posix, mpiio, stdio = (None if table is None else change(table) for table in tables)
    parts = tuple(
        replace(log, posix=posix, mpiio=mpiio, stdio=stdio) if part is log else part for part in evidence.parts
    )
    return diagnose([ReadSource("a.darshan", "0", 1, replace(evidence, parts=parts))])


@pytest.mark.parametrize(
    ("sample", "counter", "rule"),
    [
        ("26-pnetcdf-indep-small", "MPIIO_INDEP_WRITES", "small-io"),
        ("26-pnetcdf-indep-small", "MPIIO_BYTES_WRITTEN", "independent-shared"),
        ("11-coll-subarray-cb-ds-disable", "POSIX_ACCESS1_COUNT", "collective-disabled"),
    ],
)
def test_what_was_not_counted_does_not_show_that_all_is_in_order(sample: str, counter: str, rule: str) -> None:
    assert "triggered" in verdicts(without(sample, []), rule)
    answers = verdicts(without_counter(sample, counter), rule)
    assert answers
    assert answers <= {"unknown", "not_applicable"}


def test_who_gave_a_log_is_told_what_it_lacks_and_not_to_add_one() -> None:
    document = without_counter("tar-blocks-of-1-mib", "POSIX_BYTES_WRITTEN")
    action = document.headline.action or ""
    assert "Add a Darshan log" not in action
    assert "does not tell how I/O was done: BYTES_WRITTEN is not available" in action


def verdicts(document: CaseDocument, rule: str) -> set[str]:
    return {finding.verdict for finding in document.findings if finding.rule == rule}


@pytest.mark.parametrize(
    "figures",
    [["VARIANCE_RANK_BYTES"], ["F_SLOWEST_RANK_TIME"], ["VARIANCE_RANK_BYTES", "VARIANCE_RANK_TIME"]],
    ids=" ".join,
)
def test_no_rank_is_said_to_be_as_fast_as_the_others(figures: list[str]) -> None:
    assert verdicts(without("lustre-ssf-slow-aggregator", []), "straggler-rank") == {"triggered"}
    assert verdicts(without("lustre-ssf-slow-aggregator", figures), "straggler-rank") == {"unknown"}


def test_without_a_variance_of_their_times_another_rank_may_be_as_slow_and_nothing_is_saved_by_one() -> None:
    document = without("lustre-ssf-slow-aggregator", ["POSIX_F_VARIANCE_RANK_TIME"])
    (finding,) = (f for f in document.findings if f.rule == "straggler-rank" and f.verdict == "triggered")
    assert finding.could_save_at_least_s is None


WRITTEN_IN_PIECES = {
    "mpiio.merged_writes": "no",
    "io.pattern": "shared-collective",
    "job.nprocs": 64,
    "io.bytes": 2**40,
    "group.weight": 1.0,
    "posix.small_write_fraction": 0.99,
    "posix.average_write_size": 20_000.0,
    "posix.write_fraction": 1.0,
    "mpiio.write_amplification": 1.0,
}


def test_who_moved_the_bytes_is_not_known_and_so_whether_a_buffer_gathered_them() -> None:
    """Of each byte one is stored: that says nothing of who wrote it."""
    assert judge("collective-disabled", WRITTEN_IN_PIECES | {"mpiio.effective_share": 1.0}) == "triggered"
    assert judge("collective-disabled", WRITTEN_IN_PIECES | {"mpiio.effective_share": 0.1}) == "clear"
    assert judge("collective-disabled", WRITTEN_IN_PIECES) == "unknown"
    large = {"posix.small_write_fraction": 0.01, "posix.average_write_size": 2.0**26}
    assert judge("collective-disabled", WRITTEN_IN_PIECES | large) == "clear"
