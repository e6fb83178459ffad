"""Diagnoses put into a warehouse, and its days judged again beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
from judged_documents import EVERY, Said, answered, said

from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.order import decide_findings
from iotriage.analysis.decision.significance import SIGNIFICANCE
from iotriage.analysis.document.finding import Finding
from iotriage.analysis.engine import Diagnosis, diagnosis_of
from iotriage.analysis.evaluation import RuleInputs, evaluate_rules
from iotriage.analysis.inputs import ReadSource
from iotriage.centre.judging.days import number_logs, question_of_days
from iotriage.centre.judging.rules import in_force, judged_rules
from iotriage.centre.judging.verdicts import judge
from iotriage.centre.log_files import LogFile
from iotriage.centre.rows_of_diagnosis import log_read
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.metrics_used import store_metrics_used
from iotriage.centre.warehouse.reading import connected, opened
from iotriage.centre.warehouse.writing import Spool, WriteTarget, write_rows
from iotriage.sites.site import Site, SiteSource, ThresholdOverride
from iotriage_parsers.evidence import Evidence


@dataclass(frozen=True)
class Case:
    name: str
    evidence: Evidence
    diagnosis: Diagnosis


def case_of(name: str, given: Sequence[ReadSource]) -> Case | None:
    """None where nothing could be read."""
    read = next((s.outcome for s in given if isinstance(s.outcome, Evidence)), None)
    return None if read is None else Case(name, read, diagnosis_of(given, None))


def written(folder: Path, cases: Sequence[Case]) -> Path:
    """A warehouse of one row a case, its path the case's name, on two days."""
    warehouse, scratch = folder / "warehouse", folder / "spool"
    warehouse.mkdir()
    scratch.mkdir()
    spool = Spool(scratch)
    for number, case in enumerate(cases):
        read = log_read(case.name, case.evidence, case.diagnosis)
        spool.add(LogFile(case.name, 1, 1, None), replace(read, start_time=86_400.0 * (number % 2)), copy=False)
    store_metrics_used(warehouse)
    with closing(connected(folder)) as connection:
        write_rows(connection, WriteTarget(warehouse, "0-of-1"), spool, "test", lambda _: None)
    return warehouse


@contextmanager
def to_judge(warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """All days of the warehouse, to be judged as often as one likes: each time reads them from memory, and not hundreds
    of columns of its files anew."""
    asked = question_of_days(judged_rules(), in_force()).metrics_read
    with closing(opened(warehouse, days_in(warehouse), asked)) as connection:
        number_logs(connection)
        for relation in ("judged_logs", "judged_groups"):
            connection.execute(f"CREATE TEMP TABLE in_memory AS FROM {relation}")
            connection.execute(f"DROP VIEW {relation}")
            connection.execute(f"ALTER TABLE in_memory RENAME TO {relation}")
        yield connection


def judged_again(connection: duckdb.DuckDBPyConnection, moves: Mapping[str, float]) -> Mapping[str, list[Said]]:
    """By case."""
    rules = judged_rules()
    answers = judge(connection, replace(question_of_days(rules, in_force().moved(moves)), verdicts=EVERY))
    paths = dict(connection.execute('SELECT log, path FROM numbered_logs JOIN logs USING ("row")').fetchall())
    return {paths[log]: found for log, found in answered(connection, answers, rules).items()}


def diagnosed_again(diagnosis: Diagnosis, moves: Mapping[str, float]) -> list[Said]:
    """By a site's profile with these thresholds, in the words of the document: what a cure saves stands among them, and
    a threshold that is moved afterwards changes conditions alone."""
    subject, document = diagnosis.rule_inputs, diagnosis.document
    asked = evaluate_rules(replace_site(subject, moves))
    words = {f.key: f.says for f in document.findings if isinstance(f, Finding)}
    findings = [replace(f, says=words.get(f.key, f.says)) if isinstance(f, Finding) else f for f in asked.findings]
    basis = DecisionBasis(
        asked.rules,
        subject.metrics,
        subject.of_groups,
        asked.thresholds,
        SIGNIFICANCE,
        document.account,
        document.investigations,
        document.headlines,
    )
    return said(decide_findings(findings, basis))


def replace_site(subject: RuleInputs, moves: Mapping[str, float]) -> RuleInputs:
    source = SiteSource("project", "test", "a number for the test", "2026-01-01")
    others = tuple(o for o in subject.site.thresholds if o.threshold not in moves)
    own = tuple(ThresholdOverride(id, value, source, "a number for the test") for id, value in moves.items())
    site: Site = replace(subject.site, thresholds=(*others, *own))
    return replace(subject, site=site)
