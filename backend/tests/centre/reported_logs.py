"""Samples as reports look at them, and days of them in a warehouse."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path

from sample_documents import sources_of
from samples import SAMPLE_LOGS

from iotriage.analysis.engine import diagnosis_of
from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogRead, MetricCells
from iotriage.centre.report.rollup import METRICS_READ
from iotriage.centre.rows_of_diagnosis import log_read
from iotriage.centre.warehouse.reading import connected
from iotriage.centre.warehouse.writing import Spool, WriteTarget, write_rows
from iotriage_parsers.evidence import Evidence


@cache
def reported_sample(name: str) -> LogRead:
    """The Darshan log of this name with the metrics that reports read: to write hundreds of others, which none of a
    report's tests asks for, takes as long as to make the report."""
    (given,) = sources = sources_of((SAMPLE_LOGS / "darshan_log" / name / f"{name}.darshan",))
    assert isinstance(given.outcome, Evidence)
    read = log_read(given.sha256, given.outcome, diagnosis_of(sources))
    groups = tuple(replace(g, metrics=_only(g.metrics, METRICS_READ["groups"])) for g in read.groups)
    return replace(read, metrics=_only(read.metrics, METRICS_READ["steps"]), groups=groups)


def _only(metrics: MetricCells, ids: Collection[str]) -> MetricCells:
    return MetricCells(
        {id: number for id, number in metrics.numbers.items() if id in ids},
        {id: word for id, word in metrics.words.items() if id in ids},
        tuple(id for id in metrics.lower if id in ids),
        {why: tuple(id for id in absent if id in ids) for why, absent in metrics.absent.items()},
    )


def write_logs(root: Path, scratch: Path, logs: Iterable[tuple[LogFile, LogRead]]) -> None:
    """Into the warehouse `root`; the rows wait in `scratch`."""
    spool = Spool(scratch)
    for file, read in logs:
        spool.add(file, read, copy=False)
    with closing(connected(root)) as connection:
        write_rows(connection, WriteTarget(root, "0-of-1"), spool, "test", lambda _: None)
