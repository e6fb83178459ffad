"""Ranks, nodes, run time, aggregators and benchmark results, from whichever source states them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_by_hand import block, log, metric, table, value
from timers_by_hand import stats, timers

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkIteration,
    BenchmarkResult,
    BenchmarkRun,
    ContextField,
    JobContext,
    JobStep,
    Launch,
    Lines,
    MpiioStats,
    MpiioTimers,
    Part,
    PlacedAggregator,
    StripeComponent,
    StripeLayout,
)

SOME = table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 100}))


def given(*parts: Part) -> Selection:
    return select_job(list(enumerate(parts)))


def in_one_text(*parts: Part) -> Selection:
    return select_job([(0, part) for part in parts])


def sacct(*steps: JobStep, **known: object) -> JobContext:
    fields = tuple(ContextField(name, "", 4) for name in ("nnodes", "ntasks", "elapsed_s"))
    return JobContext("sacct", Lines(2, 8), "slurm", steps=steps, fields=fields, **known)  # type: ignore[arg-type]


def script(*launches: Launch, **known: object) -> JobContext:
    return JobContext("script", Lines(1, 30), "slurm", launches=launches, **known)  # type: ignore[arg-type]


BATCH = JobStep("batch", 5, nnodes=1, ntasks=1, elapsed_s=7226.0)
STEP = JobStep("0", 7, nnodes=2, ntasks=256, elapsed_s=7202.0)


def test_the_run_of_a_job_with_one_step_is_that_step() -> None:
    s = given(sacct(BATCH, STEP, nnodes=3, ntasks=256, elapsed_s=7226.0))
    run = metric(s, "job.runtime")
    assert (run.value, run.confidence) == (7202.0, "inferred")
    assert [w.at for w in run.where] == [Lines(7, 7)]
    assert (value(s, "job.nnodes"), value(s, "job.nprocs")) == (2, 256)
    assert metric(s, "job.nnodes").confidence == "measured"


def test_of_several_steps_nodes_and_time_are_of_those_that_ran_the_program() -> None:
    small = JobStep("1", 8, nnodes=1, ntasks=512, elapsed_s=5.0)
    s = given(sacct(STEP, small, nnodes=3, elapsed_s=9000.0))
    assert [w.at for w in metric(s, "job.runtime").where] == [Lines(7, 7)]
    assert (value(s, "job.runtime"), value(s, "job.nnodes")) == (7202.0, 2)
    of_no_size = replace(STEP, step="2", ntasks=None, nnodes=1, elapsed_s=9.0)
    assert value(given(sacct(of_no_size, STEP, nnodes=3, elapsed_s=9000.0)), "job.runtime") == 9000.0
    again = given(sacct(STEP, small, replace(STEP, step="2"), nnodes=3, elapsed_s=15_000.0))
    assert value(again, "job.runtime") == 2 * 7202.0


def test_where_steps_ran_side_by_side_or_took_less_than_the_files_the_time_is_the_jobs() -> None:
    beside = replace(STEP, step="1")
    assert value(given(sacct(STEP, beside, nnodes=4, elapsed_s=7226.0)), "job.runtime") == 7226.0
    before = JobStep("1", 8, nnodes=1, ntasks=256, elapsed_s=3.0)
    assert value(in_one_text(sacct(before, elapsed_s=90.0), stats(), timers()), "job.runtime") == 90.0
    assert value(in_one_text(sacct(before, STEP, elapsed_s=9000.0), stats(), timers()), "job.runtime") == 7202.0


def test_the_time_of_what_has_not_ended_is_no_run_time() -> None:
    running = replace(STEP, state="RUNNING")
    assert value(given(sacct(BATCH, running, nnodes=3, elapsed_s=7226.0, state="RUNNING")), "job.runtime") is None
    assert value(given(sacct(BATCH, STEP, nnodes=3, elapsed_s=7226.0, state="RUNNING")), "job.runtime") == 7202.0
    assert value(given(sacct(STEP, nnodes=3, elapsed_s=7226.0, state="TIMEOUT")), "job.runtime") == 7202.0


def test_a_log_that_lost_its_ranks_takes_those_of_the_script_as_inferred() -> None:
    found = metric(given(log(SOME, nprocs=None), script(ntasks=64)), "job.nprocs")
    assert (found.value, found.confidence) == (64, "inferred")


def test_what_a_script_asks_for_is_inferred() -> None:
    s = given(script(Launch("srun", 20, "srun", ranks=256, nodes=2), nnodes=4, ntasks=512))
    ranks, nodes = metric(s, "job.nprocs"), metric(s, "job.nnodes")
    assert (ranks.value, ranks.confidence, [w.at for w in ranks.where]) == (256, "inferred", [Lines(20, 20)])
    assert (nodes.value, nodes.confidence, [w.at for w in nodes.where]) == (2, "inferred", [Lines(20, 20)])
    assert value(given(script(nnodes=2, ranks_per_node=128)), "job.nprocs") == 256
    assert value(given(script(nnodes=2)), "job.nprocs") is None
    assert value(given(script(nnodes=2, time_limit_s=60.0)), "job.runtime") is None


def test_a_launch_of_one_of_several_sizes_is_taken_for_the_largest() -> None:
    launches = Launch("srun", 20, "srun", undecided=True), Launch("srun", 30, "srun", ranks=16, nodes=1)
    s = given(script(*launches))
    assert (value(s, "job.nprocs"), value(s, "job.nnodes")) == (None, None)
    assert value(given(script(*launches, ntasks=64)), "job.nprocs") == 64


def test_two_figures_of_a_launch_line_give_the_third() -> None:
    s = given(script(Launch("aprun", 20, "aprun", ranks=250, ranks_per_node=64)))
    assert (value(s, "job.nprocs"), value(s, "job.nnodes")) == (250, 4)
    s = given(script(Launch("srun", 20, "srun", nodes=2, ranks_per_node=128)))
    assert (value(s, "job.nprocs"), value(s, "job.nnodes")) == (256, 2)


@pytest.mark.parametrize(
    ("launch", "asked", "ranks"),
    [
        (Launch("srun", 20, "srun", ranks_per_node=32), {"nnodes": 4, "ranks_per_node": 128}, None),
        (Launch("srun", 20, "srun", nodes=2), {"nnodes": 4, "ranks_per_node": 128}, None),
        (Launch("srun", 20, "srun", ranks_per_node=32), {"nnodes": 4, "ntasks": 100}, 100),
        (
            Launch("mpiexec", 20, "mpiexec", ranks_per_node=32),
            {"nnodes": 4, "ntasks": 512, "ranks_per_node": 128},
            None,
        ),
        (Launch("srun", 20, "srun", ranks_per_node=128), {"nnodes": 4, "ranks_per_node": 128}, 512),
        (Launch("srun", 20, "srun", nodes=4), {"nnodes": 4, "ranks_per_node": 128}, 512),
        (Launch("srun", 20, "srun", ranks_per_node=32), {"nnodes": 4}, 128),
        (Launch("srun", 20, "srun", undecided=True, ranks_per_node=32), {"nnodes": 4, "ntasks": 64}, 64),
        (Launch("mpirun", 20, "mpirun", ranks_per_node=32), {"nnodes": 8, "ntasks": 256}, 256),
        (Launch("mpirun", 20, "mpirun", ranks_per_node=32), {"nnodes": 8, "ntasks": 250}, 250),
        (Launch("mpirun", 20, "mpirun", ranks_per_node=16), {"nnodes": 8, "ntasks": 256}, None),
        (Launch("mpirun", 20, "mpirun", ranks_per_node=32), {"ntasks": 256}, 256),
        (Launch("mpirun", 20, "mpirun", nodes=8), {"ntasks": 256}, 256),
        (Launch("mpirun", 20, "mpirun", nodes=8), {"ntasks": 256, "ranks_per_node": 32}, 256),
        (Launch("mpirun", 20, "mpirun", ranks_per_node=32), {"nnodes": 8, "ntasks": 200, "ranks_per_node": 32}, 200),
    ],
)
def test_a_launch_that_contradicts_the_script_leaves_the_ranks_unknown(
    launch: Launch, asked: dict[str, int], ranks: int | None
) -> None:
    assert value(given(script(launch, **asked)), "job.nprocs") == ranks


def test_what_prepares_for_the_run_on_fewer_nodes_leaves_its_ranks_known() -> None:
    prepares = Launch("srun", 20, "srun", nodes=1)
    asked = {"nnodes": 4, "ranks_per_node": 128}
    assert value(given(script(prepares, Launch("srun", 30, "srun"), **asked)), "job.nprocs") == 512
    assert value(given(script(Launch("srun", 20, "srun"), prepares, **asked)), "job.nprocs") == 512
    assert value(given(script(prepares, Launch("srun", 30, "srun", ranks=64), **asked)), "job.nprocs") is None


def test_accounting_is_taken_before_the_script() -> None:
    s = given(script(Launch("srun", 20, "srun", ranks=512, nodes=4)), sacct(STEP, nnodes=2, ntasks=256))
    assert (value(s, "job.nnodes"), value(s, "job.nprocs")) == (2, 256)


@pytest.mark.parametrize(
    ("launches", "asked", "nodes"),
    [
        ((Launch("srun", 20, "srun", ranks=8, nodes=8), Launch("srun", 30, "srun", ranks=512)), 4, 4),
        ((Launch("srun", 20, "srun", ranks=64, nodes=1), Launch("srun", 30, "srun", ranks=64)), 4, 4),
        ((Launch("srun", 20, "srun", ranks=64, nodes=1), Launch("srun", 30, "srun", ranks=64)), None, None),
        ((Launch("srun", 20, "srun", ranks=64, nodes=1), Launch("srun", 30, "srun", ranks=64, nodes=4)), None, None),
        ((Launch("srun", 20, "srun", ranks=64, nodes=2), Launch("srun", 30, "srun", ranks=64, nodes=2)), 4, 2),
    ],
)
def test_a_smaller_launch_and_one_of_several_alike_lend_no_nodes(
    launches: tuple[Launch, ...], asked: int | None, nodes: int | None
) -> None:
    assert value(given(script(*launches, nnodes=asked)), "job.nnodes") == nodes


def test_darshan_says_the_ranks_and_the_run_time_and_accounting_the_nodes_that_it_lacks() -> None:
    s = given(log(SOME, nprocs=8, runtime_s=100.0), sacct(STEP, nnodes=2, ntasks=256))
    assert (value(s, "job.nprocs"), value(s, "job.runtime"), value(s, "job.nnodes")) == (8, 100.0, 2)


def test_a_communicator_may_be_smaller_than_the_job_but_no_script_says_so() -> None:
    stats = block(ranks_in_communicator=16)
    assert value(given(stats, sacct(STEP, ntasks=256)), "job.nprocs") == 256
    assert value(given(stats, script(ntasks=256)), "job.nprocs") == 16


def traced(*launches: Launch) -> JobContext:
    return replace(script(*launches), source="trace")


def written_at(line: int, file: str) -> MpiioStats:
    return block(file=file, lines=Lines(line, line + 10))


SMALL = Launch("srun", 20, "srun", ranks=256, nodes=2)
LARGE = Launch("srun", 100, "srun", ranks=512, nodes=4)


def test_of_launches_of_two_sizes_no_file_has_the_ranks_of_the_larger_one() -> None:
    s = in_one_text(traced(SMALL, LARGE), written_at(40, "a"), written_at(120, "b"), sacct(STEP, ntasks=512, nnodes=4))
    assert (value(s, "job.nprocs"), value(s, "job.nnodes")) == (None, None)
    assert metric(s, "job.nprocs").reason == (
        "the statistics of MPI-IO are of launches of 256 and 512 ranks, and do not say which is whose"
    )


@pytest.mark.parametrize(
    ("second", "blocks", "ranks"),
    [
        (LARGE, (120, 140), 512),
        (replace(LARGE, ranks=256), (40, 120), 256),
        (replace(LARGE, ranks=None, nodes=None), (40, 120), 256),
        (LARGE, (), 512),
    ],
    ids=["only the second has files", "both of one size", "one does not say", "no statistics"],
)
def test_other_launches_leave_the_ranks_of_the_largest(second: Launch, blocks: tuple[int, ...], ranks: int) -> None:
    s = in_one_text(traced(SMALL, second), *(written_at(line, f"{line}") for line in blocks))
    assert value(s, "job.nprocs") == ranks


def placement(file: str, *placed: tuple[int, str], complete: bool = True) -> AggregatorPlacement:
    rows = tuple(PlacedAggregator(i, rank, node, 11 + i) for i, (rank, node) in enumerate(placed))
    return AggregatorPlacement(file, rows, (), Lines(10, 20), complete)


SIX = placement("/lus/out.dat", *((rank, f"nid{rank // 128}") for rank in (0, 1, 2, 128, 129, 130)))


def test_aggregators_and_their_nodes_by_the_placement_table() -> None:
    found = metric(given(SIX), "mpiio.aggregators")
    assert (found.value, found.confidence, [w.at for w in found.where]) == (6, "measured", [Lines(10, 20)])
    assert value(given(SIX), "mpiio.aggregator_nodes") == 2
    assert value(given(SIX, block(aggregators=4)), "mpiio.aggregators") == 4


def test_aggregators_for_each_stripe_of_the_placed_file() -> None:
    layout = StripeLayout("plain", "/lus/out.dat", 1, Lines(1, 5), True, (StripeComponent(2, stripe_count=12),))
    assert value(given(SIX, layout), "mpiio.aggregators_per_stripe") == 6 / 12
    assert value(given(SIX), "mpiio.aggregators_per_stripe") is None


def test_a_table_that_was_cut_off_does_not_say_how_many_there_are() -> None:
    cut = placement("/lus/out.dat", (0, "nid0"), complete=False)
    assert value(given(cut), "mpiio.aggregators") is None
    assert metric(given(cut), "mpiio.aggregator_nodes").settled_by == ("MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY",)


def test_the_table_of_the_largest_shared_file_is_taken() -> None:
    shared = log(table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": 100})), names={1: "/lus/small.dat"})
    small = placement("/lus/small.dat", (0, "nid0"))
    assert value(given(shared, SIX, small), "mpiio.aggregators") == 1
    assert value(given(SIX, small), "mpiio.aggregators") == 6


def ran(*results: BenchmarkResult, nprocs: int | None = 64) -> BenchmarkRun:
    return BenchmarkRun("IOR", "text", Lines(1, 40), True, results, nprocs=nprocs, nodes=4)


def test_the_best_result_of_a_benchmark_is_its_bandwidth() -> None:
    s = given(
        ran(
            BenchmarkResult(
                "write", line=30, max_bytes_per_s=2e9, iterations=(BenchmarkIteration("write", 21, 1, 2e9),)
            ),
            BenchmarkResult("write", line=31, max_bytes_per_s=5e9),
            BenchmarkResult("read", iterations=(BenchmarkIteration("read", 22, 1, 7e9),)),
        )
    )
    write, read = metric(s, "benchmark.write_bandwidth"), metric(s, "benchmark.read_bandwidth")
    assert (write.value, write.confidence, [w.at for w in write.where]) == (5e9, "measured", [Lines(31, 31)])
    assert (read.value, [w.at for w in read.where]) == (7e9, [Lines(22, 22)])
    assert (value(s, "benchmark.nprocs"), value(s, "job.nprocs"), value(s, "job.nnodes")) == (64, 64, 4)
    assert value(s, "io.bandwidth") is None


@pytest.mark.parametrize("id", ["benchmark.write_bandwidth", "benchmark.read_bandwidth", "benchmark.nprocs"])
def test_without_a_result_a_benchmark_gives_nothing(id: str) -> None:
    assert value(given(ran(nprocs=None)), id) is None
    assert value(given(log(SOME)), id) is None


def times(active: int | None, idle: int | None, *, trusted: bool = True) -> MpiioTimers:
    return MpiioTimers(
        "write", "all ranks", "out", 1, Lines(3, 20), True, trusted, active_ranks=active, idle_ranks=idle
    )


def test_the_ranks_of_times_stand_in_where_nothing_better_does() -> None:
    found = metric(given(times(4, 12), times(8, 56), times(900, 100, trusted=False), times(9, None)), "job.nprocs")
    assert (found.value, found.confidence) == (64, "inferred")
    assert [w.source for w in found.where] == [1]
    assert value(given(times(8, 56), script(Launch("srun", 9, "srun -n 128 a", ranks=128))), "job.nprocs") == 128
    assert value(given(times(8, 56), block(ranks_in_communicator=96)), "job.nprocs") == 96


def test_a_benchmark_beside_statistics_of_other_files_is_not_the_job() -> None:
    started = script(Launch("srun", 7, "srun -n 256 ./sea", ranks=256, program="./sea"))
    ior = BenchmarkRun("IOR", "text", Lines(40, 80), True, (), nprocs=96, file="/scratch/ior/shared.dat")
    of_the_job, of_ior = (replace(block(), file=name) for name in ("out/sea.0064.dat", "shared.dat"))
    assert value(given(started, of_the_job, ior), "job.nprocs") == 256
    assert value(given(started, of_ior, ior), "job.nprocs") == 96
    assert value(given(started, ior), "job.nprocs") == 96


def test_a_script_that_starts_other_ranks_than_the_log_has_lends_no_nodes() -> None:
    started = Launch("srun", 9, "srun ./other", program="./other")
    for asked, nodes in ((64, None), (8, 4), (None, 4)):
        s = given(log(SOME, nprocs=8), script(started, nnodes=4, ntasks=asked))
        assert value(s, "job.nnodes") == nodes
    # A communicator may be smaller than the job.
    assert value(given(block(ranks_in_communicator=8), script(started, nnodes=4, ntasks=64)), "job.nnodes") == 4
