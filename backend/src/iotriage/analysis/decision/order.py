"""Decides the findings: the verdict of each, which finding explains which, how severe each is, and the reading order.

Pure, and only over what the case document carries, so that the page can do the same when a threshold moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from iotriage.analysis.decision.allotment import Allotment, allot_seconds, shortest_ranked
from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.condition import answer, severity, verdict
from iotriage.analysis.decision.contradictions import without_contradictions
from iotriage.analysis.decision.explained import explained_by
from iotriage.analysis.document import Finding, Findings, RuledOut, Verdict
from iotriage.analysis.document.account import Account
from iotriage.metrics.tables.account.cells import Basis
from iotriage.rules.core.fixed_numbers import LITTLE_OF_IO, LITTLE_OF_RUN, LOW_OF_RUN, NOTHING_LEFT
from iotriage.rules.core.rule import Severity

OrderKey = tuple[int, bool, float, float, int, float, int, str, str]

DARSHAN: Basis = "Darshan"
EVERY_SECOND: tuple[Basis, ...] = (DARSHAN, "CrayPAT")
"""Bases of accounts that, where they are not partial, lack none of the seconds of reads and writes."""
_SEVERITY_RANK: dict[Severity, int] = {"high": 0, "medium": 1, "low": 2, "info": 3}
_VERDICT_RANK: dict[Verdict, int] = {"triggered": 2, "unknown": 4, "error": 5, "clear": 6, "not_applicable": 7}


def decide_findings(findings: Findings, basis: DecisionBasis) -> tuple[Finding | RuledOut, ...]:
    """The findings with verdict, `explained_by` and severity by `basis`, in reading order, and the advice of none
    contradicting that of one before it. A rule that failed stays an error."""
    by_verdict = [_with_verdict(f, basis) for f in findings if isinstance(f, Finding)]
    triggered = [f for f in by_verdict if f.verdict == "triggered"]
    graded = [_graded(f, triggered, basis) for f in by_verdict]
    allotment = allot_seconds(graded, basis)
    graded = [_with_seconds(f, allotment, basis.account) for f in graded]
    of_rules = seconds_of_causes(graded)
    graded = [_without_seconds(f, allotment, of_rules, basis) for f in graded]
    every: list[Finding | RuledOut] = [*graded, *(f for f in findings if isinstance(f, RuledOut))]
    ordered = sorted(every, key=lambda f: _order_key(f, of_rules, basis))
    settled = iter(without_contradictions([f for f in ordered if isinstance(f, Finding)]))
    return tuple([f if isinstance(f, RuledOut) else next(settled) for f in ordered])


def seconds_of_causes(findings: Sequence[Finding]) -> dict[str, float]:
    """By rule, what it takes in all groups of files together where no other explains it."""
    found: dict[str, float] = {}
    for finding in findings:
        if is_a_cause(finding) and finding.takes_s is not None:
            found[finding.rule] = found.get(finding.rule, 0.0) + finding.takes_s
    return found


def is_a_cause(finding: Finding | RuledOut) -> bool:
    return finding.verdict == "triggered" and finding.explained_by is None


def _with_seconds(finding: Finding, allotment: Allotment | None, account: Account | None) -> Finding:
    """With what it takes and what its cure could save; where part of the time is not known, the latter has no
    bounds."""
    key = (finding.rule, finding.scope.id)
    takes = None if allotment is None else allotment.takes.get(key)
    bounds = None
    if allotment is not None and account is not None and not account.partial and takes is not None and finding.impact:
        bounds = finding.impact.of(takes, allotment.reaches[key], account.cells.total, account.runtime_s)
    least, most = bounds or (None, None)
    if (finding.takes_s, finding.could_save_at_least_s, finding.could_save_s) == (takes, least, most):
        return finding
    return replace(finding, takes_s=takes, could_save_at_least_s=least, could_save_s=most)


def _without_seconds(
    finding: Finding, allotment: Allotment | None, of_rules: Mapping[str, float], basis: DecisionBasis
) -> Finding:
    """A note instead of a fault, where the account has every second and the cause claims few of them in all groups of
    files together (`of_rules`), or nothing of them here; and a low one where it claims few of the run's. Of a partial
    account a note too, where others took all that it claims of the seconds that are known: those that are not may be
    its own. CrayPAT's tables have every read and write, and no opens: there a finding is held against the run alone."""
    account, takes = basis.account, finding.takes_s
    if allotment is None or account is None or account.basis not in EVERY_SECOND or takes is None:
        return finding
    if account.partial and account.basis != DARSHAN:
        return finding
    if account.partial:
        nothing = NOTHING_LEFT * account.cells.total
        if takes >= nothing or allotment.reaches[finding.rule, finding.scope.id] < nothing:
            return finding
    if not finding.weighed or finding.severity == "info":
        return finding
    together = of_rules.get(finding.rule, takes)
    if together < _worth_a_fault(account) or takes < _nothing(account):
        return replace(finding, severity="info")
    low = together < _worth_more_than_low(account, basis)
    return replace(finding, severity="low") if low and finding.severity != "low" else finding


