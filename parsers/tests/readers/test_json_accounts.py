"""What Slurm and PBS say about jobs as JSON."""

from __future__ import annotations

import json
import tracemalloc
from io import BytesIO

import pytest
from stats_text import read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure, JobContext
from iotriage_parsers.readers.job_context.accounts.json_accounts import MOST_JOBS

STEPS = [
    {
        "step": {"id": "51451.batch", "name": "batch"},
        "nodes": {"count": 1},
        "tasks": {"count": 1},
        "state": "COMPLETED",
    },
    {
        "step": {"id": "51451.0", "name": "sea"},
        "nodes": {"count": 4},
        "tasks": {"count": 256},
        "time": {"elapsed": 3660},
        "state": ["FAILED"],
    },
]
JOB: dict[str, object] = {
    "account": "hill",
    "allocation_nodes": 4,
    "array": {"job_id": 0, "task_id": None},
    "cluster": "bay",
    "job_id": 51451,
    "name": "sea [spring]",
    "nodes": "nid[001000-001003]",
    "partition": "standard",
    "state": {"current": "COMPLETED", "reason": "None"},
    "steps": STEPS,
    "time": {"elapsed": 3723, "limit": 120, "start": 1772445600},
    "working_directory": "/bay/run",
}
OLD = {
    "meta": {"plugin": {"type": "openapi/dbv0.0.37"}, "Slurm": {"version": {"major": 21}}},
    "errors": [],
    "jobs": [JOB],
}
NEW = {
    "jobs": [
        {
            **JOB,
            "array": {"job_id": 51440, "task_id": {"set": True, "infinite": False, "number": 7}},
            "state": {"current": ["TIMEOUT"], "reason": "None"},
            "time": {"elapsed": 7200, "limit": {"set": True, "infinite": False, "number": 120}},
        },
        {"job_id": 51452, "allocation_nodes": 2, "time": {"limit": {"set": False, "infinite": True, "number": 0}}},
    ],
    "meta": {"plugins": ["a", "b"]},
    "warnings": [],
}
QUEUE = {
    "jobs": [
        {
            "job_id": 51453,
            "job_state": ["RUNNING"],
            "name": "sea",
            "node_count": {"set": True, "infinite": False, "number": 8},
            "tasks": {"set": True, "infinite": False, "number": 512},
            "time_limit": {"set": True, "infinite": False, "number": 30},
            "current_working_directory": "/bay/run",
        }
    ]
}
PBS = {
    "timestamp": 1772445600,
    "pbs_version": "2022.1.1",
    "pbs_server": "pbs01",
    "Jobs": {
        "51454.pbs01": {
            "Job_Name": "sea",
            "resources_used": {"ncpus": 512, "walltime": "01:02:03"},
            "job_state": "F",
            "queue": "workq",
            "exec_host": "n1/0*128+n2/0*128",
            "Exit_status": 0,
            "Resource_List": {"nodect": 2, "select": "2:ncpus=128:mpiprocs=64", "walltime": "02:00:00"},
            "Variable_List": {"PBS_O_HOME": "/home/a", "PBS_O_WORKDIR": "/bay/run"},
        }
    },
}
FORMS = pytest.mark.parametrize("indent", [None, 1, 4])


def jobs(document: object, indent: int | None) -> tuple[JobContext, ...]:
    return read(json.dumps(document, indent=indent) + "\n").of(JobContext)


@pytest.mark.parametrize("indent", [1, 4])
def test_what_sacct_says_in_its_older_form(indent: int) -> None:
    (job,) = jobs(OLD, indent)
    assert (job.source, job.job_id, job.job_name, job.cluster) == ("sacct", "51451", "sea [spring]", "bay")
    assert (job.nnodes, job.ntasks, job.elapsed_s, job.time_limit_s) == (4, 256, 3723, 7200)
    assert (job.partition, job.account, job.work_dir) == ("standard", "hill", "/bay/run")
    assert [(step.step, step.ntasks, step.elapsed_s) for step in job.steps] == [("batch", 1, None), ("0", 256, 3660)]


@FORMS
def test_what_sacct_says_in_its_newer_form(indent: int | None) -> None:
    first, second = jobs(NEW, indent)
    assert (first.job_id, first.job_id_raw, first.state) == ("51440_7", "51451", "TIMEOUT")
    assert (first.elapsed_s, first.time_limit_s) == (7200, 7200)
    assert (second.job_id, second.nnodes, second.ntasks, second.time_limit_s) == ("51452", 2, None, None)
    if indent is not None:
        assert first.lines.last < second.lines.first


@FORMS
def test_what_squeue_says(indent: int | None) -> None:
    (job,) = jobs(QUEUE, indent)
    assert (job.source, job.nnodes, job.ntasks, job.time_limit_s, job.elapsed_s) == ("scontrol", 8, 512, 1800, None)
    assert job.state == "RUNNING"


