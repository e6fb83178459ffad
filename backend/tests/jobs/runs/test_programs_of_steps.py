"""A job of several steps: advice is for the program that moves the data, and not for another step's."""

from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, document, in_steps, osts, uneven

from iotriage.analysis.document import Finding

RANKS = range(384)


def step(program: str, seconds: float, *, path: str = "/scratch/wps/geo.nc") -> Work:
    """One process that reads a file."""
    part = Part(path, range(1), reads=max(1, int(seconds * 100)), read_s=seconds, reach=GIB, osts=(1,))
    return Work((part,), 1, seconds + 60.0, program=program, nodes=1)


WRF = Work(
    tuple(
        Part(f"/scratch/run/wrfout_{k:02}", range(1), writes=400, size=8 * MIB, write_s=40.0, osts=(k,))
        for k in range(10)
    ),
    384,
    900.0,
    program="./wrf.exe",
    nodes=10,
)
PIECES = Work(
    (
        Part("/scratch/r/f.nc", RANKS, "MPI-IO", writes=1000, size=32 * KIB, write_s=uneven(384, 300.0)),
        Part(
            "/scratch/r/f.nc",
            RANKS,
            writes=1000,
            size=32 * KIB,
            write_s=uneven(384, 298.0),
            in_order=0.1,
            forward=1.0,
            aligned=False,
            osts=osts(8),
        ),
    ),
    384,
    900.0,
    program="./model.exe",
    nodes=10,
)


def loud(*steps: Work) -> list[Finding]:
    return [f for f in document(*steps).findings if f.verdict == "triggered" and f.severity != "info"]


@pytest.mark.parametrize(
    "other", ["/usr/bin/python3", "/usr/bin/cp", "/usr/bin/samtools", "/usr/bin/Rscript", "/usr/bin/tar", "/sw/ncks"]
)
@pytest.mark.parametrize("main", [WRF, PIECES], ids=["a package", "a program"])
def test_a_small_step_of_another_program_changes_no_advice(main: Work, other: str) -> None:
    assert loud(step(other, 3.0), main)[0].advice == loud(main)[0].advice
    assert loud(main, step(other, 3.0))[0].advice == loud(main)[0].advice


def test_a_step_that_is_longest_in_io_has_its_own() -> None:
    small = Work(WRF.parts[:1], 384, 900.0, program="./wrf.exe", nodes=10)
    (first, *_) = loud(step("/usr/bin/cp", 500.0), small)
    assert "dcp" in first.advice[0].text


def test_files_of_one_step_have_the_advice_for_its_program() -> None:
    """The samples are read by samtools, and the pieces written by a program of one's own."""
    bam = Part("/scratch/b/in.bam", range(1), reads=400_000, size=16 * KIB, read_s=250.0, in_order=0.05, reach=9 * GIB)
    sampled = Work((bam,), 1, 400.0, program="/usr/bin/samtools", nodes=1)
    found = {f.rule: f for f in loud(sampled, PIECES)}
    assert "samtools" in found["random-access"].advice[0].text
    assert "samtools" not in found["independent-shared"].advice[0].text


def of_samples(program: str) -> Work:
    """One process that reads many small files."""
    samples = tuple(
        Part(f"/scratch/s/k{k}/x.jpg", range(1), reads=2, size=20 * KIB, read_s=0.05, meta_s=0.3) for k in range(1500)
    )
    return Work(samples, 1, 700.0, program=program, nodes=1)


COPY = Work((Part("/scratch/wps/geo.nc", range(1), reads=300, read_s=3.0),), 1, 900.0, program="/usr/bin/cp", nodes=1)


def test_a_longer_step_of_a_copy_is_no_copy_of_others_files() -> None:
    """The copy runs longest, and the files are those of a program of one's own; and the other way about."""
    samples = {f.rule: f for f in loud(COPY, of_samples("/sw/train"))}["many-small-files"]
    assert not any("dcp" in one.text for one in samples.advice)
    longer = Work(COPY.parts, 1, 900.0, program="/sw/train", nodes=1)
    copied = {f.rule: f for f in loud(longer, of_samples("/usr/bin/cp"))}["many-small-files"]
    assert any("dcp" in one.text for one in copied.advice)


