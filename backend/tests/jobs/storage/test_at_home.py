"""Files at home of which something else is the cause, or which nobody could have left elsewhere."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, above_info, document, uneven

RUN_THERE = (
    'cd "${WORK_DIRECTORY:?your directory on the file system for jobs}"   '
    "# on /scratch, with what the job reads copied there"
)


def job(*parts: Part, ranks: int, program: str = "/sw/app") -> Work:
    return Work(parts, nprocs=ranks, runtime_s=400, program=program)


TABLE = job(
    Part("/home/u/tables/eos.dat", range(2048), reads=100, read_s=uneven(2048, 150), reach=100 * MIB), ranks=2048
)
CONFIGURATION = job(
    Part(
        "/home/u/app.yaml", range(4096), "STDIO", reads=2, size=4 * KIB, read_s=0.01, meta_s=uneven(4096, 90),
        reach=8 * KIB,
    ),
    ranks=4096,
)  # fmt: skip
OWN_AGAIN = job(Part("/home/u/in.{}", range(16), reads=6000, read_s=uneven(16, 90), reach=400 * MIB), ranks=16)
READ_TWICE = job(Part("/home/u/in.dat", range(2), reads=4000, read_s=120.0, reach=4000 * MIB), ranks=2)
READ_IN_PARTS = job(Part("/home/u/in.dat", range(64), reads=400, read_s=uneven(64, 120)), ranks=64)


@pytest.mark.parametrize(
    ("work", "rule", "advice"),
    [
        (TABLE, "redundant-reads", "send it to all"),
        (CONFIGURATION, "stdio-reread", "send it to all"),
        (OWN_AGAIN, "redundant-reads", "keep it in memory"),
        (READ_TWICE, "wrong-filesystem", "copy home what you want to keep"),
        (READ_IN_PARTS, "wrong-filesystem", "copy home what you want to keep"),
    ],
    ids=["a table that all read", "a file that all open", "own files, fifteen times", "twice", "once, in parts"],
)
def test_what_is_read_many_times_there_is_read_once_before_it_lies_elsewhere(
    work: Work, rule: str, advice: str
) -> None:
    found = document(work)
    assert found.headline.rule == rule
    leading = next(f for f in found.findings if f.rule == rule)
    assert any(advice in one.text for one in leading.advice)
    assert (leading.headline or "").startswith("The job reads its data from home") == (rule == "wrong-filesystem")


def copied(program: str, other: str = "/scratch/big.tar") -> Work:
    return job(
        Part("/home/u/big.tar", range(1), reads=12_288, read_s=110.0),
        Part(other, range(1), writes=12_288, write_s=12.0),
        ranks=1,
        program=program,
    )


def test_who_copies_from_home_is_not_told_to_run_elsewhere() -> None:
    found = document(copied("/usr/bin/cp"))
    assert found.headline.sentence.startswith("Files are copied from home")
    told = next(f for f in found.findings if f.rule == "wrong-filesystem")
    assert [one.command for one in told.advice] == [None]
    assert told.could_save_s is None


@pytest.mark.parametrize("work", [copied("/home/u/bin/solver"), copied("/usr/bin/cp", "/home/u/copy.tar")])
def test_other_programs_and_copies_within_home_are(work: Work) -> None:
    told = next(f for f in document(work).findings if f.rule == "wrong-filesystem")
    assert RUN_THERE in [one.command for one in told.advice]
    assert set(above_info(document(work))) == {"wrong-filesystem"}


@pytest.mark.parametrize(("step", "said"), [("r{:02}", "/home/u"), ("out", "/home/u/out"), ("a/r{:02}", "/home/u/a")])
def test_data_in_many_directories_goes_to_the_one_above_them(step: str, said: str) -> None:
    outputs = (
        Part(f"/home/u/{step.format(k)}/t{k}.{{}}", range(64), writes=20, write_s=2.0, meta_s=0.1) for k in range(60)
    )
    sentence = document(job(*outputs, ranks=64)).headline.sentence
    assert sentence == f"The job's data goes to home, {said}, instead of a file system for jobs."


@pytest.mark.parametrize(
    ("folder", "program", "line"),
    [
        ("tmp", "/sw/app", 'export TMPDIR="${WORK_DIRECTORY:?your directory on the file system for jobs}/tmp"'),
        (
            "tmp",
            "/sw/qe/pw.x",
            'export ESPRESSO_TMPDIR="${WORK_DIRECTORY:?your directory on the file system for jobs}/tmp"',
        ),
        ("run7", "/sw/app", RUN_THERE),
    ],
)
def test_temporary_files_there_go_elsewhere_by_a_setting(folder: str, program: str, line: str) -> None:
    spilled = Part(f"/home/u/{folder}/s.{{}}", range(64), writes=2000, reads=2000, write_s=80.0, read_s=70.0)
    found = document(job(spilled, ranks=64, program=program))
    (told,) = (f for f in found.findings if f.rule == "wrong-filesystem")
    assert told.advice[0].command == line


def test_a_job_is_sent_to_another_directory_once() -> None:
    """One rank writes all of it on NFS: two rules have it run elsewhere."""
    alone = Part("/home/u/run/o.dat", range(1), writes=20_000, write_s=400.0)
    found = document(job(alone, ranks=64))
    told = [one for f in found.findings if f.verdict == "triggered" for one in f.advice]
    assert {f.rule for f in found.findings if f.verdict == "triggered"} >= {"wrong-filesystem", "serial-io"}
    assert [one.command for one in told].count(RUN_THERE) == 1
    assert [one.withheld for one in told if one.text == "a second change of where the job runs"] == [
        "“Heavy I/O on home” advises it already"
    ]


@pytest.mark.parametrize(("name", "first"), [("ref.sqlite", "Copy the database to memory"), ("ref.bin", "Run in your")])
def test_a_database_that_is_looked_up_is_not_brought_from_one_server_to_another(name: str, first: str) -> None:
    looked_up = Part(
        f"/home/u/{name}", range(64), reads=150_000, size=4 * KIB, read_s=210.0, in_order=0.0, reach=2048 * MIB
    )
    assert (document(Work((looked_up,), 64, 300.0, nodes=4)).headline.action or "").startswith(first)