@FORMS
def test_what_qstat_says(indent: int | None) -> None:
    (job,) = jobs(PBS, indent)
    assert (job.source, job.job_id, job.cluster, job.state) == ("qstat", "51454", "pbs01", "COMPLETED")
    assert (job.nnodes, job.ntasks, job.ranks_per_node) == (2, 128, 64)
    assert (job.elapsed_s, job.time_limit_s, job.work_dir) == (3723, 7200, "/bay/run")


@pytest.mark.parametrize(
    "waits",
    [
        {**JOB, "allocation_nodes": 0, "steps": [], "tasks": 0, "time": {"elapsed": 0, "limit": 0}},
        {**QUEUE["jobs"][0], "node_count": {"set": True, "number": 0}, "tasks": 0, "time_limit": {"set": False}},
        {**JOB, "allocation_nodes": 0, "steps": [{**STEPS[1], "tasks": {"count": 0}, "nodes": {"count": 0}}],
         "time": {"limit": {"set": True, "number": 0}}},
    ],
)  # fmt: skip
def test_what_a_job_that_has_not_begun_has_none_of_is_not_known(waits: dict[str, object]) -> None:
    (job,) = read(json.dumps({"jobs": [waits]}, indent=1) + "\n").of(JobContext)
    assert (job.nnodes, job.ntasks, job.time_limit_s) == (None, None, None)
    assert {(step.nnodes, step.ntasks) for step in job.steps} <= {(None, None)}
    assert not {"nnodes", "ntasks"} & {field.name for field in job.fields}


def test_how_a_job_ended_is_told() -> None:
    (ended,) = [p for p in read(json.dumps(NEW, indent=1) + "\n").problems if p.code == "ended"]
    assert ended.message.startswith("job 51440_7 ")
    assert "by sacct (TIMEOUT)" in ended.message


@pytest.mark.parametrize("document", [OLD, NEW, PBS])
def test_one_that_was_cut_is_told(document: object) -> None:
    text = json.dumps(document, indent=1)
    found = detect.read(BytesIO(text[: int(len(text) * 0.5)].encode()))
    assert isinstance(found, Failure)
    assert "was cut off" in found.message


@pytest.mark.parametrize(
    "jobs_of_others",
    [
        '{"jobs": [{"name": "build", "state": "ok"}]}',
        '{\n  "jobs": [1, 2],\n "x": 1}',
        '{\n "jobs": [\n  {\n   "name": "build",\n',
        '{\n  "fio version" : "fio-3.28",\n  "jobs" : [\n    {\n      "jobname" : "a",\n',
        '{\n  "fio version": "fio-3.28",\n  "jobs": [\n    {\n      "jobname": "a",\n',
    ],
)
def test_jobs_of_other_programs_are_none(jobs_of_others: str) -> None:
    found = detect.read(BytesIO(jobs_of_others.encode()))
    assert isinstance(found, Failure)
    assert "Slurm" not in found.message


def test_jobs_behind_the_first_ones_are_told() -> None:
    one = {"job_id": 7, "allocation_nodes": 2, "time": {"elapsed": 5}}
    evidence = read(json.dumps({"jobs": [one] * (MOST_JOBS + 3)}, indent=0) + "\n")
    assert len(evidence.of(JobContext)) == MOST_JOBS
    (limit,) = [p for p in evidence.problems if p.code == "limit"]
    assert limit.message.startswith("3 jobs behind the first 2,000")


@pytest.mark.parametrize("digits", [21, 400, 4000, 5000])
def test_numbers_beyond_64_bits_are_left_out_and_said(digits: int) -> None:
    huge = "9" * digits
    steps = [{"step": {"id": "5.0"}, "tasks": {"count": huge}, "nodes": {"count": 2}, "time": {"elapsed": 3}}] * 2
    job = {**JOB, "allocation_nodes": huge, "time": {"elapsed": huge, "limit": huge}, "steps": steps}
    found = read(json.dumps({"jobs": [job]}).replace(f'"{huge}"', huge))
    (context,) = found.of(JobContext)
    assert (context.job_id, context.nnodes, context.elapsed_s, context.time_limit_s) == ("51451", None, None, None)
    assert [step.ntasks for step in context.steps] == [None, None]
    assert "beyond 64 bits were left out: 5" in " ".join(problem.message for problem in found.problems)
    assert found.status == "partial"


def test_attributes_of_pbs_within_one_another_are_named_to_a_depth() -> None:
    within = {"a": "1"}
    for _ in range(150):
        within = {"k" * 50_000: within}
    tracemalloc.start()
    read(json.dumps({**PBS, "Jobs": {"7.s": {"Job_Name": "sea", "job_state": "F", "of": within}}}, indent=1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200 * 2**20
