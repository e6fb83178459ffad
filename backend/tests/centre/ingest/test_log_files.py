"""Which files are logs, and what their names hint at."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from iotriage.centre.log_files import LogFile, Shard, logs_in


def named(name: str) -> LogFile:
    return LogFile(f"/logs/{name}", 1, 1, None)


@pytest.mark.parametrize(
    ("name", "run", "partial"),
    [
        ("auser_sim_x-y_id41-7_11-20-40001-99_123.darshan", "auser_sim_x-y_id41-7_11-20-40001-99", False),
        ("auser_sim_x-y_id41-7_11-20-40001-99.darshan_partial", "auser_sim_x-y_id41-7_11-20-40001-99", True),
        ("auser_sim_id41_11-2-40001-99_123.darshan.gz", "auser_sim_id41_11-2-40001-99", False),
        ("41-99.darshan", None, False),
        ("id41.darshan_partial", None, True),
    ],
)
def test_names_are_hints(name: str, run: str | None, partial: bool) -> None:
    assert (named(name).run, named(name).partial) == (run, partial)


def test_a_tree_of_dates_is_walked_from_a_day_on(tmp_path: Path) -> None:
    for folder in ("2025/12/31", "2026/1/2", "2026/01/03", "2026/11/20", "odd/2026", "2026/13/1"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.darshan").touch()
    (tmp_path / "slurm-1.out").touch()
    (tmp_path / "a.txt").touch()
    everything = list(logs_in(tmp_path, ("slurm-*.out",)))
    assert {log.day for log in everything} == {
        None, date(2025, 12, 31), date(2026, 1, 2), date(2026, 1, 3), date(2026, 11, 20),
    }  # fmt: skip
    assert len(everything) == 7
    late = [log.path.removeprefix(f"{tmp_path}/") for log in logs_in(tmp_path, since=date(2026, 1, 3))]
    assert late == ["2026/01/03/a.darshan", "2026/11/20/a.darshan", "2026/13/1/a.darshan", "odd/2026/a.darshan"]


def test_shards_have_each_log_once_and_a_run_together() -> None:
    logs = [
        named(f"auser_sim_id41-7_11-20-40001-{n}{end}") for n in range(40) for end in ("_9.darshan", ".darshan_partial")
    ]
    shards = [Shard(i, 4) for i in range(4)]
    owners = [[shard.index for shard in shards if shard.has(log)] for log in logs]
    assert all(len(of_one) == 1 for of_one in owners)
    assert owners[::2] == owners[1::2]
    assert len({of_one[0] for of_one in owners}) == 4
