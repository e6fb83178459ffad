"""The verdicts of rules over logs and groups of files, as queries; and what settling needs beside them.

`judge` reads the relations `judged_logs` and `judged_groups`: the columns of the warehouse's steps and groups, with
`log`, the log's index from 0, in both; and `failed_findings`, by log, rule and scope: what failed when the log was read
fails again, until it is read by a program whose rule does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import duckdb
import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.decision.allotment import SHORTEST
from iotriage.analysis.decision.basis import SMALL_SHARE
from iotriage.analysis.decision.order import DARSHAN, EVERY_SECOND
from iotriage.analysis.decision.significance import SIGNIFICANCE, TURNS
from iotriage.analysis.evaluation import MOST_GROUPS_JUDGED
from iotriage.centre.judging.conditions import (
    FAILED,
    NOT_APPLICABLE,
    TRIGGERED,
    UNKNOWN,
    Terms,
    VerdictParts,
    answer,
    claimed,
    metric_column,
    verdict,
    verdict_parts,
)
from iotriage.centre.judging.rules import InForce, JudgedRule
from iotriage.centre.judging.settling import NONE, Judged, Scopes, Settled, cells_of, settled
from iotriage.centre.warehouse.columns import MetricsRead
from iotriage.centre.warehouse.literal import literal
from iotriage.metrics.tables.account.cells import CELLS
from iotriage.rules import all_rules
from iotriage.rules.core.condition import Condition, metrics_of
from iotriage_parsers.evidence.darshan import Bools, Int64s
from iotriage_parsers.frozen import frozen, frozen_identity

MOST_CLAIMS: Final = max(len(rule.claims) for rule in all_rules().values())

WEIGHED_BY: Final = tuple(sorted(metrics_of(SIGNIFICANCE) | metrics_of(SMALL_SHARE)))
"""The metrics of the job that say how much its findings weigh."""

SECONDS_OF: Final = (
    f"l.account_basis = {literal(DARSHAN)} AS from_darshan, "
    f"l.account_basis IN ({', '.join(map(literal, EVERY_SECOND))}) AS every_second"
)
"""Of whose seconds the account of a log is made, as columns."""


@frozen
class Question:
    """The rules to ask, in the order in which causes are named, under which thresholds, and the metrics that are read
    of the two relations, by id. `verdicts` are those to answer: what is triggered is always among them."""

    rules: tuple[JudgedRule, ...]
    thresholds: InForce
    of_logs: Mapping[str, Literal["number", "word"]]
    of_groups: Mapping[str, Literal["number", "word"]]
    significance: Condition = SIGNIFICANCE
    verdicts: tuple[int, ...] = (TRIGGERED,)

    @property
    def metrics_read(self) -> MetricsRead:
        return {"steps": self.of_logs.keys(), "groups": self.of_groups.keys()}

    def terms(self, scope: Literal["job", "group"]) -> Terms:
        """A group has its own metrics, and of its job those that groups lack."""
        of_job = {id: metric_column("l", id, unit) for id, unit in self.of_logs.items()}
        of_group = {id: metric_column("g", id, unit) for id, unit in self.of_groups.items()}
        metrics = of_job if scope == "job" else {**of_job, **of_group}
        return Terms(metrics, lambda threshold: self.thresholds.sql(threshold, "l.site"))


@frozen_identity
class Answers:
    """Findings, and what was settled of each. Of what is not the job's, the table `asked_groups` has the id and the
    place by its index, `group`."""

    findings: Judged
    settled: Settled


def judge(connection: duckdb.DuckDBPyConnection, question: Question) -> Answers:
    _ask(connection, question)
    findings = _findings(connection, question)
    return Answers(findings, settled(findings, _scopes(connection), question.rules))


def _ask(connection: duckdb.DuckDBPyConnection, question: Question) -> None:
    """The tables `asked_logs` and `asked_groups`: a verdict a rule, `v` and the rule's index, and what the claims of
    the triggered ask for, `p` with the indexes of rule and claim.

    Verdicts are a table of their own first: where a column is named in the query that makes it, DuckDB puts its whole
    expression there, and a question of 70 rules takes three times as long to plan.
    """
    weighing = ", ".join(f"{sql} AS {name}" for name, sql in weighed_by(question, question.terms("job")).items())
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE verdicts_of_logs AS SELECT log{_verdicts(question, 'job')} "
        f"FROM (SELECT l.log{_parts(question, 'job')} FROM judged_logs l)"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE asked_logs AS "
        f"SELECT v.*, l.cells, l.savings, {SECONDS_OF}, "
        f"NOT l.account_partial AS whole, l.runtime_s AS runtime, {weighing}{_claimed_parts(question, 'job')} "
        "FROM verdicts_of_logs v JOIN judged_logs l USING (log)"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE places AS "
        "SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM (SELECT DISTINCT id FROM judged_groups)"
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE verdicts_of_groups AS SELECT log, id{_verdicts(question, 'group')} "
        f"FROM (SELECT g.log, g.id{_parts(question, 'group')} FROM judged_groups g JOIN judged_logs l USING (log))"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE all_groups AS SELECT v.*, g.position, p.place, g.cells, g.savings"
        f"{_claimed_parts(question, 'group')} FROM verdicts_of_groups v JOIN judged_groups g USING (log, id) "
        "JOIN judged_logs l USING (log) JOIN places p USING (id)"
    )
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE asked_groups AS
        SELECT row_number() OVER (ORDER BY log, position) - 1 AS "group", * FROM (
            SELECT * FROM all_groups WHERE log NOT IN {_MANY_GROUPS}
            UNION ALL BY NAME
            SELECT * REPLACE ({_of_the_first(question)}) FROM all_groups WHERE log IN {_MANY_GROUPS}
            WINDOW so_far AS (PARTITION BY log ORDER BY position)
        )
        """
    )


