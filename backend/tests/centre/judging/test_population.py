"""The numbers of a dragged threshold are those of judging the days with it."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import date
from pathlib import Path

import duckdb
import numpy as np
import pytest
from judged_days import case_of, written
from sample_documents import sources_of
from samples import cases

from iotriage.centre.judging.critical import quantity_of
from iotriage.centre.judging.days import days_without_columns, question_of_days
from iotriage.centre.judging.figures import NotComparedError
from iotriage.centre.judging.population import moved, population
from iotriage.centre.judging.rules import declared, in_force, judged_rules
from iotriage.centre.judging.verdicts import judge
from iotriage.centre.population import JobOutcome
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import opened

ALL_DAYS = (date.min, date.max)


def _draggable():
    """One threshold of every ninth rule."""
    of_rules = (
        [(r.id, t) for t in declared() if t.startswith(f"{r.id}.") and quantity_of(r, t)] for r in judged_rules()[::9]
    )
    return [found[-1] for found in of_rules if found]


def test_numbers_under_a_threshold_are_those_of_judging_with_it(
    sampled_warehouse: Path, sampled_days: duckdb.DuckDBPyConnection
) -> None:
    asked, flagged_any = _draggable(), 0
    assert len(asked) > 4
    for rule, threshold in asked:
        drawn = population(sampled_warehouse, rule, threshold, *ALL_DAYS)
        bounds, figures = declared()[threshold], [b.low for b in drawn.bins if b.logs][:1]
        for value in {bounds.default, *(f for f in figures if bounds.minimum <= f <= bounds.maximum)}:
            found = moved(sampled_warehouse, rule, threshold, *ALL_DAYS, value, ())
            assert found.moved.logs == _judged(sampled_days, rule, threshold, value), (rule, threshold, value)
            flagged_any += found.moved.logs
    assert flagged_any >= 5


def _judged(connection: duckdb.DuckDBPyConnection, rule: str, threshold: str, value: float) -> int:
    only = tuple(r for r in judged_rules() if r.id == rule)
    answers = judge(connection, question_of_days(only, in_force().moved({threshold: value})))
    return len(np.unique(answers.findings.log))


def test_a_threshold_of_another_rule_has_no_line(sampled_warehouse: Path) -> None:
    with pytest.raises(NotComparedError):
        population(sampled_warehouse, judged_rules()[0].id, "no.such", *ALL_DAYS)


def test_a_number_out_of_range_is_refused(sampled_warehouse: Path) -> None:
    rule, threshold = _draggable()[0]
    with pytest.raises(ValueError, match="range"):
        moved(sampled_warehouse, rule, threshold, *ALL_DAYS, declared()[threshold].maximum + 1, ())


def test_a_number_that_a_site_may_have_is_put_to_the_days(
    sampled_warehouse: Path, sampled_days: duckdb.DuckDBPyConnection
) -> None:
    """A 0 on a logarithmic line says "however little": the page of the rule begins with the site's number."""
    asked = [(r, id) for r in judged_rules() for id, t in declared().items() if t.scale == "log" and t.minimum > 0]
    of_log = [(r.id, id) for r, id in asked if id.startswith(f"{r.id}.") and quantity_of(r, id)][::40]
    assert len(of_log) > 1
    for rule, threshold in of_log:
        found = moved(sampled_warehouse, rule, threshold, *ALL_DAYS, 0.0, ())
        assert found.moved.logs == _judged(sampled_days, rule, threshold, 0.0), (rule, threshold)
    with pytest.raises(ValueError, match="range"):
        moved(sampled_warehouse, rule, threshold, *ALL_DAYS, -1.0, ())


def test_what_appears_and_what_outcomes_confirm(sampled_warehouse: Path) -> None:
    for rule, threshold in _draggable():
        bounds = declared()[threshold]
        for value in (bounds.minimum, bounds.maximum):
            found = moved(sampled_warehouse, rule, threshold, *ALL_DAYS, value, ())
            assert found.moved.logs - found.in_force.logs == found.appearing - found.dropping
            known = [log.job_id for log in found.appear if log.job_id is not None]
            if known:
                told = moved(sampled_warehouse, rule, threshold, *ALL_DAYS, value, [JobOutcome(known[0], True)])
                assert (told.moved.helped, told.moved.did_not_help) == (1, 0)
                assert told.in_force.helped == 0 or known.count(known[0]) < found.in_force.jobs
                return
    pytest.fail("no threshold brings out a job")


def test_days_of_before_a_metric_was_looked_at_are_named(tmp_path: Path) -> None:
    found = [case_of(str(case), sources_of(case.sources)) for case in cases()[:1]]
    root = written(tmp_path, [case for case in found if case is not None])
    rule = next(rule for rule in judged_rules() if rule.id == "slow-ost")
    days = list(days_in(root))
    with closing(opened(root, days, {})) as connection:
        assert days_without_columns(connection, root, judged_rules()) == {}
        (note,) = root.glob("looked-at-*.json")
        earlier = sorted(set(json.loads(note.read_text("utf-8"))) - {"ost.slowness"})
        note.write_text(json.dumps(earlier), "utf-8")
        assert days_without_columns(connection, root, (rule,)) == {"slow-ost": tuple(days)}
        note.unlink()
        assert days_without_columns(connection, root, judged_rules()).keys() == {r.id for r in judged_rules()}
