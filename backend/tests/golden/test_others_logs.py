"""Logs of others: what does not matter is left alone, a page has few findings on top, and the known causes are named.

They belong to their publishers and are not part of the repository: the tests are skipped where the folder is not there.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median

import pytest
from sample_documents import document_of
from stats_text import extra

from iotriage.analysis.document import CaseDocument, Finding

FOLDER = extra("logs")
LOGS = sorted(FOLDER.glob("*.darshan")) if FOLDER is not None else []

pytestmark = pytest.mark.skipif(not LOGS, reason="the logs of others are not there")

every_log = pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem[:40])

LEAST_SECONDS, LEAST_BYTES = 1.0, 2**20
DLIO = "snyder_python3"
COLLECTIVE_ADVICE = ("MPI_File_", "MPICH_MPIIO", "romio_", "H5Pset_dxpl_mpio", "collective")


@cache
def of(log: Path) -> CaseDocument:
    return document_of((log,))


def held(log: Path) -> list[Finding]:
    return [f for f in of(log).findings if f.verdict == "triggered"]


def above_info(log: Path) -> list[tuple[str, str]]:
    return [(f.rule, f.severity) for f in held(log) if f.severity != "info"]


def number(log: Path, metric: str) -> float:
    value = of(log).metrics[metric].value
    return float(value) if isinstance(value, int | float) else 0.0


@every_log
def test_no_rule_fails(log: Path) -> None:
    assert [(f.rule, f.error) for f in of(log).findings if f.verdict == "error"] == []


@every_log
def test_less_than_a_second_or_a_mebibyte_is_worth_no_finding(log: Path) -> None:
    if number(log, "job.io_time") < LEAST_SECONDS or number(log, "io.bytes") < LEAST_BYTES:
        assert above_info(log) == []


def test_half_of_the_logs_have_at_most_two_findings_that_weigh() -> None:
    counts = [sum(severity in ("high", "medium") for _, severity in above_info(log)) for log in LOGS]
    assert median(counts) <= 2


@pytest.mark.parametrize("log", [p for p in LOGS if p.stem.startswith(DLIO)], ids=lambda path: path.stem[:40])
def test_a_benchmark_of_single_processes_is_not_told_to_use_mpi_io(log: Path) -> None:
    advice = [a for f in held(log) for a in f.advice]
    told = [a for a in advice if any(word in f"{a.text} {a.command or ''}" for word in COLLECTIVE_ADVICE)]
    assert told == []


def log_of(stem: str) -> Path:
    found = next((p for p in LOGS if p.stem == stem), None)
    if found is None:
        pytest.skip(f"{stem} is not there")
    return found


def test_the_slow_ost_is_the_first_thing_said() -> None:
    log = log_of("sample-badost")
    first = of(log).findings[0]
    assert (first.rule, first.verdict, first.severity) == ("slow-ost", "triggered", "high")
    assert (number(log, "ost.slowest"), number(log, "ost.compared")) == (14, 24)
    assert 30 < number(log, "ost.slowness") < 60
    assert first.could_save_at_least_s is not None
    assert first.could_save_s is not None
    assert 350 < first.could_save_at_least_s <= first.could_save_s < number(log, "job.io_time")
    straggler = next(f for f in held(log) if f.rule == "straggler-rank")
    assert (straggler.severity, straggler.explained_by) == ("info", "slow-ost")


def test_the_single_server_of_a_shared_file_is_named_before_the_straggler() -> None:
    first = of(log_of("imbalanced-io")).findings[0]
    assert (first.rule, first.verdict, first.severity) == ("single-aggregator", "triggered", "high")


def test_what_the_files_do_not_say_is_not_claimed_of_their_osts() -> None:
    """Darshan's old records hold a stripe offset of 0 for all files, wherever they begin."""
    for stem in ("imbalanced-io", "sample-badost", "sample"):
        assert "fixed-ost-offset" not in {f.rule for f in held(log_of(stem))}
