"""A report says where the days that it compares were judged by other rules or thresholds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest
from centre_logs import Run, put, taken

from iotriage import sites
from iotriage.centre.report.judged_apart import judged_apart
from iotriage.centre.report.period_report import period_of, report_of

FIRST, SECOND = date(2026, 11, 20), date(2026, 11, 21)
APART = "judged by other rules or thresholds than the last ones"


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        ({0: ["a"], 1: ["a"]}, None),
        ({0: [None], 1: [None]}, None),
        ({0: [None], 1: ["a"]}, "Logs of 20 November 2026 were judged"),
        ({0: ["a"], 1: ["b"], 2: ["b"]}, "Logs of 20 November 2026 were judged"),
        ({0: ["a"], 1: ["a", "b"], 2: ["b"]}, "Logs of 2 days from 20 November 2026 on were judged"),
        ({0: ["b"], 1: ["a"], 2: ["b"]}, "Logs of 21 November 2026 were judged"),
        ({2: ["a", "b", "b"]}, "Logs of 22 November 2026 were judged"),
        ({}, None),
    ],
    ids=["alike", "not kept", "kept since", "changed", "in a day", "there and back", "on the last day", "no logs"],
)
def test_which_days_are_judged_apart(ways: Mapping[int, list[str | None]], told: str | None) -> None:
    with closing(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE recent_logs (day DATE, judged_by VARCHAR)")
        for ago, of_logs in ways.items():
            for way in of_logs:
                connection.execute("INSERT INTO recent_logs VALUES (?, ?)", (FIRST + timedelta(days=ago), way))
        found = judged_apart(connection)
    assert found is None if told is None else found is not None and found.startswith(told)
    if found is not None:
        day = re.match(r"Logs of (\d\d) November", found)
        again = "DAY judges those of a day" if day is None else f"2026-11-{day[1]} judges these"
        assert found.endswith(f"--again {again} as the last.")


def test_a_threshold_that_was_changed_between_two_days_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs, warehouse, own = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "own"
    put(logs, f"{Run(1).name}.darshan", Run(1).log())
    taken(logs, warehouse)
    own.mkdir()
    shipped = (Path(sites.__file__).parent / "archer2.toml").read_text("utf-8")
    changed = shipped.replace("value = 12", "value = 6")
    assert changed != shipped
    (own / "archer2.toml").write_text(changed, "utf-8")
    monkeypatch.setenv("IOTRIAGE_SITES", str(own))
    put(logs, f"{Run(2, day=1).name}.darshan", Run(2, day=1).log())
    taken(logs, warehouse)
    assert APART not in report_of(warehouse, period_of(FIRST)).summary
    for kind in ("day", "week", "month"):
        assert f"Logs of 20 November 2026 were {APART}" in report_of(warehouse, period_of(SECOND, kind)).summary
    taken(logs, warehouse, again=(FIRST,))
    assert APART not in report_of(warehouse, period_of(SECOND)).summary
