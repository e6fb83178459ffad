"""What is advised of files on the disks of several nodes: no call of all ranks reaches those of other nodes."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, document, uneven

from iotriage.analysis.document import Finding

MOUNTS = (("/scratch", "lustre"), ("/local", "xfs"), ("/home", "nfs"))
RANKS = range(128)


def job(*parts: Part, nodes: int = 4) -> Work:
    return Work(parts, nprocs=128, runtime_s=300.0, nodes=nodes, mounts=MOUNTS)


def led_by(work: Work, rule: str) -> Finding:
    found = document(work)
    assert found.headline.rule == rule
    return next(f for f in found.findings if f.rule == rule and f.verdict == "triggered")


def small(folder: str, in_order: float = 0.2) -> Part:
    """Pieces of the ranks between one another's, unless they are `in_order`."""
    return Part(
        f"{folder}/a.dat", RANKS, writes=20_000, size=4 * KIB, write_s=uneven(128, 80.0), in_order=in_order, forward=1.0
    )  # fmt: skip


@pytest.mark.parametrize("nodes", [1, 4])
def test_who_goes_on_where_it_stopped_collects_by_itself_on_a_disk_of_the_node(nodes: int) -> None:
    (one,) = led_by(job(small("/local", 1.0), nodes=nodes), "small-io").advice
    assert one.text.startswith("Collect the data of many accesses in memory")


def test_ranks_of_several_nodes_are_not_sent_to_one_file_on_a_disk_of_the_node() -> None:
    (one,) = led_by(job(small("/local")), "small-io").advice
    assert "other nodes cannot reach" in one.text
    assert "MPI_COMM_TYPE_SHARED" in (one.command or "")


@pytest.mark.parametrize("work", [job(small("/scratch")), job(small("/local"), nodes=1)], ids=["shared", "one node"])
def test_where_all_ranks_reach_the_file_they_are(work: Work) -> None:
    (one, *_) = led_by(work, "small-io").advice
    assert "through MPI-IO" in one.text


def test_one_rank_that_writes_or_reads_there_is_not_told_to_share_its_file_with_all() -> None:
    writes = Part("/local/all.h5", range(1), writes=20_000, size=4 * MIB, write_s=100.0)
    reads = Part("/local/all.h5", range(1), reads=20_000, size=4 * MIB, read_s=100.0)
    for part in (writes, reads):
        (one,) = led_by(job(part), "serial-io").advice
        assert "other nodes cannot reach" in one.text


def test_what_one_rank_writes_elsewhere_is_shared_though_larger_files_lie_on_the_nodes() -> None:
    own = Part("/local/t.{}", RANKS, writes=20_000, size=4 * MIB, write_s=10.0)
    alone = Part("/scratch/o.h5", range(1), writes=10_000, size=4 * MIB, write_s=100.0)
    (one, *_) = led_by(job(own, alone), "serial-io").advice
    assert "other nodes cannot reach" not in one.text


def test_several_ranks_that_have_more_are_not_called_one() -> None:
    """One rank of each node copies what its ranks wrote."""
    wrote = Part("/local/ck.{}", RANKS, writes=256, size=4 * MIB, write_s=20.0)
    read = Part("/local/ck.{}", range(0, 128, 32), reads=8192, size=4 * MIB, read_s=40.0)
    work = job(wrote, read)
    assert all("MPI" not in (one.command or "") for one in led_by(work, "uneven-files").advice)
    assert document(work).headline.sentence.startswith("4 ranks move far more of these files than the others")


def scattered(*, writes: int = 30_000, reads: int = 90_000, reads_first: bool = False) -> Work:
    """A file of 2 GiB of each rank, in which it jumps back and forth."""
    part = Part(
        "/scratch/m/molpro_{}.tmp", range(48), writes=writes, reads=reads, size=64 * KIB, write_s=100.0, read_s=300.0,
        in_order=0.2, forward=0.4, reach=2 * GIB, reads_first=reads_first,
    )  # fmt: skip
    return Work((part,), nprocs=48, runtime_s=900.0, nodes=1)


def test_scratch_that_is_read_back_and_forth_goes_to_the_node_before_anybody_sorts_it() -> None:
    advised = led_by(scattered(), "random-access").advice
    assert advised[0].text.startswith("If the nodes have disks of their own")
    assert "Sort the accesses" in advised[-1].text


@pytest.mark.parametrize(
    "work", [scattered(writes=0, reads=30_000), scattered(reads_first=True)], ids=["an input", "read before written"]
)
def test_inputs_that_are_read_so_are_sorted(work: Work) -> None:
    assert led_by(work, "random-access").advice[0].text.startswith("Sort the accesses")
