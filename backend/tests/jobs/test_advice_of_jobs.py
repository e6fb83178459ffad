"""What the advice on described jobs asks for can be pasted and does no harm: of the same jobs on a file system without
stripes, and in one process, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import test_jobs
import test_jobs_of_centres
import test_libraries_and_systems
import test_one_beside_another
import test_one_thing_and_its_twin
import test_opens_of_all
import test_production_jobs
import test_unlike_the_others
import test_where_files_lie
from budget import some
from described import Part, Seconds, Work, document
from test_advice_can_be_pasted import LOWERS, calls_lfs, given, number

from iotriage.rules.core.action import EditCode, EditPython, SetHint, SetStripe
from iotriage.rules.core.commands import line

TABLES = (
    test_jobs,
    test_jobs_of_centres,
    test_libraries_and_systems,
    test_one_beside_another,
    test_one_thing_and_its_twin,
    test_opens_of_all,
    test_production_jobs,
    test_unlike_the_others,
    test_where_files_lie,
)
JOBS = {name: job[0] for table in TABLES for name, job in table.JOBS.items()}
pytestmark = pytest.mark.fuzz
every_job = pytest.mark.parametrize("name", some(JOBS))


@every_job
def test_a_striping_is_whole_and_lowers_no_good_one(name: str) -> None:
    said = document(JOBS[name])
    for finding, one, action in given(said):
        if isinstance(action, SetStripe):
            assert {"-c", "-S"} <= set(line(action).split())
            assert (one.command or "").count("lfs setstripe") == 1
            has = number(said, finding, "file.stripe_count")
            assert finding.rule in LOWERS or has is None or not 0 < action.count < has


@every_job
def test_where_there_are_no_stripes_nobody_is_sent_to_lustre(name: str) -> None:
    job = JOBS[name]
    elsewhere = replace(
        job,
        parts=tuple(replace(part, osts=()) for part in job.parts),
        mounts=tuple((path, "gpfs" if kind == "lustre" else kind) for path, kind in job.mounts),
    )
    for finding, one, action in given(document(elsewhere)):
        assert not calls_lfs(action), finding.rule
        assert "OST" not in one.text, finding.rule


@every_job
def test_one_process_is_told_nothing_of_mpi(name: str) -> None:
    job = JOBS[name]
    alone = Work(tuple(_of_rank_0(job)), nprocs=1, runtime_s=job.runtime_s, program=job.program, mounts=job.mounts)
    for finding, one, action in given(document(alone)):
        assert not isinstance(action, SetHint), finding.rule
        assert not isinstance(action, EditCode | EditPython) or "MPI" not in line(action), finding.rule
        assert "collective" not in one.text, finding.rule


def _of_rank_0(job: Work) -> Iterator[Part]:
    for part in job.parts:
        if 0 in part.ranks:
            layer = "POSIX" if part.layer == "MPI-IO" else part.layer
            times = {way: _first(getattr(part, way)) for way in ("write_s", "read_s", "meta_s")}
            yield replace(part, ranks=range(1), layer=layer, collective=False, **times)


def _first(value: Seconds) -> float:
    return float(value) if isinstance(value, int | float) else float(value[0])


@pytest.mark.parametrize("name", some([n for n in test_unlike_the_others.JOBS if JOBS[n].reduces]))
def test_whether_records_are_reduced_changes_no_cause(name: str) -> None:
    first = [document(replace(JOBS[name], reduces=reduces)).headline.rule for reduces in (True, False)]
    assert first[0] == first[1]
