"""Which findings differ between runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.decision.basis import DecisionBasis, basis_of
from iotriage.analysis.document import Finding, Findings, RuledOut, Verdict
from iotriage.analysis.run_sets.run import Run
from iotriage.rules import all_rules
from iotriage.rules.core.condition import metrics_of
from iotriage.rules.core.rule import Severity
from iotriage.rules.evidence import as_documented, below_expectation
from iotriage_parsers.frozen import frozen


@frozen
class FindingState:
    """A rule's answer on one run: the gravest of its findings there. `cause` where it is triggered, tells what takes
    the time of the I/O, and no other finding explains it. `verdict` null where nothing of what the rule looks at is
    known of the run."""

    verdict: Verdict | None
    severity: Severity | None
    cause: bool


@frozen
class FindingChange:
    """A rule that is triggered on at least one of the runs."""

    rule: str
    title: str
    states: tuple[FindingState, ...]


def finding_changes(runs: Sequence[Run]) -> tuple[FindingChange, ...]:
    """One for each rule about I/O that is triggered on one of the runs at least."""
    bases = [basis_of(run.document) for run in runs]
    by_run = [_by_rule(run.document.findings) if run.of_job else {} for run in runs]
    rules = dict.fromkeys(
        rule
        for basis, found in zip(bases, by_run, strict=True)
        for rule, f in found.items()
        if f.verdict == "triggered" and _judges_io(f, basis)
    )
    return tuple(
        FindingChange(
            rule,
            next(f[rule].title for f in by_run if rule in f and f[rule].verdict == "triggered"),
            tuple(_state(f.get(rule), basis) for basis, f in zip(bases, by_run, strict=True)),
        )
        for rule in rules
    )


def _by_rule(findings: Findings) -> Mapping[str, Finding | RuledOut]:
    """The first of each rule, which in reading order is the gravest; triggered before all else."""
    found: dict[str, Finding | RuledOut] = {}
    for finding in sorted(findings, key=lambda f: f.verdict != "triggered"):
        found.setdefault(finding.rule, finding)
    return found


def _judges_io(finding: Finding, basis: DecisionBasis) -> bool:
    """Whether the rule speaks about the I/O, and not about the evidence or how much I/O there is."""
    return finding.weighed and not basis.rules[finding.rule].leads


def _has_evidence(finding: Finding | RuledOut, basis: DecisionBasis) -> bool:
    """Whether the run's sources have any figure that the rule decides by."""
    metrics = basis.metrics_of(finding.scope.id)
    asked = metrics_of(all_rules()[finding.rule].condition)
    return any((metric := metrics.get(name)) is not None and metric.value is not None for name in asked)


def _state(finding: Finding | RuledOut | None, basis: DecisionBasis) -> FindingState:
    if finding is None or (finding.verdict == "not_applicable" and not _has_evidence(finding, basis)):
        return FindingState(None, None, cause=False)
    triggered = finding.verdict == "triggered"
    cause = triggered and finding.explained_by is None and _claims_time(finding.rule)
    return FindingState(finding.verdict, finding.severity if triggered else None, cause)


def _claims_time(rule: str) -> bool:
    """Whether the rule names something that takes seconds, and does not only hold the rate against a document, or
    suggest what else could be tried: no run bears that out."""
    return bool(all_rules()[rule].claims) and rule not in (as_documented.rule.id, below_expectation.rule.id)
