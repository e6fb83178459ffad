"""Metadata calls of programs that hardly move bytes, or whose code is nobody's to change."""

from __future__ import annotations

from functools import cache

import pytest
from described import KIB, Part, Work, document, osts, uneven

from iotriage.analysis.document import Finding

SMALL = "many-small-files"


def told(work: Work, rule: str = "metadata-bound") -> Finding:
    found = document(work)
    assert found.headline.rule == rule
    return next(f for f in found.findings if f.rule == rule)


def texts(finding: Finding) -> str:
    return " ".join(one.text for one in finding.advice)


def asked(program: str, ranks: int = 1) -> Work:
    parts = (Part(f"/scratch/tree/f{k}", range(ranks), opens=0, stats=100, meta_s=0.1) for k in range(1000))
    return Work(tuple(parts), nprocs=ranks, runtime_s=130, program=program)


def test_one_process_that_asks_is_told_to_ask_once_and_of_no_other_rank() -> None:
    said = told(asked("python3"))
    assert [one.text.split(":")[0] for one in said.advice] == ["Ask about each file once and keep the answer"]
    assert "os.scandir" in texts(said)


def test_several_ranks_let_one_ask_and_nobody_keeps_open_what_is_not_opened() -> None:
    said = told(asked("/sw/app", ranks=8))
    assert [one.text.split(" and")[0] for one in said.advice] == ["Let one rank ask whether files are there"]


def test_of_its_own_files_each_rank_asks_and_no_other_can_tell_it() -> None:
    """Beside a file of all ranks; a question about each stays."""
    asks = (Part(f"/scratch/tree/{k}.{{}}", range(8), opens=0, stats=5, meta_s=0.5) for k in range(40))
    said = told(Work((*asks, Part("/scratch/out", range(8), writes=40, write_s=3.0)), nprocs=8, runtime_s=60))
    assert [one.text.split(",")[0] for one in said.advice] == ["Let each rank ask once about a file of its own"]
    assert said.could_save_at_least_s == pytest.approx(0.9 * 20 * (1 - 1 / 5), rel=0.02)


def test_modules_that_all_read_make_no_file_of_a_rank_one_of_several() -> None:
    own = (Part(f"/scratch/u/{k}.{{}}", range(8), writes=12, size=KIB, opens=12, meta_s=0.5) for k in range(40))
    name = "/sw/lib/python3.11/site-packages/pkg/m{:03}.py"
    modules = (Part(name.format(k), range(8), reads=1, size=4 * KIB, meta_s=0.0002) for k in range(400))
    found = document(Work((*own, *modules), nprocs=8, runtime_s=60, program="/usr/bin/python3 run.py"))
    said = next(f for f in found.findings if f.rule == "metadata-bound")
    assert "a rank opens each 12 times" in texts(said)
    assert not any("site-packages" in (one.command or "") for f in found.findings for one in f.advice)


@pytest.mark.parametrize("rank", [0, 5])
def test_one_rank_that_asks_alone_is_not_told_to_let_one_rank_ask(rank: int) -> None:
    asks = (Part(f"/scratch/tree/f{k}", range(rank, rank + 1), opens=0, stats=100, meta_s=0.05) for k in range(2000))
    work = Part("/scratch/o.{}", range(64), writes=10, write_s=0.5)
    job = Work((*asks, work), nprocs=64, runtime_s=300, program="/sw/app")
    assert [one.text.split(":")[0] for one in told(job).advice] == ["Ask about each file once and keep the answer"]
    # Not in the file of its own that it writes as fast as the others.
    beside = {f.rule: texts(f) for f in document(job).findings if f.verdict == "triggered"}
    assert beside["straggler-rank"].startswith("It passes that time in opening files and asking about them")
    assert "each opens or asks about some of them" in beside["serial-io"]


