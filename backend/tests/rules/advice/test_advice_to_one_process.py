"""What is advised where one process has many files to read."""

import subprocess

import pytest
from declared import GIB, context

from iotriage.rules import all_rules
from iotriage.rules.advice.one_process import busiest_rank_words

READS = {"job.nprocs": 1, "io.layer": "POSIX", "io.bytes_read": GIB, "io.bytes_written": 0, "posix.reads": 4000.0}
SIDE_BY_SIDE = "xargs -a "


@pytest.mark.parametrize("rule", ["small-io", "random-access"])
@pytest.mark.parametrize(
    ("changed", "files", "several"),
    [
        ({}, 900, True),
        ({}, 3, False),
        ({"job.nprocs": 16}, 900, False),
        ({"io.bytes_read": 0, "io.bytes_written": GIB}, 900, False),
    ],
    ids=["many files", "few files", "several processes", "written"],
)
def test_several_processes_have_a_share_of_the_files_each(rule, changed, files, several):
    first, *_ = all_rules()[rule].advise(context(READS | changed, files=files))
    assert (first.command or "").startswith(SIDE_BY_SIDE) is several


def test_nobody_sorts_what_a_library_reads():
    given = [all_rules()["random-access"].advise(context(READS, file=name)) for name in ("tas_001.nc", "tas_001.dat")]
    assert [any("Sort the accesses" in one.text for one in advice) for advice in given] == [False, True]


@pytest.mark.parametrize(("bytes_each", "looks_up"), [(14 * 2**10, True), (16 * 2**10 - 1, False)])
def test_small_accesses_of_a_library_look_up_where_its_data_lies(bytes_each: int, looks_up: bool) -> None:
    sized = READS | {"posix.average_size": bytes_each}
    given = all_rules()["random-access"].advise(context(sized, file="tas_001.nc"))
    assert any("to look up where its data lies" in one.text for one in given) is looks_up


def test_each_process_has_the_options_of_the_program_and_its_own_files(tmp_path) -> None:
    """And who has not said what the program is reads that the files are none of it."""
    first, *_ = all_rules()["small-io"].advise(context(READS, files=900))
    assert first.command is not None
    (tmp_path / "files").write_text("a.dat\nb.dat\n")
    for program, told in (("(echo '-v 1')", "-v 1 a.dat b.dat\n"), ("", "the program without its files")):
        script = f"LIST_OF_FILES={tmp_path}/files; PROGRAM={program}; {first.command}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
        assert told in done.stdout + done.stderr


@pytest.mark.parametrize("ranks", [None, 128])
def test_the_io_of_a_step_is_not_that_of_the_whole_job(ranks: int | None) -> None:
    """Whatever its log says of its ranks."""
    values = {"io.writers": 384, "io.bytes_written": 2**40, "balance.busiest_share": 0.5, "job.nprocs": 384}
    said, _ = busiest_rank_words(context(values | ({} if ranks is None else {"balance.step_ranks": ranks})))
    assert said == ("One rank" if ranks is None else "One of 128 ranks") + " does the I/O of a step of the job."
