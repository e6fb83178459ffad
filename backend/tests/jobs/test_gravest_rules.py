"""Of the gravest rules each: a job that it is about, one that comes near and has another cause, or none, and the first
one once more with part of its evidence missing. What a colleague would say of each was written down first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, osts, own, uneven
from printed_by_mpich import LATE, STORAGE, case, hinted, phases, printed, statistics

from iotriage.analysis.document import CaseDocument

Job = Work | bytes | tuple[bytes, Work]
RANKS = range(64)


def job(*parts: Part, nodes: int = 4, runtime_s: float = 300.0, **known: object) -> Work:
    return Work(parts, nprocs=64, runtime_s=runtime_s, nodes=nodes, **known)  # type: ignore[arg-type]


def said_of(given: Job) -> CaseDocument:
    if isinstance(given, Work):
        return document(given)
    return case(given) if isinstance(given, bytes) else case(given[0], work=given[1])


OTHERS = Part("/scratch/b.{}", RANKS, writes=1000, size=4 * MIB, write_s=60.0, osts=own(64))
"""What each rank writes to a file of its own, as it should be."""


def collective(calls: int, size: int, below: int, movers: range = RANKS, *, nodes: int = 64) -> Work:
    """A shared file by collective calls, of which the `movers` make so many writes."""
    piece = calls * size * 64 // (below * len(movers))
    return job(
        Part("/scratch/o.dat", RANKS, "MPI-IO", writes=calls, size=size, write_s=60.0, collective=True),
        Part(
            "/scratch/o.dat", movers, writes=below, size=piece, write_s=55.0, in_order=0.0, forward=1.0, osts=osts(16)
        ),
        nodes=nodes,
    )


def waited(at_work_s: float, late_s: float) -> Work:
    """All ranks are a minute in collective calls, rank 7 for `late_s`; four write below them."""
    each = tuple(late_s if rank == 7 else 60.0 for rank in RANKS)
    return job(
        Part("/scratch/o.dat", RANKS, "MPI-IO", writes=40, size=16 * MIB, write_s=each, collective=True),
        Part("/scratch/o.dat", range(0, 64, 16), writes=640, size=16 * MIB, write_s=at_work_s, osts=osts(16)),
    )


def interleaved(layer: str, *, way: str = "write", size: int = 47008, nodes: int = 4, in_order: float = 0.0) -> Work:
    does = {f"{way}s": 40_000 * 47008 // size, f"{way}_s": uneven(64, 100.0)}
    one = Part("/scratch/o.dat", RANKS, layer, size=size, in_order=in_order, forward=1.0, osts=osts(16), **does)  # type: ignore[arg-type]
    one = replace(one, aligned=size % (64 * KIB) == 0)
    return job(one, *((replace(one, layer="POSIX"),) if layer == "MPI-IO" else ()), nodes=nodes)


def small_files(folder: str, meta_s: float, *, size: int = 8 * KIB, runtime_s: float = 300.0) -> Work:
    files = (Part(f"{folder}/{{}}.{k}", RANKS, writes=1, size=size, write_s=0.03, meta_s=3 * meta_s) for k in range(20))
    return job(OTHERS, *files, runtime_s=runtime_s)


def by_ost(slow_s: float, writes: int, size: int) -> Work:
    """A file for each rank, on one OST each; those on OST 5 take `slow_s`, in so many writes."""
    of_rank = (
        Part(f"/scratch/o.{r:02}", range(r, r + 1), writes=writes, size=size, write_s=slow_s, osts=(5,))
        if r % 48 == 5
        else Part(f"/scratch/o.{r:02}", range(r, r + 1), writes=1000, write_s=10.0, osts=(r % 48,))
        for r in RANKS
    )
    return job(*of_rank)


def by_one(path: str, moved: int, seconds: float, **more: object) -> Work:
    return job(Part(path, range(1), writes=moved // (4 * MIB), size=4 * MIB, write_s=seconds, osts=osts(4)), **more)  # type: ignore[arg-type]


def by_movers(movers: range, *, nodes: int, calls: int = 4000, seconds: float = 100.0, **more: object) -> Work:
    one = Part("/scratch/o.{}", movers, writes=calls, size=4 * MIB, write_s=seconds, osts=own(len(movers)))
    return job(one, nodes=nodes, **more)  # type: ignore[arg-type]


def sieved(reads: int, reads_s: float, *, asked_for: int = 0) -> Work:
    above = Part("/scratch/s.dat", RANKS, "MPI-IO", writes=4000, size=16 * KIB, write_s=120.0, collective=True)
    below = Part(
        "/scratch/s.dat", range(0, 64, 16), reads=reads, writes=1000, read_s=reads_s, write_s=50.0, in_order=0.2
    )
    return job(replace(above, reads=asked_for, read_s=20.0 if asked_for else 0.0), replace(below, osts=osts(16)))


def at_one_place(size: int, reach: int, *, reads_first: bool = False) -> Work:
    does = Part(
        "/scratch/f.dat", RANKS, writes=10_000, size=size, write_s=60.0, in_order=0.0, reach=reach, osts=osts(16)
    )
    first = replace(does, reads=10_000, read_s=20.0, reads_first=True)
    return job(replace(first if reads_first else does, aligned=False))


def synced(writes: int, size: int, syncs: int, *others: Part) -> Work:
    return job(
        Part("/scratch/w.{}", RANKS, writes=writes, size=size, write_s=100.0, syncs=syncs, osts=own(64)), *others
    )


def at_home(mounts: tuple[tuple[str, str], ...], written: int = 1000) -> Work:
    return job(Part("/home/u/o.{}", RANKS, writes=written, size=4 * MIB, write_s=60.0), mounts=mounts)


def of_ranks(slow_s: float, usual: tuple[float, ...]) -> Work:
    times = (slow_s if rank == 3 else usual[rank % len(usual)] for rank in RANKS)
    return job(
        *(
            Part(f"/scratch/o.{r:02}", range(r, r + 1), writes=1000, write_s=s, osts=(r % 48,))
            for r, s in enumerate(times)
        )
    )


def read_by_all(calls: int, reach: int, seconds: float) -> Work:
    return job(Part("/scratch/mesh", RANKS, reads=calls, read_s=seconds, reach=reach, osts=osts(4)), nodes=8)


def striped(count: int, calls: int, seconds: float, *others: Part) -> Work:
    one = Part("/scratch/o.dat", RANKS, writes=calls, size=4 * MIB, write_s=seconds, osts=osts(count))
    return job(one, *others)


def small(calls: int, seconds: float, *others: Part, size: int = 4 * KIB) -> Work:
    return job(Part("/scratch/o.{}", RANKS, writes=calls, size=size, write_s=seconds, osts=own(64)), *others)


def reopened(opens: int, meta_s: float, *others: Part) -> Work:
    one = Part("/scratch/l.{}", RANKS, writes=4000, size=4 * KIB, write_s=0.1, meta_s=meta_s, opens=opens, osts=own(64))
    return job(one, *others)


def buffered(path: str, *, writes: int, reads: int) -> tuple[bytes, Work]:
    """All ranks use one file, and IOBUF buffers whatever it can."""
    script = b"#!/bin/bash\n#SBATCH --nodes=4\nexport IOBUF_PARAMS='*:size=8M'\nsrun ./app\n"
    return script, job(Part(path, RANKS, writes=writes, reads=reads, write_s=10.0, read_s=10.0, osts=osts(16)))


def timed(shares: dict[str, float], seconds: float = 80.0, **counted: object) -> bytes:
    return printed(statistics("o.dat", 24 * GIB, **counted), phases("o.dat", 24 * GIB, seconds, shares))


SENT = {"wait for coll": 0.1, "data send (*)": 0.6, "file write": 0.2}
FEW_SENT = SENT | {"data send (*)": 0.4, "file write": 0.5}
LOCAL = (("/home", "nfs"), ("/scratch", "lustre"), ("/tmp", "tmpfs"))
LOCK_MODE = "cray_cb_write_lock_mode"
MANY = range(0, 64, 16)

ABOUT: dict[str, Job] = {
    "collective-disabled": collective(4000, 4 * KIB, 4000),
    "collective-overhead": waited(3.0, 60.0),
    "data-send-bound": timed(SENT),
    "few-nodes": by_movers(range(8), nodes=8),
    "few-writers": by_movers(range(0, 64, 16), nodes=16),
    "independent-shared": interleaved("MPI-IO"),
    "io-errors": b"step 1\nOSError: [Errno 28] No space left on device: '/scratch/o.nc'\n",
    "iobuf-shared-file": buffered("/scratch/o.dat", writes=100, reads=0),
    "lock-contention": job(
        Part("/scratch/o.dat", RANKS, writes=4000, size=470_080, write_s=uneven(64, 100.0), in_order=0.0, forward=1.0,
             aligned=False, osts=osts(2)), nodes=8),
    "many-small-files": small_files("/scratch", 0.9),
    "metadata-bound": job(Part("/scratch/f{}", RANKS, writes=10, write_s=0.1, meta_s=60.0, stats=5000, opens=2)),
    "read-modify-write": sieved(1000, 60.0),
    "redundant-reads": read_by_all(1024, GIB, 60.0),
    "reopened-files": reopened(4000, 60.0),
    "serial-io": by_one("/scratch/o.dat", 80 * GIB, 200.0),
    "shared-lock-mode-unsafe": printed(hinted("o.dat", **{LOCK_MODE: "1"}, romio_no_indep_rw="false")),
    "single-aggregator": collective(40, 16 * MIB, 2560, range(1), nodes=4),
    "slow-ost": by_ost(60.0, 1000, MIB),
    "small-io": small(100_000, 60.0),
    "sparse-layout": at_one_place(256, 40 * GIB),
    "ssf-understriped": striped(1, 1000, 100.0),
    "straggler-rank": of_ranks(60.0, (10.0,)),
    "sync-heavy": synced(20_000, 4 * KIB, 20_000),
    "wait-for-coll": timed(LATE),
    "wrong-filesystem": at_home(LOCAL),
}  # fmt: skip


@pytest.mark.parametrize("rule", ABOUT)
def test_it_is_said_of_the_job_that_it_is_about(rule: str) -> None:
    assert rule in above_info(said_of(ABOUT[rule]))


ELSEWHERE: dict[str, tuple[str, Job]] = {
    "a rank on each node: all gather, a little at a time": ("collective-disabled", collective(4000, 4 * KIB, 1000)),
    "not gathered, and large": ("collective-disabled", collective(400, 2 * MIB, 400)),
    "they wait for one rank": ("collective-overhead", waited(3.0, 4.0)),
    "the file system takes nearly all of it": ("collective-overhead", waited(50.0, 60.0)),
    "sending takes as long as writing": ("data-send-bound", timed(FEW_SENT)),
    "sending takes half a second": ("data-send-bound", timed(SENT, 0.6)),
    "a rank of each node": ("few-nodes", by_movers(range(0, 64, 4), nodes=16)),
    "few nodes, as fast as all could be": ("few-nodes", by_movers(range(8), nodes=8, calls=40_000, seconds=60.0)),
    "few ranks, as fast as all could be": ("few-writers", by_movers(MANY, nodes=16, calls=40_000, seconds=60.0)),
    "a rank of each of four nodes": ("few-writers", by_movers(MANY, nodes=4)),
    "small pieces, one after the other": ("independent-shared", interleaved("MPI-IO", size=64 * KIB, in_order=1.0)),
    "pieces of whole stripes": ("independent-shared", interleaved("MPI-IO", size=4 * MIB)),
    "the words of an error in a sentence": (
        "io-errors",
        b"step 1\nestimated input/output error of the scheme: 1e-5\n# after 'No space left on device' call support\n",
    ),
    "a directory that is there": ("io-errors", b"step 1\nmkdir: cannot create directory '/scratch/o': File exists\n"),
    "all read what nobody writes": ("iobuf-shared-file", buffered("/scratch/in.dat", writes=0, reads=100)),
    "interleaved reads": ("lock-contention", interleaved("POSIX", way="read")),
    "interleaved on one node": ("lock-contention", interleaved("POSIX", nodes=1)),
    "a stripe for each piece": ("lock-contention", interleaved("POSIX", size=MIB)),
    "small files in memory": ("many-small-files", small_files("/tmp", 0.02)),
    "small files that take no time": ("many-small-files", small_files("/scratch", 0.002)),
    "files of 8 MiB": ("many-small-files", small_files("/scratch", 0.02, size=8 * MIB)),
    "small files in the first minute of ten hours": ("many-small-files", small_files("/scratch", 0.9, runtime_s=36000)),
    "one file that takes long to open": (
        "metadata-bound",
        job(Part("/scratch/in.dat", range(1), reads=100, size=4 * MIB, read_s=1.0, meta_s=90.0, osts=osts(4))),
    ),
    "many seeks": (
        "metadata-bound",
        job(Part("/scratch/in.{}", RANKS, reads=4000, read_s=50.0, seeks=100_000, meta_s=0.3, osts=own(64))),
    ),
    "a file that the program reads itself": ("read-modify-write", sieved(1000, 60.0, asked_for=4000)),
    "few reads among many writes": ("read-modify-write", sieved(8, 0.1)),
    "parts that overlap by a tenth": ("redundant-reads", read_by_all(110, 6400 * MIB, 60.0)),
    "a header that all read": (
        "redundant-reads",
        job(Part("/scratch/in.nc", RANKS, reads=4, size=64 * KIB, read_s=0.4, reach=256 * KIB, osts=(1,)), OTHERS),
    ),
    "a file opened for each of fifty steps": (
        "reopened-files",
        job(*(replace(OTHERS, path=f"/scratch/s{k}.{{}}", writes=20, write_s=1.0, meta_s=0.5) for k in range(50))),
    ),
    "opened again and again, in no time": ("reopened-files", reopened(4000, 0.02, OTHERS)),
    "one rank's part beside that of all": (
        "serial-io",
        job(Part("/scratch/hdr", range(1), writes=512, size=4 * MIB, write_s=4.0, osts=osts(4)), OTHERS),
    ),
    "one rank, for a minute of ten hours": ("serial-io", by_one("/scratch/o.dat", 80 * GIB, 60.0, runtime_s=36000.0)),
    "the shared lock where all is collective": (
        "shared-lock-mode-unsafe",
        printed(hinted("o.dat", **{LOCK_MODE: "1"}, romio_no_indep_rw="true")),
    ),
    "locks that do not overlap": (
        "shared-lock-mode-unsafe",
        printed(hinted("o.dat", **{LOCK_MODE: "2"}, romio_no_indep_rw="false")),
    ),
    "one node has one aggregator": ("single-aggregator", collective(40, 16 * MIB, 2560, range(1), nodes=1)),
    "an aggregator on each node": ("single-aggregator", collective(40, 16 * MIB, 640, range(0, 64, 16), nodes=4)),
    "a hundred times the calls for as many bytes": ("slow-ost", by_ost(60.0, 100_000, 10 * KIB)),
    "three times the bytes": ("slow-ost", by_ost(30.0, 3000, MIB)),
    "small writes that take no time": ("small-io", small(100_000, 0.4, OTHERS)),
    "writes of 4 MiB": ("small-io", small(1500, 60.0, size=4 * MIB)),
    "large pieces far apart": ("sparse-layout", at_one_place(4 * MIB, 40_000 * GIB)),
    "updates of what was read before": ("sparse-layout", at_one_place(256, 40 * GIB, reads_first=True)),
    "one stripe for a fiftieth of the time": ("ssf-understriped", striped(1, 10, 1.0, OTHERS)),
    "sixteen stripes": ("ssf-understriped", striped(16, 1000, 100.0)),
    "no two ranks take as long": ("straggler-rank", of_ranks(30.0, tuple(10.0 + k * 37 % 64 * 0.3 for k in range(64)))),
    "one rank is slow for seven seconds": ("straggler-rank", replace(of_ranks(8.0, (1.0,)), runtime_s=7200.0)),
    "a sync at the end of each file": ("sync-heavy", synced(4000, 4 * MIB, 1)),
    "a sync for each 64 MiB": ("sync-heavy", synced(200, 64 * MIB, 200)),
    "syncs of a log beside much else": (
        "sync-heavy",
        job(OTHERS, Part("/scratch/log", range(1), "STDIO", writes=2000, size=100, write_s=0.2, syncs=2000)),
    ),
    "ranks that wait for the file system": ("wait-for-coll", timed(STORAGE)),
    "ranks that wait for half a second": ("wait-for-coll", timed(LATE, 0.6)),
    "a home on Lustre": ("wrong-filesystem", at_home((("/home", "lustre"), ("/scratch", "lustre")))),
    "a home beside no other file system": ("wrong-filesystem", at_home((("/home", "nfs"),))),
    "a home as fast as others": ("wrong-filesystem", at_home(LOCAL, 10_000)),
}


@pytest.mark.parametrize(("rule", "given"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_it_is_not_blamed_where_a_colleague_would_not(rule: str, given: Job) -> None:
    found = said_of(given)
    assert rule in {finding.rule for finding in found.findings}
    assert rule not in above_info(found)


def test_each_of_them_has_its_twins() -> None:
    assert {rule for rule, _ in ELSEWHERE.values()} == set(ABOUT)


def test_calls_in_which_a_rank_has_nothing_to_give_are_not_gathered() -> None:
    """As of HDF5, where all ranks make the calls for the data set of each."""
    given = collective(4000, 4 * KIB, 4000)
    empty = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=63 * 4000, size=0, collective=True)
    assert "collective-disabled" in above_info(document(replace(given, parts=(*given.parts, empty))))


def test_calls_of_a_few_bytes_are_gathered_where_the_writes_are_larger() -> None:
    found = document(collective(4000, 40, 40)).metrics["mpiio.merged_writes"]
    assert found.value == "yes"


def test_what_is_blamed_instead() -> None:
    """Where the cause lies elsewhere, that is what is named."""
    assert said_of(waited(3.0, 4.0)).headline.sentence.startswith("Rank 7 comes late to the collective calls")
    assert "2 ranks make far more calls" in said_of(by_ost(60.0, 100_000, 10 * KIB)).headline.sentence


LOST = {
    "its end": {"runtime_s": None},
    "records of POSIX": {"partial": ("POSIX",)},
    "records of MPI-IO": {"partial": ("MPI-IO",)},
    "the names of its nodes": {"named": False},
    "its nodes": {"nodes": None},
    "its mounts": {"mounts": ()},
    "reduced records": {"reduces": False},
}
NOT_ASKED = {
    ("collective-overhead", "records of POSIX"),
    ("collective-overhead", "records of MPI-IO"),
    ("few-nodes", "records of POSIX"),
    ("few-nodes", "its nodes"),
    ("reopened-files", "records of POSIX"),
    ("single-aggregator", "records of POSIX"),
    ("sparse-layout", "records of POSIX"),
}
"""Of these the finding has the reason, and not that it is unknown: the figure cannot be had."""


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("rule", [rule for rule, given in ABOUT.items() if isinstance(given, Work)])
def test_with_part_of_the_evidence_it_is_said_or_unknown(rule: str, lost: str) -> None:
    given = ABOUT[rule]
    assert isinstance(given, Work)
    answers = {f.verdict for f in document(replace(given, **LOST[lost])).findings if f.rule == rule}  # type: ignore[arg-type]
    assert answers & ({"not_applicable"} if (rule, lost) in NOT_ASKED else {"triggered", "unknown"})


@pytest.mark.parametrize("rule", ["slow-ost", "ssf-understriped"])
def test_without_the_layouts_of_files_nothing_is_said_of_stripes(rule: str) -> None:
    given = ABOUT[rule]
    assert isinstance(given, Work)
    without = replace(given, parts=tuple(replace(part, osts=()) for part in given.parts))
    answers = {f.verdict for f in document(without).findings if f.rule == rule}
    assert answers
    assert answers <= {"not_applicable", "unknown"}
