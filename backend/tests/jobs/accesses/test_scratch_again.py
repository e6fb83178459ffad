"""Scratch files that each rank writes over and reads back, and files that only look like them."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, own, uneven

from iotriage.analysis.document import CaseDocument, Finding

RULE, SIZE = "redundant-reads", 500 * MIB


def files(
    *, written: int, read: int, path: str = "/scratch/qe/wfc{}", size: int = SIZE, program: str = "/sw/app"
) -> Work:
    """128 ranks, a file each of `size` bytes, `written` and `read` so many times, in 320 of 1,800 s."""
    calls = max(1, size // (50 * MIB))
    moved = written + read
    return Work(
        (
            Part(
                path,
                range(128),
                writes=calls * written,
                reads=calls * read,
                size=size // calls,
                write_s=320.0 * written / moved,
                read_s=320.0 * read / moved,
                reach=size,
                osts=own(128),
            ),
        ),
        128,
        1800.0,
        program=program,
    )


def said(found: CaseDocument) -> list[Finding]:
    return [f for f in found.findings if f.rule == RULE and f.verdict == "triggered"]


def test_scratch_files_that_are_rewritten_and_read_have_the_seconds_that_it_takes() -> None:
    (found,) = said(document(files(written=20, read=20)))

    assert found.says is not None
    assert "written 20 times and read 20 times" in found.says.summary
    assert found.takes_s == pytest.approx(0.95 * 320, rel=0.02)
    assert all("cd " not in (advice.command or "") for advice in found.advice)


def test_a_program_that_is_known_is_told_by_its_own_names() -> None:
    (found,) = said(document(files(written=20, read=20, program="/sw/qe/7.2/bin/pw.x")))

    assert "disk_io" in found.advice[0].text
    assert found.advice[1].command == 'export ESPRESSO_TMPDIR="${TMPDIR:?a folder on the disk of the node}"'


def test_where_files_are_written_and_read_once_nobody_says_that_they_were_read_again() -> None:
    assert not said(document(files(written=1, read=1)))


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(files(written=20, read=1), id="a checkpoint that is replaced, and read at the start"),
        pytest.param(files(written=200, read=2), id="a log that is appended to, whose offsets Darshan counts anew"),
        pytest.param(files(written=20, read=20, path="/tmp/wfc{}"), id="in the memory of the node"),
        pytest.param(files(written=20, read=20, size=MIB // 8), id="files of 128 KiB"),
        pytest.param(files(written=1, read=20), id="written once"),
    ],
)
def test_other_files_are_not_said_to_be_rewritten(work: Work) -> None:
    assert not any(f.says is not None and "rewritten" in f.says.headline for f in said(document(work)))


def test_what_a_rank_wrote_and_reads_many_times_goes_to_its_node_and_is_no_input() -> None:
    kept = Part(
        "/scratch/c/RI-{}.tmp", range(64), writes=2000, reads=40_000, size=MIB, write_s=10.0, read_s=uneven(64, 300.0),
        in_order=0.4, reach=2000 * MIB, osts=own(64),
    )  # fmt: skip
    found = document(Work((kept,), nprocs=64, runtime_s=700.0, nodes=2, program="/sw/bin/nwchem"))
    assert found.headline.rule == "redundant-reads"
    assert found.headline.command == 'export SCRATCH_DIR="${TMPDIR:?a folder on the disk of the node}"'
    given = Part(
        "/scratch/c/in-{}.bin", range(64), reads=40_000, size=MIB, read_s=uneven(64, 300.0), in_order=0.4,
        reach=2000 * MIB, osts=own(64),
    )  # fmt: skip
    again = document(Work((given,), nprocs=64, runtime_s=700.0, nodes=2, program="/sw/bin/nwchem"))
    assert again.headline.rule == "redundant-reads"
    assert again.headline.command is None
