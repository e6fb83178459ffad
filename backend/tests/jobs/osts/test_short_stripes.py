"""Stripes that are shorter than any that is advised: nobody is to set them again, on more OSTs. And who is told what of
files of single ranks that are striped."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, osts

from iotriage.analysis.document import CaseDocument
from iotriage.rules.core.advice import advice_text


def shared(stripe: int, stripes: int) -> CaseDocument:
    path = "/scratch/o/w.dat"
    part = Part(
        path, range(128), writes=400, size=4 * MIB, write_s=100.0, in_order=0.0, osts=osts(stripes), stripe=stripe
    )
    return document(Work((part,), 128, 300.0, nodes=8))


@pytest.mark.parametrize(
    ("stripe", "given", "told"), [(64 * KIB, "-S 1M", True), (MIB, "-S 1M", False), (4 * MIB, "-S 4M", False)]
)
def test_more_of_them_are_no_shorter_than_a_mebibyte(stripe: int, given: str, told: bool) -> None:
    found = shared(stripe, 1).headline
    assert found.rule == "ssf-understriped"
    assert given in (found.command or "")
    assert ("Its stripes become 1 MiB long instead of 64 KiB" in (found.action or "")) == told


def test_an_experiment_with_more_osts_has_no_shorter_ones_either() -> None:
    part = Part("/scratch/o/f.{}", range(4), writes=4000, size=16 * MIB, write_s=60.0, osts=osts(2), stripe=64 * KIB)
    unexplained = document(Work((part,), 4, 200.0, nodes=2)).unexplained
    assert unexplained is not None
    assert "lfs setstripe -c 4 -S 1M" in (unexplained.command or "")


def test_who_gathers_nothing_needs_no_memory_for_longer_ones() -> None:
    (alone,) = (f for f in shared(64 * KIB, 16).findings if f.rule == "ssf-stripe-size")
    assert "aggregator" not in " ".join(advice_text(one) for one in alone.advice)
    path = "/scratch/o/w.nc"
    gathered = (
        Part(path, range(1024), "MPI-IO", writes=100, write_s=110.0, collective=True),
        Part(path, range(0, 1024, 64), writes=102_400, size=64 * KIB, write_s=100.0, in_order=0.0, osts=osts(16),
             stripe=64 * KIB),
    )  # fmt: skip
    together = document(Work(gathered, 1024, 300.0, nodes=8))
    (finding,) = (f for f in together.findings if f.rule == "ssf-stripe-size")
    assert "every aggregator needs that much memory" in " ".join(advice_text(one) for one in finding.advice)


@pytest.mark.parametrize("way", ["reads", "writes"])
def test_files_that_are_only_read_are_not_said_to_be_written(way: str) -> None:
    reads = 200 if way == "reads" else 0
    part = Part(
        "/scratch/o/f.{}", range(128), "STDIO", reads=reads, writes=200 - reads, size=64 * KIB, read_s=reads / 10,
        write_s=20.0 - reads / 10, meta_s=30.0, osts=osts(8),
    )  # fmt: skip
    found = document(Work((part,), 128, 300.0, nodes=2))
    assert found.headline.sentence == f"Each process {way} its own file, and every file is spread over 8 OSTs."
    (finding,) = (f for f in found.findings if f.rule == "fpp-striped")
    assert (finding.summary or "").startswith("f.#, 128 files: 8 stripes each.")


@pytest.mark.parametrize(("path", "told"), [("/pscratch/sd/a/w.dat", True), ("/scratch/a/w.dat", False)])
def test_one_ost_of_flash_may_give_more_than_a_server_of_disks(path: str, told: bool) -> None:
    """8 GiB/s: on Perlmutter an OST gives twice that, and the file may have others; elsewhere memory may give it."""
    part = Part(path, range(256), writes=400, size=16 * MIB, write_s=200.0, in_order=0.0, osts=(3,))
    mounts = ((path[: path.index("/", 1)], "lustre"),)
    found = document(Work((part,), 256, 600.0, nodes=32, osts_in_fs=274, mounts=mounts)).headline
    assert (found.rule == "ssf-understriped") == told


def test_of_a_file_that_was_there_a_copy_has_longer_ones() -> None:
    part = Part(
        "/scratch/i/w.dat", range(128), reads=400, size=4 * MIB, read_s=100.0, in_order=0.0, osts=osts(16),
        stripe=64 * KIB,
    )  # fmt: skip
    found = document(Work((part,), 128, 300.0, nodes=8)).headline
    assert found.rule == "ssf-stripe-size"
    assert "before the file is made" not in (found.action or "")
    assert "keep their striping: copy them" in (found.action or "")
    assert "lfs setstripe -c 16 -S 1M /scratch/i/striped && cp" in (found.command or "")
