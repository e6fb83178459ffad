"""Where files lie, and who is slow: OSTs, nodes and cores, in layouts and traces that the other tables have not. What a
person would name, and what must not be said, was written down before each was first diagnosed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from described import KIB, MIB, Call, Part, Work, above_info, collective, document, log_of, osts, own, uneven

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.metrics import outcome
from iotriage.metrics.core.metric import Value
from iotriage.metrics.tables.selecting import select_job

Must = set[str]

BP_ON_A_SLOW_OST = Work(
    tuple(
        Part(
            f"/scratch/xgc.bp.dir/data.{k}",
            range(24 * k, 24 * k + 1),
            writes=800,
            size=8 * MIB,
            write_s=96.0 if k % 16 == 9 else 12.0 + 0.1 * (k % 7),
            osts=(k % 16,),
        )
        for k in range(32)
    ),
    nprocs=768,
    runtime_s=300,
    nodes=32,
)


def over_all_osts(slow: int | None, traced: bool, shift: int = 0, shared: bool = False) -> Work:
    """64 ranks write 12 GiB each, in calls of 1 MiB, over 24 OSTs of which one takes 12 times as long."""
    calls = []
    took = np.zeros(64)
    for rank in range(64):
        at = 1.0
        for k in range(480):
            offset = shift + (MIB * (k * 64 + rank) if shared else MIB * k)
            on = {(offset + end) // MIB % 24 for end in ((0,) if shift == 0 else (0, MIB - 1))}
            s = 0.12 if slow in on else 0.01
            path = "/scratch/w.dat" if shared else f"/scratch/w.{rank}"
            calls.append(Call(path, rank, offset, MIB, at, s))
            at += s
        took[rank] = at - 1.0
    part = Part(
        "/scratch/w.dat" if shared else "/scratch/w.{}",
        range(64),
        writes=480,
        write_s=tuple(took.tolist()),
        in_order=0.0 if shared else 1.0,
        forward=1.0,
        aligned=shift == 0,
        osts=tuple(range(24)),
    )
    return Work((part,), nprocs=64, runtime_s=40, nodes=4, osts_in_fs=24, traced=tuple(calls) if traced else ())


WIDE_FILES = Work(
    (
        Part(
            "/scratch/wide.{}",
            range(96),
            writes=1200,
            size=4 * MIB,
            write_s=uneven(96, 45.0),
            osts=osts(16, 8),
        ),
    ),
    nprocs=96,
    runtime_s=90,
    nodes=3,
)

BUSY_OST = Work(
    tuple(
        Part(
            f"/scratch/d.{k:03}",
            range(k, k + 1),
            writes=400,
            size=8 * MIB,
            write_s=on * (8.0 + 0.1 * (k % 5)),
            osts=(ost,),
        )
        for k in range(60)
        for ost, on in [(11, 6) if k < 6 else (12 + k % 18, 2) if k < 42 else (k - 12, 1)]
    ),
    nprocs=60,
    runtime_s=100,
    nodes=2,
)
"""Six files on one OST, two on 18 others, one on 18 more: each server shares its rate among them."""

CROWDED_OST = Work(
    tuple(
        Part(f"/scratch/c.{k:02}", range(k, k + 1), writes=1024, size=4 * MIB, write_s=seconds, osts=(ost,))
        for k in range(64)
        for ost, seconds in [(5, 78.0 + 0.3 * (k % 6)) if k < 10 else (6 + k % 42, 8.5 + 0.5 * (k % 6))]
    ),
    nprocs=64,
    runtime_s=300,
    nodes=4,
)
"""Ten files on one OST, which moves more in a second than those that have one file, and half of what those with two
move: these were not full."""


def steps(*, calls: int, seconds: float) -> Work:
    """Files of step after step, each on an OST of its own; the one of OST 13 with so many calls and seconds."""
    parts = (
        Part(
            f"/scratch/step.{k:03}",
            range(128),
            writes=calls if k == 13 else 20,
            size=4 * MIB,
            write_s=uneven(128, seconds if k == 13 else 6.0),
            in_order=0.0,
            forward=1.0,
            osts=(k,),
            begins_s=1 + 8.0 * k,
        )
        for k in range(24)
    )
    return Work(tuple(parts), nprocs=128, runtime_s=400, nodes=4)


ONE_OF_MANY_STEPS = steps(calls=100, seconds=30.0)

ONE_STEP_ON_A_SLOW_OST = steps(calls=20, seconds=60.0)


def node_3(rank: int, slow: float, usual: float) -> float:
    return slow if 48 <= rank < 64 else usual + 0.02 * (rank % 9)


SLOW_NODE = Work(
    (
        Part(
            "/scratch/o.{}",
            range(128),
            writes=256,
            reads=256,
            size=8 * MIB,
            write_s=tuple(node_3(r, 40.0, 8.0) for r in range(128)),
            read_s=tuple(node_3(r, 30.0, 6.0) for r in range(128)),
            osts=tuple(r * 5 % 48 for r in range(128)),
        ),
    ),
    nprocs=128,
    runtime_s=150,
    nodes=8,
)

SLOW_CORE = Work(
    (
        Part(
            "/scratch/o.{}",
            range(40),
            writes=256,
            reads=256,
            size=8 * MIB,
            write_s=tuple(60.0 if r == 21 else 8.0 for r in range(40)),
            read_s=tuple(50.0 if r == 21 else 6.0 for r in range(40)),
            osts=own(40),
        ),
    ),
    nprocs=40,
    runtime_s=150,
)

SHIFTED_OWN_FILES = Work(
    (
        Part(
            "/scratch/s.{}",
            range(64),
            writes=8000,
            size=47_008,
            write_s=tuple(70.0 if r % 20 == 6 else 9.0 for r in range(64)),
            aligned=False,
            osts=tuple(r % 20 for r in range(64)),
        ),
    ),
    nprocs=64,
    runtime_s=100,
    nodes=2,
)

OSTS_NOT_LISTED = Work(
    (
        Part(
            "/scratch/n.{}",
            range(64),
            writes=400,
            size=8 * MIB,
            write_s=tuple(90.0 if r in (5, 29) else 10.0 for r in range(64)),
        ),
    ),
    nprocs=64,
    runtime_s=150,
)

ALL_READ_THEIR_OWN = Work(
    (Part("/scratch/big.{}", range(1024), reads=512, size=16 * MIB, read_s=uneven(1024, 40.0), osts=own(1024)),),
    nprocs=1024,
    runtime_s=50,
    nodes=32,
)
STEPS_BY_RANK_0_ON_BEEGFS = Work(
    tuple(Part(f"/beegfs/out/u_{k:04}.npy", range(1), writes=2048, size=4 * MIB, write_s=20.0) for k in range(20)),
    nprocs=96,
    runtime_s=900,
    nodes=4,
    mounts=(("/beegfs", "beegfs"), ("/home", "nfs")),
    program="/opt/conda/bin/python solver.py",
)
NWCHEM_AT_HOME = Work(
    (
        Part(
            "/home/chem/run/scr.gridpts.{}",
            range(16),
            writes=4000,
            reads=16_000,
            size=128 * KIB,
            write_s=60.0,
            read_s=240.0,
            reach=4000 * 128 * KIB,
        ),
    ),
    nprocs=16,
    runtime_s=900,
    nodes=1,
)
MATRIX_BY_RANK_0 = Work(
    (
        Part("/scratch/A.mtx", range(1), reads=12_800, size=16 * MIB, read_s=250.0, osts=osts(1)),
        Part("/scratch/x.{}", range(2048), writes=1, size=MIB, write_s=0.05, osts=own(2048)),
    ),
    nprocs=2048,
    runtime_s=400,
    nodes=16,
)

JOBS: dict[str, tuple[Work, Must, Must]] = {
    "all reads of large own files": (
        ALL_READ_THEIR_OWN,
        set(),
        {"small-io", "redundant-reads", "serial-io", "straggler-rank", "metadata-bound"},
    ),
    "rank 0 on BeeGFS": (STEPS_BY_RANK_0_ON_BEEGFS, {"serial-io"}, {"ssf-understriped", "straggler-rank"}),
    "NWChem at home": (NWCHEM_AT_HOME, {"wrong-filesystem"}, {"ssf-understriped", "fpp-striped", "serial-io"}),
    "a matrix read by rank 0": (MATRIX_BY_RANK_0, {"serial-io"}, {"straggler-rank"}),
    "ADIOS with two files on a slow OST": (BP_ON_A_SLOW_OST, {"slow-ost"}, {"straggler-rank", "serial-io", "small-io"}),
    "a slow OST below all files": (
        over_all_osts(7, traced=False),
        set(),
        {"slow-ost", "straggler-rank", "serial-io", "ssf-understriped"},
    ),
    "a slow OST below all files, traced": (over_all_osts(7, traced=True), {"slow-ost"}, {"straggler-rank"}),
    "no slow OST, traced": (over_all_osts(None, traced=True), set(), {"slow-ost", "straggler-rank"}),
    "wide files": (WIDE_FILES, set(), {"slow-ost", "straggler-rank", "serial-io"}),
    "a busy OST": (BUSY_OST, set(), {"slow-ost", "straggler-rank"}),
    "a crowded OST": (CROWDED_OST, {"crowded-ost"}, {"slow-ost", "straggler-rank"}),
    "slow ranks, OSTs not listed": (OSTS_NOT_LISTED, {"straggler-rank"}, {"slow-ost"}),
    "a step with more data": (ONE_OF_MANY_STEPS, {"ssf-understriped"}, {"slow-ost", "straggler-rank"}),
    "a step on a slow OST": (ONE_STEP_ON_A_SLOW_OST, {"ssf-understriped"}, {"straggler-rank", "serial-io"}),
    "a slow node": (SLOW_NODE, {"straggler-rank"}, {"slow-ost", "serial-io"}),
    "a slow core": (SLOW_CORE, {"straggler-rank"}, {"slow-ost", "serial-io"}),
    "shifted own files on a slow OST": (SHIFTED_OWN_FILES, {"slow-ost"}, {"straggler-rank"}),
    "shifted calls, a slow OST": (
        over_all_osts(7, traced=False, shift=47_008, shared=True),
        {"straggler-rank"},
        {"serial-io", "slow-ost"},
    ),
    "shifted calls, a slow OST, traced": (
        over_all_osts(7, traced=True, shift=47_008, shared=True),
        {"slow-ost"},
        {"straggler-rank"},
    ),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_and_what_is_not(work: Work, must: Must, must_not: Must) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


def the(rule: str, work: Work) -> Finding:
    return next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


def test_one_line_stripes_a_directory_for_two_findings() -> None:
    lines = {f.advice[0].command for f in document(WIDE_FILES).findings if f.rule in above_info(document(WIDE_FILES))}
    assert lines == {'lfs setstripe -c 1 -S 1M -i -1 "${OUTPUT_DIRECTORY:?the directory in which the job writes}"'}


def test_of_shifted_calls_the_slow_ost_and_not_its_neighbours_is_named() -> None:
    shifted = JOBS["shifted calls, a slow OST, traced"][0]
    assert "on OST 7 " in the("slow-ost", shifted).summary
    fine = over_all_osts(None, traced=True, shift=47_008, shared=True)
    assert "slow-ost" not in above_info(document(fine))


@pytest.mark.parametrize("shared", [False, True], ids=["files of their own", "one file"])
def test_a_slow_ost_that_all_ranks_use_saves_what_their_calls_lose_there(shared: bool) -> None:
    """480 calls of 10 ms are 4.8 s; the slowest rank takes 7.0 s, or where its pieces lie on three OSTs 22.4 s."""
    found = the("slow-ost", over_all_osts(7, traced=True, shared=shared))
    saves = 22.4 - 4.8 if shared else 7.0 - 4.8
    assert found.takes_s == pytest.approx(saves)
    assert found.could_save_at_least_s == pytest.approx(0.9 * saves)


def own_files(slow: range) -> Work:
    """96 ranks write a file each to one of 48 OSTs, of which those of `slow` take four times as long."""
    took = tuple((40.0 if rank % 48 in slow else 10.0) * (1 + 0.02 * (rank % 5)) for rank in range(96))
    part = Part("/scratch/run/s.{}", range(96), writes=500, size=4 * MIB, write_s=took, osts=own(96))
    return Work((part,), nprocs=96, runtime_s=100)


@pytest.mark.parametrize(
    ("slow", "command"), [(range(6), "lfs pool_list /scratch/run"), (range(1), "lfs find /scratch/run --ost 0")]
)
def test_several_slow_osts_may_be_a_pool_of_slower_disks(slow: range, command: str) -> None:
    found = next(f for f in document(own_files(slow)).findings if f.rule == "slow-ost" and f.verdict == "triggered")
    assert found.advice[0].command == command


def subfiles(count: int) -> Work:
    """2,048 ranks write 20 × 16 MiB each to subfiles of one stripe, shared by equal parts of them."""
    of_one = 2048 // count
    parts = []
    for k in range(count):
        ranks, path = range(k * of_one, (k + 1) * of_one), f"/scratch/out.nc.subfile_{k}.nc"
        parts.append(Part(path, ranks, "MPI-IO", writes=20, size=16 * MIB, write_s=620.0, collective=True))
        writer = range(k * of_one, k * of_one + 1)
        parts.append(Part(path, writer, writes=20 * of_one, size=16 * MIB, write_s=600.0, in_order=0.2, osts=(k % 48,)))
    return Work(tuple(parts), 2048, 1000.0, nodes=16)


def test_two_subfiles_have_too_few_osts_and_of_sixteen_nobody_knows() -> None:
    """Of 48: a third of them may be enough."""
    assert document(subfiles(2)).headline.rule == "ssf-understriped"
    unexplained = document(subfiles(16)).unexplained
    assert unexplained is not None
    assert "four stripes for each file" in (unexplained.experiment or "")


@pytest.mark.parametrize(
    ("aggregators", "said"), [(96, "as many of these ranks as the file has"), (12, "is one of them for each stripe")]
)
def test_what_would_tell_of_slow_aggregators_is_fewer_of_them_or_more_stripes(aggregators: int, said: str) -> None:
    moved, apart = 24 * 512 // aggregators * 16, range(0, 512 // aggregators * aggregators, 512 // aggregators)
    parts = (
        Part("/scratch/o.dat", range(512), "MPI-IO", writes=24, size=16 * MIB, write_s=300.0, collective=True),
        Part("/scratch/o.dat", apart, writes=moved, write_s=290.0, in_order=0.0, osts=osts(12)),
    )
    unexplained = document(Work(parts, 512, 600.0, nodes=8)).unexplained
    assert unexplained is not None
    assert said in (unexplained.experiment or "")


def misaligned(seconds: float, stripes: int) -> CaseDocument:
    parts = tuple(
        Part(
            f"/scratch/out/step_{k:03}.dat",
            range(256),
            writes=2,
            size=MIB + 4096,
            write_s=seconds / 200,
            aligned=False,
            osts=osts(stripes, k),
        )
        for k in range(200)
    )
    return document(Work(parts, 256, 2.5 * seconds, nodes=4))


def test_writes_across_blocks_take_no_time_where_one_stripe_may_take_it() -> None:
    found = misaligned(200.0, 0)
    assert "no more than one OST gives" in found.headline.sentence
    (crossing,) = (f for f in found.findings if f.rule == "misaligned-io")
    assert (crossing.verdict, crossing.takes_s) == ("triggered", 0.0)


@pytest.mark.parametrize(("seconds", "stripes"), [(200.0, 24), (20.0, 0)])
def test_writes_across_blocks_take_the_time_of_striped_files_and_of_fast_ones(seconds: float, stripes: int) -> None:
    found = misaligned(seconds, stripes)
    assert found.headline.rule == "misaligned-io"
    (crossing,) = (f for f in found.findings if f.rule == "misaligned-io")
    assert crossing.takes_s == pytest.approx(seconds, rel=0.05)


def test_of_files_on_all_osts_any_may_be_the_first() -> None:
    checkpoints = tuple(
        Part(f"/scratch/chk.{i:02}", range(512), writes=130, size=4 * MIB, write_s=13.0, osts=osts(48))
        for i in range(30)
    )
    assert "fixed-ost-offset" not in above_info(document(Work(checkpoints, 512, 1000.0, nodes=4)))


def test_the_first_ost_takes_no_more_than_what_is_written_there() -> None:
    begin_on_0 = Part("/scratch/o.{}", range(512), writes=64, write_s=5.0, osts=(0,))
    shared = Part("/scratch/s.dat", range(512), writes=8000, size=47_008, write_s=200.0, in_order=0.0, osts=osts(12, 1))
    found = document(Work((begin_on_0, shared), 512, 1000.0, nodes=4))
    (first,) = (f for f in found.findings if f.rule == "fixed-ost-offset")
    assert first.takes_s == pytest.approx(5.0, rel=0.01)
    assert found.headline.rule == "random-access"


def test_osts_that_hold_most_of_the_files_are_held_against_those_that_hold_few() -> None:
    lies_on = (*(rank % 8 for rank in range(320)), *(8 + rank % 40 for rank in range(192)))
    took = [300.0 if rank < 320 else 60.0 for rank in range(512)]
    work = Work((Part("/scratch/c.{}", range(512), writes=320, write_s=took, osts=lies_on),), 512, 1000.0, nodes=4)
    assert document(work).headline.rule == "crowded-ost"
    assert document(work).headline.sentence.startswith("8 OSTs hold more of the job's files")


def test_who_knows_the_stripes_is_asked_for_the_number_of_osts() -> None:
    """Darshan from 3.4 on does not state how many OSTs there are; the layout of the file stands in the log."""
    shared = collective("/scratch/o/f.h5", range(128), range(0, 128, 16), 60.0, osts(24))
    found = document(Work(shared, 128, 200.0, nodes=8, osts_in_fs=0))
    asked = {key for f in found.absences for key in f.settled_by}
    assert "number of OSTs" in asked
    assert "stripe layout" not in {
        key for absence in found.absences if "OSTs there are" in absence.reason for key in absence.settled_by
    }
    assert found.missing_evidence["number of OSTs"].lines == ("lfs df /scratch",)


@pytest.mark.parametrize(
    ("seconds", "said"), [(330.0, "See what the file system gives"), (3300.0, "one server has all")]
)
def test_nfs_that_gives_more_than_one_server_has_several(seconds: float, said: str) -> None:
    """4 TiB by 256 ranks: at 12 GiB/s, and at 1.2."""
    own_files = Part("/vast/u/ck.{}", range(256), writes=4096, size=4 * MIB, write_s=uneven(256, seconds))
    mounts = (("/vast", "nfs4"), ("/home", "nfs4"))
    found = document(Work((own_files,), nprocs=256, runtime_s=2 * seconds, nodes=16, mounts=mounts))
    assert found.headline.rule is None
    assert said in (found.headline.action or "")


@pytest.mark.parametrize("parallel", [True, False])
def test_who_writes_to_nfs_is_sent_to_the_parallel_file_system_that_is_mounted(parallel: bool) -> None:
    own_files = Part("/nfs/p/o.{}", range(128), writes=4096, size=MIB, write_s=uneven(128, 1200))
    mounts = (("/nfs", "nfs"), ("/home", "nfs"), *([("/scratch", "lustre")] if parallel else []))
    found = document(Work((own_files,), nprocs=128, runtime_s=2000, nodes=4, mounts=mounts))
    assert "where often one server has all" in (found.headline.action or "")
    assert ("run once with these files on /scratch" in (found.headline.action or "")) is parallel


def test_the_size_of_the_largest_file_is_not_that_of_all() -> None:
    files = tuple(
        part
        for k in range(4)
        for part in collective(f"/scratch/run/out.{k:03}.dat", range(512), range(4), 60.0 + k, osts(4))
    )
    found = document(Work(files, nprocs=512, runtime_s=600, nodes=4, site="theta"))
    says = next(f.in_force for f in found.findings if f.rule == "ssf-stripe-size")
    assert says is not None
    assert says.summary == "The largest of out.###.dat, 4 files (2.50 GiB) has stripes of 1 MiB."


@pytest.mark.parametrize(
    ("read_from", "written_to", "begins_s", "lie_on", "at_once", "possible"),
    [
        ("/proj", "/scratch", 1.0, 32, 32, 40),
        ("/proj", "/scratch", 40.0, 32, 16, 40),
        ("/scratch/a", "/scratch/b", 1.0, 16, 16, 160),
        ("/link", "/scratch", 1.0, 16, 16, 40),
    ],
    ids=["two file systems", "one after the other", "one", "one, and where a link leads is not known"],
)
def test_the_osts_of_two_file_systems_are_counted_for_themselves(
    read_from: str, written_to: str, begins_s: float, lie_on: int, at_once: float, possible: int
) -> None:
    sixteen, ranks = tuple(rank % 16 for rank in range(64)), range(64)
    read = Part(f"{read_from}/i.{{}}", ranks, reads=1024, size=4 * MIB, read_s=32.0, osts=sixteen)
    written = Part(
        f"{written_to}/o.{{}}", ranks, writes=1032, size=4 * MIB, write_s=32.0, begins_s=begins_s, osts=sixteen
    )
    mounts = (("/proj", "lustre"), ("/scratch", "lustre"))
    log = log_of(Work((read, written), 64, 100.0, nodes=2, mounts=mounts))
    layouts = [replace(x, osts_in_fs=40 if "/o." in log.names[x.record] else 160) for x in log.lustre]
    found = select_job(((0, replace(log, lustre=tuple(layouts))),))
    figures = [outcome(found, f"file.{name}") for name in ("osts", "stripes_at_once", "stripes_possible")]
    assert [f.value for f in figures if isinstance(f, Value)] == [lie_on, pytest.approx(at_once, rel=0.01), possible]
