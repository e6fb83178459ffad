"""Files that each rank opened by itself: their seconds pass at once, in every figure made of them."""

from __future__ import annotations

import pytest
from evidence_by_hand import value
from timers_by_hand import MIB, stats, timers

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import JobContext, Lines, MpiioStats, MpiioTimers, Phase, Spread

PHASES = (
    Phase("open/close/trunc", Spread(0, 125_000_000, 125_000_000), 10, 30),
    Phase("file access", Spread(0, 1_000_000_000, 937_500_000), 75, 38),
)


def closes(files: int, ranks_of_each: int, name: str = "out.{}.dat") -> list[MpiioStats | MpiioTimers]:
    """Each of 4 s, of which opening takes 0.4 s, and with 8 GiB; not in the order of one rank."""
    found: list[MpiioStats | MpiioTimers] = []
    for n in range(files):
        of = {"file": name.format(files - 1 - n)}
        found.append(stats(**of, ranks_in_communicator=ranks_of_each, lines=Lines(100 * n + 1, 100 * n + 18)))
        found.append(
            timers(
                **of, active_ranks=ranks_of_each, idle_ranks=0, phases=PHASES, lines=Lines(100 * n + 19, 100 * n + 46)
            )
        )
    return found


def of_ranks(nprocs: int, *parts: MpiioStats | MpiioTimers) -> Selection:
    of_job = JobContext(source="sacct", scheduler="slurm", lines=Lines(9_000, 9_001), complete=True, ntasks=nprocs)
    return select_job([*((0, part) for part in parts), (1, of_job)])


@pytest.mark.parametrize("rounds", [1, 3])
def test_the_seconds_of_ranks_side_by_side_pass_at_once(rounds: int) -> None:
    found = of_ranks(16, *closes(16 * rounds, 1))
    account = time_account(found)
    assert account is not None
    assert account.cells.total == pytest.approx(4.0 * rounds)
    assert value(found, "job.io_time") == pytest.approx(4.0 * rounds)
    assert value(found, "timers.total_time") == pytest.approx(4.0 * rounds)
    assert value(found, "timers.open_time") == pytest.approx(0.4 * rounds)
    assert value(found, "timers.file_write_time") == pytest.approx(3.0 * rounds)
    assert value(found, "io.bandwidth") == pytest.approx(16 * 8192 * MIB / 4.0)


@pytest.mark.parametrize(("files", "ranks"), [(3, 16), (5, 1)])
def test_others_follow_one_another_as_far_as_is_known(files: int, ranks: int) -> None:
    found = of_ranks(16, *closes(files, ranks))
    assert value(found, "job.io_time") == pytest.approx(4.0 * files)
    assert value(found, "timers.total_time") == pytest.approx(4.0 * files)
    assert value(found, "io.bandwidth") == pytest.approx(8192 * MIB / 4.0)


def test_the_time_of_the_command_is_not_that_of_another_since_ranks_work_side_by_side() -> None:
    command = JobContext(source="time", scheduler=None, lines=Lines(9_000, 9_001), complete=True, elapsed_s=30.0)
    of_job = JobContext(source="sacct", scheduler="slurm", lines=Lines(9_002, 9_003), complete=True, ntasks=16)
    parts = [(0, part) for part in closes(16, 1)]
    assert value(select_job([*parts, (1, of_job), (1, command)]), "job.runtime") == 30.0


def test_a_phase_has_its_share_of_the_seconds_that_pass() -> None:
    """16 files of a rank each, 4 s at once, of which 3 s are the file access; then one of all ranks, 4 s, 1 s."""
    row = Phase("file access", Spread(0, 312_500_000, 312_500_000), 25, 38)
    shared = timers(file="all.h5", phases=(row,), active_ranks=4, idle_ranks=12, lines=Lines(5_019, 5_046))
    statistics = stats(file="all.h5", ranks_in_communicator=16, lines=Lines(5_001, 5_018))
    found = of_ranks(16, *closes(16, 1), statistics, shared)
    assert value(found, "timers.total_time") == pytest.approx(8.0)
    assert value(found, "timers.file_write_fraction") == pytest.approx(0.5)
    assert value(found, "timers.file_write_time") == pytest.approx(4.0)
    assert value(found, "timers.open_fraction") == pytest.approx(0.05)
    assert value(found, "timers.open_time") == pytest.approx(0.4)
