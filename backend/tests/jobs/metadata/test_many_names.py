"""Files of many names, none of which takes much of the I/O by itself: written before the first was diagnosed."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, above_info, document, osts, own

from iotriage.analysis.document import CaseDocument, Finding

NAMES = ("tas", "pr", "psl", "huss", "uas", "vas", "rsds", "rlds", "clt", "evspsbl")
RANKS = range(64)


def shared(name: str, *, writes: int = 20_000, size: int = 4096, stripes: int = 4, layer: str = "POSIX") -> Part:
    """30 s of each rank in one file of all."""
    path = f"/scratch/run/{name}.dat"
    return Part(
        path, RANKS, layer, writes=writes, size=size, write_s=30.0, in_order=0.0, forward=0.9, osts=osts(stripes)
    )


RESTART = Part("/scratch/run/restart.bin", range(1), writes=4000, size=4 * MIB, write_s=100.0, osts=(7,))


def case(*parts: Part) -> CaseDocument:
    return document(Work(parts, 64, 1000.0, nodes=1))


def found(rule: str, document: CaseDocument) -> Finding:
    return next(f for f in document.findings if f.rule == rule and f.verdict == "triggered")


def test_ten_variables_written_badly_are_one_matter() -> None:
    variables = case(*(shared(name) for name in NAMES), RESTART)
    finding = found(variables.headline.rule or "", variables)
    assert finding.rule == "small-io"
    assert finding.takes_s == pytest.approx(300, rel=0.01)
    assert finding.scope.label == "10 files such as clt.dat"
    assert above_info(variables) == {"small-io": "medium", "serial-io": "high"}


def test_so_are_ten_sets_of_a_file_for_each_rank() -> None:
    each = (Part(f"/scratch/run/{n}.{{}}", RANKS, writes=20_000, size=4096, write_s=30.0, osts=own(64)) for n in NAMES)
    variables = case(*each, RESTART)
    assert variables.headline.rule == "small-io"
    assert found("small-io", variables).takes_s == pytest.approx(300, rel=0.01)


def test_what_is_written_well_is_not_blamed_with_the_rest() -> None:
    good = (shared(name, writes=20, size=4 * MIB) for name in NAMES[:5])
    bad = (shared(name) for name in NAMES[5:])
    mixed = case(*good, *bad)
    assert found("small-io", mixed).takes_s == pytest.approx(150, rel=0.01)
    assert found("small-io", mixed).scope.label == "5 files such as clt.dat"


def test_files_of_other_stripes_are_told_apart() -> None:
    wide = (shared(name, writes=800, size=MIB, stripes=12) for name in NAMES[:5])
    narrow = (shared(name, writes=800, size=MIB, stripes=1) for name in NAMES[5:])
    finding = found("ssf-understriped", case(*wide, *narrow))
    assert finding.takes_s == pytest.approx(150, rel=0.01)


def test_two_large_files_stay_two() -> None:
    halves = case(shared("tas"), shared("pr"))
    assert {group.label for group in halves.groups} == {"tas.dat", "pr.dat"}
    assert halves.headline.figure == "With another group of files, that takes 60.0 s of the run's 16 min 40 s."


def test_hints_for_files_of_many_names_are_for_what_these_end_in() -> None:
    parts = tuple(part for name in NAMES for part in (shared(name, layer="MPI-IO"), shared(name)))
    advice = " ".join(one.command or "" for f in case(*parts).findings for one in f.advice)
    assert '"*.dat:' in advice
    assert "tas.dat" not in advice
    assert "clt.dat" not in advice


def test_modules_are_no_part_of_the_data_beside_them() -> None:
    def small(path: str) -> Part:
        return Part(path, RANKS, reads=2, size=4096, read_s=0.1, meta_s=1.0, stats=4)

    modules = (small(f"/home/u/venv/lib/python3.11/site-packages/{name}/{name}.py") for name in NAMES)
    data = (small(f"/home/u/data/{name}.txt") for name in NAMES)
    labels = {group.label for group in case(*modules, *data).groups}
    assert labels == {"10 files such as clt.py", "10 files such as clt.txt"}


def test_a_cause_in_several_groups_is_held_against_others_by_the_seconds_of_all() -> None:
    """What is read and what is written are two groups."""
    written = Part("/scratch/run/tas.dat", RANKS, writes=20_000, size=4096, write_s=150.0, in_order=0.0, forward=0.9)
    read = Part("/scratch/run/pr.dat", RANKS, reads=20_000, size=4096, read_s=150.0, in_order=0.0, forward=0.9)
    alone = Part("/scratch/run/restart.bin", range(1), writes=8000, size=4 * MIB, write_s=200.0, osts=(7,))
    found = case(written, read, alone)
    assert [f.rule for f in found.findings if f.severity in ("high", "medium")] == ["small-io", "small-io", "serial-io"]
    assert found.headline.figure == "With another group of files, that takes 5 min of the run's 16 min 40 s."


@pytest.mark.parametrize("log_s", [0.0, 90.0])
def test_of_more_files_than_are_looked_at_those_with_most_bytes_stay_where_all_take_as_long(log_s: float) -> None:
    """Each rank writes a file under a name of its own, side by side; one adds lines to a log, in no time or long."""
    names = [f"{first}{second}" for first in "abcdefgh" for second in "abcdefgh"]
    files = [
        Part(f"/scratch/{name}/{name}.dat", range(rank, rank + 1), writes=100 - rank, size=MIB, write_s=90.0)
        for rank, name in enumerate(names)
    ]
    log = Part("/scratch/run/notes.txt", range(1), writes=900, size=40, write_s=log_s)
    assert [group.label for group in case(*files, log).groups] == [f"{name}.dat" for name in names[:40]]