@cache
def packed(program: str) -> Work:
    small = (Part(f"/scratch/t/f{k}", range(1), reads=1, size=8 * KIB, read_s=0.004, meta_s=0.006) for k in range(3000))
    archive = Part("/scratch/t.tar", range(1), writes=2400, size=10 * KIB, write_s=0.05)
    return Work((*small, archive), nprocs=1, runtime_s=32, program=program)


@pytest.mark.parametrize(("work", "command"), [(packed("/usr/bin/tar"), "dtar"), (asked("/usr/bin/rsync"), "dcp")])
def test_a_program_of_the_system_is_not_told_to_change_what_it_is_for(work: Work, command: str) -> None:
    said = told(work, document(work).headline.rule or "")
    assert [command in (one.command or "") for one in said.advice] == [True]
    assert said.could_save_s is None


def unpacked() -> Work:
    small = (
        Part(f"/scratch/t/f{k}", range(1), writes=1, size=6 * KIB, write_s=0.001, meta_s=0.006) for k in range(3000)
    )
    archive = Part("/scratch/t.tar", range(1), reads=1800, size=10 * KIB, read_s=0.05)
    return Work((*small, archive), nprocs=1, runtime_s=32, program="/usr/bin/tar")


def test_tar_that_makes_files_unpacks_and_is_not_told_to_pack() -> None:
    (unpacks,), (packs,) = told(unpacked(), SMALL).advice, told(packed("/usr/bin/tar"), SMALL).advice
    assert "dtar -x -f" in (unpacks.command or "")
    assert "dtar -c -f" in (packs.command or "")


@pytest.mark.parametrize(("files", "sleeps"), [(1, True), (5000, False)])
def test_one_process_that_asks_about_one_file_all_the_time_waits_for_it(files: int, sleeps: bool) -> None:
    each = 400_000 // files
    parts = (Part(f"/scratch/done.{k}", range(1), opens=0, stats=each, meta_s=60.0 / files) for k in range(files))
    said = told(Work(tuple(parts), nprocs=1, runtime_s=300, program="/sw/watch"))
    assert ("Ask less often" in texts(said)) is sleeps


def test_another_program_with_the_same_files_packs_them() -> None:
    assert "pack them" in texts(told(packed("/home/u/reader"), SMALL))


@cache
def made(writes: int) -> Work:
    parts = (
        Part(f"/scratch/md/t{{}}/file.{k}", range(16), opens=2, stats=1, writes=writes, meta_s=0.06) for k in range(100)
    )
    return Work(tuple(parts), nprocs=16, runtime_s=10, program="/sw/app")


def test_files_without_data_are_not_said_to_be_read() -> None:
    assert "Nothing is read from most of these files" in texts(told(made(0)))
    assert "only read" not in texts(told(made(0)))


def test_files_with_data_are_to_be_fewer() -> None:
    assert "Write fewer files" in texts(told(made(1), SMALL))


def read(partial: tuple[str, ...], **does: int) -> Work:
    parts = (
        Part(f"/scratch/in/n{k}/r{{}}.jpeg", range(32), size=110 * KIB, read_s=0.02, meta_s=0.06, **does)
        for k in range(32)
    )
    return Work(tuple(parts), nprocs=32, runtime_s=20, partial=partial, program="python3")


@pytest.mark.parametrize("partial", [(), ("POSIX",)], ids=["whole", "records lost"])
def test_what_the_records_show_to_be_read_is_packed_though_some_are_lost(partial: tuple[str, ...]) -> None:
    assert "pack them" in texts(told(read(partial, reads=2), SMALL))
    assert "Write fewer pictures" in texts(told(read(partial, writes=2), SMALL))


def opened_by_all(name: str, independent: int = 0) -> Work:
    """One file, which all 8,192 ranks open below MPI-IO and 64 of them write."""
    ranks = range(8192)
    parts = [
        Part(name, ranks, "MPI-IO", writes=8, size=1024 * KIB, write_s=12.0, meta_s=60.0, collective=True),
        Part(name, ranks, meta_s=uneven(8192, 58.0)),
        Part(name, ranks[::128], writes=1024, size=1024 * KIB, write_s=10.0, in_order=0.2, osts=osts(48)),
    ]
    if independent:
        parts.append(Part(name, range(1), "MPI-IO", writes=independent, size=KIB, write_s=0.01))
    return Work(tuple(parts), nprocs=8192, runtime_s=200)


