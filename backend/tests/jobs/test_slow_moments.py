"""Checkpoints of one run of which some took far longer: told as the storage's, and only where nothing else differs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from described import MIB, Part, Seconds, Work, above_info, document, osts

from iotriage.analysis.document import CaseDocument, Finding

RANKS = range(256)


def checkpoint(n: int, seconds: Seconds, *, calls: int = 160, first_ost: int = 0, collective: bool = False) -> Part:
    layer, lies_on = ("MPI-IO", ()) if collective else ("POSIX", osts(12, first_ost))
    return Part(
        f"/scratch/run/chk.{n:03}", RANKS, layer, writes=calls, size=4 * MIB, write_s=seconds, begins_s=100.0 * n,
        collective=collective, osts=lies_on,
    )  # fmt: skip


def case(parts: Sequence[Part]) -> CaseDocument:
    return document(Work(tuple(parts), 256, 2000.0, nodes=4))


def moment(found: CaseDocument) -> Finding | None:
    return next((f for f in found.findings if f.rule == "slow-moment" and f.verdict == "triggered"), None)


def test_one_of_ten_checkpoints_was_written_while_the_storage_was_slow() -> None:
    found = case([checkpoint(n, 200.0 if n == 6 else 10.0) for n in range(10)])
    finding = moment(found)
    assert finding is not None
    assert found.headline.rule == "slow-moment"
    assert finding.takes_s == pytest.approx(190, rel=0.01)
    assert "chk.006 took 3 min 20 s, the median one 10.0 s" in finding.summary
    assert "from 10 min to 13 min 20 s after the job's start" in finding.advice[0].text


def test_so_it_is_of_collective_calls() -> None:
    assert moment(case([checkpoint(n, 200.0 if n == 6 else 10.0, collective=True) for n in range(10)])) is not None


@pytest.mark.parametrize(
    "parts",
    [
        [checkpoint(n, 10.0 + n) for n in range(10)],
        [checkpoint(n, 100.0 if n % 2 else 10.0) for n in range(10)],
        [checkpoint(n, 200.0 if n == 6 else 10.0) for n in range(3)],
        [checkpoint(n, 200.0, calls=3200) if n == 6 else checkpoint(n, 10.0) for n in range(10)],
        [checkpoint(n, [200.0 if n == 6 and rank == 5 else 10.0 for rank in RANKS]) for n in range(10)],
        [checkpoint(n, 40.0 if n == 6 else 10.0) for n in range(40)],
    ],
    ids=["a little slower", "half of them", "too few", "more bytes", "one late rank", "little of the time"],
)
def test_nothing_is_said_of_storage_where_files_differ_otherwise_or_hardly(parts: Sequence[Part]) -> None:
    assert "slow-moment" not in above_info(case(parts))


def test_a_slow_file_on_osts_of_its_own_may_be_these() -> None:
    parts = [checkpoint(n, 200.0 if n == 6 else 10.0, first_ost=24 if n == 6 else 0) for n in range(10)]
    finding = moment(case(parts))
    assert finding is not None
    assert "12 OSTs that no other has" in finding.summary
