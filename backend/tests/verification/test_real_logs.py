"""Every value of every real log equals what pydarshan says, but for the places where one of the two is known to be
wrong; each of those is named here."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from budget import some
from second_opinions import compared, second_opinions

from iotriage.verification.agreement import Compared
from iotriage.verification.known_reasons import CUT, NO_MOUNTS, NO_WIDE_SEGMENTS
from iotriage.verification.reading import CannotOpen, PydarshanReading

REPOSITORY = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("IOTRIAGE_CORPUS", REPOSITORY.parent / "shared"))
SAMPLES = sorted((REPOSITORY / "sample-logs" / "darshan_log").glob("*/*.darshan"))
OTHERS = some(
    sorted(
        log
        for pattern in ("own-logs/*.darshan", "own-logs/formats/*.darshan", "logs/*.darshan")
        for log in CORPUS.glob(pattern)
        if log.name not in {sample.name for sample in SAMPLES}
    )
)

CANNOT_OPEN = {"49-bzip2-heat2d-tuned"}
"""pydarshan's wheel is built without bzip2."""

DIFFER = {
    "47-darshan-main-apmpi": {"APMPI", "DXT_POSIX", "DXT_MPIIO"},
    "50-truncated-heat2d-legacy": {"DXT_POSIX"},
    # Seconds that no process can have spent in the run are left out here.
    "lustre-threads-waiting": {"POSIX"},
}
"""The parts of our samples in which something differs."""


@cache
def _theirs() -> dict[Path, PydarshanReading | CannotOpen]:
    return second_opinions([*SAMPLES, *OTHERS])


@cache
def _compared(log: Path) -> tuple[Compared, ...]:
    theirs = _theirs()[log]
    assert isinstance(theirs, PydarshanReading), theirs
    return compared(log, theirs)


def _readable(logs: list[Path]) -> list:
    return [pytest.param(log, id=log.stem[:40]) for log in logs if log.stem not in CANNOT_OPEN]


@pytest.mark.fuzz
@pytest.mark.parametrize("log", _readable([*SAMPLES, *OTHERS]))
def test_every_difference_has_a_known_reason(log):
    parts = _compared(log)
    assert [(part.part, one) for part in parts for one in part.differences if one.reason is None] == []
    assert sum(part.agreed for part in parts) > 20
    assert parts[0].part == "job"


@pytest.mark.parametrize("log", _readable(SAMPLES))
def test_our_samples_differ_where_they_are_known_to(log):
    assert {part.part for part in _compared(log) if part.differences} == DIFFER.get(log.stem, set())


@pytest.mark.parametrize("log", _readable(SAMPLES))
def test_derived_figures_are_compared_for_each_table_that_has_some(log):
    parts = {part.part: part for part in _compared(log)}
    tables = {"POSIX", "MPI-IO", "STDIO"} & set(parts)
    assert {f"derived from {table}" for table in tables} == {p for p in parts if p.startswith("derived")}
    assert all(parts[f"derived from {table}"].agreed == 6 for table in tables)


def test_what_the_library_cannot_open_is_said():
    log = next(log for log in SAMPLES if log.stem in CANNOT_OPEN)
    assert _theirs()[log] == CannotOpen("libdarshan-util cannot open it")


def test_the_reasons_of_our_samples():
    of = {log.stem: {d.reason for p in _compared(log) for d in p.differences} for log in SAMPLES if log.stem in DIFFER}
    assert of["50-truncated-heat2d-legacy"] == {CUT}
    assert NO_WIDE_SEGMENTS in of["47-darshan-main-apmpi"]
    assert any("AUTOPERF was built without" in reason for reason in of["47-darshan-main-apmpi"])


@pytest.mark.skipif(not OTHERS, reason="the logs of others are not there")
def test_the_reasons_of_logs_of_others():
    """What is particular of some; a log that came later may not stand here."""
    known = {
        "mpi-io-test-ppc64-3.0.0": {"POSIX"},
        "mpi-io-test-x86_64-3.1.0": {"POSIX"},
        "mpi-io-test-x86_64-3.1.3": {"POSIX"},
        "mpi-io-test-x86_64-3.5.0": set(),
        "eclipse-ior-none": {"job"},
    }
    found = {log.stem: {p.part for p in _compared(log) if p.differences} for log in OTHERS if log.stem in known}
    assert found == {stem: known[stem] for stem in found}
    lost = [d.reason for log in OTHERS if log.stem == "eclipse-ior-none" for p in _compared(log) for d in p.differences]
    assert set(lost) <= {NO_MOUNTS}
