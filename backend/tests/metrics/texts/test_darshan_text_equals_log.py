"""The text that darshan-parser makes of a log gives the metrics of the log: exactly those of the printed digits, and
those of the log itself as closely as six decimals allow."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from budget import some, tries
from darshan_parser_export import parser_text

from iotriage.metrics.core.metric import Metric
from iotriage.metrics.core.registry import lazy_metrics
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers import detect
from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence

SAMPLES = Path(__file__).parents[4] / "sample-logs" / "darshan_log"
TRUNCATED = "50-truncated-heat2d-legacy"
LONG = tries({"lustre-one-directory", "lustre-fpp-many-files"}, set[str]())
"""Thousands of files, the same again and again."""
LOGS = some(sorted(path for path in SAMPLES.glob("*/*.darshan") if path.stem not in LONG | {TRUNCATED}))
"""A text says nothing of the damage in modules that darshan-parser does not print."""


@cache
def log_of(path: Path) -> DarshanLog:
    with path.open("rb") as stream:
        evidence = detect.read(stream)
    assert isinstance(evidence, Evidence)
    return evidence.of(DarshanLog)[0]


@cache
def text_of(path: Path) -> DarshanLog:
    evidence = detect.read(io.BytesIO(parser_text(log_of(path)).encode()))
    assert isinstance(evidence, Evidence)
    return evidence.of(DarshanLog)[0]


def metrics(log: DarshanLog) -> dict[str, Metric]:
    return lazy_metrics(select_job([(0, log)]))


def with_printed_layouts(log: DarshanLog) -> DarshanLog:
    """darshan-parser 3.5 does not print how many OSTs the file system has."""
    lustre = tuple(replace(one, osts_in_fs=None, mdts_in_fs=None, composite=False) for one in log.lustre)
    return replace(log, lustre=lustre)


def as_printed(log: DarshanLog) -> DarshanLog:
    """The log with the digits that darshan-parser prints, and without what it does not print."""
    runtime = log.job.runtime_s
    return replace(
        with_printed_layouts(log),
        job=replace(log.job, runtime_s=None if runtime is None else float(f"{runtime:.4f}")),
        posix=_printed(log.posix),
        mpiio=_printed(log.mpiio),
        stdio=_printed(log.stdio),
        apmpi=_printed(log.apmpi),
        h5f=_printed(log.h5f),
        h5d=_printed(log.h5d),
        pnetcdf_file=_printed(log.pnetcdf_file),
        pnetcdf_var=_printed(log.pnetcdf_var),
        heatmaps=tuple(replace(one, bin_width_s=float(f"{one.bin_width_s:.6f}")) for one in log.heatmaps),
    )


def _printed(table: CounterTable | None) -> CounterTable | None:
    if table is None:
        return None
    floats = np.array([[float(f"{value:.6f}") for value in row] for row in table.floats.tolist()])
    return replace(table, floats=floats.reshape(table.floats.shape))


@pytest.mark.fuzz
@pytest.mark.parametrize("path", LOGS, ids=lambda p: p.stem)
def test_the_metrics_of_the_text_are_those_of_the_printed_digits(path: Path) -> None:
    wanted, found = metrics(as_printed(log_of(path))), metrics(text_of(path))
    assert found.keys() == wanted.keys()
    for name, metric in wanted.items():
        assert found[name] == metric, name


NEAR = {
    "s": {"rel": 1e-2, "abs": 1e-3},
    "B/s": {"rel": 0.2, "abs": 1.0},
    "1": {"rel": 1e-2, "abs": 1e-3},
    "share": {"rel": 1e-2, "abs": 1e-3},
    "ratio": {"rel": 1e-2, "abs": 1e-3},
}
"""How near figures with times in them come: a time is printed to 5e-7 s, and some logs have thousands of short ones."""


FEW_DIGITS = {("29-nonmpi-python", "stdio.metadata_fraction")}
"""Of times of a few microseconds, which are printed in whole ones."""


@pytest.mark.fuzz
@pytest.mark.parametrize("path", LOGS, ids=lambda p: p.stem)
def test_the_metrics_of_the_text_are_those_of_the_log(path: Path) -> None:
    wanted, found = metrics(with_printed_layouts(log_of(path))), metrics(text_of(path))
    for name, metric in wanted.items():
        if (path.stem, name) in FEW_DIGITS:
            continue
        if metric.unit in NEAR and isinstance(metric.value, int | float):
            assert found[name].value == pytest.approx(metric.value, **NEAR[metric.unit]), name
        elif isinstance(metric.value, float):
            assert found[name].value == pytest.approx(metric.value, rel=1e-3), name
        else:
            assert found[name].value == metric.value, name
