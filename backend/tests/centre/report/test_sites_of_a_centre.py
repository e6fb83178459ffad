"""What a report says of logs of several sites, and of logs that do little of what it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from report_cells import column, section
from reported_logs import reported_sample, write_logs

from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import LogRead
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.section import Report

DAY = date(2026, 11, 20)
SLOW_OST, LITTLE = "lustre-fpp-slow-ost", "14-balanced"


def reported(root: Path, logs: Iterator[LogRead]) -> Report:
    each = []
    for number, read in enumerate(logs):
        began = datetime.fromtimestamp(read.start_time or 0.0, UTC).date()
        log = LogFile(f"/logs/{number}.darshan", 1, 1, began)
        each.append((log, replace(read, content=f"{number:064x}", job_id=f"{number}")))
    write_logs(root / "warehouse", root / "spool", each)
    return report_of(root / "warehouse", period_of(DAY))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "spool").mkdir()
    (tmp_path / "warehouse").mkdir()
    return tmp_path


def at(day: date) -> float:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()


def meets_a_slow_ost(users: dict[str, range]) -> Iterator[LogRead]:
    """A log of each user on the same OST of the same mount point, by site."""
    read = reported_sample(SLOW_OST)
    for site, people in users.items():
        for user in people:
            yield replace(read, site=site, uid=20_000 + user, start_time=at(DAY))


@pytest.mark.parametrize(
    ("users", "told"),
    [
        ({"archer2": range(2), "theta": range(10, 12)}, [2, 2]),
        ({"archer2": range(4)}, [4]),
        ({"archer2": range(3), "theta": range(10, 11)}, [3, 1]),
    ],
    ids=["two of each", "four of one", "three and one"],
)
def test_an_ost_is_one_of_its_site(users: dict[str, range], told: list[int], root: Path) -> None:
    report = reported(root, meets_a_slow_ost(users))
    osts = section(report, "slow-osts")
    assert column(osts, "users") == told
    assert column(osts, "site") == list(users)
    machine = [who == "the machine: several users met it" for who in column(osts, "who")]
    assert machine == [n >= 3 for n in told]
    assert ("slow for several users" in report.summary) is any(machine)


def with_numbers(read: LogRead, numbers: dict[str, float]) -> LogRead:
    return replace(read, metrics=replace(read.metrics, numbers={**read.metrics.numbers, **numbers}))


def slower_than_before(users: dict[str, range], changes: dict[str, dict[str, int]]) -> Iterator[LogRead]:
    """Each user's program is a third as fast on the day as in the week before, where something else may be changed at a
    site."""
    read, numbers = reported_sample(SLOW_OST), count()
    for site, people in users.items():
        on_the_day = changes.get(site, {})
        for user in people:
            for before, factor in ((3, 1.0), (2, 1.0), (1, 1.0), (0, 1 / 3)):
                day = DAY - timedelta(days=before)
                changed = {f"io.{what}": float(n) for what, n in on_the_day.items() if not before and what != "nprocs"}
                faster = {"io.bandwidth": read.metrics.numbers["io.bandwidth"] * factor}
                yield replace(
                    with_numbers(read, faster | changed),
                    nprocs=read.nprocs if before else on_the_day.get("nprocs", read.nprocs),
                    site=site,
                    uid=20_000 + user,
                    start_time=at(day) + next(numbers),
                )


def test_a_file_system_is_one_of_its_site_and_not_slow_for_another_task(root: Path) -> None:
    """Each case is a site of its own, of which the others know nothing: a warehouse for each takes long."""
    users = {
        "two here": range(2),
        "two there": range(10, 12),
        "three here": range(20, 23),
        "three there": range(30, 33),
        "fewer processes": range(40, 43),
        "fewer bytes": range(50, 53),
        "reading": range(60, 63),
    }
    changes = {
        "fewer processes": {"nprocs": 16},
        "fewer bytes": {"bytes": 2**28},
        "reading": {"bytes_read": 2**50},
    }
    found = section(reported(root, slower_than_before(users, changes)), "slow-mounts")
    assert column(found, "site") == ["three here", "three there"]
    # They ran there often enough: who is told of none is told that it takes runs alike.
    assert "about as many processes and bytes, and in the same direction" in found.none


@pytest.mark.parametrize(("through_mpi_io", "rows"), [(2.0**20, 0), (2.0**35, 1)])
def test_slow_mpi_io_is_of_what_went_through_it(through_mpi_io: float, rows: int, root: Path) -> None:
    """Of 100 GiB, whatever POSIX moves beside it."""
    numbers = {"io.bytes": 100 * 2.0**30, "mpiio.bytes": through_mpi_io, "mpiio.bandwidth": 2.0**20}
    read = with_numbers(reported_sample(LITTLE), numbers)
    report = reported(root, iter([replace(read, start_time=at(DAY))]))
    assert column(section(report, "slow-mpi-io"), "moved") == [through_mpi_io] * rows
