"""One rank alone in one file, beside another file that all share: what is wrong with the two are two things."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, above_info, document, osts, seconds_of

from iotriage.analysis.document import CaseDocument

INPUT = Part("/scratch/a/in.nc", range(1), reads=8000, size=4 * MIB, read_s=90.0, osts=(1,))


def written(shared: tuple[int, ...], *beside: Part) -> Work:
    """512 ranks write 256 GiB through eight of them, in 300 s, to a file on these OSTs."""
    return Work(
        (
            *beside,
            Part("/scratch/b/o.dat", range(512), "MPI-IO", writes=64, size=8 * MIB, write_s=300.0, collective=True),
            Part(
                "/scratch/b/o.dat",
                range(0, 512, 64),
                writes=4096,
                size=8 * MIB,
                write_s=280.0,
                in_order=0.2,
                osts=shared,
            ),
        ),
        nprocs=512,
        runtime_s=900,
        nodes=8,
    )


def test_a_rank_alone_in_its_input_does_not_explain_that_the_output_lies_on_one_ost() -> None:
    work = written((7,), INPUT)
    assert set(above_info(document(work))) == {"ssf-understriped", "serial-io"}
    assert seconds_of(work) == {"ssf-understriped": 300.0, "serial-io": pytest.approx(90.0, abs=0.5)}
    assert document(work).headline.rule == "ssf-understriped"


def _explained(found: CaseDocument) -> dict[str, str | None]:
    return {f.rule: f.explained_by for f in found.findings if f.verdict == "triggered"}


def test_of_one_rank_that_writes_the_whole_file_the_stripes_are_no_second_matter() -> None:
    """It moves nearly all bytes of a file that all ranks open: more stripes help one writer little."""
    one = Work(
        (
            Part("/scratch/b/o.dat", range(1), writes=65_536, size=4 * MIB, write_s=500.0, osts=(7,)),
            Part("/scratch/b/o.dat", range(1, 512), writes=4, size=4 * MIB, write_s=0.05, osts=(7,)),
        ),
        nprocs=512,
        runtime_s=900,
        nodes=8,
    )
    assert document(one).headline.rule == "serial-io"
    assert _explained(document(one)).get("ssf-understriped", "serial-io") == "serial-io"


def test_what_the_rank_alone_keeps_waiting_is_still_explained_by_it() -> None:
    assert _explained(document(written(osts(16), INPUT)))["straggler-rank"] == "serial-io"


def test_the_ranks_that_share_a_file_are_those_that_use_it() -> None:
    def of(users: range) -> CaseDocument:
        one = Part("/scratch/q/conf", users, writes=1024, size=4 * MIB, write_s=520.0, in_order=0.99, osts=(7,))
        return document(Work((one,), nprocs=256, runtime_s=900, nodes=64))

    assert of(range(0, 256, 4)).headline.sentence.startswith("64 ranks share a file")
    assert of(range(256)).headline.sentence.startswith("256 ranks share a file")


def numbered(lines_of: range, slow: float) -> Work:
    """Each of 64 ranks writes data of its own; these write lines too, or one is slower. Numbers stand for the names."""
    data = tuple(
        Part(
            str(3_000_000_000 + 7919 * r), range(r, r + 1), writes=1000, size=4 * MIB, write_s=slow if r == 9 else 40.0
        )
        for r in range(64)
    )
    lines = tuple(
        Part(str(2_000_000_000 + r), range(r, r + 1), "STDIO", writes=12_000_000, size=100, write_s=400.0)
        for r in lines_of
    )
    return Work((*data, *lines), nprocs=64, runtime_s=1500.0, nodes=4)


@pytest.mark.parametrize(
    ("lines_of", "slow", "rule"),
    [(range(1), 40.0, "serial-io"), (range(64), 40.0, "stdio-heavy"), (range(0), 400.0, "straggler-rank")],
)
def test_files_whose_names_are_numbers_are_of_a_kind_where_they_are_used_alike(
    lines_of: range, slow: float, rule: str
) -> None:
    assert document(numbered(lines_of, slow)).headline.rule == rule