def test_one_file_that_all_open_is_opened_by_its_aggregators_and_not_put_into_fewer() -> None:
    said = told(opened_by_all("/scratch/o.dat"))
    assert "romio_no_indep_rw" in (said.advice[0].command or "")
    assert "into one file" not in texts(said)


@pytest.mark.parametrize(
    "work", [opened_by_all("/scratch/o.dat", independent=20), opened_by_all("/scratch/o.h5", independent=20)]
)
def test_nobody_takes_the_file_from_ranks_that_write_by_themselves(work: Work) -> None:
    said = told(work)
    assert "romio_no_indep_rw" not in " ".join(one.command or "" for one in said.advice)
    assert "Let fewer ranks open the file" in texts(said)


def asked_of(path: str, stats: int) -> Work:
    parts = (Part(path.format(k=k, rank="{}"), range(64), writes=1, stats=stats, meta_s=0.6) for k in range(50))
    return Work(tuple(parts), nprocs=64, runtime_s=60)


def test_of_its_own_files_each_rank_asks_and_no_one_for_all() -> None:
    assert "Let each rank ask once about a file of its own" in texts(told(asked_of("/scratch/r{rank}/f{k}", 200)))
    assert "Let one rank ask" in texts(told(asked_of("/scratch/f{k}", 200)))


@pytest.mark.parametrize(
    ("packs", "number", "line"),
    [
        (True, 1000, 'tar -b 2048 -c -f archive.tar "${FOLDER:?the folder to pack}"'),
        (True, 1, 'tar -b 2048 -c -f archive.tar "${FOLDER:?the folder to pack}"'),
        (False, 1000, "tar -b 2048 -x -f archive.tar"),
        (False, 1, "tar -b 2048 -x -f archive.tar"),
    ],
)
def test_nobody_who_packs_is_given_a_line_that_unpacks(packs: bool, number: int, line: str) -> None:
    each = 200_000 // number
    files, archive = ({"reads": each, "read_s": 20.0 / number}, {"writes": 200_000, "write_s": 80.0})
    if not packs:
        files, archive = ({"writes": each, "write_s": 20.0 / number}, {"reads": 200_000, "read_s": 80.0})
    members = [Part(f"/scratch/run/f{k:04}", range(1), size=10 * KIB, **files) for k in range(number)]
    if packs:
        # An archive is a member, too.
        members.append(Part("/scratch/run/old.zip", range(1), size=10 * KIB, reads=100_000, read_s=20.0))
    work = Work((Part("/scratch/run.tar", range(1), size=10 * KIB, **archive), *members), 1, 150.0, "/usr/bin/tar")
    found = [f for f in document(work).findings if f.rule == "tar-block-size" and f.verdict == "triggered"]
    assert {one.command for f in found for one in f.advice} == {line}


@pytest.mark.parametrize(("stats", "waits"), [(20_000, True), (40, False)])
def test_who_waits_for_a_file_of_another_program_is_not_told_of_files_of_its_own(stats: int, waits: bool) -> None:
    """The first half of the ranks writes, the other asks whether that is done."""
    flag = Part("/scratch/done.flag", range(32, 64), stats=stats, meta_s=uneven(32, 60.0))
    out = Part("/scratch/o.{}", range(32), writes=200, size=4096 * KIB, write_s=5.0, osts=osts(32))
    found = document(Work((flag, out), nprocs=64, runtime_s=200.0, nodes=2))
    (one,) = (f for f in found.findings if f.rule == "metadata-bound" and f.verdict == "triggered")
    assert "a file of its own" not in texts(one)
    assert texts(one).startswith("Let one rank ask")
    assert ("sleeps a few seconds" in texts(one)) is waits
    assert (one.could_save_s is None) is waits
