"""What a rate is for each rank where few of them move the bytes, and what would tell whether these are too few."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, above_info, collective, document, in_steps, osts, own, seconds_of

from iotriage.analysis.decision.basis import basis_of, grounds_of
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.investigations.of_movers import few_ranks_move


def subfiles(name: str, *, movers: int = 16, ranks: int = 1024, seconds: float = 600.0) -> CaseDocument:
    """`movers` ranks, equally far apart, write a subfile of 160 GiB each."""
    apart = ranks // movers
    parts = (
        Part(name.format(k), range(k * apart, k * apart + 1), writes=1280, size=128 * MIB, write_s=seconds, osts=(k,))
        for k in range(movers)
    )
    return document(Work(tuple(parts), ranks, 1200.0))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/scratch/gs.bp/data.{}", "NumAggregators"),
        ("/scratch/gs.bp.dir/gs.bp.{}", "NumAggregators"),
        ("/scratch/gs.{}.dat", "the library's own number of I/O ranks"),
    ],
)
def test_the_rate_is_that_of_the_ranks_that_move_the_bytes(name: str, said: str) -> None:
    top = subfiles(name).headline

    assert "for each rank that moves the bytes (16 of 1,024)" in (top.action or "")
    assert said in (top.action or "")


def test_where_all_ranks_move_bytes_the_rate_is_for_each_rank() -> None:
    found = subfiles("/scratch/gs.bp/data.{}", movers=32, ranks=32)

    assert found.unexplained is not None
    assert [rate.count for rate in found.unexplained.rates if rate.of == "rank"] == [32]
    assert "for each rank that" not in (found.headline.action or "")
    assert "few of the ranks" not in (found.unexplained.experiment or "")


def refined(*, path: str, heavy: int, light: int, layer: str = "MPI-IO") -> Work:
    """The first 16 of 256 ranks hold the refined part of a grid and write `heavy` × 4 MiB each, the others `light`."""
    layers = {"MPI-IO": (("MPI-IO", 0.03), ("POSIX", 0.0295)), "POSIX": (("POSIX", 0.03),)}[layer]
    parts = tuple(
        Part(path, ranks, one, writes=writes, size=4 * MIB, write_s=writes * seconds, osts=tuple(range(16)))
        for ranks, writes in ((range(16), heavy), (range(16, 256), light))
        for one, seconds in layers
        if writes
    )
    return Work(parts, nprocs=256, runtime_s=400.0, nodes=4)


@pytest.mark.parametrize(
    ("path", "layer"), [("/scratch/plt.dat", "MPI-IO"), ("/scratch/plt.dat", "POSIX"), ("/scratch/plt.{}", "POSIX")]
)
def test_some_ranks_with_many_times_the_bytes_of_the_others_are_named(path: str, layer: str) -> None:
    found = document(refined(path=path, heavy=4096, light=128, layer=layer))

    assert found.headline.rule == "uneven-files"
    assert found.headline.sentence.startswith("16 ranks move far more of these files than the others")
    mine = next(f for f in found.findings if f.rule == "uneven-files" and f.verdict == "triggered")
    assert 100 < (mine.takes_s or 0.0) < 120


@pytest.mark.parametrize(("heavy", "light"), [(4096, 0), (4096, 4), (600, 400)])
def test_ranks_that_write_for_all_are_no_uneven_ones_and_neither_are_slightly_larger_parts(
    heavy: int, light: int
) -> None:
    assert "uneven-files" not in above_info(document(refined(path="/scratch/plt.dat", heavy=heavy, light=light)))


def domains(*, busiest: int, others: int, seconds: float, above: int = 20, reduces: bool = True) -> CaseDocument:
    """16 of 512 ranks write one file for all, 8 MiB a call: one of them `busiest` calls, the others `others` each."""
    name, ranks, lies_on = "/scratch/o.dat", range(512), tuple(range(16))
    few = [r for r in range(0, 512, 32) if r != 160]
    parts = (
        Part(name, ranks, "MPI-IO", writes=above, size=15 * MIB, write_s=101.0, collective=True),
        Part(name, range(160, 161), writes=busiest, size=8 * MIB, write_s=100.0, osts=lies_on, stripe=8 * MIB),
        *(
            Part(name, range(r, r + 1), writes=others, size=8 * MIB, write_s=seconds + 0.01 * (r % 7), osts=lies_on)
            for r in few
        ),
    )
    return document(Work(parts, nprocs=512, runtime_s=300.0, nodes=8, reduces=reduces))


@pytest.mark.parametrize("reduces", [True, False])
def test_an_aggregator_with_more_bytes_is_no_slow_server(reduces: bool) -> None:
    found = domains(busiest=7680, others=768, seconds=10.0, reduces=reduces)
    mine = next(f for f in found.findings if f.rule == "straggler-rank")

    assert found.headline.rule == "straggler-rank"
    assert "has far more of them" in found.headline.sentence
    assert "larger contiguous blocks" in mine.advice[0].text
    assert 75 < (mine.takes_s or 0.0) < 95


def test_a_rank_that_wrote_the_file_before_all_do_is_told_by_the_bytes_written_twice() -> None:
    found = domains(busiest=7680 + 19200, others=768, seconds=10.0)
    mine = next(f for f in found.findings if f.rule == "straggler-rank")

    assert "MPI_File_preallocate" in mine.advice[0].text


@pytest.mark.parametrize("reduces", [True, False])
def test_an_aggregator_that_is_slow_with_as_many_bytes_may_have_a_slow_server(reduces: bool) -> None:
    found = domains(busiest=768, others=768, seconds=10.0, above=3, reduces=reduces)
    mine = next(f for f in found.findings if f.rule == "straggler-rank")

    assert "moves no more than the others" in mine.advice[0].text


def test_fill_values_of_one_rank_beside_sixteen_aggregators_are_no_more_calls_and_take_their_own_time_alone() -> None:
    name, ranks, lies_on = "/scratch/field.h5", range(512), tuple(range(16))
    parts = (
        Part(name, ranks, "MPI-IO", writes=20, size=10 * MIB, write_s=30.0, collective=True),
        Part(name, range(1), "MPI-IO", writes=102_400, size=MIB, write_s=110.0),
        Part(name, range(1), writes=102_400, size=MIB, write_s=109.0, osts=lies_on),
        Part(name, range(0, 512, 32), writes=400, size=16 * MIB, write_s=28.0, osts=lies_on),
    )
    found = document(Work(parts, nprocs=512, runtime_s=300.0, nodes=8))
    mine = next(f for f in found.findings if f.rule == "straggler-rank")

    assert "fill values of HDF5" in found.headline.sentence
    assert 100 < (mine.takes_s or 0.0) < 120


@pytest.mark.parametrize(("size", "blocks"), [(MIB, False), (64 * KIB, True)])
def test_who_reads_in_large_blocks_is_not_told_to(size: int, blocks: bool) -> None:
    """One rank of a loader has a shard three times as large as the others."""
    even = Part("/scratch/ds/shard_{}.h5", range(15), reads=4000 * MIB // size, size=size, read_s=60.0)
    large = Part("/scratch/ds/shard_15.h5", range(15, 16), reads=12_000 * MIB // size, size=size, read_s=180.0)
    found = document(Work((even, large), nprocs=16, runtime_s=400.0, nodes=4))
    assert found.headline.rule == "straggler-rank"
    assert ("in blocks of 1 MiB" in (found.headline.action or "")) is blocks


def of_nodes(movers: int, root: str, seconds: float) -> Work:
    """320 GiB of 2,048 ranks on 64 nodes, which so many of them write."""
    parts = (
        Part(f"/{root}/d.h5", range(2048), "MPI-IO", writes=40, size=4 * MIB, write_s=1.05 * seconds, collective=True),
        Part(f"/{root}/d.h5", range(0, 2048, 2048 // movers), writes=81920 // movers, size=4 * MIB, write_s=seconds,
             in_order=0.9),
    )  # fmt: skip
    mounts = (("/gpfs", "gpfs"), ("/beegfs", "beegfs"))
    return Work(parts, nprocs=2048, runtime_s=4 * seconds, nodes=64, mounts=mounts)


@pytest.mark.parametrize(
    ("work", "few"),
    [
        (of_nodes(2, "gpfs", 230.0), True),
        (of_nodes(8, "gpfs", 230.0), True),
        (of_nodes(32, "gpfs", 230.0), False),
        (of_nodes(8, "gpfs", 40.0), False),
        (of_nodes(2, "beegfs", 230.0), False),
    ],
    ids=["one in 32 nodes", "one in 8", "one in 2", "fast all the same", "where stripes may be few"],
)
def test_where_every_file_is_on_all_servers_the_nodes_tell_how_many_are_few(work: Work, few: bool) -> None:
    assert ("few-aggregators" in above_info(document(work))) == few


def writers(
    *, ranks: range, nprocs: int = 2048, nodes: int | None = None, each_s: float = 400.0, slow: float = 1.0
) -> Work:
    """Each of `ranks` writes 100 GiB, the last of them `slow` times as long, and all have read a line of a file."""
    times = [each_s] * (len(ranks) - 1) + [each_s * slow]
    files = (
        Part(f"/scratch/plt/Cell_D_{r}", range(r, r + 1), writes=12_800, size=8 * MIB, write_s=took, osts=(r % 47,))
        for r, took in zip(ranks, times, strict=True)
    )
    asked = Part("/scratch/inputs", range(nprocs), reads=1, size=KIB, read_s=0.01, reach=KIB)
    return Work((*files, asked), nprocs=nprocs, runtime_s=3 * each_s * slow, nodes=nodes)


@pytest.mark.parametrize(
    ("work", "few"),
    [
        (writers(ranks=range(0, 2048, 512)), True),
        (writers(ranks=range(7, 2048, 512)), True),
        (writers(ranks=range(0, 2048, 128), nodes=32), True),
        (writers(ranks=range(0, 2048, 128), nodes=16), False),
        (writers(ranks=range(0, 2048, 128)), False),
        (writers(ranks=range(2048, 2052), nprocs=2052), False),
        (writers(ranks=range(2048, 2050), nprocs=2050), False),
        (writers(ranks=range(0, 2048, 512), each_s=60.0), False),
    ],
    ids=["4", "not the first of each", "one for two nodes", "one a node", "perhaps", "servers", "two of them", "fast"],
)
def test_a_few_ranks_that_are_spread_over_the_nodes_are_too_few(work: Work, few: bool) -> None:
    assert ("few-writers" in above_info(document(work))) == few


def test_of_a_slow_one_they_have_what_the_others_take() -> None:
    found = document(writers(ranks=range(0, 2048, 512), each_s=200.0, slow=2.0))
    mine = next(f for f in found.findings if f.rule == "few-writers")
    assert mine.takes_s == pytest.approx(250.0, rel=0.02)


TWO = Part("/scratch/q/big.{}", range(0, 256, 128), writes=20_000, write_s=200.0, osts=own(256))
PIECES = Part("/scratch/o/b.{}", range(256), writes=20_000, size=KIB, write_s=80.0, osts=own(256))
AT_HOME = Part("/home/u/l.{}", range(256), writes=2000, size=64 * KIB, write_s=80.0)


@pytest.mark.parametrize(
    ("few", "beside", "takes"),
    [
        (TWO, PIECES, {"few-writers": 200.0, "small-io": 80.0}),
        (TWO, AT_HOME, {"few-writers": 200.0, "wrong-filesystem": 80.0}),
        (replace(TWO, writes=1000, write_s=3.0), PIECES, {"small-io": 80.0}),
        # One of each node is what guides ask for, and one alone another matter.
        (replace(TWO, ranks=range(0, 256, 32)), PIECES, {"small-io": 80.0}),
        (replace(TWO, ranks=range(1)), PIECES, {"serial-io": 200.0, "small-io": 80.0}),
    ],
    ids=["small accesses", "home", "little", "one a node", "one rank"],
)
def test_they_are_told_beside_what_all_ranks_do(few: Part, beside: Part, takes: dict[str, float]) -> None:
    work = Work((few, beside), nprocs=256, runtime_s=600.0, nodes=8)
    assert seconds_of(work) == {rule: pytest.approx(seconds, rel=0.03) for rule, seconds in takes.items()}
    if "few-writers" in takes:
        assert document(work).headline.sentence == "2 of 256 ranks write big.# for all, one for 4 nodes."


@pytest.mark.parametrize("way", ["write", "read"])
@pytest.mark.parametrize("name", ["/scratch/q/big.{}", "/scratch/q/big.dat"])
def test_few_ranks_that_all_wait_for_are_named_beside_more_bytes_of_all(name: str, way: str) -> None:
    big = Part(name, range(0, 256, 128), writes=20_000, size=4 * MIB, write_s=200.0, osts=osts(2))
    big = replace(big, writes=0, write_s=0.0, reads=20_000, read_s=200.0) if way == "read" else big
    of_all = Part("/scratch/g/t.{}", range(256), writes=512, size=16 * MIB, write_s=20.0, osts=own(256))
    found = document(Work((big, of_all), 256, 600.0, nodes=4))
    assert found.headline.sentence == f"2 of 256 ranks {way} {name[11:].replace('{}', '#')} for all, one for 2 nodes."
    assert set(above_info(found)) == {"few-writers"}


def test_few_ranks_with_small_pieces_beside_more_bytes_of_all_are_told_of_these_first() -> None:
    lines = Part("/scratch/q/big.{}", range(0, 256, 128), writes=50_000_000, size=60, write_s=200.0, osts=own(2))
    of_all = Part("/scratch/g/t.{}", range(256), writes=128, size=16 * MIB, write_s=20.0, osts=own(256))
    found = document(Work((lines, of_all), 256, 600.0, nodes=4))
    assert found.headline.rule == "few-writers"
    assert (found.headline.action or "").startswith("Write big.# in blocks of 1 MiB or more: now an access moves 60 B.")


def test_what_makes_each_of_them_slow_goes_first() -> None:
    small = (Part(f"/scratch/s.{r}", range(r, r + 1), writes=3_000_000, size=4 * KIB, write_s=400.0) for r in (0, 1024))
    assert next(iter(above_info(document(Work(tuple(small), nprocs=2048, runtime_s=900.0))))) == "small-io"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("/sw/wrf.exe", "nio_tasks_per_group, or nio_groups, in &namelist_quilt"),
        ("/sw/e3sm.exe", "./xmlchange PIO_NUMTASKS"),
        ("/sw/ufs_model", "write_tasks_per_group, or write_groups, in model_configure"),
        ("/sw/app", "the library's own number of I/O ranks"),
    ],
)
def test_the_servers_of_a_known_program_have_the_name_of_their_number(program: str, said: str) -> None:
    """Two groups of four write a file in turn, 40 s each."""
    files = tuple(
        part
        for k in range(10)
        for servers in [range(512 + 4 * (k % 2), 516 + 4 * (k % 2))]
        for part in collective(f"/scratch/wrf/wrfout_d01_{k:02}", servers, servers, 40.0, tuple(range(8)))
    )
    found = document(Work(files, 520, 1000, program=program, nodes=5))
    assert f"Run once with twice as many of these ranks ({said}" in (found.headline.action or "")


def test_where_the_nodes_decide_and_no_source_states_them_their_number_is_asked_for() -> None:
    found = document(writers(ranks=range(0, 2048, 128)))
    mine = next(f for f in found.findings if f.rule == "few-writers")
    grounds = grounds_of(mine, basis_of(found))
    assert mine.verdict == "unknown"
    assert grounds is not None
    assert grounds.settled_by == ("node count",)


@pytest.mark.parametrize("reduces", [False, True])
def test_who_reads_small_pieces_has_nothing_of_the_time_of_the_few_that_write_large_ones(reduces: bool) -> None:
    """All of 64 ranks read the file in 2 KiB for 40 s; then four write 16 GiB each to it in 200 s."""
    reads = Part("/scratch/state.dat", range(64), reads=20_000, size=2 * KIB, read_s=40.0)
    writes = Part("/scratch/state.dat", range(0, 64, 16), writes=4096, size=4 * MIB, write_s=200.0, begins_s=60.0)
    work = Work((reads, writes), 64, 400.0, reduces=reduces)

    found = document(work)
    assert seconds_of(work)["small-io"] == 40.0
    assert found.headline.sentence == "The data moves in 1,280,000 small accesses."
    assert "have no known cause" in found.headline.said


@pytest.mark.parametrize(
    ("large_s", "small_s", "beside_s", "said"),
    [
        (100.0, 20.0, None, "16 of 1,024 ranks write for all"),
        (20.0, 100.0, None, "4 of 64 ranks write for all"),
        (100.0, 20.0, 150.0, "16 of 1,024 ranks write for all"),
    ],
    ids=["the larger step is slow", "the smaller one is", "a step of all ranks is slower than both"],
)
def test_the_few_of_one_step_are_not_counted_among_the_ranks_of_another(
    large_s: float, small_s: float, beside_s: float | None, said: str
) -> None:
    def step(name: str, ranks: int, movers: int, seconds: float) -> Work:
        one = Part(name, range(0, ranks, ranks // movers), writes=200, size=8 * MIB, write_s=seconds, osts=own(movers))
        return Work((one,), ranks, 400.0, nodes=64)

    read = Part("/scratch/i/in.{}", range(8), reads=10, size=MIB, read_s=beside_s or 0.0, osts=own(8))
    steps = [
        (step("/scratch/a/c.{}", 1024, 16, large_s), 0.0),
        (step("/scratch/b/c.{}", 64, 4, small_s), 500.0),
        *([] if beside_s is None else [(Work((read,), 8, 400.0, nodes=1), 1000.0)]),
    ]
    mine = next(f for f in in_steps(*steps).findings if f.rule == "few-writers")
    assert (mine.headline or "").startswith(said)


@pytest.mark.parametrize("slow_s", [20.0, 150.0], ids=["few move in the slowest step", "all move in the slowest step"])
def test_what_few_ranks_do_in_one_step_is_not_said_of_another(slow_s: float) -> None:
    few = Part("/scratch/a/c.{}", range(0, 4096, 256), writes=4000, size=4 * MIB, write_s=100.0, osts=own(16))
    small = Part("/scratch/b/s.{}", range(4), writes=300_000, size=4 * KIB, write_s=slow_s, osts=own(4))
    read = Part("/scratch/b/in.{}", range(64), reads=20, size=MIB, read_s=0.9 * slow_s, osts=own(64))
    found = in_steps(
        (Work((few,), 4096, 400.0, nodes=32), 0.0), (Work((small, read), 64, 400.0, program="/sw/post", nodes=1), 500.0)
    )
    assert found.metrics["balance.movers_among"].value == 4096
    # The four take no longer than they do, though the others that read move few of their step's bytes.
    assert found.metrics["balance.ranks"].value == (4096 if slow_s < 100 else 64)
    assert next(f.headline for f in found.findings if f.rule == "small-io").startswith("4 of 64 ranks move")
    assert few_ranks_move(found.metrics) is (slow_s < 100)


@pytest.mark.parametrize(("slow_s", "few_move"), [(20.0, True), (150.0, False)])
def test_what_few_ranks_do_in_one_step_is_not_said_of_another_of_as_many(slow_s: float, few_move: bool) -> None:
    few = Part("/scratch/a/c.{}", range(0, 512, 64), writes=4000, size=4 * MIB, write_s=100.0, osts=own(8))
    took = [slow_s if rank else slow_s + 20 for rank in range(512)]
    every = Part("/scratch/b/o.{}", range(512), writes=10, size=4 * MIB, write_s=took, osts=own(512))
    steps = (Work((few,), 512, 400.0, nodes=4), 0.0), (Work((every,), 512, 400.0, program="/sw/post", nodes=4), 500.0)
    assert few_ranks_move(in_steps(*steps).metrics) is few_move
    assert few_ranks_move(in_steps(steps[0], (replace(steps[0][0]), 500.0)).metrics)


@pytest.mark.parametrize(("servers", "read_s"), [(4, 1.0), (4, 20.0), (16, 1.0)])
def test_servers_that_are_a_program_of_their_own_are_few_beside_the_ranks_of_the_model(
    servers: int, read_s: float
) -> None:
    """Both are started at the same time, and have a log each."""
    restart = Part("/scratch/r/restart_{}.nc", range(512), reads=5, read_s=read_s, osts=own(512))
    took = [100.0 + 50.0 * (k % 3) for k in range(servers)]
    output = Part("/scratch/r/o.{}.nc", range(servers), writes=1600, size=4 * MIB, write_s=took, osts=own(servers))
    model = Work((restart,), 512, 600.0, program="/sw/nemo.exe", nodes=8)
    found = in_steps((model, 0.0), (Work((output,), servers, 600.0, program="/sw/xios_server.exe", nodes=1), 0.0))
    assert found.metrics["balance.ranks"].value == found.metrics["job.nprocs"].value
    assert "with twice as many servers" in found.investigations.of_cells["imbalance"][0].sentence
    assert found.headline.rule == "few-nodes" or "with twice as many servers" in (found.headline.action or "")


@pytest.mark.parametrize("reads", [True, False])
def test_few_ranks_with_most_bytes_are_not_why_all_take_long(reads: bool) -> None:
    """These are done in a minute with what they move, and all ranks write little of their own for far longer."""
    moved = {"reads": 800, "read_s": 60.0} if reads else {"writes": 800, "write_s": 60.0}
    few = (Part(f"/scratch/big.{k}", range(16 * k, 16 * k + 1), size=128 * MIB, osts=(k,), **moved) for k in range(16))
    every = Part("/scratch/out.{}", range(256), writes=64, size=4 * MIB, write_s=400.0, osts=own(256))
    found = document(Work((*few, every), 256, 600.0, nodes=8))
    assert few_ranks_move(found.metrics)
    assert found.headline.rule is None
    asked = {cell: given[-1].sentence for cell, given in found.investigations.of_cells.items()}
    assert "few of the ranks move" not in asked["writes"] + (found.headline.action or "")
    assert "few of the ranks move" in asked["imbalance"]


def test_the_mean_rank_takes_no_longer_than_any_can_have_taken() -> None:
    """Seven write nearly all bytes, and the little that all of them read takes all of them long."""
    few = Part("/scratch/big", range(55, 62), writes=20_000, size=MIB, write_s=10.0, osts=osts(1))
    every = Part("/scratch/lines", range(64), reads=300, size=200, read_s=100.0, osts=osts(1))
    found = document(Work((few, every), 64, 400.0, nodes=1)).metrics
    longest, mean = (found[id].value for id in ("job.io_time", "balance.mean_time"))
    assert isinstance(longest, float)
    assert isinstance(mean, float)
    assert mean <= longest + 0.01


@pytest.mark.parametrize(
    ("ranks", "movers", "said", "hint"),
    [
        (2, 1, "as many of these ranks as the job has, 2 (the hint cb_nodes)", "cb_nodes=2"),
        (64, 2, "as many of these ranks as the file has stripes, 8 (the hint cb_nodes)", "cb_nodes=8"),
    ],
)
def test_nobody_is_asked_for_more_of_them_than_there_are_ranks(ranks: int, movers: int, said: str, hint: str) -> None:
    parts = collective("/scratch/o/x.nc", range(ranks), range(0, ranks, ranks // movers), 60.0, osts(8))
    unexplained = document(Work(parts, ranks, 150.0, nodes=1, site="archer2")).unexplained
    assert unexplained is not None
    assert said in (unexplained.experiment or "")
    assert hint in (unexplained.command or "")
