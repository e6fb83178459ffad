"""Files that a program opens with MPI-IO and also uses by POSIX calls of its own, and what MPI-IO's calls leave below
them. What happened was written down first."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, document, osts

from iotriage.analysis.document import CaseDocument

ALL = range(128)
SOME = range(0, 128, 16)
FILE = "/scratch/o.dat"


def job(*parts: Part, runtime_s: float = 200.0) -> Work:
    return Work(parts, nprocs=128, runtime_s=runtime_s, nodes=2)


def written_together(size: int = 16 * MIB, seconds: float = 50.0) -> Part:
    return Part(FILE, ALL, "MPI-IO", writes=50, size=size, write_s=seconds, collective=True, osts=osts(8))


STORED = Part(FILE, ALL, writes=50, size=16 * MIB, write_s=40.0, begins_s=2.0, osts=osts(8))
HEADER = job(
    Part(FILE, ALL, "MPI-IO", writes=1, size=8, write_s=0.01, osts=osts(8)),
    Part(FILE, ALL, writes=100, size=16 * MIB, write_s=100.0, opens=2, osts=osts(8)),
)
READ_BACK = job(written_together(), STORED, Part(FILE, ALL, reads=50, size=16 * MIB, read_s=90.0, begins_s=70.0))
READ_BACK_SOON = job(written_together(), STORED, Part(FILE, ALL, reads=50, size=16 * MIB, read_s=5.0, begins_s=70.0))
READ_MORE = job(
    Part(FILE, ALL, "MPI-IO", reads=5, size=16 * MIB, read_s=10.0, collective=True, osts=osts(8)),
    Part(FILE, ALL, reads=55, size=16 * MIB, read_s=60.0, osts=osts(8)),
)
HOLES = job(
    written_together(MIB, 80.0),
    Part(FILE, SOME, writes=800, reads=800, size=1126 * KIB, write_s=30.0, read_s=40.0, osts=osts(8)),
)
PIECES = job(
    Part(FILE, ALL, "MPI-IO", writes=500, size=64 * KIB, write_s=90.0, osts=osts(8)),
    Part(FILE, ALL, writes=500, reads=500, size=512 * KIB, write_s=40.0, read_s=40.0, osts=osts(8)),
)
PIECES_READ = job(
    Part(FILE, ALL, "MPI-IO", reads=500, size=64 * KIB, read_s=90.0, osts=osts(8)),
    Part(FILE, ALL, reads=500, size=4 * MIB, read_s=80.0, osts=osts(8)),
)
LOOKED_AT = job(written_together(), STORED, Part(FILE, range(1), reads=1, size=8, read_s=0.001, begins_s=0.5))


def causes(found: CaseDocument) -> set[str]:
    return {f.rule for f in found.findings if f.verdict == "triggered" and f.severity != "info"}


@pytest.mark.parametrize(
    ("work", "gib", "seconds", "cause"),
    [
        (HEADER, 200.0, 100.0, None),
        (READ_BACK, 200.0, 130.0, None),
        (READ_BACK_SOON, 100.0, 50.0, None),
        (READ_MORE, 110.0, 60.0, None),
        (HOLES, 6.25, 80.0, "read-modify-write"),
        (PIECES, 3.9, 90.0, "read-modify-write"),
        (PIECES_READ, 3.9, 90.0, "redundant-reads"),
        (LOOKED_AT, 100.0, 50.0, None),
    ],
)
def test_what_mpi_io_made_is_its_own_and_the_rest_the_programs(
    work: Work, gib: float, seconds: float, cause: str | None
) -> None:
    found = document(work)
    metrics = found.metrics
    assert metrics["io.bytes"].value == pytest.approx(gib * GIB, rel=0.05)
    assert metrics["job.io_time"].value == pytest.approx(seconds, rel=0.01)
    assert causes(found) == ({cause} if cause else set())
    assert found.headline.rule == cause


POSTED = Part(FILE, ALL, "MPI-IO", writes=50, size=4 * MIB, write_s=0.5, nonblocking=True, osts=osts(8))
MOVED = Part(FILE, ALL, writes=50, size=4 * MIB, write_s=50.0, osts=osts(8))
UNEVEN = [
    Part(FILE, range(r, r + 1), writes=50, size=4 * MIB, write_s=60.0 if r == 5 else 8.0, osts=osts(8)) for r in ALL
]
MOVED_WHEN_POSTED = Part(FILE, ALL, "MPI-IO", writes=50, size=4 * MIB, write_s=52.0, nonblocking=True, osts=osts(8))
BESIDE = Part("/scratch/p.dat", ALL, writes=100, size=16 * MIB, write_s=60.0, osts=osts(8))
ASKED_ABOUT = job(written_together(), STORED, Part(FILE, ALL, stats=100_000, meta_s=60.0))
LITTLE = (
    Part(FILE, ALL, "MPI-IO", writes=1, size=4 * MIB, write_s=0.1, nonblocking=True, osts=osts(8)),
    Part(FILE, ALL, writes=1, size=4 * MIB, write_s=0.5, osts=osts(8)),
)


@pytest.mark.parametrize(
    ("work", "seconds", "lower", "rated"),
    [
        (job(POSTED, MOVED, runtime_s=100.0), 0.5, True, False),
        (job(POSTED, *UNEVEN, runtime_s=100.0), 0.5, True, False),
        (job(POSTED, runtime_s=100.0), 0.5, True, False),
        (job(MOVED_WHEN_POSTED, MOVED, runtime_s=100.0), 52.0, False, True),
        (job(*LITTLE, BESIDE, runtime_s=100.0), 60.1, False, True),
        (READ_BACK, 130.0, True, True),
        (READ_BACK_SOON, 50.0, True, True),
        (HEADER, 100.0, False, True),
        (ASKED_ABOUT, 50.0, True, True),
        (LOOKED_AT, 50.0, False, True),
    ],
)
def test_timers_that_do_not_show_all_are_a_lower_bound(work: Work, seconds: float, lower: bool, rated: bool) -> None:
    found = document(work)
    time = found.metrics["job.io_time"]
    assert (time.value, time.bound) == (pytest.approx(seconds, rel=0.01), "lower" if lower else None)
    assert (found.metrics["io.bandwidth"].value is not None) == rated
    assert not {"io-not-the-bottleneck", "straggler-rank"} & {
        f.rule for f in found.findings if f.verdict == "triggered"
    }


@pytest.mark.parametrize(
    ("work", "passed"),
    [
        (job(POSTED, MOVED, runtime_s=100.0), "49.5 s"),
        (job(POSTED, *UNEVEN, runtime_s=100.0), "59.5 s"),
        (job(POSTED, runtime_s=100.0), None),
        (job(MOVED_WHEN_POSTED, MOVED, runtime_s=100.0), None),
    ],
)
def test_what_passes_below_nonblocking_calls_is_said_beside_the_io_time(work: Work, passed: str | None) -> None:
    top = document(work).headline
    assert ("nonblocking calls" in (top.figure or "")) == (passed is not None)
    if passed is not None:
        assert f"Below its nonblocking calls {passed} more passed" in (top.figure or "")
        assert "MPI_Wait" in (top.action or "")
