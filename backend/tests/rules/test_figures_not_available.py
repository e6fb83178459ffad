"""Rules over logs whose records of all ranks lack the figures of single ones: they say that they do not know."""

from __future__ import annotations

import io
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from declared import judge

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers import detect
from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence

LOGS = Path(__file__).parents[3] / "sample-logs" / "darshan_log"


def without(sample: str, figures: Collection[str]) -> CaseDocument:
    """The sample's document, had no record the floating-point counters whose names end so."""
    evidence = detect.read(io.BytesIO((LOGS / sample / f"{sample}.darshan").read_bytes()))
    assert isinstance(evidence, Evidence)
    (log,) = evidence.of(DarshanLog)

    def lacking(table: CounterTable | None) -> CounterTable | None:
        if table is None:
            return None
        gone = [name.endswith(tuple(figures)) for name in table.float_names]
        return replace(table, floats=np.where(gone, np.nan, table.floats))

    changed = replace(evidence, parts=(replace(log, posix=lacking(log.posix), mpiio=lacking(log.mpiio)),))
    return diagnose([ReadSource("a.darshan", "0", 1, changed)])


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
