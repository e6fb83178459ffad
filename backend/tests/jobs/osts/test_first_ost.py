"""Files that all begin on one OST: what that takes where they are in use at once, and one after the other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import MIB, Part, Work, above_info, document, own, uneven


def ensemble() -> Work:
    """64 members of 16 ranks each write a file with collective calls at the same time, all on OST 0."""
    parts: list[Part] = []
    for k in range(64):
        name, ranks = f"/scratch/ens/m{k:03}.nc", range(16 * k, 16 * k + 16)
        parts += (
            Part(name, ranks, "MPI-IO", writes=64, size=4 * MIB, write_s=480.0, collective=True),
            Part(name, ranks[:1], writes=1024, size=4 * MIB, write_s=470.0, osts=(0,)),
        )
    return Work(tuple(parts), nprocs=1024, runtime_s=900.0, nodes=64)


def plots() -> Work:
    """30 files of 8 GiB that all ranks write, one after the other, each on OST 0."""
    parts: list[Part] = []
    for k in range(30):
        name, at = f"/scratch/plt{k:04}", 10.0 + 38.0 * k
        parts += (
            Part(name, range(256), "MPI-IO", writes=8, size=4 * MIB, write_s=12.0, collective=True, begins_s=at),
            Part(name, range(0, 256, 64), writes=512, size=4 * MIB, write_s=11.0, osts=(0,), begins_s=at),
        )
    return Work(tuple(parts), nprocs=256, runtime_s=1200.0, nodes=4)


def test_who_waits_in_collective_calls_for_the_ranks_that_write_waits_for_that_ost_too() -> None:
    found = document(ensemble())
    assert found.headline.rule == "fixed-ost-offset"
    (first,) = (f for f in found.findings if f.rule == "fixed-ost-offset")
    assert first.takes_s == pytest.approx(480.0, rel=0.05)


def test_one_file_after_the_other_has_its_ost_to_itself() -> None:
    found = document(plots())
    assert found.headline.rule == "ssf-understriped"
    (first,) = (f for f in found.findings if f.rule == "fixed-ost-offset")
    assert (first.takes_s or 0.0) < 1.0
    (few,) = (f for f in found.findings if f.rule == "ssf-understriped" and f.verdict == "triggered")
    assert few.takes_s == pytest.approx(360.0, rel=0.05)


def on_a_few(files: int, seconds: float, *osts: int) -> Work:
    """Files of 600 MiB, of a rank each, on these OSTs in turn."""
    lies_on = tuple(osts[r % len(osts)] for r in range(files))
    part = Part("/scratch/o.{}", range(files), writes=150, size=4 * MIB, write_s=seconds, osts=lies_on)
    return Work((part,), nprocs=files, runtime_s=3 * seconds, osts_in_fs=0)


def test_many_files_on_two_of_many_osts_were_put_there() -> None:
    found = document(on_a_few(480, 400.0, 4, 47))
    assert found.headline.sentence == "Nearly all data is in files that begin on 2 of 48 OSTs or more."
    assert (
        found.headline.command
        == 'lfs setstripe -c 1 -S 1M -i -1 "${OUTPUT_DIRECTORY:?the directory in which the job writes}"'
    )


@pytest.mark.parametrize(
    ("others", "directory"), [("/scratch/g/t.{}", "/scratch/f"), ("/scratch/f/t.{}", "/scratch/f")]
)
def test_files_on_one_ost_are_named_beside_more_bytes_on_all(others: str, directory: str) -> None:
    on_one = Part("/scratch/f/s.{}", range(64), writes=100, size=16 * MIB, write_s=160.0, osts=(2,))
    spread = Part(others, range(64), writes=400, size=16 * MIB, write_s=20.0, osts=own(64))
    found = document(Work((on_one, spread), 64, 300.0, nodes=1))
    assert found.headline.sentence == "The OST on which the files s.# begin was chosen by hand, instead of by Lustre."
    assert found.headline.command == f"lfs setstripe -c 1 -S 1M -i -1 {directory}"
    quick = document(Work((replace(on_one, write_s=5.0), replace(spread, write_s=100.0)), 64, 300.0, nodes=1))
    assert "fixed-ost-offset" not in above_info(quick)


@pytest.mark.parametrize(
    "work", [on_a_few(480, 100.0, 4, 47), on_a_few(7, 40.0, 4, 47), on_a_few(480, 400.0, *range(0, 48, 3))]
)
def test_fast_ones_few_files_and_a_third_of_the_osts_show_no_choice(work: Work) -> None:
    assert not [f for f in document(work).findings if f.rule == "fixed-ost-offset" and f.verdict == "triggered"]


def all_on_one(files: int, of_osts: int, *, pool: bool = False) -> Work:
    """A file of each rank, all on OST 0, written at the same time."""
    lies_on = (0,) * files
    part = Part("/scratch/o.{}", range(files), writes=1000, size=MIB, write_s=40.0, osts=lies_on)
    return Work((part,), nprocs=files, runtime_s=44.0, osts_in_fs=of_osts, pool="flash" if pool else None)


@pytest.mark.parametrize(
    ("work", "chosen"),
    [
        (all_on_one(8, 4), True),
        (all_on_one(7, 4), False),
        (all_on_one(4, 48), True),
        (all_on_one(3, 200), False),
        (all_on_one(8, 2), False),
        (all_on_one(8, 0), False),
        (all_on_one(15, 0), False),
        (all_on_one(8, 4, pool=True), False),
    ],
    ids=[
        "8 of 4",
        "7 of 4",
        "4 of 48",
        "3 of 200",
        "8 of 2",
        "OSTs not counted",
        "and nearly enough files",
        "in a pool",
    ],
)
def test_how_many_files_on_one_ost_are_no_chance_depends_on_how_many_osts_there_are(work: Work, chosen: bool) -> None:
    assert ("fixed-ost-offset" in above_info(document(work))) == chosen


def beside_inputs(seconds: float) -> Work:
    """480 outputs of 600 MiB on two OSTs, beside as many small inputs that lie on all of 48."""
    (outputs,) = on_a_few(480, seconds, 4, 47).parts
    spread = tuple(range(48)) * 10
    inputs = Part("/scratch/in.{}", range(480), reads=1, size=4 * MIB, read_s=0.5, osts=spread)
    return Work((outputs, inputs), nprocs=480, runtime_s=3 * seconds, osts_in_fs=0)


def test_small_inputs_elsewhere_hide_no_choice_and_make_no_slow_ost_of_a_fast_one() -> None:
    slow = document(beside_inputs(400.0))
    assert slow.headline.sentence.startswith("Nearly all data is in files that begin on 2 of 48 OSTs or more.")
    fast = document(beside_inputs(100.0))
    assert not [f for f in fast.findings if f.rule == "fixed-ost-offset" and f.verdict == "triggered"]


def in_folders(*folders: str) -> Work:
    """64 files of 800 MiB in each of these, all on OST 0."""
    parts = (
        Part(f"{folder}/out.{{}}", range(64), writes=100, size=8 * MIB, write_s=40.0, osts=(0,)) for folder in folders
    )
    return Work(tuple(parts), 64, 600.0, nodes=1)


def test_where_the_files_lie_in_several_directories_that_above_them_is_named() -> None:
    found = document(in_folders(*(f"/scratch/run/step{k}" for k in range(8))))
    (mine,) = (f for f in found.findings if f.rule == "fixed-ost-offset")
    assert mine.advice[0].command == "lfs setstripe -c 1 -S 1M -i -1 /scratch/run"
    assert "those that are there keep what they have" in mine.advice[0].text


def test_where_they_have_no_directory_of_the_jobs_own_in_common_none_is_named() -> None:
    (mine,) = (f for f in document(in_folders("/scratch/a", "/scratch/b")).findings if f.rule == "fixed-ost-offset")
    assert mine.advice[0].command == (
        'lfs setstripe -c 1 -S 1M -i -1 "${OUTPUT_DIRECTORY:?the directory in which the job writes}"'
    )


def test_of_two_top_directories_none_stands_for_the_other() -> None:
    mounts = (("/work1", "lustre"), ("/work2", "lustre"), ("/", "xfs"))
    work = replace(in_folders("/work1/run/out", "/work2/run/ckpt"), mounts=mounts)
    (mine,) = (f for f in document(work).findings if f.rule == "fixed-ost-offset")
    (leave,) = (a for a in mine.advice if a.command)
    assert leave.text.startswith("Leave the choice of the first OST to Lustre: index -1, in each directory in which ")
    assert leave.command == (
        'lfs setstripe -c 1 -S 1M -i -1 "${OUTPUT_DIRECTORY:?the directory in which the job writes}"'
    )


def test_of_two_that_are_only_read_neither_is_copied_for_both() -> None:
    parts = (Part(f"/work{k}/in/part.{{}}", range(64), reads=100, size=8 * MIB, read_s=40.0, osts=(0,)) for k in (1, 2))
    mounts = (("/work1", "lustre"), ("/work2", "lustre"), ("/", "xfs"))
    found = document(Work(tuple(parts), 64, 600.0, nodes=1, mounts=mounts))
    (mine,) = (f for f in found.findings if f.rule == "fixed-ost-offset")
    (leave,) = (a for a in mine.advice if a.command)
    assert "/work" not in (leave.command or "")
    assert 'cp -r "${FOLDER:?the folder of the files}" "$NEW_DIRECTORY"' in (leave.command or "")


def test_files_on_one_ost_are_striped_on_lustre_wherever_the_largest_file_lies() -> None:
    inputs = Part("/scratch/in/f.{}", range(64), reads=400, read_s=uneven(64, 60.0), osts=(0,))
    large = Part("/gpfs/p/big.dat", range(1), reads=2000, size=16 * MIB, read_s=20.0)
    mounts = (("/scratch", "lustre"), ("/gpfs", "gpfs"), ("/home", "nfs"))
    found = document(Work((inputs, large), 64, 300.0, nodes=4, mounts=mounts))
    said = [
        one for f in found.findings if f.rule == "fixed-ost-offset" and f.verdict == "triggered" for one in f.advice
    ]
    assert said
    assert all(one.withheld is None for one in said)
    # All 64 of them, and not one that stands for the others.
    assert "cp -r /scratch/in/. /scratch/in.striped" in (said[0].command or "")
