"""Runs of which only texts tell, held against each other. Each pair was written down before it was asked."""

from __future__ import annotations

import pytest
from printed_by_mpich import GIB, case, phases, printed, profile, statistics

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.run_sets.comparison import Comparison, compare

SHARES = {"wait for coll": 0.3, "data send (*)": 0.2, "file write": 0.6}


def pair(one: CaseDocument, other: CaseDocument) -> Comparison:
    return compare([("one", one), ("other", other)])


def changed(one: CaseDocument, other: CaseDocument) -> dict[str, list[str | None]]:
    return {row.name: [v.value for v in row.values] for row in pair(one, other).settings if row.changed}


def read_and_written(stripes: int) -> CaseDocument:
    """A file that is read beside one that is written, on 12 stripes."""
    left_out = ("read-modify-write", "aggregators active")
    text = statistics("in.dat", 8 * GIB, stripe_count=stripes)
    text = "".join(f"{line}\n" for line in text.splitlines() if not any(words in line for words in left_out))
    written = statistics("out.dat", 24 * GIB) + phases("out.dat", 24 * GIB, 30, SHARES)
    return case(printed(text.replace("writers", "readers").replace("write", "read"), written))


def test_the_stripes_of_a_file_that_is_read_beside_a_larger_one_are_a_change() -> None:
    assert changed(read_and_written(1), read_and_written(16)) == {
        "stripe count of the file read most": ["1 stripe", "16 stripes"]
    }
    assert changed(read_and_written(4), read_and_written(4)) == {}


def test_another_first_folder_is_a_change_where_nothing_tells_what_is_mounted_there() -> None:
    def wrote(file: str, seconds: int) -> CaseDocument:
        return case(printed(statistics(file, 24 * GIB) + phases(file, 24 * GIB, seconds, SHARES)))

    other = pair(wrote("/scratch/u/out.dat", 100), wrote("/flash/u/out.dat", 30))
    assert (other.kind, other.steps[0].changed) == ("change", ("first folder of the largest file /scratch → /flash",))
    for file in ("/scratch/v/out.dat", "out.dat"):
        beside = pair(wrote("/scratch/u/out.dat", 100), wrote(file, 103))
        assert (beside.kind, beside.steps[0].changed) == ("repeats", ())


def test_one_writer_and_all_of_them_by_craypat_are_a_change() -> None:
    one = case(profile(("out.dat", 60.0, 32_768.0, 1, 32_768.0)))
    every = case(profile(("out.dat", 4.0, 64.0, 512, 64.0)))
    assert changed(one, every)["ranks that use the largest file"] == ["1", "all"]
    assert changed(one, one) == {}


def test_calls_that_became_larger_by_craypat_are_a_change() -> None:
    small, large = (case(profile(("out.dat", 4.0, 64.0, 512, calls))) for calls in (65_536.0, 64.0))
    assert changed(small, large)["average write by CrayPAT"] == ["1.00 KiB", "1.00 MiB"]


def test_an_average_of_sizes_that_differs_by_a_thousandth_is_neither_better_nor_worse() -> None:
    def wrote(calls: int) -> CaseDocument:
        return case(
            printed(statistics("out.dat", 24 * GIB, system_writes=calls, ave_system_write_size=24 * GIB // calls))
        )

    rows = {row.id: row.changes[1] for row in pair(wrote(24_576), wrote(24_600)).metrics}
    assert rows["mpiio.system_write_average"] == "same"
    assert {row.id: row.changes[1] for row in pair(wrote(24_576), wrote(48_000)).metrics}[
        "mpiio.system_write_average"
    ] == "worse"


STORED = {"wait for coll": 0.1, "data send (*)": 0.1, "file write": 0.7}
KILLED = "slurmstepd: error: *** JOB 551 ON n1 CANCELLED AT 2025-03-01T12:00:11 DUE TO TIME LIMIT ***\n"


def by_one_or_all(aggregators: int, seconds: int, behind: str = "", moved: int = 24 * GIB) -> CaseDocument:
    written = statistics("out.dat", moved, aggregators=aggregators, stripe_count=aggregators)
    return case(printed(written, phases("out.dat", moved, seconds, STORED), behind))


@pytest.mark.parametrize(
    ("other", "answer"),
    [
        (by_one_or_all(12, 60), "confirmed"),
        (by_one_or_all(12, 30, moved=12 * GIB), "confirmed"),
        (by_one_or_all(12, 60, KILLED), "confirmed"),
        (by_one_or_all(12, 30, KILLED, moved=12 * GIB), "undecided"),
        (by_one_or_all(12, 600), "refuted"),
        (by_one_or_all(12, 400, KILLED, moved=12 * GIB), "undecided"),
    ],
    ids=["faster", "half of it", "ended behind its last file", "ended half-way", "no faster", "ended and slower"],
)
def test_a_run_that_was_ended_half_way_bears_nothing_out(other: CaseDocument, answer: str) -> None:
    (step,) = pair(by_one_or_all(1, 600), other).steps
    assert [(c.rule, c.answer) for c in step.causes] == [("single-aggregator", answer)]
