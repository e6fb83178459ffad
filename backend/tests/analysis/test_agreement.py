"""Figures that two sources state: equal, apart for a known reason, or of different jobs."""

from dataclasses import replace

import numpy as np
import pytest
from evidence_by_hand import block, job, log, table

from iotriage.analysis.agreement import agreements
from iotriage.analysis.document.agreement import Agreement
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import (
    SEGMENT,
    ContextField,
    CrayPatReport,
    DxtTrace,
    Job,
    JobContext,
    JobStep,
    Launch,
    Lines,
    Part,
)


def of(found: tuple[Agreement, ...], quantity: str) -> Agreement:
    return next(a for a in found if a.quantity == quantity)


def case(
    *, posix_bytes: int = 800, collective: int = 16, partial: tuple[str, ...] = (), ranks: int = 8
) -> tuple[Agreement, ...]:
    records = (
        table("MPI-IO", (1, -1, {"MPIIO_COLL_WRITES": 12, "MPIIO_SPLIT_WRITES": 4, "MPIIO_INDEP_WRITES": 2})),
        table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": posix_bytes})),
    )
    one = log(*records, names={1: "/lus/run/out.dat"}, partial=partial, nprocs=8)
    stats = block(
        file="out.dat",
        independent_accesses=2,
        collective_accesses=16,
        total_bytes=800,
        ranks_in_communicator=ranks,
    )
    return agreements(job(one, stats=[stats]))


def test_sources_of_one_job_agree() -> None:
    found = case()
    assert {a.quantity for a in found} == {"ranks", "collective writes", "independent writes", "bytes write"}
    assert all(a.agrees for a in found)
    assert [s.value for s in of(found, "collective writes").statements] == [16, 16]  # split-collective included


def test_a_difference_is_shown_with_its_size() -> None:
    found = of(case(posix_bytes=600), "bytes write")
    assert not found.agrees
    assert found.difference == 0.25
    assert [s.source for s in found.statements] == [0, 1]


def test_a_partial_module_is_the_known_reason() -> None:
    found = of(case(posix_bytes=600, partial=("POSIX",)), "bytes write")
    assert "partial" in (found.reason or "")


def test_another_number_of_ranks_means_perhaps_another_job_and_stands_first() -> None:
    found = case(ranks=16)
    assert found[0].quantity == "ranks"
    assert not found[0].agrees
    assert "different jobs" in (found[0].reason or "")


def test_one_source_agrees_with_nobody() -> None:
    assert agreements(job(log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 5}))))) == ()


def test_repeated_blocks_of_one_source_are_summed_and_not_set_against_each_other() -> None:
    twice = [block(total_bytes=300), block(total_bytes=500, occurrence=2)]
    assert not [a for a in agreements(job(stats=twice)) if not a.agrees]


def other(*parts: Part) -> tuple[Agreement, ...]:
    posix = table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 5}))
    return agreements(select_job([(0, log(posix, nprocs=8, runtime_s=100.0)), *enumerate(parts, 1)]))


def accounting(
    *, nodes: int = 2, tasks: int = 8, elapsed_s: float = 103.0, job_id: str = "1", whole_s: float = 900.0
) -> JobContext:
    step = JobStep("0", 7, nnodes=nodes, ntasks=tasks, elapsed_s=elapsed_s)
    fields = (ContextField("job_id", job_id, 5), ContextField("ntasks", str(tasks), 7))
    known = {"job_id": job_id, "nnodes": nodes + 1, "ntasks": tasks, "elapsed_s": whole_s}
    return JobContext("sacct", Lines(3, 9), "slurm", steps=(step,), fields=fields, **known)  # type: ignore[arg-type]


SCRIPT = JobContext(
    "script", Lines(1, 20), "slurm", launches=(Launch("srun", 12, "srun ./app", ranks=8, nodes=2, program="./app"),)
)


def test_the_scheduler_and_the_job_script_agree_with_the_log() -> None:
    found = other(accounting(), SCRIPT)
    assert {a.quantity for a in found} == {"ranks", "nodes", "job id", "run time", "program"}
    assert all(a.agrees for a in found)
    assert [s.value for s in of(found, "ranks").statements] == [8, 8, 8]
    assert [s.value for s in of(found, "nodes").statements] == [2, 2]
    assert [s.value for s in of(found, "program").statements] == ["app", "app"]


def test_the_step_and_not_the_whole_job_is_set_against_the_logs_run_time() -> None:
    said = of(other(accounting()), "run time").statements[1]
    assert (said.value, [w.at for w in said.where]) == (103.0, [Lines(7, 7)])


@pytest.mark.parametrize(
    ("times", "agree"), [((41.0, 103.0, 99.5), True), ((101.0, 102.0), True), ((41.0, 44.0), False)]
)
def test_one_log_is_of_one_of_several_steps_alike(times: tuple[float, ...], agree: bool) -> None:
    steps = tuple(JobStep(str(n), 7 + n, nnodes=2, ntasks=8, elapsed_s=took) for n, took in enumerate(times))
    found = of(other(replace(accounting(), steps=steps)), "run time")
    nearest = min(times, key=lambda took: abs(took - 100.0))
    assert ([s.value for s in found.statements], found.agrees) == ([100.0, nearest], agree)
    assert found.statements[1].says == f"elapsed, step {times.index(nearest)}, the nearest of {len(times)} alike"


@pytest.mark.parametrize(("nodes", "agree"), [(2, True), (64, False)])
def test_a_launch_that_says_its_ranks_by_nodes_is_held_against_the_log(nodes: int, agree: bool) -> None:
    launch = Launch("srun", 12, "srun ./app", nodes=nodes, ranks_per_node=4, program="./app")
    found = of(other(JobContext("script", Lines(1, 20), "slurm", launches=(launch,))), "ranks")
    assert ([s.value for s in found.statements], found.agrees) == ([8, 4 * nodes], agree)


def test_accounting_of_another_job_shows() -> None:
    found = other(accounting(tasks=64, job_id="2", elapsed_s=5000.0))
    apart = {a.quantity: a for a in found if not a.agrees}
    assert set(apart) == {"ranks", "job id", "run time"}
    assert "different jobs" in (apart["job id"].reason or "")


def test_nodes_of_the_traces_are_set_against_those_of_craypat() -> None:
    hosts = {rank: f"nid{rank // 4}" for rank in range(8)}
    trace = DxtTrace("POSIX", np.zeros(0, SEGMENT), hosts, {}, job=Job("1", nprocs=8))
    report = CrayPatReport("lite", Lines(1, 50), True, ranks=8, nodes=4)
    found = of(other(trace, report), "nodes")
    assert [s.value for s in found.statements] == [2, 4]
    assert not found.agrees
