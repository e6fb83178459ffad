"""What a cause loses with what follows from it: one quantity of documents, the queue and a centre's reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from centre_logs import rows
from report_cells import column, section
from reported_logs import reported_sample, write_logs

from iotriage.analysis.decision.following import cause_of, seconds_lost
from iotriage.analysis.document import Finding, Findings, FindingScope
from iotriage.centre.log_files import LogFile
from iotriage.centre.log_rows import FindingOfLog, LogRead
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.rollup import findings_of, rolled_up
from iotriage.centre.report.section import Report

DAY = date(2026, 11, 20)
JOB, A, B = (FindingScope("job", "job", "the job"), *(FindingScope("group", id, id) for id in "ab"))


def found(rule: str, scope: FindingScope, takes_s: float | None, explained_by: str | None = None) -> Finding:
    return Finding(
        rule, rule, rule, scope, "triggered", "info" if explained_by else "high", "measured", explained_by, 0, True,
        None, (), None, takes_s,
    )  # fmt: skip


CHAINS: Mapping[str, tuple[Findings, Mapping[str, float]]] = {
    "alone": ((found("shared-log", A, 3.0),), {"shared-log": 3.0}),
    "one explains the other": (
        (found("random-access", A, 2.0), found("small-io", A, 5.0, "random-access")),
        {"random-access": 7.0},
    ),
    "a chain over two kinds of scope": (
        (
            found("few-nodes", JOB, 1.0),
            found("random-access", A, 2.0, "few-nodes"),
            found("small-io", A, 5.0, "random-access"),
            found("small-io", B, 11.0, "random-access"),
        ),
        {"few-nodes": 8.0},
    ),
    "both groups of a cause, and what follows from either once": (
        (
            found("random-access", A, 1.0),
            found("random-access", B, 2.0),
            found("small-io", JOB, 4.0, "random-access"),
            found("stdio-heavy", B, 8.0, "random-access"),
        ),
        {"random-access": 15.0},
    ),
    "a cause elsewhere that follows itself": (
        (
            found("shared-log", A, 1.0),
            found("random-access", A, 2.0, "shared-log"),
            found("random-access", B, 4.0),
            found("small-io", JOB, 8.0, "random-access"),
        ),
        {"shared-log": 3.0, "random-access": 12.0},
    ),
    "in a circle": ((found("small-io", A, 1.0, "stdio-heavy"), found("stdio-heavy", A, 2.0, "small-io")), {}),
    "of a cause whose time nobody knows": (
        (found("random-access", A, None), found("small-io", A, 5.0, "random-access")),
        {},
    ),
}  # fmt: skip


def as_rows(findings: Findings) -> tuple[FindingOfLog, ...]:
    return tuple(
        FindingOfLog(
            rule=f.rule, scope=f.scope.id, scope_label=f.scope.label, verdict=f.verdict, severity=f.severity,
            explained_by=f.explained_by, takes_s=f.takes_s, could_save_at_least_s=None, could_save_s=None,
            position=position, headline=f.headline,
        )
        for position, f in enumerate(findings)
    )  # fmt: skip


def log_with(number: int, findings: Findings) -> LogRead:
    start = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC).timestamp()
    log = reported_sample("lustre-shared-log")
    return replace(
        log, content=f"{number:064x}", uid=20_000 + number, job_id=f"{number}", nprocs=3600, start_time=start + number,
        findings=as_rows(findings),
    )  # fmt: skip


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("warehouse")
    logs = [log_with(number, findings) for number, (findings, _) in enumerate(CHAINS.values())]
    each = ((LogFile(f"/logs/{log.uid}.darshan", 1, 1, DAY), log) for log in logs)
    write_logs(root, tmp_path_factory.mktemp("scratch"), each)
    return root


@pytest.fixture(scope="module")
def report(warehouse: Path) -> Report:
    return report_of(warehouse, period_of(DAY))


@pytest.mark.parametrize("chain", CHAINS)
def test_a_document_says_what_a_cause_loses_with_what_follows(chain: str) -> None:
    findings, lost = CHAINS[chain]
    by_rule = {f.rule: seconds_lost(f, findings) for f in findings if f.explained_by is None and f.takes_s is not None}
    assert by_rule == lost


@pytest.mark.parametrize("chain", CHAINS)
def test_a_warehouse_says_the_same(warehouse: Path, chain: str) -> None:
    findings, lost = CHAINS[chain]
    with rolled_up(warehouse, [DAY]) as (rollups, _):
        of_log = f"FROM {findings_of(rollups)} WHERE uid = '{20_000 + list(CHAINS).index(chain)}'"
        hours = rows(warehouse, f"SELECT rule, sum(lost_s) {of_log} GROUP BY rule HAVING sum(lost_s) IS NOT NULL")
        causes = rows(warehouse, f"SELECT rule, scope_label, cause {of_log}")
    assert dict(hours) == lost
    assert {(rule, label): cause for rule, label, cause in causes} == {
        (f.rule, f.scope.label): None if (cause := cause_of(f, findings)) is None else cause.rule for f in findings
    }


def test_who_loses_most_has_what_follows_too(report: Report) -> None:
    help = section(report, "help")
    by_user = dict(zip(column(help, "user"), column(help, "process-hours"), strict=True))
    for number, (_, lost) in enumerate(CHAINS.values()):
        assert by_user.get(f"{20_000 + number}") == (pytest.approx(sum(lost.values())) if lost else None)


def test_what_causes_lose_together_is_what_findings_take(report: Report) -> None:
    """But what follows from a cause that nobody knows, and what goes in a circle."""
    causes = section(report, "causes")
    with_cause = [
        f.takes_s for findings, lost in CHAINS.values() if lost for f in findings if is_of_a_cause(f, findings)
    ]
    assert added(column(causes, "with what follows")) == pytest.approx(sum(filter(None, with_cause)))


def is_of_a_cause(finding: Finding, findings: Findings) -> bool:
    return cause_of(finding, findings) is not None


def added(cells: Sequence[object]) -> float:
    return sum(cell for cell in cells if isinstance(cell, int | float))
