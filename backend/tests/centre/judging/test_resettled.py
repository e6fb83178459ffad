"""All findings under a dragged threshold are those of judging the days with it, though few logs are settled again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from budget import some
from duckdb import DuckDBPyConnection

from iotriage.centre.judging import resettled
from iotriage.centre.judging.cached_days import FOLDER
from iotriage.centre.judging.days import question_of_days
from iotriage.centre.judging.resettled import settled_under
from iotriage.centre.judging.rules import in_force, judged_rules
from iotriage.centre.judging.settling import HIGH, LOW, MEDIUM, NONE
from iotriage.centre.judging.verdicts import judge
from iotriage.centre.population import Standing
from iotriage.centre.warehouse.manifest import days_in

ALL_DAYS = (date.min, date.max)
MOVES = (
    # Of groups; of the job; one that the seconds of its findings depend on; one that all severities are held against.
    ("independent-shared", "independent-shared.transfer-size", 4096.0),
    ("serial-io", "serial-io.share", 0.5),
    ("small-io", "small-io.count", 1.0),
    ("io-not-the-bottleneck", "io-not-the-bottleneck.fraction", 0.5),
)
"""Rules, their thresholds and other numbers."""


@pytest.fixture(scope="module")
def in_force_now(sampled_days: DuckDBPyConnection) -> Mapping[str, Standing]:
    return _standings(sampled_days, {})


@pytest.mark.fuzz
@pytest.mark.parametrize(("rule", "threshold", "value"), some(MOVES))
def test_a_dragged_threshold_settles_as_judging_the_days_would(
    rule: str,
    threshold: str,
    value: float,
    sampled_warehouse: Path,
    sampled_days: DuckDBPyConnection,
    in_force_now: Mapping[str, Standing],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resettled, "LOGS_TOGETHER", 3)
    found = settled_under(sampled_warehouse, rule, threshold, *ALL_DAYS, value)
    expected = _standings(sampled_days, {threshold: value})
    said = {of.rule: of for of in found.rules}
    assert found.unjudged == ()
    for id, moved in expected.items():
        before, after = (said[id].in_force, said[id].moved) if id in said else (in_force_now[id], in_force_now[id])
        assert astuple(before) == pytest.approx(astuple(in_force_now[id])), id
        assert astuple(after) == pytest.approx(astuple(moved)), id
    assert expected[rule] != in_force_now[rule]


def test_days_that_nobody_judged_are_named(sampled_warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    days = list(days_in(sampled_warehouse))
    settled_under(sampled_warehouse, *MOVES[0][:2], *ALL_DAYS, MOVES[0][2])
    gone = next((sampled_warehouse / FOLDER).glob(f"{days[0]}-*-logs.parquet"))
    gone.unlink()
    monkeypatch.setattr(resettled, "MOST_JUDGED", 0)
    assert settled_under(sampled_warehouse, *MOVES[0][:2], *ALL_DAYS, MOVES[0][2]).unjudged == (days[0],)
    monkeypatch.setattr(resettled, "MOST_JUDGED", 1)
    assert settled_under(sampled_warehouse, *MOVES[0][:2], *ALL_DAYS, MOVES[0][2]).unjudged == ()
    assert gone.exists()


def _standings(days: DuckDBPyConnection, moves: Mapping[str, float]) -> Mapping[str, Standing]:
    rules = judged_rules()
    answers = judge(days, question_of_days(rules, in_force().moved(moves)))
    found, settled = answers.findings, answers.settled
    standings = {}
    for i, rule in enumerate(rules):
        of_rule = found.rule == i
        alone = of_rule & (settled.explained_by == NONE)
        high, medium, low = (np.count_nonzero(alone & (settled.severity == s)) for s in (HIGH, MEDIUM, LOW))
        leading = np.count_nonzero(of_rule & (settled.position == 0))
        takes = float(np.nansum(settled.takes[of_rule]))
        standings[rule.id] = Standing(
            int(of_rule.sum()), int(alone.sum()), int(high), int(medium), int(low), int(leading), takes
        )
    return standings
