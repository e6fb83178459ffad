"""Jobs whose I/O is as fast as file systems are, however long it takes; and those that only look like it."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, document, osts, own, uneven

MOUNTS = (("/gpfs", "gpfs"), ("/home", "nfs"))
FINE = "which may be all that the file system gives"


def collective(path: str, ranks: int, movers: int, seconds: float, on: tuple[int, ...] = ()) -> tuple[Part, Part]:
    """512 GiB."""
    each = 512 * GIB // ranks
    return (
        Part(path, range(ranks), "MPI-IO", writes=32, size=each // 32, write_s=seconds, collective=True),
        Part(
            path,
            range(0, ranks, ranks // movers),
            writes=512 * GIB // movers // (16 * MIB),
            size=16 * MIB,
            write_s=seconds * 0.96,
            in_order=0.9,
            osts=on,
        ),
    )


FAST = {
    "collective on GPFS": Work(collective("/gpfs/p/o.h5", 1024, 32, 52), 1024, 300, mounts=MOUNTS),
    "collective over all OSTs": Work(collective("/scratch/o.h5", 1024, 32, 26, osts(48)), 1024, 150),
    "streams in large calls": Work(
        (Part("/scratch/d.{}", range(64), "STDIO", writes=2560, size=4 * MIB, write_s=uneven(64, 21)),), 64, 100
    ),
    "own files": Work(
        (Part("/scratch/c.{}", range(2048), writes=32, size=32 * MIB, write_s=uneven(2048, 60), osts=own(2048)),),
        2048,
        130,
    ),
}


@pytest.mark.parametrize("work", FAST.values(), ids=FAST)
def test_a_fast_job_is_not_told_that_something_is_unknown_alone(work: Work) -> None:
    found = document(work).headline
    assert FINE in found.sentence
    assert found.severity == "unknown"
    assert "buffer" not in (found.action or "")


SLOW = {
    "collective on GPFS": Work(collective("/gpfs/p/o.h5", 1024, 32, 200), 1024, 300, mounts=MOUNTS),
    "streams in large calls": Work(
        (Part("/scratch/d.{}", range(64), "STDIO", writes=256, size=4 * MIB, write_s=uneven(64, 21)),), 64, 100
    ),
    "on four of the OSTs": Work(collective("/scratch/o.h5", 64, 4, 280, osts(4)), 64, 500),
}


@pytest.mark.parametrize("work", SLOW.values(), ids=SLOW)
def test_a_slower_one_is(work: Work) -> None:
    found = document(work).headline
    assert found.rule is None
    assert FINE not in found.sentence


def test_what_would_use_more_osts_is_a_command() -> None:
    command = document(SLOW["on four of the OSTs"]).headline.command
    made = 'mkdir "${NEW_DIRECTORY:?a directory that is not there yet}"'
    assert command == f'{made} && lfs setstripe -c 8 -S 1M "$NEW_DIRECTORY"'


def steps(files: int, each: int) -> Work:
    """Files of 32 stripes and as many aggregators, which take 1.2 s a MiB of each."""
    parts = tuple(
        part
        for k in range(files)
        for part in (
            Part(
                f"/scratch/s/o{k:03}.nc", range(128), "MPI-IO", writes=1, size=each // 128, write_s=0.9, meta_s=0.3,
                collective=True, begins_s=5 + 3.0 * k,
            ),
            Part(
                f"/scratch/s/o{k:03}.nc", range(0, 128, 4), writes=1, size=each // 32, write_s=0.7, in_order=0.2,
                osts=osts(32), begins_s=5 + 3.0 * k,
            ),
        )
    )  # fmt: skip
    return Work(parts, nprocs=128, runtime_s=250)


def test_nobody_is_sent_for_more_stripes_of_small_files() -> None:
    said = document(steps(60, 32 * MIB)).headline.action or ""
    assert "Each of them writes little of a file" in said
    assert "more stripes" not in said


def test_of_large_ones_more_stripes_are_worth_a_run() -> None:
    assert "more stripes" in (document(steps(60, GIB)).headline.action or "")


def test_what_is_left_says_how_often_it_writes() -> None:
    """Of a job that may be as fast as the storage, only how much it writes, and how often, can be changed."""
    ranks, outputs = 64, 6
    parts = tuple(
        Part(
            f"/scratch/plt{step:03}.{{}}",
            range(ranks),
            writes=32,
            size=32 * MIB,
            write_s=10.0,
            begins_s=20.0 + 45 * step,
            osts=own(ranks),
        )
        for step in range(outputs)
    )
    found = document(Work(parts, ranks, 300)).headline
    assert FINE in found.sentence
    assert "The run writes 64.0 GiB every 45.0 s, 6 times." in (found.action or "")


def asked(*parts: Part, ranks: int = 1024, nodes: int = 16, program: str = "/sw/app") -> str:
    unexplained = document(Work(parts, ranks, 900, nodes=nodes, program=program)).unexplained
    assert unexplained is not None
    return f"{unexplained.experiment} {unexplained.command}"


def test_what_is_read_fast_is_held_against_what_ior_reads() -> None:
    name = "/scratch/in.h5"
    above = Part(name, range(1024), "MPI-IO", reads=64, size=64 * MIB, read_s=400, collective=True)
    below = Part(name, range(0, 1024, 21), reads=1344, size=64 * MIB, read_s=390, in_order=0.3, osts=osts(48))
    assert "ior -a POSIX -w -r -C" in asked(above, below)


@pytest.mark.parametrize(
    ("path", "way", "ior"),
    [
        ("/scratch/o.{}", "reads", "ior -a POSIX -F -w -r -C -e -t 4m -b 1g "),
        ("/scratch/o.{}", "writes", "ior -a POSIX -F -w -e -t 4m -b 1g "),
        ("/scratch/in.dat", "reads", "ior -a POSIX -w -r -C -e -t 4m -b 1g "),
    ],
)
def test_so_are_large_calls_to_streams(path: str, way: str, ior: str) -> None:
    calls = {"reads": 256, "read_s": 250.0} if way == "reads" else {"writes": 256, "write_s": 250.0}
    streams = Part(path, range(256), "STDIO", size=4 * MIB, **calls)  # type: ignore[arg-type]
    assert ior in asked(streams, ranks=256, nodes=8)


def test_the_number_of_a_known_programs_servers_is_named_wherever_they_are() -> None:
    servers = Part("/scratch/wrfout_{}", range(1022, 1024), writes=9000, size=8 * MIB, write_s=300.0, osts=own(2))
    assert "nio_tasks_per_group" in asked(servers, program="/sw/wrf.exe")
    assert "spread over all nodes" in asked(servers)


def test_a_note_beside_it_does_not_make_a_fast_job_unknown_alone() -> None:
    """Files of their own for thousands of ranks are a note, which takes a hundredth of the time."""
    part = Part("/scratch/r/o.{}", range(4096), writes=64, size=4 * MIB, write_s=uneven(4096, 100.0), meta_s=0.3)
    found = document(Work((part,), 4096, 600, nodes=32))
    assert "fpp-many-files" in {f.rule for f in found.findings if f.verdict == "triggered"}
    assert "which may be all that the file system gives: over 99 % of that time" in found.headline.sentence


SMALL_BESIDE = Part("/scratch/p.{}", range(64), writes=100, size=4 * KIB, write_s=0.1)


@pytest.mark.parametrize(("way", "options"), [("write", "-w -e"), ("read", "-w -r -C -e")])
def test_a_benchmark_of_streams_has_calls_as_large_as_theirs(way: str, options: str) -> None:
    moved = {f"{way}s": 2560, f"{way}_s": uneven(64, 21)}
    streams = Part("/scratch/d.{}", range(64), "STDIO", size=4 * MIB, **moved)  # type: ignore[arg-type]
    found = document(Work((streams, SMALL_BESIDE), 64, 100)).unexplained
    assert found is not None
    assert f"ior -a POSIX -F {options} -t 4m -b 4g" in (found.command or "")


def test_what_the_memory_of_nodes_takes_is_no_rate_of_the_storage() -> None:
    slow = Part("/gpfs/a", range(64), writes=512, write_s=uneven(64, 90.0))
    fast = Part("/dev/shm/b.{}", range(64), writes=8192, write_s=uneven(64, 8.0))
    found = document(Work((slow, fast), 64, 500, nodes=8, mounts=(*MOUNTS, ("/dev/shm", "tmpfs"))))
    assert "perhaps nothing is wrong" not in (found.unexplained.experiment or "" if found.unexplained else "")


def by_few(movers: int, gib_per_s: float, *, first: int | None = None) -> Work:
    """512 ranks on 16 nodes, of which a few write in 120 s of 600, evenly spread or beside one another."""
    ranks = range(0, 512, 512 // movers) if first is None else range(first, first + movers)
    calls = int(gib_per_s * 1024 * 120 / movers / 4)
    part = Part("/gpfs/p/o.{}", ranks, writes=calls, size=4 * MIB, write_s=uneven(movers, 120.0))
    return Work((part,), 512, 600.0, nodes=16, mounts=MOUNTS)


@pytest.mark.parametrize(
    ("work", "fine"),
    [
        (by_few(8, 12.0), True),
        (by_few(32, 12.0), True),
        (by_few(8, 12.0, first=504), True),
        (by_few(32, 3.0), False),
        (by_few(8, 3.0, first=504), False),
    ],
    ids=["8 ranks", "32 ranks", "8 servers", "32 slow ranks", "8 slow servers"],
)
def test_more_movers_are_tried_where_the_few_are_slow(work: Work, fine: bool) -> None:
    found = document(work)
    assert (FINE in found.headline.sentence) == fine
    left = found.unexplained
    told = left.experiment or "" if left is not None and left.share > 0.5 else ""
    assert ("run IOR with all ranks" in told) == fine
