"""Distributes the seconds of the time account among the findings that claim them.

What was measured apart comes first, then causes before symptoms: findings that no other explains, and of each kind the
one nearest to the root. A second is given once, of the job and of its group of files, and what is not split is given to
nobody. What another finding explains on the same files is given no more than that takes: the rest has another cause;
and of a cell only what it claims beyond that finding's seconds there, which are the same ones, seen twice.
Pure, and only over what the case document carries; the page does the same (`allotment.ts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, prod

from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.condition import Metrics, answer
from iotriage.analysis.document import Finding, Findings
from iotriage.metrics.tables.account.cells import CELLS, Cell, Cells
from iotriage.rules.core.claim import Claim, LargestOf, Part, ProductOf, SecondsOf, ShareOf, ShortOf, Whole
from iotriage_parsers.frozen import frozen

SHORTEST = "significance.seconds"
"""The threshold below which seconds are start-up and caches: they rank nothing, and nobody looks for their cause."""


@frozen
class Allotment:
    """Seconds by rule and scope of the findings that claim any, and what is left of the job's cells. A finding reaches
    what it claims, to whomever it was given, and what its files' slowest rank takes beyond the mean and nobody claims:
    its cure can spare all of that."""

    takes: dict[tuple[str, str], float]
    reaches: dict[tuple[str, str], float]
    left: Cells


def allot_seconds(findings: Findings, basis: DecisionBasis) -> Allotment | None:
    """`findings` with verdict and cause, in any order; None where there is no account."""
    account = basis.account
    if account is None:
        return None
    job = {cell: account.cells.of(cell) for cell in CELLS}
    of_groups = {id: {cell: cells.of(cell) for cell in CELLS} for id, cells in account.groups.items()}
    takes: dict[tuple[str, str], float] = {}
    reaches: dict[tuple[str, str], float] = {}
    asked: dict[tuple[str, str], dict[Cell, float]] = {}
    by_cell: dict[tuple[str, str], dict[Cell, float]] = {}
    for finding, claims in _in_turn(findings, basis):
        whole = finding.scope.kind == "job"
        of_scope = account.cells if whole else account.groups.get(finding.scope.id)
        if of_scope is None:
            continue
        left = job if whole else of_groups[finding.scope.id]
        metrics, key = basis.metrics_of(finding.scope.id), (finding.rule, finding.scope.id)
        given = takes.get(key, 0.0)
        cause = finding.explained_by
        most = inf if cause is None else takes.get((cause, finding.scope.id), inf)
        same = {} if cause is None else dict(by_cell.get((cause, finding.scope.id), {}))
        mine = by_cell.setdefault(key, {})
        for claim, part in _counted(claims, of_scope, metrics, basis):
            for cell in claim.cells:
                more = _claims_more(claim, part, cell, of_scope, asked.setdefault(key, {}))
                of_cause = min(more, same.get(cell, 0.0))
                same[cell] = same.get(cell, 0.0) - of_cause
                seconds = min(more - of_cause, left[cell], job[cell], max(0.0, most - given))
                left[cell] -= seconds
                if left is not job:
                    job[cell] -= seconds
                mine[cell] = mine.get(cell, 0.0) + seconds
                given += seconds
        takes[key] = given
        claimed = claimed_seconds(finding, of_scope, basis)
        reaches[key] = sum(claimed.get(cell, 0.0) for cell in CELLS)
    waited = {scope: min(left["imbalance"], job["imbalance"]) for scope, left in of_groups.items()}
    reaches = {key: seconds + waited.get(key[1], job["imbalance"]) for key, seconds in reaches.items()}
    return Allotment(takes, reaches, Cells(*(job[cell] for cell in CELLS)))


def claimed_seconds(finding: Finding, of_scope: Cells, basis: DecisionBasis) -> dict[Cell, float]:
    """What the finding claims of the cells of its scope, whoever else claims it; a cell of which it claims nothing here
    is missing."""
    metrics = basis.metrics_of(finding.scope.id)
    claimed: dict[Cell, float] = {}
    for claim, part in _counted(basis.rules[finding.rule].claims, of_scope, metrics, basis):
        for cell in claim.cells:
            _claims_more(claim, part, cell, of_scope, claimed)
    return claimed


def _claims_more(claim: Claim, part: float, cell: Cell, of_scope: Cells, asked: dict[Cell, float]) -> float:
    """Seconds of the cell that the claim asks for beside those that its finding has `asked` for, which it joins."""
    before, seconds = asked.get(cell, 0.0), part * of_scope.of(cell)
    more = max(0.0, seconds - before) if claim.up_to else seconds
    asked[cell] = min(before + more, of_scope.of(cell))
    return more


def _counted(
    claims: Sequence[Claim], of_scope: Cells, metrics: Metrics, basis: DecisionBasis
) -> Iterator[tuple[Claim, float]]:
    """The claims that count here, each with the part of its cells that it claims."""
    for claim in claims:
        if answer(claim.when, metrics, basis.thresholds) is True:
            yield claim, fraction(claim.part, metrics, sum(of_scope.of(cell) for cell in claim.cells))


def _in_turn(findings: Findings, basis: DecisionBasis) -> Iterator[tuple[Finding, Sequence[Claim]]]:
    """The triggered findings with those of their claims that have their turn: what was measured apart, then the rest,
    of causes before symptoms."""
    triggered = sorted(
        (f for f in findings if f.verdict == "triggered" and f.rule in basis.rules), key=_nearest_to_the_root
    )
    of_rules = [(f, basis.rules[f.rule].claims) for f in triggered]
    for finding, claims in of_rules:
        if finding.explained_by is None and any(claim.apart for claim in claims):
            yield finding, [claim for claim in claims if claim.apart]
    for finding, claims in of_rules:
        if claims:
            yield finding, [claim for claim in claims if not (claim.apart and finding.explained_by is None)]


def fraction(part: Part, metrics: Metrics, seconds: float) -> float:
    """How much of `seconds` it is, from 0 to 1."""
    match part:
        case Whole():
            return 1.0
        case LargestOf():
            return max(fraction(one, metrics, seconds) for one in part.of)
        case ProductOf():
            return prod(fraction(one, metrics, seconds) for one in part.of)
    metric = metrics.get(part.metric)
    value = None if metric is None else metric.value
    if value is None or isinstance(value, str):
        return 0.0
    match part:
        case ShareOf():
            found = value
        case ShortOf():
            found = 1.0 - value
        case SecondsOf():
            found = value / seconds if seconds > 0 else 0.0
        case _:
            found = 1.0 - 1.0 / value if value > 0 else 0.0
    return min(1.0, max(0.0, found))


def shortest_ranked(basis: DecisionBasis) -> float:
    """Seconds from which it counts which of two findings takes longer."""
    threshold = basis.thresholds.get(SHORTEST)
    return 0.0 if threshold is None else threshold.value


def _nearest_to_the_root(finding: Finding) -> tuple[bool, int, str, str]:
    return (finding.explained_by is not None, finding.priority, finding.rule, finding.scope.id)
