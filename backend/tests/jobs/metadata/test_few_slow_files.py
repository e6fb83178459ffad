"""A few hundred small files of which each takes long: what costs is how often one is used, not what is in it."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document, seconds_of


def in_turn(files: int, each_s: float, layer: str = "POSIX", *, reads: bool = True, processes: int = 1) -> Work:
    """Files that are used one after the other, for two fifths of their time in opening them."""
    moved = {"reads": 2, "read_s": 0.6 * each_s} if reads else {"writes": 2, "write_s": 0.6 * each_s}
    parts = tuple(
        Part(f"/scratch/in/f{i}.txt", range(i % processes, i % processes + 1), layer, size=10 * KIB,
             meta_s=0.4 * each_s, begins_s=1 + i * each_s, **moved)
        for i in range(files)
    )  # fmt: skip
    return Work(parts, processes, runtime_s=1.5 * files * each_s / processes + 10, nodes=1)


@pytest.mark.parametrize("layer", ["POSIX", "STDIO"])
@pytest.mark.parametrize(("files", "each_s"), [(250, 0.1), (500, 0.2), (750, 0.3)])
def test_files_that_take_long_each_are_many_at_a_few_hundred(files: int, each_s: float, layer: str) -> None:
    found = document(in_turn(files, each_s, layer))
    assert found.headline.rule == "many-small-files"
    assert f"{files} small files, and each takes" in found.headline.sentence
    assert found.unexplained is not None
    assert found.unexplained.seconds < 0.01 * files * each_s


def test_who_reads_them_in_one_process_may_start_several() -> None:
    told = [
        a.command or "" for f in document(in_turn(500, 0.2)).findings if f.rule == "many-small-files" for a in f.advice
    ]
    assert any(command.startswith("xargs") for command in told)


def test_those_that_are_written_or_of_several_ranks_are_found_too() -> None:
    for work in (in_turn(500, 0.2, reads=False), in_turn(640, 0.2, processes=8)):
        assert document(work).headline.rule == "many-small-files"


@pytest.mark.parametrize(("files", "each_s"), [(60, 0.3), (500, 0.02)])
def test_few_files_or_quick_ones_are_not_accused(files: int, each_s: float) -> None:
    assert document(in_turn(files, each_s)).headline.rule != "many-small-files"


def test_one_that_took_all_the_time_makes_the_others_no_slower() -> None:
    quick = in_turn(500, 0.004)
    slow = Part("/scratch/in/f500.txt", range(1), reads=2, size=10 * KIB, read_s=100.0)
    found = document(Work((*quick.parts, slow), 1, 150.0, nodes=1))
    assert found.headline.rule != "many-small-files"


@pytest.mark.parametrize(("size", "seconds"), [(2000, 22.5), (100 * KIB, 15)], ids=["in a buffer", "in several"])
def test_files_of_several_ranks_take_their_time_where_nobody_has_a_usual_one(size: int, seconds: float) -> None:
    """Streams: 1,500 files that each of 16 ranks opens and reads; what fits a buffer no larger one reads sooner."""
    ranks = range(16)
    parts = tuple(
        Part(f"/scratch/in/{i}.txt", ranks, "STDIO", reads=2, size=size, read_s=0.005, meta_s=0.01) for i in range(1500)
    )
    work = Work(parts, 16, runtime_s=60, nodes=1)
    assert seconds_of(work)["many-small-files"] == pytest.approx(seconds, rel=0.02)
    assert document(work).headline.rule == "many-small-files"


def test_lines_of_small_files_want_no_larger_buffer() -> None:
    """3,000 files of 60 lines each."""
    parts = tuple(
        Part(f"/scratch/t/{i}.txt", range(1), "STDIO", reads=60, size=80, read_s=0.01, meta_s=0.02) for i in range(3000)
    )
    assert set(seconds_of(Work(parts, 1, runtime_s=150, nodes=1))) == {"many-small-files"}


@pytest.mark.parametrize(
    ("files", "each_s", "said"), [(40, 1.5, "40 opens took 1.50 s each"), (3, 20.0, "20.0 s each")]
)
def test_of_too_few_to_be_many_it_is_said_how_long_an_open_takes(files: int, each_s: float, said: str) -> None:
    parts = tuple(
        Part(f"/scratch/in/f{i}.dat", range(1), writes=1, size=4 * KIB, meta_s=each_s, begins_s=1 + 2 * each_s * i)
        for i in range(files)
    )
    found = document(Work(parts, 1, runtime_s=3 * files * each_s, nodes=1))
    assert found.headline.rule is None
    assert said in (found.headline.action or "")


@pytest.mark.parametrize(("size", "told"), [(4 * KIB, True), (200 * KIB, False)])
def test_of_few_files_a_small_read_that_takes_most_of_a_second_has_waited(size: int, told: bool) -> None:
    parts = tuple(
        Part(f"/scratch/in/f{i}.dat", range(1), reads=1, size=size, read_s=0.7, begins_s=1.0 + i) for i in range(90)
    )
    found = document(Work(parts, 1, runtime_s=100, nodes=1))
    assert ("neither its size nor the number" in (found.headline.action or "")) is told


def test_a_file_of_each_rank_takes_many_ranks_and_not_many_stripes() -> None:
    """Nek5000 and OpenFOAM have a setting of how many files there are: that stands before a look at the stripes."""
    for program, said in (("nek5000", "writeNFiles"), ("pimpleFoam", "-fileHandler collated")):
        own_files = tuple(
            Part(f"/scratch/t{k}/p{{}}", range(256), writes=10, size=8 * KIB, write_s=0.05, meta_s=3.0)
            for k in range(20)
        )
        found = document(Work(own_files, 256, runtime_s=300, nodes=4, program=f"/sw/{program}"))
        assert found.headline.rule == "many-small-files"
        assert said in (found.headline.action or "")
