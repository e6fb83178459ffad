"""Which finding explains which, how severe each then is, and in what order a person reads them.

Pure, and only over what a finding carries, so that the page can do the same when a threshold moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from iotriage.analysis.condition import recompute, severity, verdict
from iotriage.analysis.contradictions import without_contradictions
from iotriage.analysis.document import Finding, Verdict
from iotriage.rules.core.rule import Severity

OrderKey = tuple[int, int, float, int, str, str]

_SEVERITY_RANK: dict[Severity, int] = {"high": 0, "medium": 1, "low": 2, "info": 3}
_VERDICT_RANK: dict[Verdict, int] = {"triggered": 2, "unknown": 4, "error": 5, "clear": 6, "not_applicable": 7}


def reevaluate(finding: Finding, thresholds: Mapping[str, float]) -> Finding:
    """The finding with its conditions decided again under `thresholds` (by id; others keep their value). What
    other findings explain, and so the severity, is left to `settle`. A rule that failed stays an error."""
    requires = recompute(finding.requires, thresholds)
    condition = recompute(finding.condition, thresholds)
    answered: Verdict = "error" if finding.verdict == "error" else verdict(requires.answer, condition.answer)
    return replace(
        finding,
        requires=requires,
        condition=condition,
        supports=tuple(recompute(s, thresholds) for s in finding.supports),
        matters=None if finding.matters is None else recompute(finding.matters, thresholds),
        verdict=answered,
    )


def spoken(finding: Finding) -> Finding:
    """The finding with its words, advice and impact where it is triggered, and without them where it is not."""
    says = finding.would_say
    if finding.verdict == "triggered":
        if says is None:
            return finding
        return replace(finding, headline=says.headline, summary=says.summary, advice=says.advice, impact=says.impact)
    return replace(finding, headline=None, summary=None, advice=(), impact=None)


def settle(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with verdict, `explained_by` and severity set from their answers, in reading order, and the advice
    of none contradicting that of one before it."""
    answered = [f if f.verdict == "error" else _answered(f) for f in findings]
    weighed = []
    for finding in answered:
        cause = explained_by(finding, answered)
        graded = severity(finding.verdict, finding.base_severity, finding.matters, cause is not None)
        weighed.append(replace(finding, explained_by=cause, severity=graded))
    return without_contradictions(sorted(weighed, key=order_key))


def explained_by(finding: Finding, findings: Sequence[Finding]) -> str | None:
    """The rule nearest to the root (smallest priority, then id) among the triggered findings that account for
    this one: on the same files, or where either of the two is about the whole job."""
    if finding.verdict != "triggered":
        return None
    causes = (g for g in findings if g.rule != finding.rule and _explains(g, finding))
    return min(((g.priority, g.rule) for g in causes), default=(0, None))[1]


def order_key(finding: Finding) -> OrderKey:
    """What endangers the data, then what leads, then what is wrong, then what is wrong because of that, then what is
    not known; within each by severity, seconds to win, nearness to the root, and last by name so that the order is
    always the same."""
    seconds = finding.impact.seconds if finding.impact is not None else None
    return (
        _rank(finding),
        _SEVERITY_RANK[finding.severity],
        inf if seconds is None else -seconds,
        finding.priority,
        finding.rule,
        finding.scope.id,
    )


def endangers_data(finding: Finding) -> bool:
    """Whether it is grave however little the I/O took."""
    return finding.verdict == "triggered" and finding.matters is None and finding.severity == "high"


def _rank(finding: Finding) -> int:
    if endangers_data(finding):
        return 0
    if finding.verdict == "triggered" and finding.leads:
        return 1
    if finding.verdict == "triggered" and finding.explained_by is not None:
        return 3
    return _VERDICT_RANK[finding.verdict]


def _answered(finding: Finding) -> Finding:
    return spoken(replace(finding, verdict=verdict(finding.requires.answer, finding.condition.answer)))


def _explains(cause: Finding, finding: Finding) -> bool:
    if cause.verdict != "triggered" or finding.rule not in cause.explains:
        return False
    kinds = (cause.scope.kind, finding.scope.kind)
    return "job" in kinds or cause.scope.id == finding.scope.id
