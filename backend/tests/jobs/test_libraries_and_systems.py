"""Jobs of I/O libraries, of single processes and on other file systems: what a person who knows them would name, and
what must not be said of them. Each was written down with its answer before it was first diagnosed."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, collective, document, osts, own, uneven

from iotriage.analysis.document import Finding
from iotriage.rules.advice.python_snippets import IN_PYTHON, hints_in_python
from iotriage.rules.core.action import Library, MpiioHint, SetHint
from iotriage.rules.core.advice import Advice

QUILTING = Work(
    tuple(
        Part(
            f"/scratch/wrf/wrfout_d01_{k:02}",
            range(992 + 8 * (k % 4), 993 + 8 * (k % 4)),
            writes=2500,
            size=4 * MIB,
            write_s=12.0,
            osts=(k,),
            begins_s=10 + 50.0 * k,
        )
        for k in range(24)
    ),
    nprocs=1024,
    runtime_s=1500,
)


def servers(slow: float, more: int = 1) -> Work:
    """Eight I/O servers of 512 ranks with a file each; the fourth has `more` times the data and takes `slow` s."""
    parts = (
        Part(
            f"/scratch/nemo/out_{k:04}.nc",
            range(504 + k, 505 + k),
            writes=2000 * (more if k == 3 else 1),
            size=8 * MIB,
            write_s=slow if k == 3 else 40.0,
            osts=(5 * k,),
        )
        for k in range(8)
    )
    return Work(tuple(parts), nprocs=512, runtime_s=400, nodes=8)


def subfiles(slow: float) -> Work:
    """Eight groups of 64 ranks, a node each, write a file together; the fourth takes `slow` s."""
    parts = (
        part
        for k in range(8)
        for part in collective(
            f"/scratch/o.nc.sub_{k}",
            range(64 * k, 64 * k + 64),
            range(64 * k, 64 * k + 64, 16),
            slow if k == 3 else 20.0,
            osts(4, 4 * k),
        )
    )
    return Work(tuple(parts), nprocs=512, runtime_s=300, nodes=8)


def file_a_node(slow: float, more: int = 1) -> Work:
    parts = (
        Part(
            f"/scratch/ck/n{k:03}",
            range(k * 64, k * 64 + 1),
            writes=1024 * (more if k == 5 else 1),
            size=16 * MIB,
            write_s=slow if k == 5 else 20.0,
            osts=osts(1, k),
        )
        for k in range(32)
    )
    return Work(tuple(parts), nprocs=2048, runtime_s=300, nodes=32)


PIO = Work(
    collective("/scratch/cesm/cam.h0.nc", range(0, 2048, 64), range(0, 2048, 64), 25.0, osts(32)),
    nprocs=2048,
    runtime_s=120,
    nodes=16,
)
BP5 = Work(
    tuple(
        Part(
            f"/scratch/s.bp/data.{k}",
            range(k * 32, k * 32 + 4),
            writes=200,
            size=16 * MIB,
            write_s=12.0,
            in_order=0.1,
            osts=osts(1, k),
        )
        for k in range(32)
    ),
    nprocs=1024,
    runtime_s=60,
    nodes=32,
)
EVERY_RANK_AGGREGATES = Work(
    collective("/scratch/x.h5", range(32), range(32), 60.0, osts(48)), nprocs=32, runtime_s=120, nodes=8
)
ON_GPFS = Work(
    collective("/gpfs/run/o.h5", range(1024), range(0, 1024, 32), 30.0, ()),
    nprocs=1024,
    runtime_s=100,
    nodes=32,
    mounts=(("/gpfs", "gpfs"), ("/home", "nfs")),
)
THE_ONLY_OST = Work(
    collective("/scratch/o.dat", range(256), range(0, 256, 16), 60.0, (0,)),
    nprocs=256,
    runtime_s=100,
    nodes=4,
    osts_in_fs=1,
)
ONE_STRIPE_ON_ONE_NODE = Work(
    collective("/scratch/o.dat", range(64), range(0, 64, 8), 60.0, (3,)), nprocs=64, runtime_s=100, nodes=1
)
BATCHES = Work(
    tuple(
        Part(
            f"/scratch/data/shard{k}.bin",
            range(64),
            reads=3000,
            size=100 * KIB,
            read_s=uneven(64, 30.0),
            in_order=0.0,
            reach=200 * GIB,
            osts=osts(1, 3 * k),
        )
        for k in range(8)
    ),
    nprocs=64,
    runtime_s=600,
)
CHUNKS_IN_FILES = Work(
    tuple(
        Part(
            f"/scratch/z.zarr/{k // 50}.{k % 50}",
            range(1),
            writes=1,
            size=500 * KIB,
            write_s=0.01,
            meta_s=0.01,
        )
        for k in range(1500)
    ),
    nprocs=1,
    runtime_s=60,
    program="/sw/bin/python3 reduce.py",
)
DATA_BASE = Work(
    (
        Part(
            "/scratch/run/results.db",
            range(1),
            writes=60_000,
            reads=20_000,
            size=4096,
            write_s=200.0,
            read_s=1.0,
            syncs=20_000,
            in_order=0.1,
            osts=(2,),
        ),
    ),
    nprocs=1,
    runtime_s=500,
)
IMPORTS_FROM_HOME = Work(
    tuple(
        Part(
            f"/home/u/conda/lib/python3.11/site-packages/m{k}.py",
            range(64),
            reads=2,
            size=8192,
            meta_s=0.1,
            stats=6,
        )
        for k in range(400)
    ),
    nprocs=64,
    runtime_s=120,
)
STRIDED_BY_POSIX = Work(
    (
        Part(
            "/scratch/x.dat",
            range(128),
            writes=20_000,
            size=4096,
            write_s=uneven(128, 70),
            in_order=0.0,
            forward=1.0,
            aligned=False,
            osts=osts(8),
        ),
    ),
    nprocs=128,
    runtime_s=120,
)
MERGED_BY_RANK_0 = Work(
    (
        Part("/scratch/p.{}", range(128), writes=64, size=4 * MIB, write_s=2.0, osts=own(128)),
        *(Part(f"/scratch/p.{r}", range(1), reads=64, size=4 * MIB, read_s=0.6, osts=(r % 48,)) for r in range(1, 128)),
        Part("/scratch/all.dat", range(1), writes=128 * 64, size=4 * MIB, write_s=40.0, osts=(1,)),
    ),
    nprocs=128,
    runtime_s=180,
)
IN_PLACE = Work(
    (
        Part(
            "/scratch/ck.{}",
            range(64),
            writes=1280,
            size=4 * MIB,
            write_s=40.0,
            opens=20,
            reach=256 * MIB,
            osts=own(64),
        ),
    ),
    nprocs=64,
    runtime_s=200,
)
MAPPED = Work((Part("/scratch/db", range(4), reads=1, size=4096, mmaps=1, read_s=0.001),), nprocs=4, runtime_s=3600)
NOT_SEEN = Work((Part("/scratch/fio.{}", range(16), meta_s=0.3, opens=2),), nprocs=16, runtime_s=300)

SYNCED_RECORDS = Work(
    (
        Part(
            "/scratch/events/{}.jsonl",
            range(64),
            writes=9000,
            size=700,
            write_s=50.0,
            syncs=9000,
            osts=own(64),
        ),
    ),
    nprocs=64,
    runtime_s=120,
)

JOBS: dict[str, tuple[Work, set[str], set[str]]] = {
    "records synced": (SYNCED_RECORDS, {"sync-heavy"}, {"serial-io", "small-io", "shared-log", "metadata-bound"}),
    "WRF with quilting: the servers' files in turn": (QUILTING, set(), {"straggler-rank", "serial-io"}),
    "eight servers of NEMO, alike": (servers(40.0), set(), {"straggler-rank", "serial-io", "ssf-understriped"}),
    "one of the servers is slow": (servers(200.0), {"straggler-rank"}, {"serial-io"}),
    "one of the servers has more": (servers(200.0, 5), {"straggler-rank"}, {"serial-io", "slow-ost"}),
    "sub-files of groups": (subfiles(20.0), set(), {"subfile", "straggler-rank", "single-aggregator"}),
    "a group with a slow sub-file": (subfiles(100.0), {"straggler-rank"}, {"serial-io", "single-aggregator"}),
    "a file a node": (file_a_node(20.0), set(), {"serial-io", "straggler-rank"}),
    "a file a node, one slow": (file_a_node(120.0), {"straggler-rank"}, {"serial-io"}),
    "a file a node, one with more": (file_a_node(120.0, 6), {"straggler-rank"}, {"serial-io"}),
    "PIO with 32 I/O tasks": (PIO, set(), {"few-aggregators", "single-aggregator", "serial-io", "collective-disabled"}),
    "ADIOS 2, a sub-file a node": (BP5, set(), {"ssf-understriped", "subfile", "straggler-rank", "small-io"}),
    "all ranks aggregate": (EVERY_RANK_AGGREGATES, set(), {"few-aggregators", "collective-disabled"}),
    "collective on GPFS": (ON_GPFS, set(), {"ssf-understriped", "few-aggregators", "single-aggregator", "serial-io"}),
    "on the only OST there is": (THE_ONLY_OST, set(), {"ssf-understriped", "overstriped-shared", "crowded-ost"}),
    "one stripe for the ranks of one node": (ONE_STRIPE_ON_ONE_NODE, {"ssf-understriped"}, {"few-aggregators"}),
    "batches at random from large files": (BATCHES, {"random-access"}, {"redundant-reads", "independent-shared"}),
    "an array in thousands of files": (CHUNKS_IN_FILES, {"many-small-files"}, {"serial-io"}),
    "a database that syncs": (DATA_BASE, {"sync-heavy"}, {"metadata-bound", "small-io", "serial-io"}),
    "an environment of Python on home": (IMPORTS_FROM_HOME, {"import-storm"}, {"wrong-filesystem"}),
    "POSIX in strides": (STRIDED_BY_POSIX, {"independent-shared"}, {"random-access", "collective-disabled"}),
    "rank 0 merges the files": (MERGED_BY_RANK_0, {"serial-io"}, {"redundant-reads", "metadata-bound"}),
    "checkpoints written over": (IN_PLACE, set(), {"redundant-reads", "sparse-layout", "metadata-bound"}),
}


SAID = "advises it already"
"""Of advice that another finding has given."""


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_and_that_it_says_what_to_do(work: Work, must: set[str], must_not: set[str]) -> None:
    found = document(work)
    said = above_info(found)
    assert must <= set(said)
    assert not must_not & set(said)
    for finding in found.findings:
        if finding.rule in said and finding.verdict == "triggered":
            assert any((advice.withheld or SAID).endswith(SAID) for advice in finding.advice), finding.rule


def the(rule: str, work: Work) -> Finding:
    return next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


def advised(rule: str, work: Work) -> tuple[Advice, ...]:
    """What it would advise where no other finding has said it already."""
    says = the(rule, work).says
    return () if says is None else says.advice


def test_what_no_counter_shows_is_not_said_to_cost_nothing() -> None:
    mapped, not_seen = document(MAPPED).headline, document(NOT_SEEN).headline
    assert (mapped.severity, not_seen.severity) == ("info", "info")
    assert "maps files into memory" in mapped.sentence
    assert "no read or write of them was seen" in not_seen.sentence


def test_ranks_of_one_node_that_share_one_file_do_not_accuse_the_node() -> None:
    said = the("straggler-rank", subfiles(100.0))
    assert (said.headline or "").startswith("64 ranks")
    assert "their server (OST), their node" in said.advice[0].text


def test_stripes_for_one_node_are_four() -> None:
    assert "-c 4 " in (the("ssf-understriped", ONE_STRIPE_ON_ONE_NODE).advice[0].command or "")


def test_what_is_opened_once_is_not_told_to_stay_open() -> None:
    assert not any("keep it open" in advice.text for advice in the("metadata-bound", CHUNKS_IN_FILES).advice)


def test_a_data_base_is_told_of_transactions() -> None:
    assert "transaction" in the("sync-heavy", DATA_BASE).advice[0].text


def test_a_program_without_mpi_io_is_told_to_call_it_first() -> None:
    assert advised("small-io", STRIDED_BY_POSIX)[0].text.startswith("Access the file through MPI-IO")


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("/sw/bin/python3.11 gather.py", "MPI.File.Open(comm"),
        ("/usr/lib/jvm/java-17/bin/java -jar a.jar", None),
        ("/sw/app", "MPI_File_open(MPI_COMM_WORLD"),
    ],
)
def test_code_is_in_the_language_of_the_program(program: str, lines: str | None) -> None:
    gathered = Part("/scratch/o.dat", range(1), writes=4000, size=8 * MIB, write_s=50.0)
    first = the("serial-io", Work((gathered,), nprocs=256, runtime_s=100, program=program)).advice[0]
    assert first.text.startswith("Let all ranks write")
    assert first.command is None if lines is None else lines in (first.command or "")
    assert (first.fortran is not None) == (program == "/sw/app")


def test_the_lines_for_python_are_python() -> None:
    for library in get_args(Library):
        for only_read in (True, False):
            action = SetHint("*", (MpiioHint("cb_nodes", "4"),), through=library, only_read=only_read)
            compile(hints_in_python(action).code, library, "exec")
    for lines in IN_PYTHON.values():
        compile(lines.code, "advice", "exec")


def test_archer2_is_held_against_its_own_figure_for_one_stripe() -> None:
    one_stripe = Part("/mnt/lustre/a2fs-work1/z/o.dat", range(1), writes=100, size=MIB, write_s=50.0, osts=(3,))
    slow = Work((one_stripe,), nprocs=1, runtime_s=100, mounts=(("/mnt/lustre/a2fs-work1", "lustre"),), site="archer2")
    assert "954 MiB/s" in " ".join(the("below-expectation", slow).summary.split())


def test_where_io_is_not_the_bottleneck_crays_profile_of_all_is_offered() -> None:
    little = Work((Part("/scratch/o", range(64), writes=10, write_s=1.0),), nprocs=64, runtime_s=7200, site="archer2")
    assert (the("io-not-the-bottleneck", little).advice[-1].command or "").endswith("perftools-lite")


def test_a_slow_ost_takes_what_its_own_ranks_take_and_not_what_all_write() -> None:
    """4 of 80 ranks are on the slow OST and take 100 s for what takes the others 25 s."""
    seconds = tuple(100.0 if rank % 20 == 3 else 25.0 for rank in range(80))
    files = Part("/scratch/o.{}", range(80), writes=512, write_s=seconds, osts=tuple(r % 20 for r in range(80)))
    takes = the("slow-ost", Work((files,), nprocs=80, runtime_s=200)).takes_s
    assert takes is not None
    assert abs(takes - 75) < 2


def test_reads_at_random_take_all_their_time_though_half_of_them_go_forward() -> None:
    account, takes = document(BATCHES).account, the("random-access", BATCHES).takes_s
    assert account is not None
    assert takes is not None
    assert takes >= 0.9 * account.cells.reads


def test_one_aggregator_of_a_striped_file_is_no_matter_of_stripes() -> None:
    """16 stripes are there, and cb_nodes=1 in the program: more stripes would change nothing."""
    calls = Part("/scratch/o.dat", range(512), "MPI-IO", writes=2, size=64 * MIB, write_s=90.0, collective=True)
    below = Part("/scratch/o.dat", range(1), writes=4096, size=16 * MIB, write_s=85.0, osts=osts(16))
    found = the("single-aggregator", Work((calls, below), nprocs=512, runtime_s=200, nodes=8))
    assert "look for a hint that limits the aggregators" in found.advice[0].text
    assert not any("setstripe" in (one.command or "") for one in found.advice)
    assert any("cb_nodes" in (one.command or "") for one in found.advice)


def asked_of_a_data_base(path: str) -> Work:
    """One rank reads records of 4 KiB at random places of a file of 2 GiB."""
    part = Part(path, range(1), reads=400_000, size=4 * KIB, read_s=90.0, in_order=0.1, reach=2 * GIB, osts=osts(1))
    return Work((part,), nprocs=64, runtime_s=120)


@pytest.mark.parametrize("rule", ["serial-io", "random-access", "small-io"])
def test_a_data_base_chooses_the_size_of_its_reads_itself(rule: str) -> None:
    (said,) = advised(rule, asked_of_a_data_base("/scratch/run/params.sqlite"))
    assert "PRAGMA cache_size" in said.text
    assert said.command is None


def test_who_reads_here_and_there_is_not_told_of_blocks_in_the_order_of_the_file() -> None:
    jumps, goes_on = (
        the("serial-io", work).advice[0].text
        for work in (
            asked_of_a_data_base("/scratch/run/WAVECAR"),
            Work((replace(asked_of_a_data_base("/scratch/run/WAVECAR").parts[0], in_order=1.0),), 64, 120),
        )
    )
    assert jumps.startswith("Sort the accesses by offset")
    assert goes_on.startswith("Read WAVECAR in blocks of 1 MiB")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("/sw/MATLAB/bin/glnxa64/MATLAB", "without MPI-IO: let each write a file of its own"),
        ("/usr/lib/R/bin/exec/R", "without MPI-IO: let each write a file of its own"),
        ("/sw/bin/python3", "with collective calls"),
        ("/sw/app", "with collective calls"),
    ],
)
def test_who_has_no_calls_of_mpi_io_is_told_of_none(program: str, said: str) -> None:
    alone = Part("/scratch/m/res.dat", range(1), writes=8_000, size=4 * MIB, write_s=150.0, osts=(3,))
    (first, *_) = document(Work((alone,), 16, 300.0, program=program, nodes=1)).findings
    assert first.rule == "serial-io"
    assert any(said in one.text for one in first.advice)
