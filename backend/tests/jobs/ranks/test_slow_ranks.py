"""Who takes longer: aggregators of one node or of several, and ranks of a file that all share. What a person would name
was written down before each was first diagnosed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from described import MIB, Part, Work, above_info, document, in_steps, osts, own, seconds_of

from iotriage.analysis.document import Finding


def straggler(work: Work) -> Finding:
    return next(f for f in document(work).findings if f.rule == "straggler-rank" and f.verdict == "triggered")


def aggregators(slow: range) -> Work:
    """16 aggregators, four a node, write as much; those of `slow` take four times as long."""
    took = [200.0 if i in slow else 50.0 for i in range(16)]
    parts = (
        Part("/scratch/a.dat", range(512), "MPI-IO", writes=40, size=8 * MIB, write_s=210.0, collective=True),
        Part("/scratch/a.dat", range(0, 512, 32), writes=1280, size=8 * MIB, write_s=took, in_order=0.0, osts=osts(16)),
    )
    return Work(parts, 512, 1000.0, nodes=4)


def test_slow_aggregators_of_one_node_are_all_named_with_it() -> None:
    said = straggler(aggregators(range(4, 8)))
    assert said.headline.startswith("4 ranks of those that move the bytes, all on nid000001, take far longer")
    assert "run without that node" in " ".join(advice.text for advice in said.advice)


def test_slow_aggregators_of_two_nodes_may_be_slow_servers() -> None:
    said = straggler(aggregators(range(2, 6)))
    assert said.headline.startswith("4 ranks of those that move the bytes take far longer")
    assert "so their server (OST), their node" in " ".join(advice.text for advice in said.advice)


def shared_by_all(took: list[float]) -> Work:
    """256 ranks write as much each to a file that all share, in these seconds."""
    part = Part("/scratch/state.dat", range(256), writes=200, size=4 * MIB, write_s=took, in_order=0.9, osts=osts(48))
    return Work((part,), 256, 600.0, nodes=32)


def some_slower(slow: int, longer: float) -> Work:
    return shared_by_all(
        [100.0 * (longer if r < slow else 1.0) * (1 + 0.02 * float(np.sin(7 * r))) for r in range(256)]
    )


def scattered(by: float) -> Work:
    chance = np.random.default_rng(7)
    return shared_by_all((100.0 * chance.lognormal(0, by, 256)).tolist())


@pytest.mark.parametrize("slow", [1, 16])
def test_a_few_slow_ranks_of_a_file_that_all_share_stand_apart(slow: int) -> None:
    assert above_info(document(some_slower(slow, 2.0)))["straggler-rank"] == "medium"


@pytest.mark.parametrize(
    "work",
    [some_slower(128, 2.0), some_slower(16, 1.3), scattered(0.2), scattered(0.3)],
    ids=["half", "a third longer", "by chance", "by much chance"],
)
def test_ranks_that_differ_otherwise_do_not(work: Work) -> None:
    assert "straggler-rank" not in above_info(document(work))


def groups(slow_s: float) -> Work:
    """Eight groups of 16 ranks write a file each, one of them in so long."""
    parts = (
        part
        for k in range(8)
        for took in [slow_s if k == 5 else 24.0]
        for part in (
            Part(f"/scratch/g/f{k}.h5", range(16 * k, 16 * k + 16), "MPI-IO", writes=100, size=4 * MIB, write_s=took,
                 collective=True),
            Part(f"/scratch/g/f{k}.h5", range(16 * k, 16 * k + 1), writes=1600, size=4 * MIB, write_s=0.9 * took,
                 osts=(k,)),
        )
    )  # fmt: skip
    return Work(tuple(parts), 128, 500.0, nodes=8)


def test_the_file_of_a_group_that_is_slow_as_a_whole_is_named() -> None:
    said = straggler(groups(240.0))
    assert "lfs getstripe /scratch/g/f5.h5" in [advice.command for advice in said.advice]


def test_of_groups_that_are_alike_none_is() -> None:
    found = document(groups(25.0))
    assert "straggler-rank" not in above_info(found)
    assert found.metrics["balance.file"].value is None


def flushed(slow_s: float, *, before: int = 16, calls: int = 4000, size: int = 16 * MIB) -> Work:
    """2,048 ranks write a checkpoint to their nodes, and one of each node copies what its node has to Lustre; the tenth
    of these in so long, and in calls of its own number and size."""
    own = Part("/tmp/ck.{}", range(2048), writes=64, size=before * MIB, write_s=1.5)
    copies = (
        Part(
            f"/scratch/ck/n{node:02}.tar",
            range(64 * node, 64 * node + 1),
            writes=calls if node == 9 else 4000,
            size=size if node == 9 else 16 * MIB,
            write_s=slow_s if node == 9 else 40.0,
            osts=osts(4, 4 * node),
        )
        for node in range(32)
    )
    return Work((own, *copies), 2048, 300.0, nodes=32)


@pytest.mark.parametrize("before", [16, 32])
def test_one_of_those_that_copy_is_slow_and_has_no_more_calls_or_bytes_than_these(before: int) -> None:
    said = straggler(flushed(160.0, before=before))
    assert said.headline.startswith("One rank spends")
    assert said.advice[0].text.startswith("It moves no more than others that are far quicker, so its server")


def test_one_with_far_more_calls_than_these_is_still_told_of_them() -> None:
    said = straggler(flushed(160.0, calls=1_000_000, size=64 * 1024))
    assert said.headline.startswith("One rank makes far more calls than the others")


def test_one_with_far_more_bytes_than_these_is_still_told_of_them() -> None:
    said = straggler(flushed(160.0, calls=16_000))
    assert said.headline.startswith("One rank moves far more data than the others")


def partitions(slow_s: float, slow_parts: int = 1, *, more: int = 1, stripes: int = 3) -> Work:
    """16 files that 16 ranks share each, on busy OSTs; the last of them in so long, of `more` times the bytes."""
    parts = (
        Part(
            f"/scratch/run/mpicosmo.499#{k}",
            range(16 * k, 16 * k + 16),
            writes=128 * (more if k >= 16 - slow_parts else 1),
            size=16 * MIB,
            write_s=[took * (1 + 0.02 * float(np.sin(r))) for r in range(16)],
            in_order=0.9,
            osts=osts(stripes if k >= 16 - slow_parts else 3, 3 * k),
        )
        for k in range(16)
        for took in [slow_s if k >= 16 - slow_parts else 9.0]
    )
    return Work(tuple(parts), 256, 200.0, nodes=32)


def test_a_file_that_is_slower_than_those_striped_alike_is_no_matter_of_stripes() -> None:
    found = document(partitions(90.0))
    takes = {f.rule: f.takes_s for f in found.findings if f.verdict == "triggered"}
    assert found.headline.rule == "straggler-rank"
    assert "mpicosmo.499#15" in " ".join(straggler(partitions(90.0)).summary.split())
    assert takes["straggler-rank"] == pytest.approx(77, abs=2)
    assert takes["ssf-understriped"] == pytest.approx(14, abs=1)


def test_ranks_of_two_nodes_that_share_a_slow_file_are_not_one_slow_node() -> None:
    """A node has 8 ranks, and each file 16."""
    assert straggler(partitions(90.0)).headline.startswith("16 ranks spend")


@pytest.mark.parametrize(
    "work",
    [
        partitions(10.0),
        partitions(90.0, 8),
        partitions(90.0, more=8),
        partitions(90.0, stripes=1),
        shared_by_all([100.0] * 256),
    ],
    ids=["hardly slower", "half of them", "more bytes", "fewer stripes", "one file of all"],
)
def test_files_that_differ_otherwise_have_no_slow_one(work: Work) -> None:
    times = document(work).metrics["balance.slow_group"].value
    assert times is None or float(times) < 1.3


ALONE = Part("/scratch/r/one.dat", range(1), writes=20_000, write_s=80.0, osts=(5,))
FEW = Part("/scratch/q/big.{}", range(0, 128, 64), writes=20_000, write_s=100.0, osts=own(128))


LINES = Part("/scratch/run.out", range(1), "STDIO", writes=3_000_000, size=80, write_s=90.0, osts=(4,))


def own_files(slow_s: float) -> Part:
    """Rank 77 takes so long, the others 20 s."""
    times = tuple(slow_s if r == 77 else 20.0 + 0.1 * (r % 9) for r in range(128))
    return Part("/scratch/r/o.{}", range(128), writes=200, size=4 * MIB, write_s=times)


@pytest.mark.parametrize(
    ("beside", "slow_s", "takes"),
    [
        (ALONE, 250.0, {"straggler-rank": 227.0}),
        (ALONE, 30.0, {"serial-io": 79.0}),
        (replace(ALONE, write_s=200.0, writes=50_000), 80.0, {"serial-io": 197.0}),
        (FEW, 250.0, {"straggler-rank": 227.0}),
        (LINES, 150.0, {"straggler-rank": 127.0}),
    ],
    ids=["one", "one and hardly slow", "one for longer", "two", "one with many lines"],
)
def test_a_rank_that_is_slow_in_files_of_all_is_told_beside_what_others_write_for_all(
    beside: Part, slow_s: float, takes: dict[str, float]
) -> None:
    work = Work((beside, own_files(slow_s)), 128, 500.0, nodes=8)
    assert seconds_of(work) == {rule: pytest.approx(seconds, abs=2.0) for rule, seconds in takes.items()}
    if "straggler-rank" in takes:
        assert straggler(work).headline.startswith("One rank spends")


def test_a_rank_that_is_slow_in_its_own_file_is_told_beside_what_all_take_in_one_that_they_share() -> None:
    """Over all of the I/O it takes less than three times the mean."""
    shared = (
        Part("/scratch/f.dat", range(128), "MPI-IO", writes=2000, size=8192, write_s=100.0),
        Part("/scratch/f.dat", range(128), writes=2000, size=8192, write_s=99.0, in_order=0.05, forward=1.0,
             aligned=False, osts=osts(8)),
    )  # fmt: skip
    work = Work((*shared, own_files(200.0)), 128, 500.0, nodes=4)
    assert seconds_of(work) == {
        "straggler-rank": pytest.approx(178.6, abs=1.0),
        "independent-shared": pytest.approx(100.0, abs=1.0),
    }
    assert seconds_of(Work((*shared, own_files(45.0)), 128, 500.0, nodes=4)) == {
        "independent-shared": pytest.approx(100.0, abs=1.0)
    }


def test_who_has_more_lines_of_its_own_is_no_slow_rank() -> None:
    """They are flushed one by one, by one rank two hundred times as many as by another."""
    logs = tuple(
        Part(f"/scratch/log.{r}", range(r, r + 1), "STDIO", writes=n, size=80, write_s=0.0002 * n, syncs=n)
        for r in range(128)
        for n in [400_000 if r == 77 else 2000]
    )
    shared = Part("/scratch/o.dat", range(128), "MPI-IO", writes=40, size=4 * MIB, write_s=60.0, collective=True)
    found = document(Work((*logs, shared), 128, 400.0, nodes=4))
    assert found.headline.rule == "sync-heavy"
    assert not [f for f in found.findings if f.rule == "straggler-rank" and f.verdict == "triggered"]


def test_of_a_rank_slow_in_files_of_many_it_is_said_how_slow_it_is_in_these() -> None:
    took = [160.0 if rank == 77 else 20.0 + 0.1 * (rank % 7) for rank in range(128)]
    own_files = Part("/scratch/d.{}", range(128), writes=500, size=4 * MIB, write_s=took, osts=own(128))
    alone = Part("/scratch/one.dat", range(1), writes=20_000, size=MIB, write_s=120.0, osts=(5,))
    said = straggler(Work((own_files, alone), 128, 400.0, nodes=4))
    assert said.headline.startswith("One rank spends 7.48 times the mean time in files of one kind")


def test_a_rank_as_slow_a_byte_as_the_others_waits_for_its_bytes() -> None:
    others = Part("/scratch/c.dat", range(1, 512), writes=20, size=4 * MIB, write_s=10.0, osts=osts(48))
    first = Part("/scratch/c.dat", range(1), writes=400, size=4 * MIB, write_s=200.0, osts=osts(48))
    said = straggler(Work((others, first), 512, 300.0, nodes=4))
    assert said.headline == "One rank moves far more data than the others, which wait for it."


def a_header_by_rank_0(pieces: int, took_s: float, *, larger: int = 0, by: range = range(1)) -> Work:
    """All ranks write 256 MiB each to a file that they share; the ranks of `by` write pieces of 500 B beside that, and
    rank 0 takes so long for them, or for `larger` pieces of 4 MiB more."""
    path = "/scratch/mesh/s.dat"
    data = Part(path, range(256), writes=64, size=4 * MIB, write_s=10.0, osts=osts(16))
    more = (
        Part(path, by, writes=pieces, size=500, write_s=[took_s if r == 0 else 0.1 for r in by], aligned=False),
        Part(path, range(1), writes=larger, size=4 * MIB),
    )
    return Work((data, *more), 256, 200.0, nodes=2)


def test_small_pieces_of_one_rank_beside_the_data_of_all_are_its_calls_and_no_slow_server() -> None:
    said = straggler(a_header_by_rank_0(60_000, 80.0))
    assert said.headline == "One rank makes far more calls than the others, which wait for it."
    assert "gather" in said.advice[0].text


@pytest.mark.parametrize(
    "work",
    [
        a_header_by_rank_0(400, 80.0),
        a_header_by_rank_0(60_000, 80.0, larger=16),
        a_header_by_rank_0(2000, 80.0, by=range(256)),
    ],
    ids=["a short header", "larger pieces too", "pieces of all"],
)
def test_where_its_small_pieces_do_not_take_the_time_the_slow_rank_is_not_told_of_them(work: Work) -> None:
    assert "more calls" not in (straggler(work).headline or "")


def own_files_beside(shared: Sequence[Part]) -> Work:
    """64 ranks write a file each, four of them in four times as long, and use these files together."""
    took = [200.0 if rank in range(8, 12) else 50.0 for rank in range(64)]
    own_files = Part("/scratch/o.{}", range(64), writes=400, size=4 * MIB, write_s=took, osts=osts(1))
    return Work((own_files, *shared), 64, 600.0, nodes=16)


def looked_at(files: int, slowest: Callable[[int], int], longest_s: float) -> list[Part]:
    """Small files that all ranks read, one of them in so long."""
    return [
        Part(f"/scratch/in/table{i}.dat", range(64), reads=4, size=4096,
             read_s=[longest_s if rank == slowest(i) else 0.001 for rank in range(64)])
        for i in range(files)
    ]  # fmt: skip


def test_small_files_of_which_each_has_another_slowest_rank_hide_no_slow_ranks() -> None:
    found = document(own_files_beside(looked_at(60, lambda i: i, 0.4)))
    assert found.metrics["balance.slow_ranks"].value == 4


@pytest.mark.parametrize("files", [looked_at(60, lambda _: 3, 0.4), looked_at(1, lambda _: 3, 30.0)])
def test_shared_files_that_may_make_one_rank_slow_leave_open_which_are(files: list[Part]) -> None:
    found = document(own_files_beside(files))
    assert found.metrics["balance.slow_ranks"].value is None


def gathered_by_slow_ones(name: str, slow: Sequence[int], at_s: float) -> list[Part]:
    """32 of 512 ranks write for all, of which these take a minute instead of 20 s."""
    above = Part(
        name, range(512), "MPI-IO", writes=40, size=MIB, write_s=61.0, collective=True, begins_s=at_s, osts=osts(8)
    )
    below = (
        Part(name, range(m, m + 1), writes=640, write_s=60.0 if m in slow else 20.0, in_order=0.2, begins_s=at_s)
        for m in range(0, 512, 16)
    )
    return [above, *below]


@pytest.mark.parametrize(
    ("slow", "each"),
    [([80], 38.75), (range(0, 512, 32), 40.0), (None, 38.75)],
    ids=["one of them", "half of them", "another each time"],
)
@pytest.mark.parametrize(("steps", "outputs"), [(1, 1), (1, 8), (3, 1)])
def test_what_slow_movers_cost_is_that_in_all_outputs_and_steps(
    slow: Sequence[int] | None, each: float, steps: int, outputs: int
) -> None:
    def work(step: int) -> Work:
        files = (
            gathered_by_slow_ones(
                f"/scratch/o/chk_{k}.h5", [48 * (step + k) + 16] if slow is None else slow, 100.0 * k + 1.0
            )
            for k in range(outputs)
        )
        return Work(tuple(part for of in files for part in of), 512, 100.0 * outputs + 50.0, nodes=16)

    document = in_steps(*((work(step), 2000.0 * step) for step in range(steps)))
    takes = sum(f.takes_s or 0.0 for f in document.findings if f.rule == "straggler-rank" and f.verdict == "triggered")
    if slow is None:
        assert takes < 40.0
    else:
        assert takes == pytest.approx(each * steps * outputs, rel=0.01)


@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize(
    ("slow", "named"), [(lambda k: 5, True), (lambda k: 13 * k % 64, False)], ids=["the same rank", "another each time"]
)
def test_a_rank_that_is_slow_in_every_file_of_all_is_as_slow_as_in_one(
    outputs: int, slow: Callable[[int], int], *, named: bool
) -> None:
    files = (
        Part(
            f"/scratch/w{k}.dat", range(64), writes=480, begins_s=40.0 * k + 1.0, osts=osts(16),
            write_s=[22.0 if rank == slow(k) else 9.0 + 0.001 * rank for rank in range(64)],
        )
        for k in range(outputs)
    )  # fmt: skip
    takes = seconds_of(Work(tuple(files), 64, 40.0 * outputs)).get("straggler-rank", 0.0)
    assert takes == pytest.approx(12.8 * outputs if named or outputs == 1 else 0.0, rel=0.03)


@pytest.mark.parametrize(("slow_s", "told"), [(90.0, True), (40.0, False)])
def test_one_rank_that_may_be_slow_by_chance_is_told_where_nothing_else_is(slow_s: float, *, told: bool) -> None:
    """With less than three times the mean it is no finding; a trace of all ranks is not what tells most."""
    took = tuple(slow_s if rank == 9 else 30.0 + 0.3 * (rank % 5) for rank in range(128))
    part = Part("/scratch/a/d.{}", range(128), writes=500, size=4 * MIB, write_s=took, osts=own(128))
    found = document(Work((part,), nprocs=128, runtime_s=200.0, nodes=2))
    assert found.unexplained is not None
    said = f"one of 128 ranks takes {slow_s:.1f} s, most of it in d.9, and none of the others"
    assert (said in (found.unexplained.experiment or "")) is told


def test_one_slow_rank_that_moves_more_is_not_said_to_move_as_much() -> None:
    parts = tuple(
        Part(
            f"/scratch/f.{r}",
            range(r, r + 1),
            writes=100 if r == 7 else 64,
            write_s=25.0 if r == 7 else 10.0,
            osts=(r % 48,),
        )
        for r in range(128)
    )
    unexplained = document(Work(parts, nprocs=128, runtime_s=100.0, nodes=4)).unexplained
    assert unexplained is not None
    assert "none of the others more than 10.0 s; for each byte it takes 1.6 times as long" in (
        unexplained.experiment or ""
    )


def asks(meta_s: float, write_s: float) -> Work:
    data = Part("/scratch/o.dat", range(64), writes=100, write_s=10.0, osts=osts(4))
    mine = Part("/scratch/run/log.txt", range(1), writes=1, write_s=write_s, meta_s=meta_s, opens=40, osts=(7,))
    return Work((data, mine), nprocs=64, runtime_s=300.0, nodes=4)


@pytest.mark.parametrize(("meta_s", "write_s", "asked"), [(90.0, 0.1, True), (0.1, 90.0, False)])
def test_who_is_slow_in_opening_files_looks_at_no_ost(meta_s: float, write_s: float, *, asked: bool) -> None:
    found = straggler(asks(meta_s, write_s))
    said = " ".join(one.text for one in found.advice)
    assert ("in opening log.txt and asking about it, which moves no bytes" in said) is asked
    assert ("(OST)" in said) is not asked
    assert any("getstripe" in (one.command or "") for one in found.advice) is not asked