def _small_share(of_job: Terms) -> str:
    return f"({answer(SMALL_SHARE, of_job)} AND NOT COALESCE({answer(TURNS, of_job)}, FALSE))"


def weighed_by(question: Question, of_job: Terms) -> Mapping[str, str]:
    """What the severities of a log's findings are held against, by the column that says it."""
    known = question.thresholds.default
    return {
        "significant": answer(question.significance, of_job),
        "small_share": _small_share(of_job) if SMALL_SHARE.threshold in known else "FALSE",
        "shortest": of_job.threshold(SHORTEST) if SHORTEST in known else "0.0",
    }


_MANY_GROUPS: Final = f"(SELECT log FROM all_groups WHERE position >= {MOST_GROUPS_JUDGED})"


def _parts(question: Question, scope: Literal["job", "group"]) -> str:
    """What the verdicts are made of, each written once: DuckDB plans a query for as long as it is."""
    terms = question.terms(scope)
    written = ((i, verdict_parts(rule.requires, rule.condition, terms)) for i, rule in _of_scope(question, scope))
    return "".join(f", {of.applies} AS a{i}, {of.holds} AS h{i}, {of.seen} AS s{i}" for i, of in written)


def _verdicts(question: Question, scope: Literal["job", "group"]) -> str:
    places = (i for i, _ in _of_scope(question, scope))
    return "".join(f", {verdict(VerdictParts(f'a{i}', f'h{i}', f's{i}'))} AS v{i}" for i in places)


def _claimed_parts(question: Question, scope: Literal["job", "group"]) -> str:
    terms = question.terms(scope)
    table = "l" if scope == "job" else "g"
    written = []
    for i, rule in _of_scope(question, scope):
        for n, claim in enumerate(rule.claims):
            part = claimed(claim, terms, lambda cell: f"{table}.cells.{cell}")
            written.append(f"CASE WHEN v{i} = {TRIGGERED} THEN {part} END AS p{i}_{n}")
    return "".join(f", {column}" for column in written)


def _of_the_first(question: Question) -> str:
    """Of a log with many groups, a rule is asked about the first ones that it applies to."""
    limited = (
        f"CASE WHEN count(*) FILTER (v{i} <> {NOT_APPLICABLE}) OVER so_far > {MOST_GROUPS_JUDGED} "
        f"THEN {NOT_APPLICABLE} ELSE v{i} END::UTINYINT AS v{i}"
        for i, _ in _of_scope(question, "group")
    )
    return ", ".join(limited) or "log AS log"


