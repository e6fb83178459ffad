"""Logs of clocks that were ahead: where they count, whichever of their copies was taken in first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest
from budget import tries
from centre_logs import Run, put, rows, taken

from iotriage.centre.last_runs import last_runs
from iotriage.centre.log_files import LogFile, Shard
from iotriage.centre.report.rollup import logs_of, rolled_up
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import connected, count_of, opened
from iotriage.centre.watermark import write_watermark

FIRST = date(2026, 11, 20)
AHEAD = datetime.now(UTC).date() + timedelta(days=40)
LOG = Run(1, day=(AHEAD - FIRST).days).log()


@pytest.mark.parametrize("ahead_by_days", [40, 4_000])
def test_a_clock_that_is_ahead_hides_nothing_that_comes_after(tmp_path: Path, ahead_by_days: int) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    ahead = datetime.now(UTC).date() + timedelta(days=ahead_by_days)
    named = f"auser_sim_id7009-9_{ahead.month}-{ahead.day}-40001-9_1.darshan"
    put(logs / f"{ahead:%Y/%m/%d}", named, Run(1, day=(ahead - date(2026, 11, 20)).days).log())
    put(logs / "2026" / "11" / "20", f"{Run(2).name}_1.darshan", Run(2).log())
    assert taken(logs, warehouse).read == 2
    # It is where somebody looks, by when its file was written; the header's own time stays in its row.
    placed = "SELECT day, to_timestamp(start_time)::DATE FROM logs WHERE path LIKE '%id7009-9%'"
    assert rows(warehouse, placed) == [(date(2026, 11, 20), ahead)]
    put(logs / "2026" / "11" / "21", f"{Run(3).name}_1.darshan", Run(3).log())
    assert taken(logs, warehouse).read == 1
    assert [run.newest_day for run in last_runs(warehouse)] == [date(2026, 11, 21)]
    # A run of before had noted the day that has not come.
    write_watermark(warehouse, logs, Shard(), ahead)
    put(logs / "2026" / "11" / "22", f"{Run(4).name}_1.darshan", Run(4).log())
    assert taken(logs, warehouse).read == 1


def test_copies_of_a_log_of_a_clock_ahead_are_of_one_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    for day in ("20", "21"):
        put(logs / "2026" / "11" / day, f"copy-{day}.darshan", LOG)
    assert (taken(logs, warehouse).read, taken(logs, warehouse).known) == (1, 2)
    put(logs / "2026" / "11" / "22", "a-run-later.darshan", LOG)
    # Its day has come by the time of the next copy.
    monkeypatch.setattr("iotriage.centre.warehouse.writing.has_come", lambda day: day <= AHEAD)
    assert taken(logs, warehouse).copies == 1
    put(logs / "2026" / "11" / "23", "one-more.darshan", LOG)
    assert taken(logs, warehouse).copies == 1
    assert taken(logs, warehouse, again=(date(2026, 11, 20),)).read == 1
    each = (opened(warehouse, [day], {}) for day in days_in(warehouse))
    assert sum(count_of(of_day, "SELECT count(*) FROM logs") for of_day in each) == 1


def _put_copy(logs: Path, number: int) -> None:
    put(logs / "2026" / "11" / f"{20 + number}", f"copy-{number}.darshan", LOG)


def _said(warehouse: Path) -> Mapping[date, Sequence[tuple[object, ...]]]:
    """Of each day what its report is made of: which logs, and how many copies."""
    with rolled_up(warehouse, days_in(warehouse)) as (rollups, _), connected(warehouse) as connection:
        logs = connection.execute(f'SELECT day, outcome, "row" FROM {logs_of(rollups)} ORDER BY ALL').fetchall()
    return {day: [found for of, *found in logs if of == day] for day in days_in(warehouse)}


@pytest.mark.fuzz
def test_in_whichever_order_copies_come_the_days_say_the_same(tmp_path: Path) -> None:
    said = []
    orders = tries([(0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)], [*permutations(range(3))])
    for at, order in enumerate(orders):
        logs, warehouse = tmp_path / "logs", tmp_path / f"w{at}"
        for number in range(3):
            (logs / "2026" / "11" / f"{20 + number}" / f"copy-{number}.darshan").unlink(missing_ok=True)
        for number in order:
            _put_copy(logs, number)
            taken(logs, warehouse)
        said.append(_said(warehouse))
    first, second, third = said[0].values()
    assert ([of for of, _ in first], second, third) == (["read"], [["copy", None]], [["copy", None]])
    assert [one == said[0] for one in said] == [True] * len(orders)


def test_shards_that_know_nothing_of_one_another_say_what_one_does(tmp_path: Path) -> None:
    logs, alone, together = tmp_path / "logs", tmp_path / "alone", tmp_path / "together"
    for number in range(3):
        _put_copy(logs, number)
    taken(logs, alone)
    shards = [Shard(index, 3) for index in range(3)]
    # Each wrote before it could know what the others did.
    for shard in shards:
        taken(logs, tmp_path / shard.name, shard=shard)
        for path in (tmp_path / shard.name).glob("year=*/**/*.*"):
            beside = together / path.relative_to(tmp_path / shard.name)
            beside.parent.mkdir(parents=True, exist_ok=True)
            path.rename(beside)
    assert _said(together) == _said(alone)
    of_days = [opened(together, [day], {}).execute("SELECT count(*) FROM logs").fetchall() for day in days_in(together)]
    assert (of_days, rows(together, "SELECT count(*) FROM logs")) == ([[(1,)], [(0,)], [(0,)]], [(1,)])


def test_shards_on_both_sides_of_midnight_count_a_log_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One takes a log in before the day that it states has come, the other its copy after it, neither knowing of what
    the other writes."""
    logs, warehouse = tmp_path / "logs", tmp_path / "w"
    before, after = Shard(0, 2), Shard(1, 2)
    names = {before.has(LogFile(f"{n}.darshan", 1, 1, None)): f"{n}.darshan" for n in range(9)}
    put(logs / "2026" / "11" / "20", names[True], LOG)
    put(logs / "2026" / "11" / "21", names[False], LOG)
    taken(logs, warehouse, shard=before)
    monkeypatch.setattr("iotriage.centre.warehouse.writing.has_come", lambda day: day <= AHEAD)
    taken(logs, tmp_path / "after", shard=after)
    for path in (tmp_path / "after").glob("year=*/**/*.*"):
        beside = warehouse / path.relative_to(tmp_path / "after")
        beside.parent.mkdir(parents=True, exist_ok=True)
        path.rename(beside)
    assert rows(warehouse, "SELECT day FROM logs ORDER BY 1") == [(FIRST,), (AHEAD,)]
    # What the run of the next morning finds, whatever it takes in.
    for number in range(2, 6):
        put(logs / "2026" / "11" / "22", f"{Run(number).name}_1.darshan", Run(number, day=2).log())
    for shard in (before, after):
        taken(logs, warehouse, shard=shard)
    assert rows(warehouse, "SELECT day FROM logs WHERE outcome = 'read' AND day <> '2026-11-22'") == [(FIRST,)]
    assert _said(warehouse)[AHEAD] == [["copy", None]]
