"""The samples as steps of jobs that ran something small meanwhile or afterwards, with ranks, nodes and files of its
own: what is said of the step that has nearly all of the I/O stays what it was."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from budget import tries
from sample_documents import document_named, sources_of
from samples import cases

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import DarshanLog, Evidence, Job

LONG_S, STEP_S, PAUSE_S = 60.0, 1.0, 5.0
JOB_ID, UID, START_S = "4711", 1000, 1.6e9
SMALL = ("29-nonmpi-python", "08-shared-strided-collective")
"""One process, and several ranks that name their nodes."""
WAYS = tuple(product(SMALL, (False, True)))
"""Which step, and whether it runs meanwhile or afterwards."""


def _log(name: str) -> DarshanLog:
    (source,) = next(sources_of(case.sources) for case in cases() if case.name == name)
    assert isinstance(source.outcome, Evidence)
    (log,) = source.outcome.of(DarshanLog)
    return log


def _as_step(log: DarshanLog, start: float, seconds: float, job: Job, under: str = "") -> DarshanLog:
    ran = replace(
        log.job,
        job_id=JOB_ID,
        uid=UID,
        start_time=start,
        end_time=start + seconds,
        runtime_s=seconds,
        mounts=job.mounts,
    )
    names = {record: under + name if name.startswith("/") else name for record, name in log.names.items()}
    return replace(log, job=ran, names=names, lustre=() if under else log.lustre)


def _sources(*logs: DarshanLog) -> list[ReadSource]:
    return [ReadSource(f"{n}.darshan", f"{n:064}", 1, Evidence("darshan_log", (log,))) for n, log in enumerate(logs)]


def _main(name: str) -> DarshanLog:
    log = _log(name)
    return _as_step(log, START_S, log.job.runtime_s or 0.0, log.job)


@cache
def _alone(name: str) -> CaseDocument:
    return diagnose(_sources(_main(name)))


def _beside(name: str, small: str, after_s: float) -> CaseDocument:
    main = _main(name)
    lustre = next((mount.path for mount in main.job.mounts if mount.fs_type == "lustre"), "/scratch")
    other = _as_step(_log(small), START_S + after_s, STEP_S, main.job, f"{lustre}/beside")
    return diagnose(_sources(main, other))


@cache
def _long() -> tuple[str, ...]:
    logs = (case.name for case in cases() if case.sources[0].suffix == ".darshan" and len(case.sources) == 1)
    return tuple(name for name in logs if (document_named(name).job.runtime_s or 0.0) >= LONG_S)


@pytest.mark.fuzz
@pytest.mark.parametrize(("way", "small", "during"), [(way, *of) for way, of in enumerate(WAYS)])
def test_a_small_step_changes_no_cause(way: int, small: str, *, during: bool) -> None:
    """Each sample in one of the ways in turn; in each of them in `make fuzz`."""
    changed = {}
    for name in _long()[tries(way, 0) :: tries(len(WAYS), 1)]:
        run = document_named(name).job.runtime_s or 0.0
        alone, beside = _alone(name), _beside(name, small, PAUSE_S if during else run + PAUSE_S)
        if alone.job.nprocs == 1 and beside.job.nprocs != 1:
            continue  # What one process does in a job of more ranks is another cause.
        causes, still = ({f.rule for f in d.findings if f.verdict == "triggered"} for d in (alone, beside))
        if (alone.headline.rule, alone.headline.severity) != (beside.headline.rule, beside.headline.severity):
            changed[name] = f"{alone.headline.rule} → {beside.headline.rule}"
        elif causes - still:
            changed[name] = f"lost {sorted(causes - still)}"
    assert changed == {}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("lustre-fpp-few-writers", "4 of 2,048 ranks write for all"),
        ("lustre-shared-one-stripe", "64 ranks share a file"),
        ("lustre-ssf-one-stripe", "One rank of 256 writes for all"),
        ("lustre-archer-four-stripes", "384 ranks share a file"),
    ],
)
def test_ranks_are_those_of_the_step_that_uses_the_files(name: str, says: str) -> None:
    log, small = _log(name), _log("29-nonmpi-python")
    wide = replace(small, job=replace(small.job, nprocs=4096))
    after = _as_step(wide, START_S + (log.job.runtime_s or 0.0) + PAUSE_S, STEP_S, log.job, "/scratch/beside")
    main = _as_step(log, START_S, log.job.runtime_s or 0.0, log.job)
    assert says in diagnose(_sources(main, after)).headline.sentence
