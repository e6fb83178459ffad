"""One job on each kind of file system: what is a fault there, and what may be advised."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, above_info, document, osts, uneven

from iotriage.analysis.document import CaseDocument
from iotriage.rules.core.advice import advice_text

RANKS = range(128)
BURST_BUFFER = "/var/opt/cray/dws/mounts/batch/1"
FOLDERS = {
    "lustre": "/scratch",
    "gpfs": "/gpfs/scratch",
    "nfs4": "/proj",
    "beegfs": "/beegfs",
    "dfuse": "/daos",
    "dvs": f"{BURST_BUFFER}/ss",
    "tmpfs": "/dev/shm",
    "xfs": "/local",
}
OF_A_NODE = ("tmpfs", "xfs")


def on(kind: str, *parts: Part, ranks: int = 128) -> CaseDocument:
    """The job with its files in the folder of that kind, which stands for `DIR`."""
    folder = FOLDERS[kind]
    placed = tuple(replace(part, path=part.path.replace("DIR", folder)) for part in parts)
    mounts = ((BURST_BUFFER if kind == "dvs" else folder, kind), ("/home", "nfs"))
    nodes, of_lustre = (1 if kind in OF_A_NODE or ranks == 1 else 8), 48 if kind == "lustre" else None
    return document(Work(placed, ranks, 150.0, nodes=nodes, mounts=mounts, osts_in_fs=of_lustre))


def said(found: CaseDocument, rule: str) -> str:
    return " ".join(advice_text(one) for f in found.findings if f.rule == rule for one in f.advice)


def saving(found: CaseDocument, rule: str) -> str:
    (because,) = (f.impact.because for f in found.findings if f.rule == rule and f.impact is not None)
    return because


INDEPENDENT = (
    Part("DIR/out.dat", RANKS, "MPI-IO", writes=4000, size=8 * KIB, write_s=uneven(128, 60.0)),
    Part("DIR/out.dat", RANKS, writes=4000, size=8 * KIB, write_s=uneven(128, 59.0), in_order=0.0, forward=1.0),
)
ACROSS = Part("DIR/big", RANKS, writes=512, write_s=uneven(128, 60.0), in_order=0.0, forward=1.0, aligned=False)
SPARSE = Part("DIR/gaps", RANKS, writes=4000, size=8 * KIB, write_s=uneven(128, 60.0), in_order=0.0, reach=2**40)
SYNCED = Part("DIR/log.{}", RANKS, writes=2000, size=64 * KIB, write_s=uneven(128, 60.0), syncs=2000)


@pytest.mark.parametrize(
    ("parts", "rule", "never_on"),
    [
        (INDEPENDENT, "independent-shared", OF_A_NODE),
        ((ACROSS,), "misaligned-io", (*OF_A_NODE, "nfs4")),
        ((SPARSE,), "sparse-layout", ("tmpfs",)),
        ((SYNCED,), "sync-heavy", ("tmpfs",)),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
@pytest.mark.parametrize("kind", FOLDERS)
def test_locks_and_disks_are_waited_for_where_there_are_any(kind, parts, rule, never_on):
    assert (rule in above_info(on(kind, *parts))) == (kind not in never_on)


@pytest.mark.parametrize("kind", FOLDERS)
def test_nobody_is_to_stripe_where_lfs_does_not(kind):
    gathered = (
        Part("DIR/big.dat", RANKS, "MPI-IO", writes=16, size=16 * MIB, write_s=uneven(128, 60.0), collective=True),
        Part("DIR/big.dat", range(1), writes=2048, size=16 * MIB, write_s=55.0),
    )
    found = on(kind, *gathered)
    commands = [one.command or "" for f in found.findings if f.verdict == "triggered" for one in f.advice]
    assert any("lfs setstripe" in command for command in commands) == (kind == "lustre")


@pytest.mark.parametrize("kind", OF_A_NODE)
def test_who_is_slow_on_storage_of_a_node_has_no_server(kind):
    slow = Part("DIR/u.{}", RANKS, writes=1024, size=4 * MIB, write_s=(80.0, *[8.0] * 127))
    assert "server" not in said(on(kind, slow), "straggler-rank")
    assert "node or another process on its core is slow" in said(on(kind, slow), "straggler-rank")
    assert "same server" in said(on("gpfs", slow), "straggler-rank")
    assert "its server" not in saving(on(kind, slow), "straggler-rank")
    assert "its server" in saving(on("gpfs", slow), "straggler-rank")


@pytest.mark.parametrize("kind", FOLDERS)
def test_what_is_in_the_memory_of_the_node_is_mapped_and_not_sent_around(kind):
    read = Part("DIR/in.dat", RANKS, reads=4096, read_s=uneven(128, 60.0), reach=4096 * MIB)
    assert ("Map them into memory" in said(on(kind, read), "redundant-reads")) == (kind == "tmpfs")


@pytest.mark.parametrize(("seconds", "holds"), [(100.0, True), (84.0, False)])
def test_what_is_faster_than_any_server_is_not_waiting_for_one(seconds, holds):
    """512 GiB on one OST: 5.5 GB/s, and 6.5, where a server of Theta has 6 at its peak."""
    large = Part("DIR/big.dat", RANKS, writes=256, size=16 * MIB, write_s=seconds, osts=osts(1))
    assert ("ssf-understriped" in above_info(on("lustre", large))) == holds


def test_an_ost_that_seems_faster_than_any_server_is_not_called_busy():
    large = Part("DIR/big.dat", RANKS, writes=256, size=16 * MIB, write_s=80.0, osts=osts(1))
    unexplained = on("lustre", large).unexplained
    assert unexplained is not None
    assert "busy" not in (unexplained.experiment or "")


@pytest.mark.parametrize(("seconds", "holds"), [(100.0, True), (60.0, False)])
def test_nor_are_files_waited_for_that_all_begin_on_it(seconds, holds):
    """512 GiB of 64 files on one OST."""
    part = Part("/scratch/o.{}", range(64), writes=1024, size=8 * MIB, write_s=seconds, osts=(0,) * 64)
    assert ("fixed-ost-offset" in above_info(document(Work((part,), 64, 150.0, nodes=4)))) == holds


@pytest.mark.parametrize(("kind", "nodes", "shared"), [("xfs", 8, False), ("xfs", 1, True), ("lustre", 8, True)])
def test_ranks_of_several_nodes_share_no_file_on_storage_of_a_node(kind, nodes, shared):
    small = tuple(
        Part(f"{FOLDERS[kind]}/s{k}.{{}}", RANKS, writes=1, size=400, write_s=0.05, meta_s=2.0) for k in range(20)
    )
    work = Work(small, 128, 150.0, nodes=nodes, mounts=((FOLDERS[kind], kind),))
    assert ("one shared file" in said(document(work), "many-small-files")) == shared


@pytest.mark.parametrize("kind", FOLDERS)
def test_who_opens_on_a_node_waits_for_no_server(kind):
    opened = Part("DIR/f.{}", RANKS, writes=16, write_s=1.0, meta_s=30.0)
    unexplained = on(kind, opened).unexplained
    asked = (unexplained.experiment or "") if unexplained is not None else ""
    assert ("no server is asked" in asked) == (kind in OF_A_NODE)
    assert "on one node" not in asked or kind not in OF_A_NODE
    assert ("disk" in asked) == (kind == "xfs")


@pytest.mark.parametrize("kind", FOLDERS)
def test_one_process_that_opens_on_its_node_waits_for_no_server(kind):
    opened = tuple(Part(f"DIR/f.{n}", range(1), writes=16, write_s=0.1, meta_s=3.0) for n in range(20))
    unexplained = on(kind, *opened, ranks=1).unexplained
    assert unexplained is not None
    assert ("the server was busy" in (unexplained.experiment or "")) == (kind not in OF_A_NODE)
    assert ("Run it again on another node" in (unexplained.experiment or "")) == (kind in OF_A_NODE)


@pytest.mark.parametrize("kind", FOLDERS)
def test_it_is_the_node_that_stood_still_where_files_lie_on_it(kind):
    once = Part("DIR/g.{}", RANKS, writes=64, write_s=40.0, longest_s=39.0)
    asked = getattr(on(kind, once).unexplained, "experiment", None) or ""
    assert ("the node stood still" in asked) == (kind in OF_A_NODE)


def test_ranks_of_one_node_are_not_sent_to_one_node():
    opened = Part("/scratch/f.{}", RANKS, writes=16, write_s=1.0, meta_s=30.0)
    unexplained = document(Work((opened,), 128, 150.0, nodes=1)).unexplained
    assert unexplained is not None
    assert "run it once with one process" in (unexplained.experiment or "").lower()
