"""Readers and metrics against EXPECTED.tsv: what the programs issued by their own ledger, and what Darshan recorded."""

from __future__ import annotations

import csv
import json
from functools import cache

import numpy as np
import pytest
from samples import SAMPLE_LOGS, Case, case

from iotriage_parsers import detect
from iotriage_parsers.evidence import CounterTable, DarshanLog

with (SAMPLE_LOGS / "darshan_log" / "EXPECTED.tsv").open(encoding="utf-8") as table:
    ROWS = {
        row["file"].removesuffix(".darshan"): row
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
    }

TABLES = {"POSIX": "posix", "MPIIO": "mpiio", "STDIO": "stdio"}
OTHER_FILES_TOO = {"29-nonmpi-python", "31-nonmpi-cp"}
"""The metrics count the script and the standard streams as well, the table does not."""
WITHOUT_LEDGER = {"29-nonmpi-python", "30-nonmpi-tar", "31-nonmpi-cp"}
LOWER_BOUNDS = {"32-killed-merged", "32-killed-merged-shared-redux", "43-record-overflow-partial"}
METRICS = {
    "nprocs": "job.nprocs",
    "MPIIO_INDEP_WRITES": "mpiio.independent_writes",
    "MPIIO_INDEP_READS": "mpiio.independent_reads",
    "MPIIO_NB_WRITES": "mpiio.nonblocking_writes",
    "POSIX_OPENS": "posix.opens",
    "POSIX_STATS": "posix.stats",
    "POSIX_FSYNCS": "posix.fsyncs",
}


@cache
def log_of(name: str) -> DarshanLog:
    with case(name).sources[0].open("rb") as source:
        read = detect.read(source)
    (log,) = read.of(DarshanLog)
    return log


def of_the_run(name: str, records: CounterTable | None) -> CounterTable:
    """The records of the files in the run's folder: not of standard streams, nor of a script that Python reads."""
    assert records is not None
    files = log_of(name).names
    return records.rows(np.array([files[int(i)].startswith("/scratch/proj01/run/") for i in records.ids], bool))


def metrics_of(of: Case) -> dict[str, dict[str, float]]:
    return json.loads(of.golden_file("metrics.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ROWS)
def test_every_counter_is_the_one_that_was_checked_against_two_other_readers(name: str) -> None:
    """The table sums over the files of the run; its seconds are sums of figures rounded to microseconds."""
    columns = {key: value for key, value in ROWS[name].items() if value and key.split("_")[0] in TABLES}
    for counter, expected in columns.items():
        records = of_the_run(name, getattr(log_of(name), TABLES[counter.split("_")[0]]))
        if "_F_" in counter:
            assert records.seconds(counter).sum() == pytest.approx(float(expected), abs=1e-6 * (1 + len(records))), (
                counter
            )
        else:
            assert records.total(counter) == int(expected), counter


@pytest.mark.parametrize("name", ROWS)
def test_the_job_is_the_one_that_ran(name: str) -> None:
    row, job = ROWS[name], log_of(name).job
    runtime = float(row["run_time_s"])
    assert job.nprocs == int(row["nprocs"])
    assert job.runtime_s == (pytest.approx(runtime, abs=0.001) if runtime > 0 else None)
    assert row["command"].split()[0] in (job.command_line or "")


@pytest.mark.parametrize("name", [n for n in ROWS if n not in OTHER_FILES_TOO])
def test_metrics_count_what_darshan_counted(name: str) -> None:
    metrics = metrics_of(case(name))
    for column, metric in METRICS.items():
        if ROWS[name][column]:
            assert metrics[metric].get("value") == int(ROWS[name][column]), metric


@pytest.mark.parametrize("name", [n for n in ROWS if n not in WITHOUT_LEDGER])
def test_bytes_are_counted_once_and_are_those_the_program_moved(name: str) -> None:
    """Libraries move a little of their own (headers, object metadata): two per cent at most above the program's
    ledger, and never below it unless the log is partial."""
    metrics, row = metrics_of(case(name)), ROWS[name]
    for direction in ("written", "read"):
        issued, found = int(row[f"app_bytes_{direction}"]), metrics[f"io.bytes_{direction}"]
        if name in LOWER_BOUNDS:
            continue
        assert issued <= found["value"] <= issued * 1.02 + 65536, direction