@pytest.mark.parametrize(("program", "is_told"), [("/usr/bin/cp", True), ("/sw/cdo", False)])
def test_a_step_of_one_process_that_copies_is_told_what_copies_side_by_side(program: str, is_told: bool) -> None:
    (serial,) = (f for f in loud(OF_ALL, replace(MEANS, program=program)) if f.rule == "serial-io")
    assert any("dcp" in one.text for one in serial.advice) is is_told


def written_by_one(path: str, seconds: float) -> Work:
    """By rank 0 of 128, all of which read an input."""
    parts = (
        Part(path, range(1), writes=20_000, size=8 * MIB, write_s=seconds, osts=(3,)),
        Part("/scratch/in", range(128), reads=1, read_s=0.01),
    )
    return Work(parts, 128, seconds + 300.0, program="/sw/post.exe", nodes=4)


OF_ALL = Work(
    (Part("/scratch/run/o.{}", range(384), writes=20, size=8 * MIB, write_s=uneven(384, 50.0)),), 384, 900.0, nodes=10
)


MEANS = Work(
    (
        Part("/scratch/all.nc", range(1), reads=60_000, read_s=300.0, osts=(1,)),
        Part("/scratch/mean.nc", range(1), writes=60_000, write_s=300.0, osts=(2,)),
    ),
    1,
    700.0,
    program="/sw/cdo",
    nodes=1,
)


OPENED_BY_ONE = Work(
    tuple(Part(f"/scratch/post/o{k}", range(1), writes=1, size=4000, write_s=0.001, meta_s=0.8) for k in range(300)),
    128,
    400.0,
    program="/sw/post.exe",
    nodes=4,
)


@pytest.mark.parametrize(
    ("steps", "sentence", "seconds"),
    [
        ((written_by_one("/scratch/x", 400.0),), "One rank of 128 does the I/O of the whole job.", 400.0),
        (
            (OF_ALL, written_by_one("/scratch/x", 400.0)),
            "One of 128 ranks does the I/O of a step of the job.",
            400.0,
        ),
        (
            (written_by_one("/scratch/x", 200.0), written_by_one("/scratch/y", 200.0)),
            "One rank of 128 does the I/O of the whole job.",
            400.0,
        ),
        (
            (OF_ALL, MEANS),
            "A step of the job that runs as one process, or few, moves most of the bytes.",
            600.0,
        ),
        (
            (OPENED_BY_ONE, OF_ALL),
            "One rank of 128 does much of the I/O alone, and mostly opens and closes files.",
            240.0,
        ),
    ],
    ids=["one step", "beside a step of all", "two alike", "of one process", "opens"],
)
def test_one_rank_takes_the_seconds_of_its_step(steps: tuple[Work, ...], sentence: str, seconds: float) -> None:
    (serial,) = (f for f in loud(*steps) if f.rule == "serial-io")
    assert serial.headline == sentence
    assert serial.takes_s == pytest.approx(seconds, rel=0.02)


def test_who_writes_is_counted_over_the_steps() -> None:
    found = document(OF_ALL, written_by_one("/scratch/x", 400.0)).metrics
    assert found["io.writers"].value == 384
    assert document(written_by_one("/scratch/x", 400.0)).metrics["io.writers"].value == 1


@pytest.mark.parametrize("seconds", [5e-324, 1e-310, 0.0])
def test_programs_side_by_side_whose_timers_show_next_to_nothing_have_no_account(seconds: float) -> None:
    """No clock shows so little; a log may say it."""
    ocean, post = (
        Work((Part(f"/scratch/{name}.{{}}", range(n), writes=1, write_s=seconds, meta_s=0.0),), n, 600.0, program=name)
        for name, n in (("ocean", 512), ("post", 3))
    )
    assert in_steps((ocean, 0.0), (post, 0.0)).account is None
    model = Part("/scratch/m.{}", range(512), writes=100, write_s=100.0, meta_s=0.0)
    beside = in_steps((replace(ocean, parts=(model,)), 0.0), (post, 0.0)).account
    assert beside is not None
    assert beside.cells.total == pytest.approx(100.0)