def _worth_a_fault(account: Account) -> float:
    """Seconds from which a cause is more than a note."""
    of_run = LITTLE_OF_RUN * _shortest_run(account)
    return (
        of_run if account.basis != DARSHAN else max(_nothing(account), min(LITTLE_OF_IO * account.cells.total, of_run))
    )


def _worth_more_than_low(account: Account, basis: DecisionBasis) -> float:
    """Seconds from which a fault is more than a low one. Those that decide nothing in a run of any length are no more
    where its length is unknown."""
    of_run = LOW_OF_RUN * _shortest_run(account)
    return of_run if account.runtime_s is not None else max(of_run, shortest_ranked(basis))


def _shortest_run(account: Account) -> float:
    """The run's seconds; where nothing tells them, those of its I/O, for it was no shorter."""
    return account.cells.total if account.runtime_s is None else account.runtime_s


def _nothing(account: Account) -> float:
    """Seconds below which a finding has none of the I/O time; of what is not all of it, none can be said."""
    return NOTHING_LEFT * account.cells.total if account.basis == DARSHAN else 0.0


def endangers_data(finding: Finding) -> bool:
    """Whether it is grave however little the I/O took."""
    return finding.verdict == "triggered" and finding.severity == "high" and not finding.weighed


def _with_verdict(finding: Finding, basis: DecisionBasis) -> Finding:
    now = _verdict(finding, basis)
    return finding if now == finding.verdict else replace(finding, verdict=now)


def _verdict(finding: Finding, basis: DecisionBasis) -> Verdict:
    if finding.error is not None:
        return finding.verdict
    rule, metrics = basis.rules[finding.rule], basis.metrics_of(finding.scope.id)
    requires = answer(rule.requires, metrics, basis.thresholds)
    return verdict(requires, None if requires is False else answer(rule.condition, metrics, basis.thresholds))


def _graded(finding: Finding, triggered: Sequence[Finding], basis: DecisionBasis) -> Finding:
    """The finding with what explains it, its severity, and its advice as its rule gives it."""
    cause = explained_by(finding, triggered, basis)
    advice = () if finding.in_force is None else finding.in_force.advice
    grade = _severity(finding, cause, basis)
    before = finding.explained_by, finding.severity, finding.advice, finding.given_way
    if before == (cause, grade, advice, ()):
        return finding
    return replace(finding, explained_by=cause, severity=grade, advice=advice, given_way=())


def _severity(finding: Finding, cause: str | None, basis: DecisionBasis) -> Severity:
    if finding.verdict != "triggered":
        return "info"
    rule = basis.rules[finding.rule]
    return severity(
        finding.verdict,
        rule.severity,
        weighed=finding.weighed,
        significant=basis.significant,
        explained=cause is not None,
        small_share=basis.small_share,
    )


def _order_key(finding: Finding | RuledOut, of_rules: Mapping[str, float], basis: DecisionBasis) -> OrderKey:
    """What endangers the data, then what leads, then what is wrong, then what is wrong because of that, then what is
    not known; within each notes last, then by the seconds that the cause takes in all groups of files (`of_rules`),
    those that it takes here, severity, seconds to win, nearness to the root, and last by name so that the order is
    always the same."""
    names = finding.priority, finding.rule, finding.scope.id
    if isinstance(finding, RuledOut):
        return _VERDICT_RANK[finding.verdict], False, 0.0, 0.0, _SEVERITY_RANK[finding.severity], inf, *names
    seconds = finding.could_save_s
    of_rule = of_rules.get(finding.rule) if is_a_cause(finding) else finding.takes_s
    return (
        _rank(finding, basis),
        finding.verdict == "triggered" and basis.rules[finding.rule].severity == "info",
        _ranked(of_rule, basis),
        _ranked(finding.takes_s, basis),
        _SEVERITY_RANK[finding.severity],
        inf if seconds is None else -seconds,
        *names,
    )


def _ranked(seconds: float | None, basis: DecisionBasis) -> float:
    """The most first; too few rank nothing."""
    return 0.0 if seconds is None or seconds < shortest_ranked(basis) else -seconds


def _rank(finding: Finding, basis: DecisionBasis) -> int:
    if finding.verdict != "triggered":
        return _VERDICT_RANK[finding.verdict]
    if endangers_data(finding):
        return 0
    if basis.rules[finding.rule].leads:
        return 1
    return _VERDICT_RANK["triggered"] if finding.explained_by is None else 3