def _of_scope(question: Question, scope: Literal["job", "group"]) -> Iterator[tuple[int, JudgedRule]]:
    return ((i, rule) for i, rule in enumerate(question.rules) if rule.scope == scope)


def _scopes(connection: duckdb.DuckDBPyConnection) -> Scopes:
    cells = ", ".join(f"cells.{cell} AS {cell}" for cell in CELLS)
    logs = fetched(
        connection,
        "SELECT significant::DOUBLE AS significant, small_share::DOUBLE AS small_share, whole::DOUBLE AS whole, "
        "from_darshan::DOUBLE AS from_darshan, every_second::DOUBLE AS every_second, "
        "shortest::DOUBLE AS shortest, runtime::DOUBLE AS runtime, "
        f"{cells} FROM asked_logs ORDER BY log",
    )
    groups = fetched(connection, f'SELECT {cells} FROM asked_groups ORDER BY "group"')
    return Scopes.of(logs, cells_of(groups))


def _findings(connection: duckdb.DuckDBPyConnection, question: Question) -> Judged:
    selects = (_finding(i, rule, question.verdicts) for i, rule in enumerate(question.rules))
    found = fetched(connection, " UNION ALL ".join(selects))
    log, group, rule, place, verdict = (
        found[name].astype(np.int64) for name in ("log", "group", "rule", "place", "verdict")
    )
    parts = np.stack([found[f"part{n}"] for n in range(MOST_CLAIMS)], axis=1)
    most, least, stays = (found[name] for name in IMPACT)
    verdict[_failed(connection, question, log, rule, group) & (verdict != UNKNOWN)] = FAILED
    kept = np.isin(verdict, question.verdicts)
    log, group, rule, place, verdict = (of[kept] for of in (log, group, rule, place, verdict))
    return Judged(
        log=log,
        group=group,
        rule=rule,
        place=place,
        verdict=verdict,
        parts=parts[kept],
        most=most[kept],
        least=least[kept],
        stays=stays[kept],
    )


def _failed(
    connection: duckdb.DuckDBPyConnection, question: Question, log: Int64s, rule: Int64s, group: Int64s
) -> Bools:
    """Which findings are of rules that failed there."""
    ids = ", ".join(literal(rule.id) for rule in question.rules)
    failed = fetched(
        connection,
        f'SELECT f.log, list_position([{ids}]::VARCHAR[], f.rule) - 1 AS rule, coalesce(g."group", {NONE}) AS "group" '
        "FROM failed_findings f LEFT JOIN asked_groups g ON g.log = f.log AND g.id = f.scope WHERE f.rule IN "
        f"(SELECT unnest([{ids}]::VARCHAR[]))",
    )
    if len(failed["log"]) == 0:
        return np.zeros(len(log), dtype=np.bool_)
    places = int(max(group.max(initial=NONE), failed["group"].max())) + 2
    key = (log * len(question.rules) + rule) * places + group + 1
    known = (failed["log"] * len(question.rules) + failed["rule"]) * places + failed["group"] + 1
    return np.isin(key, known.astype(np.int64))


IMPACT: Final = ("most_share", "least_share", "stays_s")


def _finding(i: int, rule: JudgedRule, verdicts: tuple[int, ...]) -> str:
    table, scope = "asked_logs", f'{NONE} AS "group", 0 AS place'
    if rule.scope == "group":
        table, scope = "asked_groups", '"group", place'
    parts = (f"p{i}_{n} AS part{n}" if n < len(rule.claims) else f"NULL AS part{n}" for n in range(MOST_CLAIMS))
    impact = (f"savings[{literal(rule.id)}].{name} AS {name}" for name in IMPACT)
    return (
        f"SELECT log, {scope}, {i} AS rule, v{i} AS verdict, {', '.join((*parts, *impact))} "
        f"FROM {table} WHERE v{i} IN ({', '.join(map(str, verdicts))})"
    )


def fetched(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, NDArray[np.float64]]:
    """Columns of numbers, NaN for what is NULL."""
    found = connection.execute(f"SELECT COLUMNS(*)::DOUBLE FROM ({query})").fetchnumpy()
    return {name: np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan) for name, column in found.items()}
